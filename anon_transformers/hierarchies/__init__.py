"""Hierarchies: how a value is made less exact, step by step."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.hierarchies._builder import HierarchyBuilder
    from anon_transformers.hierarchies._data_types import (
        ByDataType,
        detect_data_type,
        register_data_type,
    )
    from anon_transformers.hierarchies._dates import DateParts
    from anon_transformers.hierarchies._hierarchy import Hierarchy
    from anon_transformers.hierarchies._intervals import Intervals
    from anon_transformers.hierarchies._masking import Masking
    from anon_transformers.hierarchies._normalize import fold
    from anon_transformers.hierarchies._suggest import (
        Suggested,
        Suggestion,
        suggest,
        suggest_hierarchy,
    )
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "ByDataType",
    "DateParts",
    "Hierarchy",
    "HierarchyBuilder",
    "Intervals",
    "Masking",
    "Suggested",
    "Suggestion",
    "detect_data_type",
    "fold",
    "register_data_type",
    "suggest",
    "suggest_hierarchy",
]

"""Hierarchies: how a value is made less exact, step by step."""

from anon_transformers._lazy import lazy_names

__all__ = [
    "ByDataType",
    "DateParts",
    "Hierarchy",
    "HierarchyBuilder",
    "Intervals",
    "Masking",
    "Suggested",
    "detect_data_type",
    "fold",
    "register_data_type",
    "suggest",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ByDataType": "anon_transformers.hierarchies._data_types",
        "DateParts": "anon_transformers.hierarchies._dates",
        "Hierarchy": "anon_transformers.hierarchies._hierarchy",
        "HierarchyBuilder": "anon_transformers.hierarchies._builder",
        "Intervals": "anon_transformers.hierarchies._intervals",
        "Masking": "anon_transformers.hierarchies._masking",
        "Suggested": "anon_transformers.hierarchies._suggest",
        "detect_data_type": "anon_transformers.hierarchies._data_types",
        "fold": "anon_transformers.hierarchies._normalize",
        "register_data_type": "anon_transformers.hierarchies._data_types",
        "suggest": "anon_transformers.hierarchies._suggest",
    },
)

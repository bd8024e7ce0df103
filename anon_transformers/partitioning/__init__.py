"""Anonymizers that cut the space of quasi-identifiers into boxes."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.partitioning._mondrian import MondrianAnonymizer
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = ["MondrianAnonymizer"]

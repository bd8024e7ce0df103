"""Anonymizers that cut the space of quasi-identifiers into boxes."""

from anon_transformers._lazy import lazy_names

__all__ = ["MondrianAnonymizer"]

__getattr__, __dir__ = lazy_names(
    __name__, {"MondrianAnonymizer": "anon_transformers.partitioning._mondrian"}
)

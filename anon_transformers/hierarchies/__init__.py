"""Hierarchies: how a value is made less exact, step by step."""

from anon_transformers._lazy import lazy_names

__all__ = ["Hierarchy"]

__getattr__, __dir__ = lazy_names(
    __name__, {"Hierarchy": "anon_transformers.hierarchies._hierarchy"}
)

"""Anonymizers that generalize whole columns along hierarchies."""

from anon_transformers._lazy import lazy_names

__all__ = ["DataflyAnonymizer"]

__getattr__, __dir__ = lazy_names(
    __name__, {"DataflyAnonymizer": "anon_transformers.generalization._datafly"}
)

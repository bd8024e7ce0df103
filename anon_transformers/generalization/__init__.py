"""Anonymizers that generalize whole columns along hierarchies, and helpers."""

from anon_transformers._lazy import lazy_names

__all__ = [
    "DataflyAnonymizer",
    "Frontier",
    "FullDomainAnonymizer",
    "Rounder",
    "TopBottomCoder",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "DataflyAnonymizer": "anon_transformers.generalization._datafly",
        "Frontier": "anon_transformers.generalization._frontier",
        "FullDomainAnonymizer": "anon_transformers.generalization._full_domain",
        "Rounder": "anon_transformers.generalization._rounder",
        "TopBottomCoder": "anon_transformers.generalization._top_bottom_coder",
    },
)

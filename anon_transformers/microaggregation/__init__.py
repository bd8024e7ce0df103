"""Anonymizers that gather near rows into groups, and publish means or swap values."""

from anon_transformers._lazy import lazy_names

__all__ = ["GroupSwapper", "MDAVAnonymizer"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "GroupSwapper": "anon_transformers.microaggregation._group_swapper",
        "MDAVAnonymizer": "anon_transformers.microaggregation._mdav",
    },
)

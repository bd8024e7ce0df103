"""Data that come with the library."""

from anon_transformers._lazy import lazy_names

__all__ = ["bundled_path", "load_adult", "load_adult_hierarchies"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "bundled_path": "anon_transformers.datasets._bundled",
        "load_adult": "anon_transformers.datasets._adult",
        "load_adult_hierarchies": "anon_transformers.datasets._adult",
    },
)

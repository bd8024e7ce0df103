"""Data that come with the library."""

from anon_transformers._lazy import lazy_names

__all__ = [
    "bundled_path",
    "dataset_name",
    "load_adult",
    "load_adult_hierarchies",
    "make_dependent",
    "make_independent",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "bundled_path": "anon_transformers.datasets._bundled",
        "dataset_name": "anon_transformers.datasets._synthetic",
        "load_adult": "anon_transformers.datasets._adult",
        "load_adult_hierarchies": "anon_transformers.datasets._adult",
        "make_dependent": "anon_transformers.datasets._synthetic",
        "make_independent": "anon_transformers.datasets._synthetic",
    },
)

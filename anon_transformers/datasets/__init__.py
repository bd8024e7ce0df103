"""Data that come with the library."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.datasets._bundled import (
        bundled_path,
        load_adult,
        load_adult_hierarchies,
    )
    from anon_transformers.datasets._synthetic import (
        dataset_name,
        make_dependent,
        make_independent,
    )
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "bundled_path",
    "dataset_name",
    "load_adult",
    "load_adult_hierarchies",
    "make_dependent",
    "make_independent",
]

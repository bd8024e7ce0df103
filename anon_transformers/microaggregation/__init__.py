"""Anonymizers that gather near rows into groups, and publish means or swap values.

What they are made of is public, for methods that group rows in another way: where rows
lie (:class:`NumericSpace`, :func:`embed`), groups that join others until a promise
holds (:class:`RowGroups`, :func:`merge_until_kept`), and what a group publishes
(:func:`publish_centers`).
"""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.microaggregation._centers import publish_centers
    from anon_transformers.microaggregation._group_swapper import GroupSwapper
    from anon_transformers.microaggregation._mdav import MDAVAnonymizer
    from anon_transformers.microaggregation._merging import RowGroups, merge_until_kept
    from anon_transformers.microaggregation._space import NumericSpace, embed
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "GroupSwapper",
    "MDAVAnonymizer",
    "NumericSpace",
    "RowGroups",
    "embed",
    "merge_until_kept",
    "publish_centers",
]

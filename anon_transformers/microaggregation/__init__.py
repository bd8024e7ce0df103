"""Anonymizers that gather near rows into groups, and publish means or swap values."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.microaggregation._group_swapper import GroupSwapper
    from anon_transformers.microaggregation._mdav import MDAVAnonymizer
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = ["GroupSwapper", "MDAVAnonymizer"]

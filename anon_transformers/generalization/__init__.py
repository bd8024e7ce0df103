"""Anonymizers that generalize whole columns along hierarchies, and helpers."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.generalization._datafly import DataflyAnonymizer
    from anon_transformers.generalization._frontier import Frontier
    from anon_transformers.generalization._full_domain import FullDomainAnonymizer
    from anon_transformers.generalization._levels import publish_level
    from anon_transformers.generalization._rounder import Rounder
    from anon_transformers.generalization._solutions import Solutions
    from anon_transformers.generalization._top_bottom_coder import TopBottomCoder
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "DataflyAnonymizer",
    "Frontier",
    "FullDomainAnonymizer",
    "Rounder",
    "Solutions",
    "TopBottomCoder",
    "publish_level",
]

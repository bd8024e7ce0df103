"""Probabilistic k-anonymity, and what intruders learn from cells that moved."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.privacy.probabilistic._disclosure import (
        ValueDisclosure,
        value_disclosure,
    )
    from anon_transformers.privacy.probabilistic._moves import Hits, record_hits
    from anon_transformers.privacy.probabilistic._regression import (
        RegressionHits,
        regression_hits,
    )
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "Hits",
    "RegressionHits",
    "ValueDisclosure",
    "record_hits",
    "regression_hits",
    "value_disclosure",
]

"""Published experiments on tables, run again; ``anon reproduce NAME`` runs them too."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers_reproductions.fuzzy import FuzzyExperiment
    from anon_transformers_reproductions.mondrian_datafly import (
        MondrianDataflyExperiment,
    )
    from anon_transformers_reproductions.probabilistic import ProbabilisticExperiment
    from anon_transformers_reproductions.tabular import TabularExperiment
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "FuzzyExperiment",
    "MondrianDataflyExperiment",
    "ProbabilisticExperiment",
    "TabularExperiment",
]

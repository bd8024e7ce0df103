"""Microaggregation and swapping on Census and EIA."""

from anon_transformers_reproductions.probabilistic._experiment import (
    ProbabilisticExperiment,
)

__all__ = ["ProbabilisticExperiment"]

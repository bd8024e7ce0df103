"""Crisp and fuzzy codings of Census."""

from anon_transformers_reproductions.fuzzy._experiment import FuzzyExperiment

__all__ = ["FuzzyExperiment"]

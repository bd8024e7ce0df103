"""Optimal full-domain k, (c,l) and t on Adult."""

from anon_transformers_reproductions.tabular._experiment import TabularExperiment

__all__ = ["TabularExperiment"]

"""Mondrian and Datafly on synthetic tables and on Adult."""

from anon_transformers_reproductions.mondrian_datafly._experiment import (
    MondrianDataflyExperiment,
)

__all__ = ["MondrianDataflyExperiment"]

"""Experiments on graphs: published ones run again, and sweeps of a parameter."""

from anon_transformers_graphs.experiments._experiment import GraphExperiment
from anon_transformers_graphs.experiments._sweep import (
    largest_value,
    sweep,
    sweep_means,
)

__all__ = ["GraphExperiment", "largest_value", "sweep", "sweep_means"]

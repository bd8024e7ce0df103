"""Graphs in which several nodes share each degree."""

from anon_transformers_graphs.degrees._genetic import genetic_sequence
from anon_transformers_graphs.degrees._graphical import is_graphical
from anon_transformers_graphs.degrees._k_degree import KDegreeAnonymizer
from anon_transformers_graphs.degrees._sequences import (
    exact_sequence,
    greedy_sequence,
    liu_terzi_sequence,
)

__all__ = [
    "KDegreeAnonymizer",
    "exact_sequence",
    "genetic_sequence",
    "greedy_sequence",
    "is_graphical",
    "liu_terzi_sequence",
]

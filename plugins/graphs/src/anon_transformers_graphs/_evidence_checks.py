"""Checks of graph evidence that privacy models and metrics share.

What cannot be judged raises `NotEvaluable`, and a gate fails.
"""

import math

from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.graphs import Graph


def check_nodes(name: str, n_nodes: int) -> None:
    """Refuse a graph without nodes: every promise would hold for it."""
    if not n_nodes:
        raise NotEvaluable(f"{name} has nothing to judge: there are no nodes.")


def both_graphs(name: str, evidence: GraphEvidence) -> tuple[Graph, Graph]:
    """Original and published graph; raises if the original is missing."""
    if evidence.original is None:
        raise NotEvaluable(f"{name} needs the original graph beside the published one.")
    check_nodes(name, evidence.published.n_nodes)
    return evidence.original, evidence.published


def finite(name: str, value: float) -> float:
    """The number that was measured; raises if the graph has none."""
    if not math.isfinite(value):
        raise NotEvaluable(f"{name} is not defined for this graph.")
    return float(value)

"""Risk of a published graph for an intruder who knows degrees of the original."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anon_transformers.exceptions import DataError
from anon_transformers.graphs import open_same_nodes
from anon_transformers_graphs._graph_arrays import smallest_degree_class


@dataclass(frozen=True)
class RiskComparison:
    """What degrees of the original disclose about the published graph.

    Attributes
    ----------
    node_probabilities : float array of shape (n_nodes,)
        For each node of the original the chance to be found: one divided by the number
        of nodes of its degree there, or 0 if its degree has changed.
    group_risks : mapping of int to float
        By published degree: the mean chance of its nodes, over their number. Noise
        nodes are nobody's, with a chance of 0.
    k_original, k_published : int
        Nodes of the rarest degree in either graph.
    k_bound : int
        The larger of both: a lower bound of what protects against this intruder.
    worst_group_risk : float
        The highest of the group risks. It is never above ``1 / k_bound``, and often far
        below it.
    unchanged : int
        Nodes that kept their degree.
    """

    node_probabilities: np.ndarray = field(repr=False)
    group_risks: Mapping[int, float] = field(repr=False)
    k_original: int
    k_published: int
    k_bound: int
    worst_group_risk: float
    unchanged: int

    def to_dict(self) -> dict[str, Any]:
        """Everything but what belongs to single nodes, as plain values."""
        return {
            "k_original": self.k_original,
            "k_published": self.k_published,
            "k_bound": self.k_bound,
            "worst_group_risk": self.worst_group_risk,
            "unchanged": self.unchanged,
            "group_risks": dict(self.group_risks),
        }


def compare_risk(
    original: Any,
    published: Any,
    *,
    mapping: Mapping[Any, Hashable] | None = None,
) -> RiskComparison:
    """Risk of a published graph, seen from its original.

    The intruder knows the degrees of the original, and does not know how it was
    changed. ``k_bound`` is a number to report and never one to promise: an intruder who
    guesses the changes regains a part of what they took away, and alone the published
    graph may have less.

    Parameters
    ----------
    original, published : Graph, or a graph in any form
        The same nodes: they go by name, or by order where one has no names.
    mapping : mapping, optional
        New name by old name, for a published graph whose nodes were renamed; see
        :func:`anon_transformers.graphs.open_same_nodes`.

    Returns
    -------
    RiskComparison
        Chances of nodes and of groups, and the k of both graphs.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> original = Graph(6, [[0, 1], [0, 3], [1, 2], [1, 4], [2, 4], [2, 5], [3, 5]])
    >>> more = Graph(6, [*original.edges.tolist(), [3, 4]])
    >>> found = compare_risk(original, more)
    >>> found.k_bound, found.worst_group_risk
    (2, 0.25)
    """
    original, published, _ = open_same_nodes(original, published, mapping)
    if not original.n_nodes:
        raise DataError("the graphs have no nodes: there is nobody to look for.")
    before, after = original.degrees, published.degrees[: original.n_nodes]
    histogram = published.degree_histogram
    probabilities = np.where(before == after, 1 / original.degree_histogram[before], 0)
    degrees = np.flatnonzero(histogram)
    sums = np.bincount(after, probabilities, len(histogram))[degrees]
    risks = sums / histogram[degrees]
    k_original = smallest_degree_class(original)
    k_published = smallest_degree_class(published)
    return RiskComparison(
        probabilities,
        dict(zip(degrees.tolist(), risks.tolist(), strict=True)),
        k_original,
        k_published,
        max(k_original, k_published),
        float(risks.max()),
        int((before == after).sum()),
    )

"""Nodes by how many others fit what an intruder knows of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from anon_transformers.exceptions import DataError
from anon_transformers.graphs import Graph
from anon_transformers.parameters import whole
from anon_transformers_graphs._any_form import any_form
from anon_transformers_graphs._graph_arrays import class_sizes
from anon_transformers_graphs.queries import refinement_classes
from anon_transformers_graphs.queries._refinement import refinements

HIGH_RISK_BELOW = 5
SAFE_ABOVE = 20
LEVELS = ("reidentified", "very_high_risk", "intermediate", "safe")


@dataclass(frozen=True)
class CandidateReport:
    """Candidate sets of all nodes, for queries of rising depth.

    Attributes
    ----------
    sizes : mapping of str to int array
        By query, "h1" and so on: the size of each node's candidate set.
    """

    sizes: Mapping[str, np.ndarray] = field(repr=False)

    @property
    def shares(self) -> dict[str, dict[str, float]]:
        """By query: the share of nodes at each level of risk."""
        return {query: _shares(sizes) for query, sizes in self.sizes.items()}

    @property
    def k(self) -> dict[str, int]:
        """By query: the smallest candidate set."""
        return {query: int(sizes.min()) for query, sizes in self.sizes.items()}

    def to_dict(self) -> dict[str, Any]:
        """The smallest set and the shares by query, as plain values."""
        shares, k = self.shares, self.k
        return {query: {"k": k[query], **shares[query]} for query in self.sizes}


@any_form
def candidate_report(
    graph: Graph, depth: int = 4, time_limit: float = 60.0
) -> CandidateReport:
    """Size every node's candidate set, and sort nodes by risk.

    A node that is alone in its set is reidentified; one with fewer than 5 candidates is
    at very high risk; one with more than 20 is safe. The name of what lies between,
    "intermediate", is not in the paper.

    Parameters
    ----------
    graph : Graph, or a graph in any form
        What is published. Its labels, if it has some, are known to the intruder.
    depth : int, default=4
        Up to which depth intruders know the neighbors of neighbors.
    time_limit : float, default=60.0
        Seconds.

    Returns
    -------
    CandidateReport
        For the queries "h1" up to that depth.

    Raises
    ------
    DataError
        If there are no nodes: nobody is at risk, and nobody is safe.
    NotEvaluable
        If the time is over.

    References
    ----------
    .. [1] M. Hay, G. Miklau, D. Jensen, D. Towsley and P. Weis, "Resisting structural
       re-identification in anonymized social networks", PVLDB, 2008.

    Examples
    --------
    >>> path = Graph(5, [[0, 1], [1, 2], [2, 3], [3, 4]])
    >>> report = candidate_report(path, depth=2)
    >>> report.k
    {'h1': 2, 'h2': 1}
    >>> report.shares["h2"]["reidentified"]
    0.2
    """
    depth = whole("depth", depth)
    if not graph.n_nodes:
        raise DataError("the graph has no nodes: there is nobody to look for.")
    classes, found = refinement_classes(graph, 0), []
    for finer in islice(refinements(graph, time_limit), depth):
        classes = finer
        found.append(class_sizes(classes))
    # Classes that do not split any more stay as they are at every further depth.
    found += [class_sizes(classes)] * (depth - len(found))
    return CandidateReport({f"h{i}": sizes for i, sizes in enumerate(found, start=1)})


def risk_levels(sizes: np.ndarray) -> np.ndarray:
    """Level of risk of candidate sets, by their sizes.

    Parameters
    ----------
    sizes : int array
        Sizes of at least 1.

    Returns
    -------
    str array of the same shape
        "reidentified", "very_high_risk", "intermediate" or "safe".

    Examples
    --------
    >>> risk_levels([1, 4, 5, 20, 21]).tolist()
    ['reidentified', 'very_high_risk', 'intermediate', 'intermediate', 'safe']
    """
    bounds = [2, HIGH_RISK_BELOW, SAFE_ABOVE + 1]
    return np.array(LEVELS)[np.digitize(np.asarray(sizes), bounds)]


def _shares(sizes: np.ndarray) -> dict[str, float]:
    levels = risk_levels(sizes)
    return {level: float((levels == level).mean()) for level in LEVELS}

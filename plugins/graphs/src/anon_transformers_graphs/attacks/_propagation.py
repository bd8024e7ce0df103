"""Re-identification from a few known nodes (Narayanan and Shmatikov 2009)."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anon_transformers.exceptions import DataError
from anon_transformers.graphs import Graph, open_graph
from anon_transformers.parameters import real, whole
from anon_transformers_graphs._any_form import has_names, places_by_name
from anon_transformers_graphs._kernels.neighbor_propagation import NOBODY, propagate
from anon_transformers_graphs.queries._lists import neighbor_lists

PAIR = 2


@dataclass(frozen=True)
class SeedPropagation:
    """Who was found from a few nodes that were known.

    Attributes
    ----------
    seeds : int
        Nodes that were known.
    targets : int
        Further nodes of the auxiliary graph that are in the published one.
    mapped : int
        Nodes that were found, rightly or not, without the seeds.
    correct : int
        Those that were found rightly.
    rounds : int
        Passes over all nodes.
    mapping : int array
        For each node of the auxiliary graph the published node, or -1.
    """

    seeds: int
    targets: int
    mapped: int
    correct: int
    rounds: int
    mapping: np.ndarray = field(repr=False)

    @property
    def correct_share(self) -> float:
        """Targets that were found, rightly, among all."""
        return self.correct / max(self.targets, 1)

    def to_dict(self) -> dict[str, Any]:
        """Counts and shares as plain values."""
        return {
            "attack": "seed-propagation",
            "seeds": self.seeds,
            "targets": self.targets,
            "mapped": self.mapped,
            "correct": self.correct,
            "correct_share": self.correct_share,
            "rounds": self.rounds,
        }


def seed_propagation(
    published: Any,
    auxiliary: Any,
    seeds: Any,
    *,
    threshold: float = 0.5,
    truth: np.ndarray | None = None,
    max_rounds: int = 100,
) -> SeedPropagation:
    """Find nodes of an auxiliary graph in a published one, from a few known ones.

    Whoever shares the most known neighbours with a node, and stands out by it, is taken
    to be that node, if the same holds the other way round; then there are more known
    neighbours for the next.

    Parameters
    ----------
    published, auxiliary : Graph, or a graph in any form
        Where to look, and another graph of partly the same people, whose names the
        intruder knows.
    seeds : int array of shape (n_seeds, 2)
        Known nodes: of the auxiliary graph, and what they are in the published one, by
        their numbers in what ``open_graph`` makes of the two.
    threshold : float, default=0.5
        By how many standard deviations of the scores the best node must lead.
    truth : int array, optional
        For each node of the auxiliary graph the right published node, or -1. By default
        nodes of one name are the same; those of a ``Graph`` have their numbers only.
    max_rounds : int, default=100
        Most passes over all nodes; the search ends with one that finds nothing.

    Returns
    -------
    SeedPropagation
        Who was found.

    References
    ----------
    .. [1] A. Narayanan and V. Shmatikov, "De-anonymizing social networks", IEEE
       Symposium on Security and Privacy, 2009.

    Examples
    --------
    >>> import networkx as nx
    >>> friends = Graph(34, np.array(nx.karate_club_graph().edges))
    >>> known = [[0, 0], [33, 33], [2, 2], [32, 32]]
    >>> found = seed_propagation(friends, friends, known)
    >>> found.correct == found.mapped > 5
    True
    """
    threshold = real("threshold", threshold, 0)
    max_rounds = whole("max_rounds", max_rounds)
    opened, known = open_graph(published), open_graph(auxiliary)
    if truth is None and has_names(published) and has_names(auxiliary):
        truth = places_by_name(known[1], opened[1])
    published, auxiliary = opened[0], known[0]
    pairs = _check_pairs(seeds, auxiliary, published)
    right = _check_truth(truth, auxiliary, published)
    there = np.full(auxiliary.n_nodes, NOBODY, dtype=np.int64)
    back = np.full(published.n_nodes, NOBODY, dtype=np.int64)
    there[pairs[:, 0]], back[pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
    lists = neighbor_lists(auxiliary), neighbor_lists(published)
    rounds = 0
    while rounds < max_rounds:
        rounds += 1
        if not propagate(*lists, there, back, threshold):
            break
    new = np.ones(auxiliary.n_nodes, dtype=bool)
    new[pairs[:, 0]] = False
    mapped = new & (there != NOBODY)
    return SeedPropagation(
        len(pairs),
        int((new & (right != NOBODY)).sum()),
        int(mapped.sum()),
        int((mapped & (there == right)).sum()),
        rounds,
        there,
    )


def _check_pairs(seeds: Any, auxiliary: Graph, published: Graph) -> np.ndarray:
    pairs = np.asarray(seeds)
    shaped = pairs.ndim == PAIR and pairs.shape[1] == PAIR and len(pairs)
    if not shaped or pairs.dtype.kind not in "iu":
        raise DataError("seeds must be pairs of node numbers, at least one.")
    for column, graph in zip(pairs.T, (auxiliary, published), strict=True):
        if not (column.min() >= 0 and column.max() < graph.n_nodes):
            raise DataError(f"seeds are not among the {graph.n_nodes} nodes.")
        if len(np.unique(column)) < len(column):
            raise DataError("seeds name a node more than once.")
    return pairs


def _check_truth(
    truth: np.ndarray | None, auxiliary: Graph, published: Graph
) -> np.ndarray:
    """The right published node of each auxiliary one, or -1."""
    if truth is None:
        nodes = np.arange(auxiliary.n_nodes)
        return np.where(nodes < published.n_nodes, nodes, NOBODY)
    truth = np.asarray(truth)
    if truth.shape != (auxiliary.n_nodes,) or truth.dtype.kind not in "iu":
        raise DataError(f"truth must give a node for each of {auxiliary.n_nodes}.")
    return truth

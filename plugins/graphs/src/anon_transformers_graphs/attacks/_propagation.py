"""Re-identification from a few known nodes (Narayanan and Shmatikov 2009)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError
from anon_transformers.graphs import Graph, GraphForm, open_graph
from anon_transformers.parameters import real, whole
from anon_transformers_graphs._any_form import has_names, places_by_name
from anon_transformers_graphs._kernels.neighbor_propagation import NOBODY, propagate
from anon_transformers_graphs.queries._lists import (
    COMPILATION,
    Deadline,
    neighbor_lists,
)

PAIR = 2


@dataclass(frozen=True)
class SeedPropagation:
    """Who was found from a few nodes that were known.

    Attributes
    ----------
    seeds : int
        Nodes that were known.
    targets : int
        Further nodes of the auxiliary graph that are known to be in the published one.
    mapped : int
        Nodes that were found, rightly or not, without the seeds.
    correct : int or None
        Those that were found rightly; None if nobody can tell.
    rounds : int
        Passes over all nodes.
    mapping : int array
        For each node of the auxiliary graph the published node, or -1.
    exposed : int array
        Who was found rightly, or, if nobody can tell, who was found; by their numbers
        in the auxiliary graph.
    """

    seeds: int
    targets: int
    mapped: int
    correct: int | None
    rounds: int
    mapping: np.ndarray = field(repr=False, compare=False)
    exposed: np.ndarray = field(repr=False, compare=False)

    @property
    def correct_share(self) -> float | None:
        """Targets that were found, rightly, among all; None if nobody can tell."""
        if self.correct is None:
            return None
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
    time_limit: float = 60.0,
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
    seeds : mapping, pairs of names, or int array of shape (n_seeds, 2)
        Known nodes: of the auxiliary graph, and what they are in the published one. A
        mapping, and pairs that are not all whole numbers, have their names; pairs of
        whole numbers are the nodes' numbers in what ``open_graph`` makes of the two.
    threshold : float, default=0.5
        By how many standard deviations of the scores the best node must lead.
    truth : int array, optional
        For each node of the auxiliary graph the right published node, or -1. By default
        nodes of one name are the same; those of a ``Graph`` have their numbers only.
        If the seeds say otherwise, names tell nothing, and nobody can tell who was
        found rightly.
    max_rounds : int, default=100
        Most passes over all nodes; the search ends with one that finds nothing.
    time_limit : float, default=60.0
        Seconds, looked at after each pass.

    Returns
    -------
    SeedPropagation
        Who was found.

    Raises
    ------
    NotEvaluable
        If the time is over.

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
    >>> path = nx.Graph([("Ann", "Bob"), ("Bob", "Cid"), ("Cid", "Dan")])
    >>> seed_propagation(path, path, {"Ann": "Ann", "Cid": "Cid"}).correct
    1
    """
    threshold = real("threshold", threshold, 0)
    max_rounds = whole("max_rounds", max_rounds)
    _compile_kernel()
    deadline = Deadline("the propagation", time_limit)
    opened, known = open_graph(published), open_graph(auxiliary)
    by_name = has_names(published) and has_names(auxiliary)
    published, auxiliary = opened[0], known[0]
    pairs = _check_pairs(_numbered(seeds, known[1], opened[1]), auxiliary, published)
    if truth is not None:
        right = _check_truth(truth, auxiliary)
    else:
        right = _same_names(known[1], opened[1], by_name)
    # Seeds are known for certain: where names deny them, names are not to be believed.
    told = truth is not None or bool((right[pairs[:, 0]] == pairs[:, 1]).all())
    there, rounds = _spread(
        auxiliary, published, pairs, threshold, max_rounds, deadline
    )
    new = np.ones(auxiliary.n_nodes, dtype=bool)
    new[pairs[:, 0]] = False
    mapped = new & (there != NOBODY)
    exposed = np.flatnonzero(mapped & (there == right) if told else mapped)
    return SeedPropagation(
        len(pairs),
        int((new & (right != NOBODY)).sum()) if told else 0,
        int(mapped.sum()),
        len(exposed) if told else None,
        rounds,
        there,
        exposed,
    )


def _spread(
    auxiliary: Graph,
    published: Graph,
    pairs: np.ndarray,
    threshold: float,
    max_rounds: int,
    deadline: Deadline,
) -> tuple[np.ndarray, int]:
    """The published node of each auxiliary one, or -1, and passes over all nodes."""
    there = np.full(auxiliary.n_nodes, NOBODY, dtype=np.int64)
    back = np.full(published.n_nodes, NOBODY, dtype=np.int64)
    there[pairs[:, 0]], back[pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
    lists = neighbor_lists(auxiliary), neighbor_lists(published)
    rounds = 0
    while rounds < max_rounds:
        rounds += 1
        found = propagate(*lists, there, back, threshold)
        deadline.check()
        if not found:
            break
    return there, rounds


@cache
def _compile_kernel() -> None:
    """Have the kernel ready before the clock starts."""
    edge, pairs = Graph(2, [[0, 1]]), np.array([[0, 0]])
    _spread(edge, edge, pairs, 0.5, 1, Deadline("the compilation", COMPILATION))


def _numbered(seeds: Any, auxiliary: GraphForm, published: GraphForm) -> np.ndarray:
    """Known nodes as pairs of numbers, whatever they were called by."""
    by_name = isinstance(seeds, Mapping)
    pairs = list(seeds.items() if by_name else seeds)
    if not pairs or not all(map(_is_pair, pairs)):
        raise DataError("seeds must be pairs of nodes, at least one.")
    known, found = zip(*pairs, strict=True)
    if not by_name and all(isinstance(node, Integral) for node in known + found):
        return np.array([known, found]).T
    sides = (
        _places(known, "auxiliary", auxiliary),
        _places(found, "published", published),
    )
    return np.column_stack(sides)


def _is_pair(given: Any) -> bool:
    return isinstance(given, tuple | list | np.ndarray) and len(given) == PAIR


def _places(names: Any, side: str, form: GraphForm) -> np.ndarray:
    """Numbers of named nodes."""
    among = pd.Index(form.names, dtype=object, tupleize_cols=False)
    named = pd.Index(list(names), dtype=object, tupleize_cols=False)
    places = among.get_indexer(named)
    strange = int((places < 0).sum())
    if strange:
        raise DataError(
            f"{strange} of {len(places)} seeds name no node of the {side} graph."
        )
    return places


def _check_pairs(pairs: np.ndarray, auxiliary: Graph, published: Graph) -> np.ndarray:
    for column, graph in zip(pairs.T, (auxiliary, published), strict=True):
        if not (column.min() >= 0 and column.max() < graph.n_nodes):
            raise DataError(f"seeds are not among the {graph.n_nodes} nodes.")
        if len(np.unique(column)) < len(column):
            raise DataError("seeds name a node more than once.")
    return pairs


def _same_names(
    auxiliary: GraphForm, published: GraphForm, by_name: bool
) -> np.ndarray:
    """The published node of the same name or number for each auxiliary one, or -1."""
    if by_name:
        return places_by_name(auxiliary, published)
    nodes = np.arange(len(auxiliary.names))
    return np.where(nodes < len(published.names), nodes, NOBODY)


def _check_truth(truth: np.ndarray, auxiliary: Graph) -> np.ndarray:
    """The right published node of each auxiliary one, or -1."""
    truth = np.asarray(truth)
    if truth.shape != (auxiliary.n_nodes,) or truth.dtype.kind not in "iu":
        raise DataError(f"truth must give a node for each of {auxiliary.n_nodes}.")
    return truth

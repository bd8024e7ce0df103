"""Re-identification from a few known nodes (Narayanan and Shmatikov 2009)."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from anon_transformers.exceptions import DataError
from anon_transformers.graphs import Graph, GraphForm, open_graph, places_of
from anon_transformers.parameters import real, whole
from anon_transformers_graphs._deadline import COMPILATION, Deadline
from anon_transformers_graphs._graph_arrays import neighbor_lists
from anon_transformers_graphs.attacks._kernels.propagation import NOBODY, propagate

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
        Those that were found rightly; None if that is unknown.
    rounds : int
        Passes over all nodes.
    mapping : dict
        Who was found, the seeds too: published name by auxiliary name.
    exposed : array
        Who was found rightly, or, if that is unknown, who was found; by their names in
        the auxiliary graph.
    """

    seeds: int
    targets: int
    mapped: int
    correct: int | None
    rounds: int
    mapping: dict[Any, Any] = field(repr=False, compare=False)
    exposed: np.ndarray = field(repr=False, compare=False)

    @property
    def correct_share(self) -> float | None:
        """Share of the targets that were found rightly; None if that is unknown."""
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
    truth: Mapping[Any, Hashable] | None = None,
    max_rounds: int = 100,
    time_limit: float = 60.0,
) -> SeedPropagation:
    """Find nodes of an auxiliary graph in a published one, from a few known ones.

    The node that shares the most known neighbors with another one, and stands out by
    it, is taken to be the same person, if that holds in both directions; then there are
    more known neighbors for the next.

    Parameters
    ----------
    published, auxiliary : Graph, or a graph in any form
        Where to look, and another graph of partly the same people, whose names the
        intruder knows.
    seeds : mapping, or pairs of names
        Known nodes: their names in the auxiliary graph, and those that they have in the
        published one. Nodes of a ``Graph`` or a matrix are numbers.
    threshold : float, default=0.5
        By how many standard deviations of the scores the best node must lead.
    truth : mapping, optional
        Published name by auxiliary name of all nodes that are in both graphs, such as
        ``mapping_`` of an anonymizer with ``keep_mapping=True``. By default nodes of
        one name are the same; in a ``Graph`` or a matrix, those of one number. If the
        seeds contradict that, nodes were renamed, and it is unknown who was found
        rightly.
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
    (published, new), (auxiliary, old) = open_graph(published), open_graph(auxiliary)
    pairs = _pairs("seeds", seeds, old, new)
    right = _true_matches(truth, old, new)
    # Seeds are certain: if names contradict them, nodes were renamed, and to match by
    # name would count chance hits as found, or finds as missed.
    same = published.naming == auxiliary.naming
    is_verifiable = truth is not None or (
        same and bool((right[pairs[:, 0]] == pairs[:, 1]).all())
    )
    there, rounds = _spread(
        auxiliary, published, pairs, threshold, max_rounds, deadline
    )
    others = np.ones(auxiliary.n_nodes, dtype=bool)
    others[pairs[:, 0]] = False
    mapped = others & (there != NOBODY)
    exposed = np.flatnonzero(mapped & (there == right) if is_verifiable else mapped)
    found = np.flatnonzero(there != NOBODY)
    named = zip(
        old.names[found].tolist(), new.names[there[found]].tolist(), strict=True
    )
    return SeedPropagation(
        len(pairs),
        int((others & (right != NOBODY)).sum()) if is_verifiable else 0,
        int(mapped.sum()),
        len(exposed) if is_verifiable else None,
        rounds,
        dict(named),
        old.names[exposed],
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
    """Compile the kernel before the clock starts."""
    edge, pairs = Graph(2, np.array([[0, 1]])), np.array([[0, 0]])
    _spread(edge, edge, pairs, 0.5, 1, Deadline("the compilation", COMPILATION))


def _pairs(
    what: str, given: Any, auxiliary: GraphForm, published: GraphForm
) -> np.ndarray:
    """Pairs of names as pairs of numbers."""
    pairs = list(given.items() if isinstance(given, Mapping) else given)
    if not pairs or not all(map(_is_pair, pairs)):
        raise DataError(f"{what} must be pairs of names of nodes, at least one.")
    known, found = zip(*pairs, strict=True)
    sides = (
        _places(what, known, "auxiliary", auxiliary),
        _places(what, found, "published", published),
    )
    return np.column_stack(sides)


def _is_pair(given: Any) -> bool:
    return isinstance(given, tuple | list | np.ndarray) and len(given) == PAIR


def _places(what: str, names: Any, side: str, form: GraphForm) -> np.ndarray:
    """Numbers of named nodes, each named once."""
    places = places_of(names, form.names.tolist())
    unknown = int((places < 0).sum())
    if unknown:
        raise DataError(
            f"{unknown} of {len(places)} {what} name no node of the {side} graph."
        )
    if len(np.unique(places)) < len(places):
        raise DataError(f"{what} name a node of the {side} graph more than once.")
    return places


def _true_matches(truth: Any, auxiliary: GraphForm, published: GraphForm) -> np.ndarray:
    """The right published node of each auxiliary one, or -1."""
    names = auxiliary.names.tolist()
    if truth is None:
        return places_of(names, published.names.tolist())
    right = np.full(len(names), NOBODY)
    pairs = _pairs("truth", truth, auxiliary, published)
    right[pairs[:, 0]] = pairs[:, 1]
    return right

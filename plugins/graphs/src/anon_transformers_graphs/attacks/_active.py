"""Active attacks (Backstrom, Dwork and Kleinberg 2007)."""

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from anon_transformers.base import GraphAnonymizer
from anon_transformers.exceptions import DataError
from anon_transformers.graphs import Graph, open_graph
from anon_transformers.parameters import generator, whole
from anon_transformers_graphs._deadline import Deadline
from anon_transformers_graphs._graph_arrays import neighbor_lists
from anon_transformers_graphs.attacks._kernels.copies import find_copies
from anon_transformers_graphs.attacks._planting import (
    Planted,
    plant_cut,
    plant_walk,
    search_order,
)
from anon_transformers_graphs.attacks._publishing import (
    Publish,
    anonymizer_of,
    publish_by,
    renaming_error,
)

BUDGET = 1 << 22
"""Steps of a search between two looks at the clock."""
ENOUGH = 2
"""Copies of the planted subgraph after which it is known not to be unique."""


@dataclass(frozen=True)
class ActiveAttack:
    """What an intruder found who planted nodes before the graph was published.

    Attributes
    ----------
    attack : {"walk", "cut"}
        How nodes were planted.
    nodes : int
        Nodes of the graph, without the planted ones.
    planted : int
        Nodes that were planted.
    copies : int
        Copies of the planted subgraph in what was published: 0, 1, or 2 for more.
    recovered : bool
        There was one copy only, and it is what was planted.
    targets : int
        Nodes that were looked for.
    identified : int
        Targets for which exactly one node is linked as they should be.
    correct : int
        Those among them for which it is the right one.
    exposed : array of shape (correct,)
        Who these are, by their names in the graph.
    """

    attack: str
    nodes: int
    planted: int
    copies: int
    recovered: bool
    targets: int
    identified: int
    correct: int
    exposed: np.ndarray = field(repr=False, compare=False)

    @property
    def correct_share(self) -> float:
        """Share of the targets that were identified rightly."""
        return self.correct / self.targets

    def to_dict(self) -> dict[str, Any]:
        """Counts and shares as plain values."""
        names = [f.name for f in fields(self) if f.name != "exposed"]
        plain = {name: getattr(self, name) for name in names}
        return {**plain, "correct_share": self.correct_share}


def walk_attack(
    graph: Any,
    publish: GraphAnonymizer | Publish | None = None,
    *,
    n_targets: int = 10,
    n_planted: int | None = None,
    random_state: int | np.random.Generator | None = None,
    time_limit: float = 60.0,
) -> ActiveAttack:
    """Plant a path with random edges between its nodes, and find it again.

    Give the anonymizer itself, as in ``walk_attack(graph, KDegreeAnonymizer(k=5))``:
    it is asked which node became which. A function that gives nodes new names is
    refused, since it would hide who was found.

    Each target is linked to a set of planted nodes of its own. In what was published
    the path is found by its degrees and inner edges, and the targets by their links.

    Parameters
    ----------
    graph : Graph, or a graph in any form
        The graph before the intruder comes. Labels and weights are not looked at.
    publish : anonymizer of graphs or callable, optional
        How the graph is published. A copy of the anonymizer is used. A callable makes
        of a ``Graph`` what is published of it, a ``Graph`` with its nodes in the same
        order. By default nothing is changed.
    n_targets : int, default=10
        How many nodes are looked for.
    n_planted : int, optional
        How many nodes are planted; by default twice the logarithm of the nodes to the
        base 2.
    random_state : int or Generator, optional
        For the planted edges and the choice of targets.
    time_limit : float, default=60.0
        Seconds to find them again.

    Returns
    -------
    ActiveAttack
        Whether they were found, and who with them.

    Raises
    ------
    NotEvaluable
        If the time is over.
    ParameterError
        If a callable has put the planted nodes where others were.

    Notes
    -----
    The search is exact, as in the paper: one changed edge at a planted node ends it.
    That it finds nothing is no proof that a more patient intruder would not.

    References
    ----------
    .. [1] L. Backstrom, C. Dwork and J. Kleinberg, "Wherefore art thou R3579X?
       Anonymized social networks, hidden patterns, and structural steganography",
       WWW, 2007.

    Examples
    --------
    >>> ring = Graph(50, [[i, (i + 1) % 50] for i in range(50)])
    >>> walk_attack(ring, n_targets=5, random_state=0).correct
    5
    """
    rng = generator(random_state)
    n_targets = whole("n_targets", n_targets)
    if n_planted is not None:
        n_planted = whole("n_planted", n_planted, 3)
    opened, form = open_graph(graph)
    planted = plant_walk(opened, n_targets, n_planted, rng)
    places = np.arange(planted.n_planted)
    order = places, np.maximum(places - 1, 0)
    return _publish_and_search("walk", planted, publish, order, time_limit, form.names)


def cut_attack(
    graph: Any,
    publish: GraphAnonymizer | Publish | None = None,
    *,
    n_targets: int = 3,
    random_state: int | np.random.Generator | None = None,
    time_limit: float = 60.0,
) -> ActiveAttack:
    """Plant a random graph that is attached by few edges, and find it again.

    Give the anonymizer itself as ``publish``, as in :func:`walk_attack`. What is
    planted has three nodes for each target and three more, and one edge to
    each target.

    Parameters
    ----------
    graph, publish, n_targets, random_state, time_limit
        As in :func:`walk_attack`.

    Returns
    -------
    ActiveAttack
        Whether it was found, and who with it.

    Notes
    -----
    The paper cuts the published graph where few edges hold it together, and compares
    the parts with what was planted. Here the planted graph is looked for directly, by
    its degrees and inner edges; every part that the paper would accept is found so.

    Examples
    --------
    >>> ring = Graph(50, [[i, (i + 1) % 50] for i in range(50)])
    >>> cut_attack(ring, random_state=0).recovered
    True
    """
    rng = generator(random_state)
    opened, form = open_graph(graph)
    planted = plant_cut(opened, whole("n_targets", n_targets), rng)
    order = search_order(planted.internal)
    assert order is not None  # plant_cut plants connected graphs only
    return _publish_and_search("cut", planted, publish, order, time_limit, form.names)


def _publish_and_search(
    name: str,
    planted: Planted,
    publish: GraphAnonymizer | Publish | None,
    order: tuple[np.ndarray, np.ndarray],
    time_limit: float,
    names: np.ndarray,
) -> ActiveAttack:
    """Publish what was planted, and look for it."""
    published = publish_by(publish, planted.graph)
    if published.n_nodes < planted.graph.n_nodes:
        raise DataError(
            f"{planted.graph.n_nodes} nodes were to be published, and there are "
            f"{published.n_nodes}: it is unknown who was found rightly."
        )
    copies = _find_planted(
        published, planted, order, Deadline(f"{name} attack", time_limit)
    )
    identified = np.full(len(planted.targets), -1)
    recovered = False
    if len(copies) == 1:
        recovered = np.array_equal(copies[0], planted.nodes)
        if not recovered:
            _refuse_new_names(publish)
        identified = _identify(published, copies[0], planted.codes)
    right = identified == planted.targets
    return ActiveAttack(
        name,
        planted.graph.n_nodes - planted.n_planted,
        planted.n_planted,
        len(copies),
        recovered,
        len(planted.targets),
        int((identified >= 0).sum()),
        int(right.sum()),
        names[planted.targets[right]],
    )


def _refuse_new_names(publish: GraphAnonymizer | Publish | None) -> None:
    """Refuse a function whose only copy of what was planted is at other nodes.

    That is almost certainly due to new names. It is also the only outcome that depends
    on names: without a copy, or with two, no target is identified.
    """
    if publish is not None and anonymizer_of(publish) is None:
        raise renaming_error()


def _find_planted(
    published: Graph,
    planted: Planted,
    order: tuple[np.ndarray, np.ndarray],
    deadline: Deadline,
) -> np.ndarray:
    """Nodes that look like the planted ones, in their order; two copies at most."""
    nodes, parents = order
    wanted = planted.graph.degrees[planted.nodes[nodes]].astype(np.int64)
    internal = planted.internal[np.ix_(nodes, nodes)]
    starts = np.flatnonzero(published.degrees == wanted[0])
    copies = np.empty((ENOUGH, len(nodes)), dtype=np.int64)
    image, cursor = np.empty((2, len(nodes)), dtype=np.int64)
    state = np.zeros(3, dtype=np.int64)
    given = (*neighbor_lists(published), wanted, parents, internal, starts, copies)
    while not find_copies(*given, image, cursor, state, BUDGET):
        deadline.check()
    found = np.empty_like(copies)
    found[:, nodes] = copies
    return found[: state[2]]


def _identify(published: Graph, copy: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """For each code the one node with just these links to the copy, or -1."""
    links = published.adjacency[copy].tocoo()
    touched, rows = np.unique(links.coords[1], return_inverse=True)
    table = np.zeros((len(touched), len(copy)), dtype=bool)
    table[rows, links.coords[0]] = True
    outside = ~np.isin(touched, copy)
    touched, table = touched[outside], table[outside]
    alike = (table[None] == codes[:, None]).all(axis=2)
    unique = alike.sum(axis=1) == 1
    return np.where(unique, touched[alike.argmax(axis=1)] if len(touched) else -1, -1)

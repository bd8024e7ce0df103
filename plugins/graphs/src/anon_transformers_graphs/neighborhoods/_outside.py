"""New neighbors for the core, from outside."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from anon_transformers.graphs import Graph
from anon_transformers_graphs._kernels.triangles import in_triangles

Near = list[set[int]]
Knot = tuple[int, ...]
"""Nodes of the core that hang together and that one node outside knows."""


def with_new_neighbors(
    n_nodes: int,
    edges: np.ndarray,
    shifts: np.ndarray,
    core: np.ndarray,
    colors: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray | None:
    """Join nodes of the core to nodes outside until it looks the same from k places.

    The neighbors outside that a node of the core has are told apart by whom else of
    its neighbors they know, which are nodes of the core. So for each knot as many
    nodes outside must know all of it as know any of its images. Whoever gets to know a
    knot should look like those who know its images, or nobody looks like him.

    Parameters
    ----------
    n_nodes : int
        Nodes of the graph.
    edges : int array of shape (n_edges, 2)
        Its edges; those inside the core have all their images.
    shifts : int array of shape (k, n_nodes)
        Where each node of the core goes, the identity first.
    core : int array
        Its nodes. No node outside knows two of them that know each other, but for
        edges that were added, and no two that know each other know one of them.
    colors : int array of shape (n_nodes,)
        Labels, as numbers.
    rng : Generator
        Chance for the choice.

    Returns
    -------
    int array of shape (n_edges, 2), or None
        All edges; None if there are too few nodes outside.
    """
    graph = Graph(n_nodes, edges)
    adjacency = graph.adjacency
    lists = np.split(adjacency.indices, adjacency.indptr[1:-1])
    near = [set(nodes.tolist()) for nodes in lists]
    spare = {
        color: Spare(nodes, near) for color, nodes in _free(graph, core, colors, rng)
    }
    more: list[tuple[int, int]] = []
    for place in _places(near, set(core.tolist()), shifts.T.tolist(), colors.tolist()):
        for _ in range(place.missing):
            others = spare.get(place.color)
            other = others.stranger(place.knot, place.degree) if others else None
            if other is None:
                return None
            for node in place.knot:
                near[node].add(other)
                near[other].add(node)
                more.append((node, other))
    return np.concatenate([edges, np.array(more, dtype=np.int64).reshape(-1, 2)])


class Place(NamedTuple):
    """A knot that too few nodes outside know.

    Attributes
    ----------
    knot : tuple of int
        Its nodes.
    color : int
        Label of those who are to know it.
    missing : int
        How many they are.
    degree : int
        What they are to look like: the edges of a node that knows the knot or an image
        of it and is in no other triangle; -1 if all are.
    """

    knot: Knot
    color: int
    missing: int
    degree: int


def _places(
    near: Near, core: set[int], images: list[list[int]], colors: list[int]
) -> list[Place]:
    """Each knot that too few nodes of a label know, large ones first: the hardest."""
    known: Counter[tuple[Knot, int]] = Counter()
    model: dict[tuple[Knot, int], int] = {}
    for node in range(len(near)):
        if node in core:
            continue
        knots = list(_knots(near[node] & core, near))
        known.update((knot, colors[node]) for knot in knots)
        tied = [knot for knot in knots if len(knot) > 1]
        if len(tied) == 1:
            model[tied[0], colors[node]] = len(near[node])
    places: dict[tuple[Knot, int], Place] = {}
    for knot, color in known:
        turned = {
            tuple(sorted(at)) for at in zip(*(images[x] for x in knot), strict=True)
        }
        most = max(known[other, color] for other in turned)
        degree = max(model.get((other, color), -1) for other in turned)
        for other in turned:
            missing = most - known[other, color]
            places[other, color] = Place(other, color, missing, degree)
    return sorted(places.values(), key=lambda it: (-len(it.knot), it[:2]))


def _knots(nodes: set[int], near: Near) -> Iterator[Knot]:
    """Nodes, as groups that hang together."""
    left = set(nodes)
    while left:
        group = [left.pop()]
        for node in group:
            joined = near[node] & left
            group.extend(joined)
            left -= joined
        yield tuple(sorted(group))


def _free(
    graph: Graph, core: np.ndarray, colors: np.ndarray, rng: np.random.Generator
) -> Iterator[tuple[int, list[int]]]:
    """For each label the nodes that may get neighbors, those with few edges last."""
    outside = np.ones(graph.n_nodes, dtype=bool)
    outside[core] = False
    adjacency = graph.adjacency
    outside &= ~in_triangles(adjacency.indptr, adjacency.indices)
    free = rng.permutation(np.flatnonzero(outside))
    free = free[np.argsort(-graph.degrees[free], kind="stable")]
    for color in np.unique(colors[free]).tolist():
        yield color, free[colors[free] == color].tolist()


class Spare:
    """Nodes outside that may get to know a knot.

    Parameters
    ----------
    nodes : list of int
        They are in no triangle; the last one is the first to be asked.
    near : list of set of int
        The neighbors of each node of the graph, as they are at the time.
    """

    def __init__(self, nodes: list[int], near: Near):
        self._near = near
        self._nodes = nodes
        self._by_degree: dict[int, list[int]] = {}
        for node in nodes:
            self._by_degree.setdefault(len(near[node]), []).append(node)
        self._tied: set[int] = set()

    def stranger(self, knot: Knot, degree: int) -> int | None:
        """A node that knows nobody of a knot nor their neighbors; None if all do.

        For a knot with edges it is one that will have this degree, if there is one, and
        it is never asked again, for it is in a triangle then. For a single node it is
        the last one to be asked again.
        """
        if len(knot) == 1:
            node = self._last(self._nodes, knot)
            if node is not None:
                self._nodes.insert(0, node)
            return node
        node = self._last(self._by_degree.get(degree - len(knot), []), knot)
        if node is None:
            node = self._last(self._nodes, knot)
        if node is not None:
            self._tied.add(node)
        return node

    def _last(self, nodes: list[int], knot: Knot) -> int | None:
        """Take the last node that suits out of a list."""
        near = self._near
        for at in range(len(nodes) - 1, -1, -1):
            held = near[nodes[at]]
            if nodes[at] not in self._tied and all(
                node not in held and near[node].isdisjoint(held) for node in knot
            ):
                return nodes.pop(at)
        return None

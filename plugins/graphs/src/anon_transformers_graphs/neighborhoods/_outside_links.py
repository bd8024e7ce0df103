"""Links from the core to nodes outside, until the core looks the same from k places.

The *core* is the set of nodes that are being made alike; a *core group* is a connected
set of core nodes that share a neighbor outside.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from anon_transformers.graphs import Graph
from anon_transformers_graphs._kernels.triangles import in_triangles

Neighbors = list[set[int]]
CoreGroup = tuple[int, ...]
"""Connected nodes of the core that are all adjacent to one node outside."""


def with_new_neighbors(
    n_nodes: int,
    edges: np.ndarray,
    shifts: np.ndarray,
    core: np.ndarray,
    colors: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray | None:
    """Join nodes of the core to nodes outside until it looks the same from k places.

    An intruder distinguishes the outside neighbors of a core node by the other
    neighbors of that node, all in the core, to which they are adjacent. So each core
    group needs as many outside nodes adjacent to all of it as each of its images has.
    A node that becomes adjacent to a group should look like those that are adjacent to
    the images of the group; otherwise its own neighborhood would be unique.

    Parameters
    ----------
    n_nodes : int
        Nodes of the graph.
    edges : int array of shape (n_edges, 2)
        Its edges; those inside the core have all their images.
    shifts : int array of shape (k, n_nodes)
        Image of each node of the core under each shift, the identity first.
    core : int array
        Its nodes. But for edges that were added, no node outside is adjacent to two
        adjacent core nodes, and no two adjacent nodes outside to one core node.
    colors : int array of shape (n_nodes,)
        Labels, as numbers.
    rng : Generator
        Chooses the nodes outside.

    Returns
    -------
    int array of shape (n_edges, 2), or None
        All edges; None if there are too few nodes outside.
    """
    graph = Graph(n_nodes, edges)
    adjacency = graph.adjacency
    lists = np.split(adjacency.indices, adjacency.indptr[1:-1])
    near = [set(nodes.tolist()) for nodes in lists]
    free_nodes = {
        color: FreeNodes(nodes, near)
        for color, nodes in _free_nodes(graph, core, colors, rng)
    }
    more: list[tuple[int, int]] = []
    for link in _missing_links(
        near, set(core.tolist()), shifts.T.tolist(), colors.tolist()
    ):
        for _ in range(link.missing):
            others = free_nodes.get(link.color)
            other = others.take(link.group, link.degree) if others else None
            if other is None:
                return None
            for node in link.group:
                near[node].add(other)
                near[other].add(node)
                more.append((node, other))
    return np.concatenate([edges, np.array(more, dtype=np.int64).reshape(-1, 2)])


class MissingLinks(NamedTuple):
    """A core group that has too few outside neighbors.

    Attributes
    ----------
    group : tuple of int
        Its nodes.
    color : int
        Label of the outside nodes that are missing.
    missing : int
        How many they are.
    degree : int
        Degree that they should have: that of a node that is adjacent to the group or
        an image of it and is in no other triangle; -1 if there is no such node.
    """

    group: CoreGroup
    color: int
    missing: int
    degree: int


def _missing_links(
    near: Neighbors, core: set[int], images: list[list[int]], colors: list[int]
) -> list[MissingLinks]:
    """Core groups with too few neighbors of a label; large ones, the hardest, first."""
    known: Counter[tuple[CoreGroup, int]] = Counter()
    model: dict[tuple[CoreGroup, int], int] = {}
    for node in range(len(near)):
        if node in core:
            continue
        groups = list(_connected_groups(near[node] & core, near))
        known.update((group, colors[node]) for group in groups)
        joined = [group for group in groups if len(group) > 1]
        if len(joined) == 1:
            model[joined[0], colors[node]] = len(near[node])
    found: dict[tuple[CoreGroup, int], MissingLinks] = {}
    for group, color in known:
        images_of_group = {
            tuple(sorted(at)) for at in zip(*(images[x] for x in group), strict=True)
        }
        most = max(known[other, color] for other in images_of_group)
        degree = max(model.get((other, color), -1) for other in images_of_group)
        for other in images_of_group:
            missing = most - known[other, color]
            found[other, color] = MissingLinks(other, color, missing, degree)
    return sorted(found.values(), key=lambda link: (-len(link.group), link[:2]))


def _connected_groups(nodes: set[int], near: Neighbors) -> Iterator[CoreGroup]:
    """Connected components of some nodes."""
    left = set(nodes)
    while left:
        group = [left.pop()]
        for node in group:
            joined = near[node] & left
            group.extend(joined)
            left -= joined
        yield tuple(sorted(group))


def _free_nodes(
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


class FreeNodes:
    """Nodes outside that may become adjacent to a core group.

    Parameters
    ----------
    nodes : list of int
        They are in no triangle; the last one is tried first.
    near : list of set of int
        The current neighbors of each node of the graph.
    """

    def __init__(self, nodes: list[int], near: Neighbors):
        self._near = near
        self._nodes = nodes
        self._by_degree: dict[int, list[int]] = {}
        for node in nodes:
            self._by_degree.setdefault(len(near[node]), []).append(node)
        self._in_triangle: set[int] = set()

    def take(self, group: CoreGroup, degree: int) -> int | None:
        """Take a node adjacent neither to a group nor to its neighbors; None: no such.

        For a group with edges it is one that will have this degree, if there is one,
        and it is never taken again, for it is in a triangle then. For a single node it
        is the last one to be tried again.
        """
        if len(group) == 1:
            node = self._take_last(self._nodes, group)
            if node is not None:
                self._nodes.insert(0, node)
            return node
        node = self._take_last(self._by_degree.get(degree - len(group), []), group)
        if node is None:
            node = self._take_last(self._nodes, group)
        if node is not None:
            self._in_triangle.add(node)
        return node

    def _take_last(self, nodes: list[int], group: CoreGroup) -> int | None:
        """Remove the last suitable node from a list, and return it."""
        near = self._near
        for at in range(len(nodes) - 1, -1, -1):
            held = near[nodes[at]]
            if nodes[at] not in self._in_triangle and all(
                node not in held and near[node].isdisjoint(held) for node in group
            ):
                return nodes.pop(at)
        return None

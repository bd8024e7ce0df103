"""New neighbours for the core, from outside."""

from collections import Counter
from collections.abc import Iterator

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

    The neighbours outside that a node of the core has are told apart by whom else of
    its neighbours they know, which are nodes of the core. So for each knot as many
    nodes outside must know all of it as know any of its images.

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
    spare = _spare(graph, core, colors, rng)
    more: list[tuple[int, int]] = []
    images = shifts.T.tolist()
    for knot, color, count in _missing(
        near, set(core.tolist()), images, colors.tolist()
    ):
        for _ in range(count):
            other = _stranger(near, knot, spare.get(color, []))
            if other is None:
                return None
            for node in knot:
                near[node].add(other)
                near[other].add(node)
                more.append((node, other))
    return np.concatenate([edges, np.array(more, dtype=np.int64).reshape(-1, 2)])


def _missing(
    near: Near, core: set[int], images: list[list[int]], colors: list[int]
) -> Iterator[tuple[Knot, int, int]]:
    """Each knot that too few nodes of a label know, and how many are missing.

    Large ones come first: they are the hardest to place.
    """
    known: Counter[tuple[Knot, int]] = Counter()
    for node in range(len(near)):
        if node not in core:
            for knot in _knots(near[node] & core, near):
                known[knot, colors[node]] += 1
    missing: dict[tuple[Knot, int], int] = {}
    for knot, color in known:
        turned = {
            tuple(sorted(at)) for at in zip(*(images[x] for x in knot), strict=True)
        }
        most = max(known[other, color] for other in turned)
        for other in turned:
            missing[other, color] = most - known[other, color]
    for knot, color in sorted(missing, key=lambda it: (-len(it[0]), it)):
        if missing[knot, color]:
            yield knot, color, missing[knot, color]


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


def _spare(
    graph: Graph, core: np.ndarray, colors: np.ndarray, rng: np.random.Generator
) -> dict[int, list[int]]:
    """For each label the nodes that may get neighbours, those with few edges last."""
    outside = np.ones(graph.n_nodes, dtype=bool)
    outside[core] = False
    adjacency = graph.adjacency
    outside &= ~in_triangles(adjacency.indptr, adjacency.indices)
    free = rng.permutation(np.flatnonzero(outside))
    free = free[np.argsort(-graph.degrees[free], kind="stable")]
    return {
        color: free[colors[free] == color].tolist()
        for color in np.unique(colors[free]).tolist()
    }


def _stranger(near: Near, knot: Knot, spare: list[int]) -> int | None:
    """A node that knows nobody of a knot nor their neighbours.

    It is the last one to be asked again, or never, if it is in a triangle now.
    """
    for at in range(len(spare) - 1, -1, -1):
        held = near[spare[at]]
        if all(node not in held and near[node].isdisjoint(held) for node in knot):
            node = spare.pop(at)
            if len(knot) == 1:
                spare.insert(0, node)
            return node
    return None

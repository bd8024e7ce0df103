"""Nodes that an intruder adds to a graph before it is published."""

import math
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError
from anon_transformers.graphs import Graph
from anon_transformers_graphs.queries import refinement_classes

TRIES = 100
LINKS_OF_TARGET = (2, 3)
"""Planted nodes that a target is linked to, at least and at most."""


@dataclass(frozen=True)
class Planted:
    """A graph with nodes that an intruder planted, and what the intruder remembers.

    Attributes
    ----------
    graph : Graph
        The nodes as before, and the planted ones after them.
    n_planted : int
        How many were planted.
    targets : int array of shape (n_targets,)
        Nodes that are looked for.
    codes : bool array of shape (n_targets, n_planted)
        Which planted nodes each target is linked to; no two targets are alike.
    internal : bool array of shape (n_planted, n_planted)
        Edges between planted nodes.
    """

    graph: Graph
    n_planted: int
    targets: np.ndarray = field(repr=False)
    codes: np.ndarray = field(repr=False)
    internal: np.ndarray = field(repr=False)

    @property
    def nodes(self) -> np.ndarray:
        """The planted nodes, in the order in which the intruder remembers them."""
        return np.arange(self.graph.n_nodes - self.n_planted, self.graph.n_nodes)


def plant_walk(
    graph: Graph, n_targets: int, n_planted: int | None, rng: np.random.Generator
) -> Planted:
    """Plant a path with random edges between its nodes; targets get sets of links.

    Planted nodes have links to other nodes too, of which each has only one, so that
    only targets are linked to two or more.
    """
    if n_planted is None:
        n_planted = max(math.ceil(2 * math.log2(max(graph.n_nodes, 2))), 4)
    _check_targets(graph, n_targets, _n_codes(n_planted))
    drawn = rng.permutation(graph.n_nodes)
    targets, others = drawn[:n_targets], drawn[n_targets:]
    codes = _random_codes(n_targets, n_planted, rng)
    extra = rng.integers(0, math.ceil(math.log2(max(graph.n_nodes, 2))) + 1, n_planted)
    ends = np.repeat(np.arange(n_planted), extra)[: len(others)]
    links = np.column_stack([others[: len(ends)], ends])
    outer = codes.sum(axis=0) + np.bincount(ends, minlength=n_planted)
    internal = _random_internal(outer, rng, path=True)
    return _join_planted(graph, internal, targets, codes, links)


def plant_cut(graph: Graph, n_targets: int, rng: np.random.Generator) -> Planted:
    """Plant a random graph that has one edge to each target."""
    n_planted = 3 * n_targets + 3
    _check_targets(graph, n_targets, n_planted)
    targets = rng.choice(graph.n_nodes, n_targets, replace=False)
    codes = np.eye(n_targets, n_planted, dtype=bool)
    internal = _random_internal(codes.sum(axis=0), rng, path=False)
    return _join_planted(
        graph, internal, targets, codes, np.empty((0, 2), dtype=np.int64)
    )


def search_order(internal: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Planted nodes, each but the first after a neighbor, and the neighbors' places.

    None if they are not connected.
    """
    order, parents = [0], [0]
    for node in order:
        for neighbor in np.flatnonzero(internal[node]).tolist():
            if neighbor not in order:
                parents.append(order.index(node))
                order.append(neighbor)
    if len(order) < len(internal):
        return None
    return np.array(order), np.array(parents)


def _join_planted(
    graph: Graph,
    internal: np.ndarray,
    targets: np.ndarray,
    codes: np.ndarray,
    links: np.ndarray,
) -> Planted:
    """Join planted nodes, links to targets and further links with the graph."""
    n_nodes, n_planted = graph.n_nodes, len(internal)
    inside = np.argwhere(np.triu(internal)) + n_nodes
    which, ends = np.nonzero(codes)
    coded = np.column_stack([targets[which], ends + n_nodes])
    further = links + np.array([0, n_nodes])
    edges = np.concatenate([graph.edges.astype(np.int64), inside, coded, further])
    grown = Graph(n_nodes + n_planted, edges)
    return Planted(grown, n_planted, targets, codes, internal)


def _random_internal(
    outer: np.ndarray, rng: np.random.Generator, path: bool
) -> np.ndarray:
    """Random edges between planted nodes, drawn until no two nodes look alike.

    ``outer`` has the links of each to other nodes. A subgraph that has an automorphism
    could be found, but not which of its nodes is which.
    """
    n_planted = len(outer)
    along = np.arange(n_planted - 1)
    for _ in range(TRIES):
        upper = np.triu(rng.random((n_planted, n_planted)) < 1 / 2, k=1)
        upper[along, along + 1] |= path
        internal = upper | upper.T
        labels = pd.DataFrame({"outer": outer})
        alone = Graph(n_planted, np.argwhere(upper), labels=labels)
        alike = n_planted - len(np.unique(refinement_classes(alone)))
        if not alike and search_order(internal) is not None:
            return internal
    raise DataError(
        f"in {TRIES} random graphs of {n_planted} planted nodes some looked alike; "
        "more of them are needed."
    )


def _random_codes(
    n_targets: int, n_planted: int, rng: np.random.Generator
) -> np.ndarray:
    """Different sets of planted nodes."""
    chosen: set[tuple[int, ...]] = set()
    low, high = LINKS_OF_TARGET
    while len(chosen) < n_targets:
        size = int(rng.integers(low, high + 1))
        chosen.add(tuple(sorted(rng.choice(n_planted, size, replace=False).tolist())))
    codes = np.zeros((n_targets, n_planted), dtype=bool)
    for row, members in enumerate(sorted(chosen)):
        codes[row, list(members)] = True
    return codes


def _n_codes(n_planted: int) -> int:
    return sum(math.comb(n_planted, size) for size in LINKS_OF_TARGET)


def _check_targets(graph: Graph, n_targets: int, most: int) -> None:
    if n_targets > min(most, graph.n_nodes):
        raise DataError(
            f"{n_targets} targets are too many for a graph of {graph.n_nodes} nodes "
            f"and planted nodes that distinguish {most} targets."
        )

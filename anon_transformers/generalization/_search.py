"""Exact searches of the lattice, and what each of them promises."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anon_transformers._kernels import lattice_map
from anon_transformers._kernels.lattice import SLACK, Node
from anon_transformers.base._progress import Progress
from anon_transformers.generalization._lattice import Lattice, NodeResult

BLOCK = 1024
"""Nodes that are looked through at a time for open ones."""

MANY_SUPPRESSED = 0.05
"""Share of suppressed rows from which they say much of the nodes below."""


@dataclass
class SearchResult:
    """The best node so far, and what is known of the others.

    Attributes
    ----------
    best : NodeResult or None
        None while no node fits.
    proved : float
        Share of the lattice that cannot hold a better node.
    bound : float
        No node has a smaller loss.
    minimal : list of nodes or None
        All minimal nodes, where the search found them.
    """

    best: NodeResult | None = None
    proved: float = 0.0
    bound: float = 0.0
    minimal: list[Node] | None = None

    @property
    def loss(self) -> float:
        """Loss of the best node."""
        return np.inf if self.best is None else self.best.loss

    def offer(self, look: NodeResult) -> None:
        """Take a node if it is better."""
        if look.fits and (self.best is None or look.rank < self.best.rank):
            self.best = look


class _OptimalSearch:
    """A lattice, what is known of its nodes, and the best one so far."""

    def __init__(self, lattice: Lattice):
        self.lattice, self.found = lattice, SearchResult()
        self.node_map = lattice_map.make_map(
            lattice.shape, lattice.loss.terms(), lattice.allowance >= lattice.n_rows
        )

    @property
    def best(self) -> float:
        """The best loss on the scale of the bounds."""
        return self.lattice.loss.scaled(self.found.loss) + SLACK

    def look(self, at: int) -> NodeResult:
        """Evaluate a node, and note what follows for those below and above."""
        node = tuple(lattice_map.levels_of(self.node_map, at).tolist())
        look = self.lattice.look(node, self.found.loss)
        self.found.offer(look)
        self.node_map.is_open[at] = False
        if look.hopeless:
            lattice_map.close_below(self.node_map, at)
            return look
        if look.by_rows > MANY_SUPPRESSED * self.lattice.n_rows:
            terms = self.lattice.loss.terms(look.by_rows)
            lattice_map.raise_below(self.node_map, at, terms)
        if look.floor or not self.node_map.fits[at]:
            lattice_map.fit_above(self.node_map, at, look.floor)
        return look

    def cheapest_first(self) -> Iterator[tuple[float, int]]:
        """Nodes that may still be the best one when their turn comes."""
        node_map = self.node_map
        heights = self.lattice.heights()
        order = np.lexsort((heights, node_map.bounds))
        # Bounds rise later on; by these the nodes are in order.
        last = node_map.bounds[order[BLOCK - 1 :: BLOCK]]
        for block, start in enumerate(range(0, len(order), BLOCK)):
            some = order[start : start + BLOCK]
            for place in np.flatnonzero(node_map.is_open[some]).tolist():
                at = int(some[place])
                if self.may_be_best(at):
                    yield (start + place) / len(order), at
            if block < len(last) and last[block] > self.best:
                return

    def decide(self, at: int) -> None:
        """Find out whether a node may be the best one, by looking at some above it.

        If it is not known to fit, the way up ends below nodes that do, and the highest
        that fails closes most. If it is, looks go down from the middle, until what is
        suppressed there tells that the node cannot be the best, or it is reached.
        """
        path = lattice_map.way_up(self.node_map, at, self.best).tolist()
        if not self.node_map.fits[at]:
            while path and not self.look(path.pop()).hopeless:
                pass
            return
        while path and self.may_be_best(at):
            middle = len(path) // 2
            self.look(path[middle])
            path = path[:middle]

    def may_be_best(self, at: int) -> bool:
        """Whether a node may still be the best one."""
        return bool(self.node_map.is_open[at] and self.node_map.bounds[at] <= self.best)


def find_optimal(lattice: Lattice, progress: Progress) -> SearchResult:
    """The node of least loss: best first by what a node costs at least.

    On the way up from a node the border is found between what is hopeless and what
    fits; a node that fails closes all below it, and what one suppresses raises the
    bounds below it.
    """
    search = _OptimalSearch(lattice)
    for share, at in search.cheapest_first():
        found = search.found
        progress(share, "" if found.best is None else f"loss {found.loss:.4f}")
        search.decide(at)
    search.found.proved, search.found.bound = 1.0, search.found.loss
    return search.found

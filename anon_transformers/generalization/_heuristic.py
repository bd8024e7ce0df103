"""A search with a time limit, for lattices that nobody can go through."""

import heapq
import time
from collections.abc import Iterator

import numpy as np

from anon_transformers._kernels.lattice import SLACK, Node
from anon_transformers.base._progress import Progress
from anon_transformers.generalization._lattice import (
    Lattice,
    NodeResult,
    predecessors,
    successors,
)
from anon_transformers.generalization._search import SearchResult

DESCENT = 0.8
"""Share of the time for finding a good node; the rest proves how good it is."""


def find_in_time(lattice: Lattice, progress: Progress, seconds: float) -> SearchResult:
    """The best node found in time, what was proved, and what no node can reach.

    From the top, always on below the best node so far. Then from the bottom, cheapest
    first by what nodes cost at least: all that are left behind are proved.
    """
    started = time.monotonic()
    found = SearchResult()
    for _ in _descend(lattice, found):
        spent = (time.monotonic() - started) / seconds
        progress(min(spent, 1.0), f"loss {found.loss:.4f}")
        if spent > DESCENT:
            break
    settled = 0
    for bound, count in _prove(lattice, found):
        found.bound, settled = bound, count
        if time.monotonic() - started > seconds:
            break
    best = lattice.loss.scaled(found.loss)
    hopeless = count_above(lattice.loss.terms(), lattice.shape, best)
    found.proved = min(1.0, (hopeless + settled) / lattice.size)
    return found


def _descend(lattice: Lattice, found: SearchResult) -> Iterator[NodeResult]:
    """Best first by loss, from the top; stops by itself when nothing is left."""
    top = lattice.look(lattice.top)
    found.offer(top)
    seen = {lattice.top}
    heap = [(top.rank, top.node)]
    while heap:
        _, node = heapq.heappop(heap)
        for below in predecessors(node):
            if below in seen:
                continue
            seen.add(below)
            look = lattice.look(below)
            found.offer(look)
            if not look.hopeless:
                # One that does not fit may have better ones below.
                rank = look.rank if look.fits else (1.0, 0, sum(below), below)
                heapq.heappush(heap, (rank, below))
            yield look


def _prove(lattice: Lattice, found: SearchResult) -> Iterator[tuple[float, int]]:
    """Go up from the bottom; yields what is left at least, and how many are settled."""
    terms = lattice.loss.terms()

    def least(node: Node) -> float:
        return float(sum(terms[a, level] for a, level in enumerate(node)))

    bottom = (0,) * len(lattice.shape)
    heap = [(least(bottom), bottom, 0)]
    settled = 0
    while heap:
        bound, node, first = heapq.heappop(heap)
        if bound > lattice.loss.scaled(found.loss) + SLACK:
            yield found.loss, settled
            return
        found.offer(lattice.look(node, found.loss))
        settled += 1
        for a, above in enumerate(_raised(node, lattice.top)):
            # Each node is reached by raising attributes in one order only.
            if above is not None and a >= first:
                heapq.heappush(heap, (least(above), above, a))
        yield lattice.loss.unscaled(bound), settled
    yield found.loss, settled


def _raised(node: Node, top: Node) -> list[Node | None]:
    """For each attribute the node one step above, if there is one."""
    above = iter(successors(node, top))
    return [next(above) if n < t else None for n, t in zip(node, top, strict=True)]


def count_above(terms: np.ndarray, shape: tuple[int, ...], limit: float) -> int:
    """How many nodes have terms that add up to more than ``limit``.

    Both halves of the attributes are gone through once, so that a lattice of 10 to the
    power of 13 nodes is a matter of a few million sums.
    """
    halves = []
    middle = _even_middle(shape)
    for part in (range(middle), range(middle, len(shape))):
        sums = np.zeros(1)
        for a in part:
            sums = (sums[:, np.newaxis] + terms[a, : shape[a]]).ravel()
        halves.append(np.sort(sums))
    few, many = sorted(halves, key=len)
    return int((len(many) - np.searchsorted(many, limit + SLACK - few, "right")).sum())


def _even_middle(shape: tuple[int, ...]) -> int:
    """Where to cut so that both products are about as large."""
    sizes = np.cumsum(np.log([float(n) for n in shape]))
    return int(np.argmin(np.abs(sizes - sizes[-1] / 2))) + 1

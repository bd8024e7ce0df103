"""Minimal nodes, and the searches that promise one of them."""

from collections.abc import Iterable, Sequence

import numpy as np

from anon_transformers._kernels import lattice_map
from anon_transformers._kernels.lattice import Node
from anon_transformers.base._progress import Progress
from anon_transformers.exceptions import ParameterError
from anon_transformers.generalization._lattice import Lattice
from anon_transformers.generalization._search import SearchResult


def minimal_nodes(lattice: Lattice, progress: Progress) -> list[Node]:
    """Every node that fits while none below it does, lowest first.

    A node that is within the limit may still not fit, where the suppressed rows must be
    a class, or nothing but marks would be published; one above it then may.
    """
    within = _all_that_fit(lattice.dropping(), progress)
    node_map = lattice_map.make_map(lattice.shape, _no_terms(lattice), fits=False)
    minimal = []
    order = np.argsort(lattice.heights(), kind="stable")
    for at in order[within[order]].tolist():
        if node_map.fits[at]:  # as one below it does
            continue
        node = tuple(lattice_map.levels_of(node_map, at).tolist())
        if lattice.look(node).fits:
            lattice_map.fit_above(node_map, at, 0.0)
            minimal.append(node)
    return minimal


def find_incognito(lattice: Lattice, progress: Progress) -> SearchResult:
    """The best of all minimal nodes."""
    _refuse_wrong_pruning("incognito", lattice)
    minimal = minimal_nodes(lattice, progress)
    found = _best_of(lattice, minimal) or SearchResult()
    found.minimal = minimal
    return found


def find_samarati(lattice: Lattice, progress: Progress) -> SearchResult:
    """The best of the nodes that fit at the lowest height at which one does."""
    _refuse_wrong_pruning("samarati", lattice)
    dropping, heights = lattice.dropping(), lattice.heights()
    node_map = lattice_map.make_map(lattice.shape, _no_terms(lattice), fits=False)
    low, high = 0, int(heights.max())
    while low < high:
        middle = (low + high) // 2
        progress(0.0, f"height {middle}")
        if _one_fits(dropping, node_map, np.flatnonzero(heights == middle)):
            high = middle
        else:
            low = middle + 1
    return _lowest(lattice, low)


def _lowest(lattice: Lattice, height: int) -> SearchResult:
    """The best node at the first height, from this one on, at which one fits.

    A node within the limit may still not fit, where suppressed rows must be a class.
    """
    heights = lattice.heights()
    for level in range(height, int(heights.max()) + 1):
        nodes = np.unravel_index(np.flatnonzero(heights == level), lattice.shape)
        found = _best_of(lattice, np.stack(nodes, axis=1).tolist())
        if found is not None:
            return found
    return SearchResult()


def _best_of(lattice: Lattice, nodes: Iterable[Sequence[int]]) -> SearchResult | None:
    found = SearchResult()
    for node in nodes:
        found.offer(lattice.look(tuple(node)))
    return None if found.best is None else found


def _one_fits(lattice: Lattice, node_map, nodes: np.ndarray) -> bool:
    for at in nodes[node_map.is_open[nodes]].tolist():
        if node_map.fits[at] or _fits(lattice, node_map, at):
            return True
    return False


def _fits(lattice: Lattice, node_map, at: int) -> bool:
    """Evaluate a node, and note what follows for those below or above it."""
    node = tuple(lattice_map.levels_of(node_map, at).tolist())
    fits = lattice.look(node).fits
    if fits:
        lattice_map.fit_above(node_map, at, 0.0)
    else:
        lattice_map.close_below(node_map, at)
    return fits


def _all_that_fit(lattice: Lattice, progress: Progress) -> np.ndarray:
    node_map = lattice_map.make_map(lattice.shape, _no_terms(lattice), fits=False)
    heights = lattice.heights()
    for done, at in enumerate(np.argsort(heights, kind="stable").tolist()):
        if not lattice.goal.prunes:
            node = tuple(lattice_map.levels_of(node_map, at).tolist())
            node_map.fits[at] = lattice.look(node).fits
            continue
        if node_map.fits[at] or not node_map.is_open[at]:
            continue
        progress(done / len(heights), "")
        path = lattice_map.way_up(node_map, at, np.inf)
        low, high = 0, len(path)
        while low < high:
            middle = (low + high) // 2
            if _fits(lattice, node_map, path[middle]):
                high = middle
            else:
                low = middle + 1
    return node_map.fits


def _no_terms(lattice: Lattice) -> np.ndarray:
    return np.zeros((len(lattice.shape), max(lattice.shape)))


def _refuse_wrong_pruning(search: str, lattice: Lattice) -> None:
    if not lattice.goal.prunes:
        raise ParameterError(
            f"search={search!r} takes for granted that nodes above one that fits fit "
            "too, which these models do not promise where rows may be suppressed; use "
            "search='optimal'."
        )

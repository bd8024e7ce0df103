"""Features of a graph that a chain of switches can hold."""

import math
from collections.abc import Callable

import numpy as np
from scipy import sparse

from anon_transformers_graphs._kernels.distances import count_distances
from anon_transformers_graphs._kernels.triangles import count_triangles
from anon_transformers_graphs.randomization._spectrum import (
    laplacian_pair,
    largest_pair,
)


def triangle_share(starts: np.ndarray) -> float:
    """Transitivity for each triangle: 3 by the number of paths of two edges."""
    degrees = np.diff(starts)
    paths = int((degrees * (degrees - 1)).sum()) // 2
    return 3 / paths if paths else 0.0


def _transitivity(starts: np.ndarray, neighbors: np.ndarray) -> float:
    return triangle_share(starts) * count_triangles(starts, neighbors)


def _distance_counts(starts: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
    """Pairs of nodes at each distance; those that no path joins are left out."""
    n = len(starts) - 1
    counts, reached, sums = (np.zeros((1, n), dtype=np.int64) for _ in range(3))
    lists = starts.astype(np.int64), neighbors.astype(np.int32)
    count_distances(*lists, np.arange(n, dtype=np.int32), counts, reached, sums)
    # Each pair was counted from both ends.
    return counts[0] // 2


def _average_distance(starts: np.ndarray, neighbors: np.ndarray) -> float:
    counts = _distance_counts(starts, neighbors)
    n_pairs = math.comb(len(starts) - 1, 2)
    if not n_pairs or counts.sum() < n_pairs:
        return math.inf
    return float(counts @ np.arange(len(counts))) / n_pairs


def _harmonic_distance(starts: np.ndarray, neighbors: np.ndarray) -> float:
    counts = _distance_counts(starts, neighbors)
    inverses = float((counts[1:] / np.arange(1, len(counts))).sum())
    return math.comb(len(starts) - 1, 2) / inverses if inverses else math.inf


def _lambda1(starts: np.ndarray, neighbors: np.ndarray) -> float:
    adjacency = _matrix(starts, neighbors)
    return largest_pair(adjacency, _start(adjacency)).value if adjacency.nnz else 0.0


def _mu2(starts: np.ndarray, neighbors: np.ndarray) -> float:
    adjacency = _matrix(starts, neighbors)
    return laplacian_pair(adjacency, _start(adjacency)).value if adjacency.nnz else 0.0


def _matrix(starts: np.ndarray, neighbors: np.ndarray) -> sparse.csr_array:
    n = len(starts) - 1
    return sparse.csr_array((np.ones(len(neighbors)), neighbors, starts), (n, n))


def _start(adjacency: sparse.csr_array) -> np.ndarray:
    """Where the search for an eigenvalue starts; always the same place."""
    return 0.5 + np.random.default_rng(0).random(adjacency.shape[0])


FEATURES: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "transitivity": _transitivity,
    "average-distance": _average_distance,
    "harmonic-distance": _harmonic_distance,
    "lambda1": _lambda1,
    "mu2": _mu2,
}
"""Features by name; each takes lists of neighbors. Not defined: infinity."""

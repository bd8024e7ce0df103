"""The two eigenvalues that describe a graph best, and their vectors."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from anon_transformers.exceptions import NotEvaluable

SMALL = 32
"""Nodes up to which the whole spectrum is computed at once."""
ACCURACY = 1e-10
"""Of an eigenvalue, as a share of the largest of its matrix."""


class EigenPair(NamedTuple):
    """An eigenvalue and a vector of length 1."""

    value: float
    vector: np.ndarray


class Spectrum(NamedTuple):
    """The largest pair of the adjacency matrix, the second lowest of the Laplacian."""

    lambda1: EigenPair
    mu2: EigenPair

    @property
    def values(self) -> np.ndarray:
        """Both eigenvalues."""
        return np.array([self.lambda1.value, self.mu2.value])


def spectrum_of(
    edges: np.ndarray, start: np.ndarray, near: Spectrum | None = None
) -> Spectrum:
    """λ1 and μ2 of a graph that has edges.

    Parameters
    ----------
    edges : int array of shape (n_edges, 2)
        At least one.
    start : array of shape (n_nodes,)
        Where the search starts: one positive number per node.
    near : Spectrum, optional
        That of a graph that differs by few edges, to start nearer.
    """
    n = len(start)
    ends = np.concatenate([edges, edges[:, ::-1]]).T
    adjacency = sparse.coo_array((np.ones(len(ends.T)), tuple(ends)), (n, n)).tocsr()
    if near is None:
        return Spectrum(
            largest_pair(adjacency, start), laplacian_pair(adjacency, start)
        )
    # Some of every direction is left in, for another part may have taken the lead.
    noise = start / (10 * np.linalg.norm(start))
    return Spectrum(
        largest_pair(adjacency, np.abs(near.lambda1.vector) + noise),
        laplacian_pair(adjacency, near.mu2.vector + noise),
    )


def largest_pair(
    matrix: sparse.csr_array | LinearOperator, start: np.ndarray
) -> EigenPair:
    """The largest eigenvalue; λ1 if the matrix is the adjacency matrix."""
    n = matrix.shape[0]
    if n <= SMALL:
        values, vectors = np.linalg.eigh(matrix @ np.eye(n))
        return EigenPair(float(values[-1]), vectors[:, -1])
    try:
        values, vectors = eigsh(
            matrix, k=1, which="LA", v0=start, tol=ACCURACY, maxiter=100 * n
        )
    except ArpackNoConvergence:
        raise NotEvaluable(
            f"the search for an eigenvalue of a graph of {n} nodes did not converge."
        ) from None
    return EigenPair(float(values[0]), np.ascontiguousarray(vectors[:, 0]))


def laplacian_pair(adjacency: sparse.csr_array, start: np.ndarray) -> EigenPair:
    """μ2: the second lowest eigenvalue of the Laplacian; at least two nodes."""
    n = adjacency.shape[0]
    n_parts, parts = connected_components(adjacency, directed=False)
    if n_parts > 1:
        return EigenPair(0.0, _component_vector(n_parts, parts))
    degrees = adjacency.sum(axis=1)
    # Above the largest eigenvalue of the Laplacian, so that μ2 becomes the largest one
    # after the constant vector is taken out; no matrix is factorized.
    above = 2 * float(degrees.max())

    def shifted_laplacian(vector: np.ndarray) -> np.ndarray:
        vector = vector.ravel()
        return (above - degrees) * vector + adjacency @ vector - above * vector.mean()

    pair = largest_pair(
        LinearOperator((n, n), matvec=shifted_laplacian, dtype=float), start
    )
    return EigenPair(above - pair.value, pair.vector)


def _component_vector(n_parts: int, parts: np.ndarray) -> np.ndarray:
    """Vector of μ2 = 0: one part against the other, where only an edge between counts.

    Of more than two parts an edge can join but two, and μ2 stays: zeros say so.
    """
    side = (parts == 0) * 1.0
    if n_parts > 2:  # noqa: PLR2004
        return np.zeros(len(side))
    side -= side.mean()
    return side / np.linalg.norm(side)

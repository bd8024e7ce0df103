"""Eigenvalues of a graph, and numbers made of them."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, cg, eigsh
from scipy.special import logsumexp

from anon_transformers.exceptions import NotEvaluable
from anon_transformers.graphs import Graph
from anon_transformers.parameters import generator
from anon_transformers_graphs._any_form import any_form
from anon_transformers_graphs.metrics._distances import Seed
from anon_transformers_graphs.metrics._structure import finite_numbers

SMALL = 1_000
"""Nodes up to which the whole spectrum is computed; the only dense matrix is here."""
ACCURACY = 1e-10
"""Relative, of what a search for eigenvalues gives."""
N_LEADING = 20
"""Largest eigenvalues that are taken exactly for the subgraph centrality."""
N_PROBES = 30
"""Random vectors that the rest of the spectrum is estimated with."""
N_STEPS = 40
"""Steps of each; rules of so many points integrate polynomials of degree 79."""


@dataclass(frozen=True)
class SpectralReport:
    """Numbers of a graph's spectrum.

    Attributes
    ----------
    lambda1 : float
        Largest eigenvalue of the adjacency matrix.
    mu2 : float
        Second lowest eigenvalue of the Laplacian; 0 if the graph is disconnected, NaN
        if there are not two nodes.
    log_subgraph_centrality : float
        Natural logarithm of the mean subgraph centrality.
    subgraph_centrality : float
        The mean itself; infinite where it is too large for a float.
    """

    lambda1: float
    mu2: float
    log_subgraph_centrality: float
    subgraph_centrality: float

    def to_dict(self) -> dict[str, Any]:
        """The numbers by name; None for what is not defined or too large."""
        return finite_numbers(vars(self))


@any_form
def spectral_report(graph: Graph, *, random_state: Seed = 0) -> SpectralReport:
    """Describe a graph by its eigenvalues.

    Parameters
    ----------
    graph : Graph, or a graph in any form
        It may be disconnected.
    random_state : seed or generator, default=0
        For the start of searches, and for the estimate of the subgraph centrality of
        more than 1,000 nodes. See :func:`log_subgraph_centrality`.

    Examples
    --------
    >>> report = spectral_report(Graph(4, [[0, 1], [1, 2], [2, 3], [0, 3]]))
    >>> round(report.lambda1, 6), round(report.mu2, 6)
    (2.0, 2.0)
    """
    rng = generator(random_state)
    logarithm = log_subgraph_centrality(graph, random_state=rng)
    return SpectralReport(
        lambda1(graph, random_state=rng),
        mu2(graph, random_state=rng),
        logarithm,
        _exponential(logarithm),
    )


@any_form
def lambda1(graph: Graph, *, random_state: Seed = 0) -> float:
    """Largest eigenvalue of the adjacency matrix; NaN without nodes.

    Examples
    --------
    >>> round(lambda1(Graph(4, [[0, 1], [0, 2], [0, 3]])), 6)
    1.732051
    """
    if not graph.n_edges:
        return 0.0 if graph.n_nodes else np.nan
    if graph.n_nodes <= SMALL:
        return float(_spectrum(graph)[-1])
    matrix = graph.adjacency.astype(float)
    return float(_leading_pairs(matrix, 1, _start(graph, random_state))[0][0])


@any_form
def mu2(graph: Graph, *, random_state: Seed = 0) -> float:
    """Second lowest eigenvalue of the Laplacian, the algebraic connectivity.

    It is 0 if the graph is disconnected, and NaN if it has less than two nodes. In
    large graphs it is one by the largest eigenvalue of the Laplacian's inverse on the
    vectors of mean 0, and systems are solved by conjugate gradients: memory stays
    linear in the edges.

    Examples
    --------
    >>> round(mu2(Graph(3, [[0, 1], [1, 2]])), 6)
    1.0
    """
    n = graph.n_nodes
    if n < 2:  # noqa: PLR2004
        return np.nan
    if connected_components(graph.adjacency, directed=False)[0] > 1:
        return 0.0
    degrees = graph.degrees.astype(float)
    laplacian = sparse.diags_array(degrees) - graph.adjacency.astype(float)
    if n <= SMALL:
        return float(np.linalg.eigvalsh(laplacian.toarray())[1])
    scale = LinearOperator((n, n), matvec=lambda v: v.ravel() / degrees, dtype=float)

    def solve(vector: np.ndarray) -> np.ndarray:
        right = vector.ravel() - vector.mean()
        found, failed = cg(laplacian, right, rtol=ACCURACY, maxiter=20 * n, M=scale)
        if failed:
            raise _not_converged(n)
        return found - found.mean()

    inverse = LinearOperator((n, n), matvec=solve, dtype=float)
    _, vectors = _leading_pairs(inverse, 1, _start(graph, random_state))
    vector = vectors[:, 0]
    # The quotient is far more accurate than the vector that it is taken of.
    return float(vector @ (laplacian @ vector) / (vector @ vector))


@any_form
def subgraph_centrality(graph: Graph, *, random_state: Seed = 0) -> float:
    """Closed walks at a node, a walk of k edges weighing 1 by k!; mean over nodes.

    Infinite where a float cannot hold it; see :func:`log_subgraph_centrality`.

    Examples
    --------
    >>> round(subgraph_centrality(Graph(2, [[0, 1]])), 6)
    1.543081
    """
    return _exponential(log_subgraph_centrality(graph, random_state=random_state))


@any_form
def log_subgraph_centrality(graph: Graph, *, random_state: Seed = 0) -> float:
    """Natural logarithm of the mean subgraph centrality; NaN without nodes.

    The mean is that of the exponentials of all eigenvalues of the adjacency matrix. Of
    more than 1,000 nodes only the largest eigenvalues are taken exactly, as they carry
    most of it; the rest is estimated by Lanczos quadrature from random vectors, to a
    few hundredths.

    Parameters
    ----------
    graph : Graph, or a graph in any form
        It may be disconnected.
    random_state : seed or generator, default=0
        For the random vectors.

    References
    ----------
    .. [1] E. Estrada and J. Rodríguez-Velázquez, "Subgraph centrality in complex
       networks", Physical Review E 71, 2005.
    .. [2] S. Ubaru, J. Chen and Y. Saad, "Fast estimation of tr(f(A)) via stochastic
       Lanczos quadrature", SIAM J. Matrix Analysis and Applications 38 (4), 2017.

    Examples
    --------
    >>> round(log_subgraph_centrality(Graph(2, [[0, 1]])), 6)
    0.433781
    """
    n = graph.n_nodes
    if not graph.n_edges:
        return 0.0 if n else np.nan
    if n <= SMALL:
        return float(logsumexp(_spectrum(graph))) - math.log(n)
    rng = generator(random_state)
    matrix = graph.adjacency.astype(float)
    leading, vectors = _leading_pairs(matrix, N_LEADING, _start(graph, rng))
    rests = [_quadrature(matrix, vectors, rng) for _ in range(N_PROBES)]
    rest = float(logsumexp(rests)) - math.log(N_PROBES)
    return float(np.logaddexp(logsumexp(leading), rest)) - math.log(n)


def _quadrature(
    matrix: sparse.csr_array, vectors: np.ndarray, rng: np.random.Generator
) -> float:
    """Logarithm of v'exp(A)v for a random v that is orthogonal to ``vectors``."""

    def remove_leading(vector: np.ndarray) -> np.ndarray:
        return vector - vectors @ (vectors.T @ vector)

    current = remove_leading(rng.choice([-1.0, 1.0], matrix.shape[0]))
    length = np.linalg.norm(current)
    current, last = current / length, np.zeros_like(current)
    diagonal, beside = [], [0.0]
    for _ in range(N_STEPS):
        # Rounding brings the exact vectors back, and their eigenvalues would then count
        # twice: they are removed at each step.
        following = remove_leading(matrix @ current - beside[-1] * last)
        diagonal.append(float(following @ current))
        following -= diagonal[-1] * current
        beside.append(float(np.linalg.norm(following)))
        if beside[-1] <= ACCURACY:
            break
        current, last = following / beside[-1], current
    inner = beside[1 : len(diagonal)]
    small = np.diag(diagonal) + np.diag(inner, 1) + np.diag(inner, -1)
    values, parts = np.linalg.eigh(small)
    return 2 * math.log(length) + float(logsumexp(values, b=parts[0] ** 2))


def _leading_pairs(
    matrix: sparse.csr_array | LinearOperator, count: int, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    try:
        return eigsh(matrix, k=count, which="LA", v0=start, tol=ACCURACY)
    except ArpackNoConvergence:
        raise _not_converged(matrix.shape[0]) from None


def _not_converged(n_nodes: int) -> NotEvaluable:
    return NotEvaluable(
        f"the search for eigenvalues of a graph of {n_nodes} nodes did not converge."
    )


def _spectrum(graph: Graph) -> np.ndarray:
    return np.linalg.eigvalsh(graph.adjacency.toarray().astype(float))


def _start(graph: Graph, random_state: Seed) -> np.ndarray:
    """Where a search starts: no number of it is 0, so that no direction is left out."""
    rng = generator(random_state)
    return 0.5 + rng.random(graph.n_nodes)


def _exponential(logarithm: float) -> float:
    try:
        return math.exp(logarithm)
    except OverflowError:
        return math.inf

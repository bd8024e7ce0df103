"""Fuzzy c-means and Gustafson-Kessel: every row belongs to every set to some degree."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numba import get_num_threads

from anon_transformers._kernels.arrays import as_input
from anon_transformers.jit import njit_nogil

CHUNK = 8192
"""Rows that are summed up by themselves. A table's chunks depend on its length only."""
_BLOCK = 64
# Added to every squared distance: a row on a center divides by no zero.
_OFFSET = 1e-10
# The fuzziness whose powers are plain reciprocals and squares.
_PLAIN = 2.0


class _Block(NamedTuple):
    """What is known of a block; all arrays have its rows last.

    ``rows`` are its points and ``away`` these less a center. ``weights`` holds a line a
    set: squared distances, then weights. ``moments`` and ``marks`` add up over the
    blocks of a chunk what becomes ``sums`` and ``tallies``. ``spare`` is for any use.
    """

    rows: np.ndarray
    away: np.ndarray
    weights: np.ndarray
    moments: np.ndarray
    marks: np.ndarray
    spare: np.ndarray


@njit_nogil(
    "readonly(float64[:, ::1]), float64[:, ::1], float64[:, :, ::1], float64, "
    "float64[:, ::1], float64[:, :, ::1], float64[:, ::1], int64, int64"
)
def pass_chunks(points, centers, factors, m, degrees, sums, tallies, first, last):
    """Renew the degrees of the rows of some chunks.

    Parameters
    ----------
    points : float64 array of shape (n, d)
    centers : float64 array of shape (c, d)
    factors : float64 array of shape (c, d, d), or (0, d, d) for plain distances
        Upper triangles R: the squared distance is that of R (x - center) from 0.
    m : float
        Fuzziness, above 1.
    degrees : float64 array of shape (c, n)
        Old degrees, replaced by the new ones.
    sums : float64 array of shape (chunks, c, moments)
        Filled. With weights w = degree ** m and y = x - center: the sums of w, of each
        w y, and, if there is room for them, of each product w y y in the order of an
        upper triangle's rows.
    tallies : float64 array of shape (chunks, 2)
        Filled: the largest signed change of a degree, and the sum of weighted
        distances, each with the offset.
    first, last : int
        The chunks' numbers, the last one not included.
    """
    n_sets, n_moments = sums.shape[1:]
    n_columns = points.shape[1]
    block = _Block(
        np.empty((n_columns, _BLOCK)),
        np.empty((n_columns, _BLOCK)),
        np.empty((n_sets, _BLOCK)),
        np.empty((n_sets, n_moments, _BLOCK)),
        np.empty((2, _BLOCK)),
        np.empty((3 + n_sets, _BLOCK)),
    )
    for chunk in range(first, last):
        block.moments[:] = 0.0
        block.marks[0] = -1.0
        block.marks[1] = 0.0
        stop = min((chunk + 1) * CHUNK, len(points))
        for start in range(chunk * CHUNK, stop, _BLOCK):
            size = min(_BLOCK, stop - start)
            _load(points, start, size, block.rows)
            _pass_block(centers, factors, m, degrees, start, size, block)
        for number in range(n_sets):
            for moment in range(n_moments):
                sums[chunk, number, moment] = block.moments[number, moment].sum()
        tallies[chunk, 0] = block.marks[0].max()
        tallies[chunk, 1] = block.marks[1].sum()


@njit_nogil
def _pass_block(centers, factors, m, degrees, start, size, block):
    """Renew the degrees of a block's rows and add up what follows."""
    for number in range(len(centers)):
        _subtract(block.rows, centers[number], size, block.away)
        squares = block.weights[number]
        if len(factors) == 0:
            _square(block.away, size, squares)
        else:
            _square_shaped(block.away, factors[number], size, squares, block.spare[0])
    if m == _PLAIN:
        _plain_degrees(block.weights, degrees, start, size, block.marks, block.spare)
    else:
        _any_degrees(m, block.weights, degrees, start, size, block.marks, block.spare)
    for number in range(len(centers)):
        _subtract(block.rows, centers[number], size, block.away)
        weights, moments = block.weights[number], block.moments[number]
        _add(weights, block.away, size, moments, block.spare[0])


@njit_nogil
def _load(points, start, size, rows):
    """The points of a block, column after column."""
    for column in range(len(rows)):
        for at in range(size):
            rows[column, at] = points[start + at, column]


@njit_nogil
def _subtract(rows, center, size, away):
    for column in range(len(rows)):
        shift = center[column]
        for at in range(size):
            away[column, at] = rows[column, at] - shift


@njit_nogil
def _square(away, size, squares):
    """Squared lengths, with the offset."""
    for at in range(size):
        squares[at] = _OFFSET
    for column in range(len(away)):
        for at in range(size):
            squares[at] += away[column, at] * away[column, at]


@njit_nogil
def _square_shaped(away, factor, size, squares, turned):
    """Squared lengths after the factor, with the offset; never below it."""
    for at in range(size):
        squares[at] = _OFFSET
    for row in range(len(away)):
        turned[:] = 0.0
        for column in range(row, len(away)):
            share = factor[row, column]
            for at in range(size):
                turned[at] += share * away[column, at]
        for at in range(size):
            squares[at] += turned[at] * turned[at]


@njit_nogil
def _plain_degrees(squares, degrees, start, size, marks, spare):
    """Degrees for m = 2, without a power; the squares become weights."""
    total = spare[0]
    total[:] = 0.0
    for number in range(len(squares)):
        for at in range(size):
            squares[number, at] = 1.0 / squares[number, at]
            total[at] += squares[number, at]
    for at in range(size):
        marks[1, at] += 1.0 / total[at]
    for number in range(len(squares)):
        for at in range(size):
            degree = squares[number, at] / total[at]
            change = degree - degrees[number, start + at]
            marks[0, at] = change if change > marks[0, at] else marks[0, at]
            degrees[number, start + at] = degree
            squares[number, at] = degree * degree


@njit_nogil
def _any_degrees(m, squares, degrees, start, size, marks, spare):
    """Degrees for any m, with one power per entry; the squares become weights.

    Distances are taken relative to the smallest one, whose power is 1: with m near 1
    the others may vanish, but nothing overflows. With p the power of r = smallest /
    square and t the sum of a row's powers, the degree is p / t and its m-th power is
    (p / t) r t ** (1 - m).
    """
    nearest, total, grown, powers = spare[0], spare[1], spare[2], spare[3:]
    nearest[:] = np.inf
    total[:] = 0.0
    for number in range(len(squares)):
        for at in range(size):
            nearest[at] = min(nearest[at], squares[number, at])
    for number in range(len(squares)):
        for at in range(size):
            ratio = nearest[at] / squares[number, at]
            squares[number, at] = ratio
            powers[number, at] = ratio ** (1.0 / (m - 1.0))
            total[at] += powers[number, at]
    for at in range(size):
        grown[at] = total[at] ** (1.0 - m)
        marks[1, at] += nearest[at] * grown[at]
    for number in range(len(squares)):
        for at in range(size):
            degree = powers[number, at] / total[at]
            change = degree - degrees[number, start + at]
            marks[0, at] = change if change > marks[0, at] else marks[0, at]
            degrees[number, start + at] = degree
            squares[number, at] *= degree * grown[at]


@njit_nogil
def _add(weights, away, size, moments, weighted):
    """Add the weighted moments of a block, place by place."""
    for at in range(size):
        moments[0, at] += weights[at]
    second = 1 + len(away)
    for column in range(len(away)):
        for at in range(size):
            weighted[at] = weights[at] * away[column, at]
            moments[1 + column, at] += weighted[at]
        if len(moments) > 1 + len(away):
            for other in range(column, len(away)):
                for at in range(size):
                    moments[second, at] += weighted[at] * away[other, at]
                second += 1


__all__ = ["FuzzyClusters", "fuzzy_c_means", "gustafson_kessel", "spread_centers"]

# Squares, and their sums, stay far from the largest number.
_LARGEST = 1e100
# Parts that the chunks are shared out in, for each thread: one that is late waits less.
_PARTS = 4


class FuzzyClusters(NamedTuple):
    """Degrees of all rows, and what they come from.

    Attributes
    ----------
    degrees : float64 ndarray of shape (n, c)
        Degree of each row in each set; rows add up to 1. Columns lie together in
        memory.
    centers : float64 ndarray of shape (c, d)
        Centers that the degrees were computed from.
    norms : float64 ndarray of shape (c, d, d) or None
        Norm matrices of the squared distances; None for plain distances.
    factors : float64 ndarray of shape (c, d, d) or None
        Upper triangles R with ``norms = R'R``, which distances were computed by.
    n_iter : int
        Number of iterations.
    history : float64 ndarray of shape (n_iter,)
        Objective at the end of each iteration: the sum of degree ** m times squared
        distance, to which 1e-10 was added.
    converged : bool
        Whether the stop rule was met before ``max_iter``.
    empty : bool ndarray of shape (c,)
        Sets in which the weights degree ** m of all rows add up to exactly 0. Such a
        set keeps its center and norm, and nothing becomes NaN.
    """

    degrees: np.ndarray
    centers: np.ndarray
    norms: np.ndarray | None
    factors: np.ndarray | None
    n_iter: int
    history: np.ndarray
    converged: bool
    empty: np.ndarray


def spread_centers(points: np.ndarray, random: np.ndarray) -> np.ndarray:
    """Centers to start from: spread about the mean, as far as the farthest row.

    Parameters
    ----------
    points : float64 ndarray of shape (n, d)
    random : float64 ndarray of shape (c, d)
        Numbers between 0 and 1; 0.5 everywhere gives the mean.

    Returns
    -------
    float64 ndarray of shape (c, d)

    Examples
    --------
    >>> import numpy as np
    >>> ages = np.array([[20.0], [30.0], [70.0]])
    >>> spread_centers(ages, np.array([[0.0], [0.5], [1.0]])).tolist()
    [[10.0], [40.0], [70.0]]
    """
    mean = points.mean(axis=0)
    reach = np.maximum(points.max(axis=0) - mean, mean - points.min(axis=0))
    return mean + 2 * reach * (random - 0.5)


def fuzzy_c_means(
    points: np.ndarray,
    centers: np.ndarray,
    m: float = 2.0,
    tol: float = 1e-4,
    max_iter: int = 10_000,
    progress: Callable[[float], None] | None = None,
) -> FuzzyClusters:
    """Minimize the sum of degree ** m times squared distance from the centers.

    The degrees of the first centers are the start. An iteration computes the centers of
    the degrees and the degrees of these centers; it is the last one if no degree has
    risen by more than ``tol``.

    Parameters
    ----------
    points : float64 ndarray of shape (n, d)
        Coordinates, at most 1e100 in size. All distances count alike, so columns are
        to be scaled before. A constant column does no harm.
    centers : float64 ndarray of shape (c, d)
        Centers to start from. Equal ones stay equal.
    m : float
        Fuzziness, above 1: near 1 the sets are almost crisp, far above almost equal.
    tol : float
        Largest rise of a degree in the last iteration.
    max_iter : int
        Most iterations.
    progress : callable, optional
        Called before each iteration with its share of the most there may be.

    Returns
    -------
    FuzzyClusters
        The same whatever the number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> ages = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> found = fuzzy_c_means(ages, np.array([[0.0], [5.0]]))
    >>> found.centers.round(1).tolist()
    [[0.5], [9.5]]
    >>> found.degrees.round(2).tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    """
    return _cluster(points, centers, m, tol, max_iter, None, progress)


def gustafson_kessel(
    points: np.ndarray,
    centers: np.ndarray,
    m: float = 2.0,
    rho: np.ndarray | float = 1.0,
    tol: float = 1e-4,
    max_iter: int = 10_000,
    max_condition: float = 1e15,
    progress: Callable[[float], None] | None = None,
) -> FuzzyClusters:
    """Minimize as fuzzy c-means does, with the shape of each set in its distances.

    The squared distance is ``(x - v) @ A @ (x - v)``. From the set's covariance F about
    its center v, each row with the weight degree ** m, comes ``A = (rho * det(F)) **
    (1 / d) * inv(F)``, so that ``det(A) = rho``. The start is that of fuzzy c-means,
    and so are the iterations and the stop rule. With one column and ``rho = 1`` it is
    fuzzy c-means.

    A singular F (a constant column, rows on a line) is mended: eigenvalues below the
    largest over ``max_condition`` are raised to that. Directions without any spread
    then shrink all other distances, down to the 1e-10 that is added to them, and the
    degrees say little: leave constant columns out. If F is 0, for all rows of the
    set lie on its center or its weights add up to 0, then A is a multiple of the unit
    matrix.

    Parameters
    ----------
    points, centers, m, tol, max_iter, progress
        As for ``fuzzy_c_means``.
    rho : float or ndarray of shape (c,)
        Determinant of each norm matrix: the larger, the smaller the set.
    max_condition : float
        Largest ratio of eigenvalues of a covariance.

    Returns
    -------
    FuzzyClusters
        The same whatever the number of threads.

    Examples
    --------
    Two long lines side by side: fuzzy c-means cuts both in the middle.

    >>> import numpy as np
    >>> line = np.array([[0.0, 0.1], [3, -0.1], [6, 0.1], [9, -0.1]])
    >>> lines = np.concatenate([line, line + [0, 2]])
    >>> start = np.array([[4.0, 0.0], [5.0, 2.0]])
    >>> fuzzy_c_means(lines, start).degrees.argmax(axis=1)
    array([0, 0, 1, 1, 0, 0, 1, 1])
    >>> found = gustafson_kessel(lines, start)
    >>> found.degrees.argmax(axis=1)
    array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> np.linalg.det(found.norms).round(6)
    array([1., 1.])
    """
    if not max_condition >= 1:
        raise ValueError(f"max_condition: {max_condition} is not 1 or more")
    volumes = np.broadcast_to(np.asarray(rho, dtype=np.float64), len(centers))
    if not (volumes > 0).all():
        raise ValueError("rho: every determinant must be above 0")

    def shape(covariances):
        return _norms(covariances, volumes, max_condition)

    return _cluster(points, centers, m, tol, max_iter, shape, progress)


_Shape = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def _cluster(
    points: np.ndarray,
    centers: np.ndarray,
    m: float,
    tol: float,
    max_iter: int,
    shape: _Shape | None,
    progress: Callable[[float], None] | None,
) -> FuzzyClusters:
    """Iterate; ``shape`` gives norms and factors of covariances, None plain ones."""
    points, centers, m = _checked(points, centers, m, max_iter)
    n_sets, n_columns = centers.shape
    n_moments = 1 + n_columns
    if shape is not None:
        n_moments += n_columns * (n_columns + 1) // 2
    n_chunks = -(-len(points) // CHUNK)
    degrees = np.zeros((n_sets, len(points)))
    sums, tallies = np.empty((n_chunks, n_sets, n_moments)), np.empty((n_chunks, 2))
    norms, factors = None, np.empty((0, n_columns, n_columns))
    history: list[float] = []
    converged = False
    with _Shares(n_chunks) as shares:
        shares.run(pass_chunks, points, centers, factors, m, degrees, sums, tallies)
        while not converged and len(history) < max_iter:
            if progress is not None:
                progress(len(history) / max_iter)
            means = _means(sums.sum(axis=0))
            shift = means[:, :n_columns]
            centers = centers + shift
            if shape is not None:
                norms, factors = shape(_covariances(shift, means[:, n_columns:]))
            shares.run(pass_chunks, points, centers, factors, m, degrees, sums, tallies)
            history.append(tallies[:, 1].sum())
            converged = tallies[:, 0].max() <= tol
    return FuzzyClusters(
        degrees.T,
        centers,
        norms,
        None if shape is None else factors,
        len(history),
        np.array(history),
        bool(converged),
        sums[:, :, 0].sum(axis=0) == 0,
    )


class _Shares:
    """Threads that share out the chunks of a table; none for a table of one chunk.

    Python's own threads, not those of compiled loops: these must not be used from two
    threads at once, nor after a fork.
    """

    def __init__(self, n_chunks: int):
        threads = get_num_threads()
        bounds = np.linspace(0, n_chunks, min(n_chunks, _PARTS * threads) + 1)
        self._bounds = bounds.astype(np.int64)
        self._pool = ThreadPoolExecutor(threads)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._pool.shutdown()

    def run(self, function, *arguments):
        """Call the function for all parts, and wait."""
        first, last = self._bounds[:-1], self._bounds[1:]
        spread = self._pool.map if len(first) > 1 else map
        list(spread(lambda *part: function(*arguments, *part), first, last))


def _checked(
    points: np.ndarray, centers: np.ndarray, m: float, max_iter: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """What the compiled code reads in the types that it wants, or an error."""
    points = as_input(points, np.float64)
    centers = np.array(centers, dtype=np.float64, order="C")
    if points.shape[1:] != centers.shape[1:] or not points.size or not centers.size:
        raise ValueError(
            f"points, centers: {points.shape} and {centers.shape} are no shapes that "
            "fit together"
        )
    for name, values in (("points", points), ("centers", centers)):
        # Not "any above": comparisons with NaN are false.
        if not (values.max() <= _LARGEST and values.min() >= -_LARGEST):
            raise ValueError(f"{name}: coordinates must be numbers up to {_LARGEST:g}")
    if not 1 < m < np.inf:
        raise ValueError(f"m: {m} is not a number above 1")
    if max_iter < 1:
        raise ValueError(f"max_iter: {max_iter} is below 1")
    return points, centers, float(m)


def _means(sums: np.ndarray) -> np.ndarray:
    """Weighted means of all moments, about the old centers."""
    weights = sums[:, :1]
    # A set without weight has sums of 0: it stays where it is.
    return sums[:, 1:] / np.where(weights > 0, weights, 1.0)


def _covariances(shift: np.ndarray, products: np.ndarray) -> np.ndarray:
    """Covariances about the new centers, from mean products about the old ones.

    Near the end centers hardly move, so that the difference loses no digits.
    """
    n_sets, n_columns = shift.shape
    row, column = np.triu_indices(n_columns)
    about_old = np.empty((n_sets, n_columns, n_columns))
    about_old[:, row, column] = about_old[:, column, row] = products
    return about_old - shift[:, :, None] * shift[:, None, :]


def _norms(
    covariances: np.ndarray, volumes: np.ndarray, max_condition: float
) -> tuple[np.ndarray, np.ndarray]:
    """Norm matrices A, and upper triangles R with A = R'R.

    Distances by R cannot become negative by rounding, as those by A can.
    """
    values, vectors = np.linalg.eigh(covariances)
    largest = values[:, -1:]
    relative = np.where(largest > 0, values, 1.0) / np.where(largest > 0, largest, 1.0)
    relative = np.maximum(relative, 1.0 / max_condition)
    # By logarithms, for the product of many small numbers is 0.
    scale = np.exp(np.log(relative).mean(axis=1)) * volumes ** (1 / values.shape[1])
    stretch = scale[:, None] / relative
    turned = vectors.transpose(0, 2, 1)
    _, factors = np.linalg.qr(np.sqrt(stretch)[:, :, None] * turned)
    return vectors * stretch[:, None, :] @ turned, factors

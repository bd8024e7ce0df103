"""One pass of a fuzzy clustering over the rows: new degrees, and what they add up to.

Rows are taken in blocks, and every array of a block has its rows last, so that the
inner loops run over rows that lie together and the compiler can take several at once.
Sums are kept for each place in a block and added up at the end of a chunk: the same
additions in the same order, whatever the machine and the number of threads.
"""

from typing import NamedTuple

import numpy as np

from anon_transformers._kernels._jit import njit_nogil

CHUNK = 8192
"""Rows that are summed up by themselves. A table's chunks depend on its length only."""
_BLOCK = 64
# Added to every squared distance: a row on a centre divides by no zero.
_OFFSET = 1e-10
# The fuzziness whose powers are plain reciprocals and squares.
_PLAIN = 2.0


class _Block(NamedTuple):
    """What is known of a block; all arrays have its rows last.

    ``rows`` are its points and ``away`` these less a centre. ``weights`` holds a line a
    set: squared distances, then weights. ``moments`` and ``marks`` add up over the
    blocks of a chunk what becomes ``sums`` and ``tallies``. ``spare`` is for any use.
    """

    rows: np.ndarray
    away: np.ndarray
    weights: np.ndarray
    moments: np.ndarray
    marks: np.ndarray
    spare: np.ndarray


@njit_nogil
def pass_chunks(points, centres, factors, m, degrees, sums, tallies, first, last):
    """Renew the degrees of the rows of some chunks.

    Parameters
    ----------
    points : float64 array of shape (n, d)
    centres : float64 array of shape (c, d)
    factors : float64 array of shape (c, d, d), or (0, d, d) for plain distances
        Upper triangles R: the squared distance is that of R (x - centre) from 0.
    m : float
        Fuzziness, above 1.
    degrees : float64 array of shape (c, n)
        Old degrees, replaced by the new ones.
    sums : float64 array of shape (chunks, c, moments)
        Filled. With weights w = degree ** m and y = x - centre: the sums of w, of each
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
            _pass_block(centres, factors, m, degrees, start, size, block)
        for number in range(n_sets):
            for moment in range(n_moments):
                sums[chunk, number, moment] = block.moments[number, moment].sum()
        tallies[chunk, 0] = block.marks[0].max()
        tallies[chunk, 1] = block.marks[1].sum()


@njit_nogil
def _pass_block(centres, factors, m, degrees, start, size, block):
    """Renew the degrees of a block's rows and add up what follows."""
    for number in range(len(centres)):
        _subtract(block.rows, centres[number], size, block.away)
        squares = block.weights[number]
        if len(factors) == 0:
            _square(block.away, size, squares)
        else:
            _square_shaped(block.away, factors[number], size, squares, block.spare[0])
    if m == _PLAIN:
        _plain_degrees(block.weights, degrees, start, size, block.marks, block.spare)
    else:
        _any_degrees(m, block.weights, degrees, start, size, block.marks, block.spare)
    for number in range(len(centres)):
        _subtract(block.rows, centres[number], size, block.away)
        weights, moments = block.weights[number], block.moments[number]
        _add(weights, block.away, size, moments, block.spare[0])


@njit_nogil
def _load(points, start, size, rows):
    """The points of a block, column after column."""
    for column in range(len(rows)):
        for at in range(size):
            rows[column, at] = points[start + at, column]


@njit_nogil
def _subtract(rows, centre, size, away):
    for column in range(len(rows)):
        shift = centre[column]
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
    """Degrees for any m, with one power an entry; the squares become weights.

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

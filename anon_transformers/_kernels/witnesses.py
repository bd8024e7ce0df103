"""Who can have made a published value necessary.

A class matches candidates: persons whose values its published values cover. A minimal
method says more of a class than who matches it. A range ends at values that members
have, and a value of a tree has members under two of its children. For each such fact
this module looks for the candidates who can account for it: nobody, one, or many.

Records, ranges and tables are those of :mod:`anon_transformers._kernels.compatibility`;
``person`` numbers who stands behind each right record, ``MANY`` for several.
"""

import numpy as np

from anon_transformers._kernels.compatibility import _meet
from anon_transformers.jit import njit

NOBODY, MANY = -1, -2
N_SIDES = 2


@njit
def _joined(state, person):
    """Who stands behind a fact, once one more candidate is seen."""
    return person if state == NOBODY else state if state == person else MANY


@njit(
    "int32[:, :, ::1], int32[:, :, ::1], int64[::1], int64[:, ::1], int32[::1], "
    "int64[::1], int64[::1]"
)
def attain_ends(left, right, person, ranges, entries, start, width):
    """Candidates who have the first or the last value of each range.

    Returns
    -------
    int64 array of shape (n_left, n_columns, 2)
        The person who can attain the lower and the upper end; NOBODY or MANY.
    """
    n_columns = left.shape[1]
    out = np.full((len(left), n_columns, 2), NOBODY, np.int64)
    meet = np.empty((n_columns, 3), left.dtype)
    for i in range(len(left)):
        for r in range(ranges[i, 0], ranges[i, 1]):
            if not _meet(left[i], right[r], entries, start, width, meet):
                continue
            for column in range(n_columns):
                if right[r, column, 0] != right[r, column, 1]:
                    continue  # missing, or no exact value
                for end in range(2):
                    if right[r, column, 0] == left[i, column, end]:
                        out[i, column, end] = _joined(out[i, column, end], person[r])
    return out


@njit(
    "int32[:, :, ::1], int32[:, :, ::1], int64[::1], int64[:, ::1], int32[::1], "
    "int64[::1], int64[::1], int32[:, ::1], int32[::1], int64[::1], int64[::1]"
)
def fill_children(
    left, right, person, ranges, entries, start, width, level, child, base, n_leaves
):
    """Candidates under the children of each published value.

    Parameters
    ----------
    level : int32 array of shape (n_left, n_columns)
        Level at which the children of a value lie; negative: not looked at.
    child : int32 array
        Group of each leaf at each level of each column's tree.
    base, n_leaves : int64 arrays
        Where the groups of each column begin in ``child``, and how many a level has.

    Returns
    -------
    int64 array of shape (n_left, n_columns, 2)
        Who is under the one and under the other of the two children that have any
        candidate: NOBODY, a person or MANY. With more than two children both are MANY.
    """
    n_columns = left.shape[1]
    out = np.full((len(left), n_columns, 2), NOBODY, np.int64)
    seen = np.empty((n_columns, 2), np.int32)
    meet = np.empty((n_columns, 3), left.dtype)
    for i in range(len(left)):
        seen[:] = -1
        for r in range(ranges[i, 0], ranges[i, 1]):
            if not _meet(left[i], right[r], entries, start, width, meet):
                continue
            for column in range(n_columns):
                leaf = right[r, column, 0]
                if level[i, column] < 0 or leaf != right[r, column, 1]:
                    continue
                at = base[column] + level[i, column] * n_leaves[column] + leaf
                under = child[at]
                slot = 0
                while slot < N_SIDES and seen[column, slot] >= 0:
                    if seen[column, slot] == under:
                        break
                    slot += 1
                if slot == N_SIDES:
                    out[i, column, :] = MANY
                else:
                    seen[column, slot] = under
                    out[i, column, slot] = _joined(out[i, column, slot], person[r])
    return out

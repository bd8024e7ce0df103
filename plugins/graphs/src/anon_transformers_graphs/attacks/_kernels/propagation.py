"""Spread a few known pairs of nodes over two graphs (Narayanan and Shmatikov)."""

import numpy as np

from anon_transformers.jit import njit

NOBODY = -1


@njit
def _best(near, far, there, back, node, free, counts, touched):
    """The node of ``far`` that shares most mapped neighbors, and how it stands out.

    A shared neighbor counts less for nodes of high degree, which share with many. The
    second number is the lead over the runner-up in standard deviations of the scores of
    the ``free`` nodes; ties have none.
    """
    n_touched = 0
    for at in range(near[0][node], near[0][node + 1]):
        known = there[near[1][at]]
        if known == NOBODY:
            continue
        for seat in range(far[0][known], far[0][known + 1]):
            candidate = far[1][seat]
            if back[candidate] == NOBODY:
                if counts[candidate] == 0:
                    touched[n_touched] = candidate
                    n_touched += 1
                counts[candidate] += 1
    best, first, second, total, squares = NOBODY, 0.0, 0.0, 0.0, 0.0
    for candidate in touched[:n_touched]:
        degree = far[0][candidate + 1] - far[0][candidate]
        score = counts[candidate] / np.sqrt(degree)
        counts[candidate] = 0
        total += score
        squares += score * score
        if score > first:
            best, first, second = candidate, score, first
        elif score > second:
            second = score
    variance = squares / free - (total / free) ** 2
    return best, (first - second) / np.sqrt(variance) if variance > 0 else 0.0


@njit(
    "(int64[::1], int32[::1]), (int64[::1], int32[::1]), int64[::1], int64[::1], "
    "float64"
)
def propagate(one, other, there, back, threshold):
    """Map what can be mapped in one pass; returns how many nodes that were.

    A pair is made if each is the other's best, and stands out by the threshold.
    ``there`` and ``back`` are written.
    """
    counts = np.zeros(max(len(there), len(back)), dtype=np.int64)
    touched = np.empty(len(counts), dtype=np.int64)
    free_one, free_other = (there == NOBODY).sum(), (back == NOBODY).sum()
    made = 0
    for node in range(len(there)):
        if there[node] != NOBODY:
            continue
        match, lead = _best(
            one, other, there, back, node, free_other - made, counts, touched
        )
        if match == NOBODY or lead < threshold or lead == 0:
            continue
        again, lead = _best(
            other, one, back, there, match, free_one - made, counts, touched
        )
        if again == node and lead >= threshold and lead > 0:
            there[node], back[match] = match, node
            made += 1
    return made

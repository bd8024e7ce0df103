"""k-anonymous degrees near to given ones."""

from collections.abc import Callable

import numpy as np

from anon_transformers.exceptions import InfeasibleError, ParameterError
from anon_transformers.parameters import whole
from anon_transformers_graphs.degrees._degree_sums import with_even_sum, with_sum
from anon_transformers_graphs.degrees._graphical import check_degrees, is_graphical
from anon_transformers_graphs.degrees._kernels.exact import exact_targets
from anon_transformers_graphs.degrees._kernels.groups import (
    best_targets,
    greedy_targets,
)

MAX_STATES = 20_000_000
KEPT = 6
"""Of a run of equal degrees, this times k nodes can matter to the best groups."""

Targets = Callable[[np.ndarray, int], np.ndarray]


def exact_sequence(
    degrees: np.ndarray, k: int, *, max_states: int = MAX_STATES
) -> np.ndarray:
    """Nearest k-anonymous degrees of the same sum.

    A dynamic program over the sorted degrees and the sum of changes so far: no other
    k-anonymous degrees of this sum have a smaller sum of absolute changes. Its table
    is for some thousand nodes.

    Parameters
    ----------
    degrees : int array
        One degree per node.
    k : int
        Nodes that share each degree at least.
    max_states : int, default=20_000_000
        Cells that the table may have, eight bytes each.

    Returns
    -------
    int64 array
        A degree for each node, in the same order. A simple graph need not have them:
        see `is_graphical`.

    Examples
    --------
    >>> exact_sequence([5, 1, 1, 1, 1, 1], k=2)
    array([3, 3, 1, 1, 1, 1])
    """
    degrees, k = check_degrees_and_k(degrees, k)
    max_states = whole("max_states", max_states)
    n, total = len(degrees), int(degrees.sum())
    if 2 * k > n and total % n:
        raise InfeasibleError(
            f"with {n} nodes, k={k} leaves one degree for all, and their sum {total} "
            f"is not a multiple of {n}; sequence='liu-terzi' may change the sum."
        )
    order, falling = _sorted(degrees)
    nearest = _best_sequence(falling, k, only_up=False)
    bound = int(np.abs(nearest - falling).sum())
    highest = int(np.maximum(degrees, n - 1 - degrees).sum())
    while True:
        states = (n + 1) * (2 * (bound // 2) + 1)
        if states > max_states:
            raise ParameterError(
                f"max_states={max_states} is too small: {n} nodes and {bound} changes "
                f"need {states} states; raise it or use sequence='liu-terzi'."
            )
        targets = exact_targets(falling, k, bound)
        if len(targets):
            return _unsorted(order, targets)
        if bound >= highest:
            raise InfeasibleError(
                f"no degrees of {n} nodes with the sum {total} are {k}-anonymous; "
                "sequence='liu-terzi' may change the sum."
            )
        bound = min(2 * bound + 2, highest)


def liu_terzi_sequence(
    degrees: np.ndarray, k: int, *, additions_only: bool = True
) -> np.ndarray:
    """Nearest k-anonymous degrees by the dynamic program of Liu and Terzi.

    Parameters
    ----------
    degrees : int array
        One degree per node.
    k : int
        Nodes that share each degree at least.
    additions_only : bool, default=True
        No degree falls, and the sum of changes is least among all with an even sum.
        False lets degrees rise and fall; then steps of least cost follow that bring
        the sum back to what it was, or as near as they come with groups of ``k``.

    Returns
    -------
    int64 array
        A degree for each node, in the same order, which a simple graph can have. If
        the nearest degrees are not graphical, low degrees are raised first (probing),
        or high ones lowered.

    Notes
    -----
    Time grows with the product of k and the nodes, of which 6k of each degree count,
    and memory with the nodes.

    References
    ----------
    .. [1] K. Liu and E. Terzi, "Towards identity anonymization on graphs", SIGMOD,
       2008.

    Examples
    --------
    >>> liu_terzi_sequence([4, 3, 2, 2, 2, 1], k=2)
    array([4, 4, 2, 2, 2, 2])
    """
    degrees, k = check_degrees_and_k(degrees, k)
    if additions_only:
        return raised_sequence(degrees, k, 0)
    return _with_cap(
        degrees, k, lambda falling, k: _best_sequence(falling, k, only_up=False)
    )


def greedy_sequence(
    degrees: np.ndarray, k: int, *, additions_only: bool = True
) -> np.ndarray:
    """k-anonymous degrees by the greedy method of Liu and Terzi.

    One pass over the sorted degrees: each node joins the open group or starts one.

    Parameters
    ----------
    degrees : int array
        One degree per node.
    k : int
        Nodes that share each degree at least.
    additions_only : bool, default=True
        As for `liu_terzi_sequence`.

    Returns
    -------
    int64 array
        A degree for each node, in the same order, which a simple graph can have.

    Examples
    --------
    >>> greedy_sequence([4, 3, 2, 2, 2, 1], k=2)
    array([4, 4, 2, 2, 2, 2])
    """
    degrees, k = check_degrees_and_k(degrees, k)
    if additions_only:
        return raised_sequence(degrees, k, 0, greedy=True)
    return _with_cap(
        degrees, k, lambda falling, k: _greedy_sequence(falling, k, only_up=False)
    )


def raised_sequence(
    degrees: np.ndarray, k: int, noise: int, *, greedy: bool = False
) -> np.ndarray:
    """Graphical k-anonymous degrees, none below ``degrees``, after some noise.

    ``noise`` units are added to the lowest degrees first, and more until a graph can
    have the result; at the latest it is the complete graph.
    """
    n = len(degrees)
    method = _greedy_sequence if greedy else _best_sequence
    while True:
        order, _ = _sorted(degrees)
        noised = degrees + noise // n
        noised[order[n - noise % n :]] += 1
        order, falling = _sorted(np.minimum(noised, n - 1))
        targets = _unsorted(order, method(falling, k, only_up=True))
        if is_graphical(targets):
            return targets
        noise = 2 * noise + 1


def _with_cap(degrees: np.ndarray, k: int, method: Targets) -> np.ndarray:
    """Targets near the same sum; the highest is lowered until a graph can have them."""
    order, falling = _sorted(degrees)
    cap = int(falling[0])
    while True:
        targets = method(np.minimum(falling, cap), k)
        targets = with_sum(falling, targets, k, int(degrees.sum()), cap)
        if is_graphical(targets):
            return _unsorted(order, targets)
        cap = min(cap, int(targets[0])) - 1


def _best_sequence(falling: np.ndarray, k: int, *, only_up: bool) -> np.ndarray:
    """The best groups; of long runs of equal degrees only what can matter is read."""
    starts = np.flatnonzero(np.append(True, np.diff(falling) != 0))
    counts = np.diff(np.append(starts, len(falling)))
    place = np.arange(len(falling)) - np.repeat(starts, counts)
    read = place < KEPT * k
    odd = int(falling.sum()) % 2
    targets = best_targets(falling[read], k, only_up, len(falling) - 1, odd)
    # Nodes that were left out keep their degree, as others of the same degree do.
    return -np.sort(-np.concatenate([targets, falling[~read]]))


def _greedy_sequence(falling: np.ndarray, k: int, *, only_up: bool) -> np.ndarray:
    return with_even_sum(falling, greedy_targets(falling, k, only_up), only_up)


def check_degrees_and_k(degrees: np.ndarray, k: int) -> tuple[np.ndarray, int]:
    """Degrees and k, if there are enough nodes for one group."""
    degrees, k = check_degrees(degrees), whole("k", k)
    if k > len(degrees):
        raise InfeasibleError(
            f"k={k} is more than the {len(degrees)} nodes of the graph."
        )
    return degrees, k


def _sorted(degrees: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(-degrees, kind="stable")
    return order, degrees[order]


def _unsorted(order: np.ndarray, targets: np.ndarray) -> np.ndarray:
    placed = np.empty_like(targets)
    placed[order] = targets
    return placed

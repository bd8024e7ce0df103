"""A population of degree sequences that mutate, one unit from a node to another."""

import numpy as np

from anon_transformers.jit import njit, njit_nogil
from anon_transformers_graphs._kernels.random_numbers import below


@njit_nogil(
    "int64[::1], int64, bool, int64, int64, int64, int64, int64, uint64[::1], "
    "int64[::1]"
)
def evolve(
    degrees,
    k,
    by_groups,
    n_parents,
    n_offspring,
    n_replace,
    max_iter,
    patience,
    state,
    done,
):
    """Best degrees of the same sum after mutation and selection.

    An individual is better if less is missing, see :func:`_missing`, then if it is
    nearer to the original; the one that was found first wins a tie.

    Parameters
    ----------
    degrees : int64 array
        The original, which all individuals start from.
    k : int
        Nodes that should share each degree.
    by_groups : bool
        Count small groups and mutate once, as the source does. Otherwise see how far
        nodes have to go, and mutate once or a few times.
    n_parents, n_offspring, n_replace : int
        Individuals, mutants per generation, and how many of the worst individuals the
        best mutants replace.
    max_iter, patience : int
        Generations, and those without a better best one, after which it ends.
    state : uint64 array of one
        Who mutates, and where.
    done : int64 array of one
        Counts the generations, while others run.

    Returns
    -------
    best : int64 array
        The best individual.
    violations : int
        Degrees of it that fewer than k nodes share.
    n_iter : int
        Generations that ran.
    """
    n = len(degrees)
    people = np.empty((n_parents + n_offspring, n), np.int32)
    counts = np.zeros((n_parents + n_offspring, n), np.int32)
    fitness = np.zeros((n_parents + n_offspring, 2), np.int64)
    for person in range(n_parents):
        for node in range(n):
            people[person, node] = degrees[node]
            counts[person, degrees[node]] += 1
        fitness[person, 0] = _missing(counts[person], k, by_groups)
    best, waited, n_iter = fitness[0].copy(), 0, 0
    while n_iter < max_iter and waited < patience:
        for child in range(n_parents, n_parents + n_offspring):
            parent = below(state, n_parents)
            people[child], counts[child] = people[parent], counts[parent]
            fitness[child] = fitness[parent]
            _mutate(
                people[child], counts[child], fitness[child], degrees, by_groups, state
            )
            fitness[child, 0] = _missing(counts[child], k, by_groups)
        _select(people, counts, fitness, n_parents, n_replace)
        n_iter += 1
        done[0] = n_iter
        waited += 1
        first = _order(fitness[:n_parents])[0]
        if _is_better(fitness[first], best):
            best, waited = fitness[first].copy(), 0
    first = _order(fitness[:n_parents])[0]
    return people[first].astype(np.int64), _missing(counts[first], k, True), n_iter


@njit
def _mutate(person, counts, fitness, degrees, once, state):
    """Add one to a node and take one from another, once or a few times.

    Steps that are not legal are left out. Every further one is half as likely: some
    groups can only be left by several steps at once.
    """
    n = len(person)
    while True:
        up, down = below(state, n), below(state, n)
        if up != down and person[up] < n - 1 and person[down] > 0:
            for node, step in ((up, 1), (down, -1)):
                old, new = person[node], person[node] + step
                counts[old] -= 1
                counts[new] += 1
                fitness[1] += abs(new - degrees[node]) - abs(old - degrees[node])
                person[node] = new
        if once or below(state, 2):
            break


@njit
def _missing(counts, k, by_groups):
    """What k-anonymity lacks: small groups, or how far their nodes have to go."""
    if by_groups:
        return ((counts > 0) & (counts < k)).sum()
    return _shortfall(counts, k)


@njit
def _shortfall(counts, k):
    """Sum over all nodes of how far one must look to see k nodes; 0 if all groups do.

    The number of small groups alone would not tell whether a node has come nearer to
    others, and the search would stop far from them.
    """
    held = np.flatnonzero(counts)
    total = 0
    for place in range(len(held)):
        low, high, seen = place, place, counts[held[place]]
        far = 0
        while seen < k:
            below_gap = held[place] - held[low - 1] if low > 0 else len(counts)
            above_gap = (
                held[high + 1] - held[place] if high < len(held) - 1 else len(counts)
            )
            far = min(below_gap, above_gap)
            if below_gap <= above_gap:
                low -= 1
                seen += counts[held[low]]
            else:
                high += 1
                seen += counts[held[high]]
        total += far * counts[held[place]]
    return total


@njit
def _select(people, counts, fitness, n_parents, n_replace):
    """The best children take the places of the worst individuals."""
    worst = _order(fitness[:n_parents])[n_parents - n_replace :]
    best = _order(fitness[n_parents:])[:n_replace] + n_parents
    for turn in range(n_replace):
        people[worst[turn]], counts[worst[turn]] = (
            people[best[turn]],
            counts[best[turn]],
        )
        fitness[worst[turn]] = fitness[best[turn]]


@njit
def _order(fitness):
    """Indices of individuals, best first; equals keep their order."""
    largest = fitness[:, 1].max() + 1
    return np.argsort(fitness[:, 0] * largest + fitness[:, 1], kind="mergesort")


@njit
def _is_better(fitness, best):
    return fitness[0] < best[0] or (fitness[0] == best[0] and fitness[1] < best[1])

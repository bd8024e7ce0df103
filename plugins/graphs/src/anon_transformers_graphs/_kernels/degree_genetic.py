"""A population of degree sequences that mutate, one unit from a node to another."""

import numpy as np

from anon_transformers.jit import njit
from anon_transformers_graphs._kernels.degree_chance import below


@njit
def evolve(degrees, k, n_parents, n_offspring, n_replace, max_iter, patience, state):
    """Best degrees of the same sum after mutation and selection.

    An individual is better if fewer of its degrees are shared by fewer than k nodes,
    then if it is nearer to the original; the one that was found first wins a tie.

    Parameters
    ----------
    degrees : int64 array
        The original, which all individuals start from.
    k : int
        Nodes that should share each degree.
    n_parents, n_offspring, n_replace : int
        Individuals, mutants a generation, and how many of the worst individuals the
        best mutants replace.
    max_iter, patience : int
        Generations, and those without a better best one, after which it ends.
    state : uint64 array of one
        Who mutates, and where.

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
        for count in counts[person]:
            fitness[person, 0] += _violates(count, k)
    best, waited, n_iter = fitness[0].copy(), 0, 0
    while n_iter < max_iter and waited < patience:
        for child in range(n_parents, n_parents + n_offspring):
            parent = below(state, n_parents)
            people[child], counts[child] = people[parent], counts[parent]
            fitness[child] = fitness[parent]
            _mutate(people[child], counts[child], fitness[child], degrees, k, state)
        _select(people, counts, fitness, n_parents, n_replace)
        n_iter += 1
        waited += 1
        first = _order(fitness[:n_parents])[0]
        if _is_better(fitness[first], best):
            best, waited = fitness[first].copy(), 0
    first = _order(fitness[:n_parents])[0]
    return people[first].astype(np.int64), fitness[first, 0], n_iter


@njit
def _mutate(person, counts, fitness, degrees, k, state):
    """Add one to a node and take one from another; nothing if that is not legal."""
    n = len(person)
    up, down = below(state, n), below(state, n)
    if up == down or person[up] == n - 1 or person[down] == 0:
        return
    for node, step in ((up, 1), (down, -1)):
        old, new = person[node], person[node] + step
        fitness[0] -= _violates(counts[old], k) + _violates(counts[new], k)
        counts[old] -= 1
        counts[new] += 1
        fitness[0] += _violates(counts[old], k) + _violates(counts[new], k)
        fitness[1] += abs(new - degrees[node]) - abs(old - degrees[node])
        person[node] = new


@njit
def _violates(count, k):
    return 1 if 0 < count < k else 0


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

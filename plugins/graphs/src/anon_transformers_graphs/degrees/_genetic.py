"""k-anonymous degrees by a genetic search."""

import numpy as np

from anon_transformers.base import run_counted
from anon_transformers.exceptions import (
    InfeasibleError,
    ParameterError,
    check_choice,
)
from anon_transformers.parameters import generator, whole
from anon_transformers_graphs._kernels.random_numbers import new_state
from anon_transformers_graphs.degrees._kernels.genetic import evolve
from anon_transformers_graphs.degrees._sequences import check_degrees_and_k

FITNESS = ("distance", "groups")


def genetic_sequence(
    degrees: np.ndarray,
    k: int,
    *,
    fitness: str = "distance",
    population_size: int = 50,
    n_offspring: int = 50,
    n_replace: int = 25,
    max_iter: int = 3000,
    max_iter_no_improve: int = 500,
    random_state: int | np.random.Generator | None = None,
) -> np.ndarray:
    """k-anonymous degrees of the same sum, searched by mutation and selection.

    All individuals start as the degrees themselves. A mutation adds one to a node and
    takes one from another, as moving an end of an edge does. The fittest survive, and
    of these the ones nearest to the degrees. The search may get stuck where no mutation
    helps, the more so the larger ``k`` is; then it raises.

    Parameters
    ----------
    degrees : int array
        One degree per node.
    k : int
        Nodes that share each degree at least.
    fitness : {"distance", "groups"}, default="distance"
        Who is fit. "groups": the fewer degrees are shared by fewer than k nodes, as in
        the published search, which is stuck where no single step makes one less: on the
        karate club it seldom finds degrees for k = 3 and more. "distance": the less far
        in degree nodes must look to see k nodes; and mutations may come a few in a row.
    population_size, n_offspring : int, default=50
        Individuals, and mutants of them in each generation.
    n_replace : int, default=25
        How many of the worst individuals the best mutants replace.
    max_iter, max_iter_no_improve : int, default=3000, 500
        Generations at most, and those without improvement; the first limit that is
        reached ends the search.
    random_state : int or Generator, default=None
        Which nodes mutate.

    Returns
    -------
    int64 array
        A degree for each node, in the same order. A simple graph need not have them:
        see `is_graphical`.

    Examples
    --------
    >>> genetic_sequence([3, 1, 1, 1, 1, 1], k=2, random_state=0).sum()
    np.int64(8)
    """
    degrees, k = check_degrees_and_k(degrees, k)
    population_size = whole("population_size", population_size)
    n_offspring = whole("n_offspring", n_offspring)
    n_replace = whole("n_replace", n_replace)
    check_choice("fitness", fitness, FITNESS)
    if n_replace > min(population_size, n_offspring):
        raise ParameterError(
            f"n_replace must be at most population_size={population_size} and "
            f"n_offspring={n_offspring}, got {n_replace}."
        )
    given = (
        degrees,
        k,
        fitness == "groups",
        population_size,
        n_offspring,
        n_replace,
        whole("max_iter", max_iter),
        whole("max_iter_no_improve", max_iter_no_improve),
        new_state(generator(random_state)),
    )
    best, violations, n_iter = run_counted(lambda done: evolve(*given, done), max_iter)
    if violations:
        raise InfeasibleError(
            f"the genetic search ended after {n_iter} generations with {violations} "
            f"degrees that fewer than k={k} nodes share; sequence='exact' finds the "
            "nearest ones, if there are any, and 'liu-terzi' may change their sum."
        )
    return best

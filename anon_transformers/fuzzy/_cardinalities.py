"""How many elements a fuzzy set has: four answers.

Each takes the degrees of one set, or a matrix with a column for each of several sets.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from anon_transformers._kernels.cardinality import (
    fuzzy_cardinalities,
    half_cut_sizes,
    nonfuzzy_cardinalities,
    possibilities,
    sigma_counts,
)
from anon_transformers.exceptions import DataError, check_choice
from anon_transformers.fuzzy._sets import degrees_of
from anon_transformers.parameters import whole

MATRIX = 2


def sigma_count(degrees: Any) -> float | np.ndarray:
    """The sum of the degrees.

    Examples
    --------
    >>> sigma_count([0.75, 0.5, 0.25])
    1.5
    """
    return _apply(sigma_counts, degrees)


def nonfuzzy_cardinality(degrees: Any) -> int | np.ndarray:
    """The whole number that stands for the size best.

    Degrees above one half, and one more if any is one half.

    Examples
    --------
    >>> nonfuzzy_cardinality([0.75, 0.5, 0.5, 0.25])
    2
    """
    return _apply(nonfuzzy_cardinalities, degrees)


def half_cut_size(degrees: Any) -> int | np.ndarray:
    """How many elements have a degree of one half or more.

    It is the largest k of which :func:`possibility_at_least` is one half or more.

    Examples
    --------
    >>> half_cut_size([0.75, 0.5, 0.5, 0.25])
    3
    """
    return _apply(half_cut_sizes, degrees)


def fuzzy_cardinality(degrees: Any) -> np.ndarray:
    """How possible it is that there are exactly k elements, for k = 0, 1, …, n.

    The largest of these is at least one half, but mostly below 1.

    Examples
    --------
    >>> fuzzy_cardinality([0.75, 0.5, 0.0])
    array([0.25, 0.5 , 0.5 , 0.  ])
    """
    return _apply(fuzzy_cardinalities, degrees)


def possibility_at_least(degrees: Any, k: int | None = None) -> float | np.ndarray:
    """How possible it is that there are ``k`` elements or more.

    Parameters
    ----------
    degrees : array of shape (n,) or (n, n_sets)
        Of one set, or of several.
    k : int, optional
        At least 0. None: for k = 0, 1, …, n.

    Examples
    --------
    >>> possibility_at_least([0.75, 0.25, 0.0])
    array([0.75, 0.75, 0.25, 0.  ])
    >>> possibility_at_least([0.75, 0.25, 0.0], k=2)
    0.25
    """
    found = _apply(possibilities, degrees)
    if k is None:
        return found
    k = whole("k", k, 0)
    # There cannot be more elements than there are.
    return _plain(found[k] if k < len(found) else np.zeros_like(found[0]))


KINDS: dict[str, Callable[[Any], Any]] = {
    "fuzzy": fuzzy_cardinality,
    "half-cut": half_cut_size,
    "non-fuzzy": nonfuzzy_cardinality,
    "sigma": sigma_count,
}


def cardinality(
    degrees: Any,
    kind: Literal["non-fuzzy", "sigma", "fuzzy", "half-cut"] = "non-fuzzy",
) -> Any:
    """How many elements a set has, in one of four senses.

    Parameters
    ----------
    degrees : array of shape (n,) or (n, n_sets)
        Of one set, or of several.
    kind : {"non-fuzzy", "sigma", "fuzzy", "half-cut"}, default="non-fuzzy"
        See :func:`nonfuzzy_cardinality`, :func:`sigma_count`,
        :func:`fuzzy_cardinality` and :func:`half_cut_size`.

    Examples
    --------
    >>> cardinality([0.75, 0.75, 0.25]), cardinality([0.75, 0.75, 0.25], "sigma")
    (2, 1.75)
    """
    check_choice("kind", kind, KINDS)
    return KINDS[kind](degrees)


def _apply(kernel: Callable[[np.ndarray], np.ndarray], given: Any) -> Any:
    degrees = degrees_of(given)
    if degrees.ndim not in {1, MATRIX}:
        raise DataError(
            f"degrees must be a vector or a matrix, got {degrees.ndim} dimensions."
        )
    if degrees.ndim == 1:
        return _plain(kernel(degrees[:, np.newaxis])[..., 0])
    return kernel(degrees)


def _plain(found: Any) -> Any:
    """A single number as Python has it."""
    return found.item() if np.ndim(found) == 0 else found

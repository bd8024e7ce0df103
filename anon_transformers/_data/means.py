"""Means of groups that no order of rows can change."""

import numpy as np

from anon_transformers._data.columns import Column


def group_means(
    column: Column,
    group_of: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    n_groups: int,
) -> np.ndarray:
    """Mean of a number or date column by group, over the known cells.

    Parameters
    ----------
    column : Column
        Whose values are meant.
    group_of, codes, weights : ndarrays
        Group and code of each point, and how many rows it stands for.
    n_groups : int
        How many groups there are.

    Returns
    -------
    float64 or datetime64 ndarray
        NaN or NaT where no cell of the group is known.

    Examples
    --------
    >>> ages = Column("age", "number", np.array([20, 30, 60]), np.array([0, 1, 2, 3]))
    >>> group_means(ages, np.array([0, 0, 1, 1]), ages.codes, np.ones(4), 2)
    array([25., 60.])
    """
    known = codes < column.missing_code
    key = group_of[known].astype(np.int64) * column.cardinality + codes[known]
    # Equal values are one term, and terms rise: no order of rows can show in a sum.
    cells, at = np.unique(key, return_inverse=True)
    group, code = np.divmod(cells, column.cardinality)
    mass = np.bincount(at, weights[known], len(cells))
    held, first, place = np.unique(group, return_index=True, return_inverse=True)
    last = np.append(first, len(group))[1:] - 1
    values = column.values[code]
    low, high = values[first], values[last]
    dates = column.kind == "date"
    # A double has no room for the digits of a moment, but for those of its distance.
    terms = values - low[place] if dates else values
    numbers = terms.astype(np.int64 if dates else float)
    # By a power of two no digit is lost, and no sum is too large for a double.
    shift = 0 if dates else _spare(np.abs(numbers).max(initial=0.0), weights)
    sums = np.bincount(place, mass * (numbers if dates else np.ldexp(numbers, -shift)))
    found = sums / np.bincount(place, mass)
    if dates:
        found = low + found.astype(np.int64).astype(terms.dtype)
    else:
        found = np.ldexp(found, shift)
    means = np.full(n_groups, "NaT" if dates else np.nan, dtype=found.dtype)
    # Rounding must not put a mean outside its group.
    means[held] = np.clip(found, low, high)
    return means if dates else means + 0.0


def _spare(largest: float, weights: np.ndarray) -> int:
    """By how many powers of two numbers must shrink so that they can be added up."""
    bits = np.frexp(largest)[1] + np.frexp(float(weights.sum()))[1]
    return max(0, int(bits) - np.finfo(float).maxexp)

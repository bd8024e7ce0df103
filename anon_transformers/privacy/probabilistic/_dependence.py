"""Columns that can be computed from other ones.

To swap such a column hides nothing from an intruder who knows the others.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import identify
from anon_transformers._kernels.grouping import GroupedRows, group_rows
from anon_transformers.evidence._linkage import Linkage, cached_per_linkage
from anon_transformers.privacy.probabilistic._disclosure import (
    known_columns,
    wanted_columns,
)
from anon_transformers.privacy.probabilistic._trimmed import KEPT, agreeing_rows

EXACT = 1e-9
"""What is left of a column, relatively, where others give it exactly."""


@cached_per_linkage
def dependences(linkage: Linkage) -> dict[Hashable, tuple[Hashable, ...]]:
    """Wanted columns that are given by what an intruder knows; see ``_disclosure``."""
    found: dict[Hashable, tuple[Hashable, ...]] = {}
    for columns in linkage.moved:
        wanted = wanted_columns(linkage, columns)
        if not wanted:
            continue
        known, _ = known_columns(linkage, columns, wanted[0])
        found |= copies(linkage.original, wanted, known)
        found |= functional_dependences(linkage.original, wanted, known)
    return found


def copies(
    frame: pd.DataFrame, columns: Sequence[Hashable], given_by: Sequence[Hashable]
) -> dict[Hashable, tuple[Hashable, ...]]:
    """Find columns that are others in other words: one value for each of theirs.

    Columns in which hardly a value repeats tell nothing: any two of them are copies.

    Examples
    --------
    >>> table = pd.DataFrame({"ill": list("abab"), "code": [7, 8, 7, 8]})
    >>> copies(table, ["ill"], ["code"])
    {'ill': ('code',)}
    """
    coded = {name: _repeated(frame[name]) for name in {*columns, *given_by}}
    found: dict[Hashable, tuple[Hashable, ...]] = {}
    for name in columns:
        for other in given_by:
            one, two = coded[name], coded[other]
            if other != name and one is not None and two is not None:
                both = group_rows(
                    [one.labels, two.labels], [len(one.sizes), len(two.sizes)]
                )
                if len(both.sizes) == len(one.sizes) == len(two.sizes):
                    found[name] = (other,)
    return found


def _repeated(series: pd.Series) -> GroupedRows | None:
    """Rows by value; None if there is one value, or if they hardly repeat."""
    column = identify(series)
    values = group_rows([column.codes], [column.cardinality])
    return values if 1 < len(values.sizes) <= len(series) / 2 else None


def functional_dependences(
    frame: pd.DataFrame,
    columns: Iterable[Hashable],
    given_by: Sequence[Hashable],
    share: float = 1.0,
    weights: np.ndarray | None = None,
) -> dict[Hashable, tuple[Hashable, ...]]:
    """Find columns that are a linear function of others.

    Only numbers are looked at, in the rows without a gap in the column and in those it
    is a function of. Others with more gaps than numbers are left out. A table of
    hardly more rows than columns shows nothing: there every column is such a function.

    Parameters
    ----------
    frame : data frame
        The original table.
    columns : iterable of columns
        Those that may be such a function.
    given_by : sequence of columns
        Those that it may be a function of.
    share : float, default=1.0
        The share of the rows that such a function must give at least.
    weights : array of shape (n_rows,), optional
        What each row counts; by default all count the same.

    Returns
    -------
    dict of column to tuple of columns
        The others that take part; none of them can be left out.

    Examples
    --------
    >>> table = pd.DataFrame({"a": [1, 2, 4, 8, 5], "b": [3, 1, 4, 1, 5]})
    >>> table["sum"] = table["a"] + table["b"]
    >>> functional_dependences(table, ["sum"], ["a", "b"])
    {'sum': ('a', 'b')}
    """
    wanted = [name for name in columns if _is_number(frame[name])]
    others = [name for name in given_by if _is_number(frame[name])]
    names = list(dict.fromkeys([*others, *wanted]))
    values = frame[names].to_numpy(dtype=np.float64, na_value=np.nan)
    numbers = dict(zip(names, values.T, strict=True))
    # Without a gap the same short vectors serve all columns.
    shared = _reduced(numbers) if np.isfinite(values).all() else None
    found = {}
    for name in wanted:
        rest = [one for one in others if one != name]
        vectors = _comparable(numbers, name, rest) if shared is None else shared
        part = _smallest(vectors, name, rest)
        if not part and share < 1:
            part = _mostly_given(numbers, name, rest, share, weights)
        if part:
            found[name] = part
    return found


def _mostly_given(
    numbers: Mapping[Hashable, np.ndarray],
    name: Hashable,
    others: Sequence[Hashable],
    share: float,
    weights: np.ndarray | None,
) -> tuple[Hashable, ...]:
    """Known columns that give a column in nearly all rows, however wrong the rest is.

    Among the rows that agree the function is exact, and shows which columns take part.
    Then gaps in the others no longer matter, and all rows without one are judged.
    """
    rows, some = _enough_rows(numbers, name, others, lambda n: 2 * (n + 2))
    agree = _agreeing(numbers, name, some, rows, KEPT, weights)
    if agree is None:
        return ()
    inside = {one: numbers[one][rows][agree] for one in (name, *some)}
    given_by = _smallest(_reduced(inside), name, others)
    filled = np.logical_and.reduce([np.isfinite(numbers[o]) for o in (name, *given_by)])
    rows = np.flatnonzero(filled)
    agree = _agreeing(numbers, name, given_by, rows, share, weights)
    return () if agree is None else given_by


def _agreeing(
    numbers: Mapping[Hashable, np.ndarray],
    name: Hashable,
    others: Sequence[Hashable],
    rows: np.ndarray,
    share: float,
    weights: np.ndarray | None,
) -> np.ndarray | None:
    """Which of the rows one rule gives; None if these are too few."""
    if not others:
        return None
    given_by = np.column_stack([numbers[one][rows] for one in others])
    counted = np.ones(len(rows)) if weights is None else weights[rows]
    return agreeing_rows(given_by, numbers[name][rows], share, counted)


def _comparable(
    numbers: Mapping[Hashable, np.ndarray], name: Hashable, others: Sequence[Hashable]
) -> Mapping[Hashable, np.ndarray]:
    """A column and as many others as leave enough rows without a gap."""
    rows, others = _enough_rows(numbers, name, others, lambda n: n + 3)
    if not others:
        return {}
    return _reduced({one: numbers[one][rows] for one in (name, *others)})


def _enough_rows(
    numbers: Mapping[Hashable, np.ndarray],
    name: Hashable,
    others: Sequence[Hashable],
    enough: Callable[[int], int],
) -> tuple[np.ndarray, list[Hashable]]:
    """Rows without a gap in a column and others, and these others; maybe none.

    Where all of them together leave too few, the likely ones go first: those that weigh
    most in a regression with gaps at the mean. Of these half as many are tried, and
    so on.
    """
    finite = np.flatnonzero(np.isfinite(numbers[name]))
    if not len(finite):
        return finite, []
    inside = {one: numbers[one][finite] for one in (name, *others)}
    complete = {one: np.isfinite(inside[one]) for one in others}
    likely = [one for one in others if 2 * complete[one].sum() >= len(finite)]
    weights: dict[Hashable, float] | None = None
    while likely:
        rows = np.logical_and.reduce([complete[one] for one in likely])
        if rows.sum() >= enough(len(likely)):
            return finite[rows], likely
        if weights is None:
            weights = _weights(inside, name, likely)
            likely = sorted(likely, key=weights.__getitem__, reverse=True)
        likely = likely[: len(likely) // 2]
    return finite, []


def _weights(
    numbers: Mapping[Hashable, np.ndarray], name: Hashable, others: Sequence[Hashable]
) -> dict[Hashable, float]:
    """Weight of each column in a regression, its gaps at its mean."""
    scaled = []
    for one in others:
        known = np.isfinite(numbers[one])
        centered = np.where(known, numbers[one] - numbers[one][known].mean(), 0.0)
        scaled.append(centered / (np.abs(centered).max() or 1.0))
    if not others:
        return {}
    wanted = numbers[name] - numbers[name].mean()
    weights, *_ = np.linalg.lstsq(np.column_stack(scaled), wanted, rcond=None)
    return dict(zip(others, np.abs(weights).tolist(), strict=True))


def _reduced(numbers: Mapping[Hashable, np.ndarray]) -> Mapping[Hashable, np.ndarray]:
    """Each column that varies as a short vector: distances between them stay.

    A triangular factor of the centered table has as many rows as columns, and, unlike
    the products of columns, loses no digits. Too few rows give none.
    """
    values = np.column_stack(list(numbers.values())) if numbers else np.empty((0, 0))
    if len(values) < values.shape[1] + 2:
        return {}
    values = values - values.mean(axis=0)
    largest = np.abs(values).max(axis=0)
    varies = np.flatnonzero(largest > 0)
    values = values[:, varies] / largest[varies]
    factor = np.linalg.qr(values, mode="r")
    factor /= np.linalg.norm(factor, axis=0)
    names = [name for at, name in enumerate(numbers) if at in varies]
    return dict(zip(names, factor.T, strict=True))


def _smallest(
    vectors: Mapping[Hashable, np.ndarray], name: Hashable, others: Sequence[Hashable]
) -> tuple[Hashable, ...]:
    """Known columns that give ``name`` and of which none is superfluous."""
    others = [one for one in others if one in vectors]
    if name not in vectors or not _is_given(vectors, name, others):
        return ()
    for one in [*others]:
        fewer = [other for other in others if other != one]
        if _is_given(vectors, name, fewer):
            others = fewer
    return tuple(others)


def _is_given(
    vectors: Mapping[Hashable, np.ndarray], name: Hashable, others: Sequence[Hashable]
) -> bool:
    if not others:
        return False
    table = np.column_stack([vectors[other] for other in others])
    weights, *_ = np.linalg.lstsq(table, vectors[name], rcond=None)
    return bool(np.linalg.norm(table @ weights - vectors[name]) <= EXACT)


def _is_number(series: pd.Series) -> bool:
    return types.is_numeric_dtype(series.dtype) and not (
        types.is_bool_dtype(series.dtype) or types.is_complex_dtype(series.dtype)
    )

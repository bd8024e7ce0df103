"""Columns that can be computed from other ones.

To swap such a column hides nothing from an intruder who knows the others.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._evidence_linkage import Linkage
from anon_transformers._intruders import known_columns, wanted_columns

EXACT = 1e-9
"""What is left of a column, relatively, where others give it exactly."""


def dependences(linkage: Linkage) -> dict[Hashable, tuple[Hashable, ...]]:
    """Wanted columns that are given by what an intruder knows; see ``_intruders``."""
    found: dict[Hashable, tuple[Hashable, ...]] = {}
    for columns in linkage.moved:
        wanted = wanted_columns(linkage, columns)
        if not wanted:
            continue
        known, _ = known_columns(linkage, columns, wanted[0])
        found |= functional_dependences(linkage.original, wanted, known)
    return found


def functional_dependences(
    frame: pd.DataFrame, columns: Iterable[Hashable], known: Sequence[Hashable]
) -> dict[Hashable, tuple[Hashable, ...]]:
    """Find columns that are a linear function of known ones in all rows.

    Only numbers are looked at, and rows without a missing one. A table of hardly more
    rows than columns shows nothing: there every column is such a function.

    Parameters
    ----------
    frame : data frame
        The original table.
    columns : iterable of columns
        Those that may be such a function.
    known : sequence of columns
        Those that it may be a function of.

    Returns
    -------
    dict of column to tuple of columns
        The known columns that take part; none of them can be left out.

    Examples
    --------
    >>> table = pd.DataFrame({"a": [1, 2, 4, 8, 5], "b": [3, 1, 4, 1, 5]})
    >>> table["sum"] = table["a"] + table["b"]
    >>> functional_dependences(table, ["sum"], ["a", "b"])
    {'sum': ('a', 'b')}
    """
    wanted = [name for name in columns if _is_number(frame[name])]
    known = [name for name in known if _is_number(frame[name])]
    names = list(dict.fromkeys([*known, *wanted]))
    reduced = _reduced(frame[names])
    found = {}
    for name in wanted:
        if name in reduced:
            others = [one for one in known if one != name and one in reduced]
            given_by = _smallest(reduced, name, others)
            if given_by:
                found[name] = given_by
    return found


def _reduced(numbers: pd.DataFrame) -> Mapping[Hashable, np.ndarray]:
    """Each column that varies as a short vector: distances between them stay.

    A triangular factor of the centred table has as many rows as columns, and, unlike
    the products of columns, loses no digits.
    """
    values = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    values = values[np.isfinite(values).all(axis=1)]
    if len(values) < values.shape[1] + 2:
        return {}
    values = values - values.mean(axis=0)
    largest = np.abs(values).max(axis=0)
    varies = np.flatnonzero(largest > 0)
    values = values[:, varies] / largest[varies]
    factor = np.linalg.qr(values, mode="r")
    factor /= np.linalg.norm(factor, axis=0)
    return dict(zip(numbers.columns[varies], factor.T, strict=True))


def _smallest(
    vectors: Mapping[Hashable, np.ndarray], name: Hashable, others: list[Any]
) -> tuple[Hashable, ...]:
    """Known columns that give ``name`` and of which none is superfluous."""
    if not _is_given(vectors, name, others):
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

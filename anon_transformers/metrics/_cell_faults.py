"""How published cells differ from those of their source, in words.

Each function counts the rows of a column that are wrong, and names no value. The gate
of a release asks them of a candidate, and the contract checks of an anonymizer.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import Column, identify, single_texts, to_text
from anon_transformers._data.labels import (
    OR_MISSING,
    parse_ends,
    parse_set,
    unquoted,
)
from anon_transformers._data.written_numbers import seconds
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.exceptions import DataError, is_our_error
from anon_transformers.metrics._coverage import Domain
from anon_transformers.metrics._labels_read import (
    moments_of,
    numbers_of,
    plain_label,
)


def cell_faults(
    source: pd.DataFrame, table: pd.DataFrame, columns: Iterable[str]
) -> list[str]:
    """Cells that the same column of the source does not have, or not so often."""
    faults = []
    for name in columns:
        before, after = _spelled_alike(source[name], table[name])
        there = after.value_counts()
        most = before.value_counts().reindex(there.index, fill_value=0)
        beyond = int(np.maximum(there.to_numpy() - most.to_numpy(), 0).sum())
        if beyond:
            faults.append(
                f"column {name!r} holds cells in {beyond} rows that its source does not"
            )
    return faults


def moved_faults(
    source: pd.DataFrame,
    table: pd.DataFrame,
    rows: np.ndarray,
    columns: Iterable[str],
    hidden: np.ndarray,
) -> list[str]:
    """Cells that are not those of the row's source; suppressed rows may be emptied."""
    faults = []
    for name in columns:
        seen = ~(hidden & to_text(table[name]).isna().to_numpy())
        cells = _spelled_alike(source[name].iloc[rows[seen]], table[name][seen])
        before, after = (texts.to_numpy(dtype=object) for texts in cells)
        other = int((after != before).sum())
        if other:
            faults.append(
                f"column {name!r} holds cells in {other} rows that its source does not"
            )
    return faults


def _spelled_alike(before: pd.Series, after: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Texts of two columns that are the same where the cells are.

    A column of days is written otherwise once it has a time of day, and one of whole
    numbers once it has a fraction or a missing cell, so that moments and numbers are
    written one by one. All others already are.
    """
    if all(isinstance(s.dtype, pd.DatetimeTZDtype) for s in (before, after)):
        # A CSV file gives zoned moments back in another zone, and they are the same.
        before, after = (s.dt.tz_convert("UTC") for s in (before, after))
    for is_kind in (types.is_datetime64_any_dtype, types.is_any_real_numeric_dtype):
        if is_kind(before.dtype) and is_kind(after.dtype):
            return single_texts(before), single_texts(after)
    return to_text(before), to_text(after)


def label_faults(
    source: pd.DataFrame,
    table: pd.DataFrame,
    rows: np.ndarray,
    hierarchies: Mapping[str, Any],
    suppression_label: str,
    stated: Mapping[str, Collection[str]] | None = None,
    weights: np.ndarray | None = None,
) -> list[str]:
    """Labels that do not cover the value of the row they stand in, or name others.

    ``weights`` are the rows that each row of the published table stands for.
    """
    faults = []
    counted = np.ones(len(rows), dtype=np.int64) if weights is None else weights
    for name, hierarchy in hierarchies.items():
        try:
            domain = Domain.of(source[name], hierarchy)
            labels = identify(table[name])
            cover = domain.cover(labels, suppression_label)
        except DataError as error:
            faults.append(said_of(name, error))
            continue
        values = domain.ground.codes[rows]
        outside = np.asarray(cover[labels.codes, values]).ravel() == 0
        outside &= ~_names_a_group(domain, labels, values)
        if outside.any():
            n_rows = int(counted[outside].sum())
            faults.append(
                f"column {name!r} holds labels in {n_rows} rows that do "
                "not cover the value of the source"
            )
        known = (stated or {}).get(name, ())
        faults += invented_faults(domain, labels, suppression_label, known, weights)
    return faults


def said_of(column: Hashable, error: DataError) -> str:
    """What is said of a column whose labels cannot be read, maybe by a stranger."""
    if is_our_error(error):
        return str(error).rstrip(".")
    return f"column {column!r} cannot be judged: {type(error).__name__}"


def invented_faults(
    domain: Domain,
    labels: Column,
    suppression_label: str,
    stated: Collection[str],
    weights: np.ndarray | None = None,
) -> list[str]:
    """Labels that cover values, and have members or ends that are none.

    A loss is measured of what a label covers, whatever else it says; its readers see
    all of it.

    Parameters
    ----------
    domain : Domain
        The values of the source.
    labels : Column
        What is published of them.
    suppression_label : str
        The label of a suppressed cell.
    stated : collection of str
        Values that the column has beside those of the source.
    weights : int array, optional
        How many rows each row of ``labels`` stands for.
    """
    if domain.ground.hierarchy is not None:  # whose names alone are read
        return []
    known = {suppression_label, *map(str, domain.ground.texts()), *stated}
    in_numbers = numbers_of(domain.ground) is not None
    dated = not in_numbers and moments_of(domain.ground) is not None

    def is_invented(label: str) -> bool:
        if not known.isdisjoint((label, unquoted(label.removesuffix(OR_MISSING)))):
            return False
        if label.startswith("{"):
            return not known.issuperset(parse_set(label)[0])
        # Ends of ranges of numbers have been read as such.
        ends = None if in_numbers else parse_ends(label)
        parts = set() if ends is None else {ends.low, ends.high} - known - {None}
        return any(not (dated and _is_moment(str(part))) for part in parts)

    invented = [is_invented(str(label)) for label in labels.texts()]
    there = np.array([*invented, False])[labels.codes]
    n_rows = int(there.sum() if weights is None else weights[there].sum())
    if not n_rows:
        return []
    return [
        f"column {labels.name!r} holds labels in {n_rows} rows with parts that "
        "are no values of the source and not in the stated domain"
    ]


def _is_moment(text: str) -> bool:
    """Whether a whole text is a date or time; a bound need not be anybody's."""
    return not pd.isna(pd.to_datetime(text, format="ISO8601", errors="coerce"))


def _names_a_group(domain: Domain, labels: Column, values: np.ndarray) -> np.ndarray:
    """Whether each label is the name of a group that the value is in, at any level.

    Two levels may share a name, as 1950 is a year and a decade.
    """
    found, hierarchy = np.zeros(len(values), dtype=bool), domain.ground.hierarchy
    if hierarchy is None:
        return found
    names = [plain_label(str(text), hierarchy) for text in labels.texts()]
    for level in range(hierarchy.n_levels):
        groups, texts, _ = hierarchy.level(level)
        place = {text: at for at, text in enumerate(texts)}
        named = np.array([*(place.get(name, -1) for name in names), -1])
        found |= named[labels.codes] == np.append(groups, -2)[values]
    return found


def center_faults(
    source: pd.DataFrame,
    table: pd.DataFrame,
    rows: np.ndarray,
    columns: Sequence[str],
    suppression_label: str,
) -> list[str]:
    """Centers that lie outside the values of their class."""
    coded = [identify(table[name]) for name in columns]
    labels = group_rows([c.codes for c in coded], [c.cardinality for c in coded]).labels
    faults = []
    for name in columns:
        before = source[name].iloc[rows].reset_index(drop=True)
        outside = _outside(before, table[name], labels, suppression_label)
        if outside:
            faults.append(
                f"column {name!r} holds centers in {outside} rows that lie outside the "
                "values of their class"
            )
    return faults


def _outside(
    before: pd.Series, after: pd.Series, labels: np.ndarray, suppression_label: str
) -> int:
    """Rows whose center is none of its class: beyond its extremes, or no value."""
    shown = after.notna().to_numpy() & (to_text(after) != suppression_label).to_numpy()
    numbers = [pd.to_numeric(s, errors="coerce") for s in (_moments(before), after)]
    if types.is_datetime64_any_dtype(after.dtype):
        numbers[1] = _moments(after)
    if numbers[0].notna().any() and numbers[1][shown].notna().all():
        by_class = numbers[0].groupby(labels)
        low, high = by_class.transform("min"), by_class.transform("max")
        slack = 1e-9 * np.maximum(1.0, np.maximum(low.abs(), high.abs()))
        inside = (numbers[1] >= low - slack) & (numbers[1] <= high + slack)
        return int((shown & ~inside.to_numpy()).sum())
    held = set(zip(labels.tolist(), to_text(before), strict=True))
    pairs = zip(labels[shown].tolist(), to_text(after)[shown], strict=True)
    return sum(pair not in held for pair in pairs)


def _moments(series: pd.Series) -> pd.Series:
    """Dates in seconds; anything else as it is."""
    if not types.is_datetime64_any_dtype(series.dtype):
        return series
    return pd.Series(seconds(pd.to_datetime(series, utc=True)), series.index)

"""What no candidate may be, whatever its thresholds say.

Thresholds judge the table that an anonymizer made. Here that table is compared with
the source: it has no more rows, its cells are cells of the source, its labels cover the
values they stand for. An anonymizer may come from anybody: its word is taken for one
thing only, what it publishes (``publishes``), and labels that are names of its own are
searched for identifiers and no more.
"""

from collections.abc import (
    Collection,
    Hashable,
    Iterable,
    Mapping,
    Sequence,
)
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
from anon_transformers.release._config import DeclaredRoles
from anon_transformers.release._identifiers import identifier_faults


def table_faults(
    source: pd.DataFrame,
    table: pd.DataFrame,
    rows: np.ndarray,
    roles: DeclaredRoles,
    hierarchies: Mapping[str, Any],
    publishes: str,
    suppression_label: str,
    stated: Mapping[str, Collection[str]],
) -> list[str]:
    """Everything that is wrong with a candidate beside its source, in words.

    Parameters
    ----------
    source, table : data frames
        What was loaded, and the candidate as its readers will see it.
    rows : int array
        The row of the source that each row of the candidate was made of.
    roles : DeclaredRoles
        What the columns are.
    hierarchies : mapping
        Hierarchies or builders of quasi-identifiers.
    publishes : {"labels", "names", "centers", "swaps"}
        What the anonymizer says it puts into quasi-identifiers.
    suppression_label : str
        The label of a suppressed cell.
    stated : mapping
        Values that columns have beside those of the source.
    """
    wanted = {*roles.quasi_identifiers, *roles.sensitive, *roles.insensitive}
    faults = column_faults(map(str, table.columns), wanted)
    if len(table) > len(source):
        faults.append(f"the candidate has {len(table)} rows, the source {len(source)}")
    if faults:
        return faults
    quasi_identifiers = roles.quasi_identifiers
    kept = [*roles.sensitive, *roles.insensitive]
    if publishes == "swaps":
        swapped = dict.fromkeys([*quasi_identifiers, *kept])
        faults += cell_faults(source, table, swapped)
    else:
        hidden = _suppressed_rows(table, quasi_identifiers, suppression_label)
        faults += moved_faults(source, table, rows, kept, hidden)
    if publishes == "labels":
        given = {name: hierarchies.get(name) for name in quasi_identifiers}
        faults += label_faults(source, table, rows, given, suppression_label, stated)
    elif publishes == "centers":
        faults += center_faults(
            source, table, rows, quasi_identifiers, suppression_label
        )
    elif publishes not in {"names", "swaps"}:
        faults.append("the anonymizer does not say what it publishes")
    return faults + identifier_faults(source, table, roles, publishes)


def column_faults(held: Iterable[str], wanted: Iterable[str]) -> list[str]:
    """Columns that an anonymizer published unasked, or lost."""
    held, wanted = set(held), set(wanted)
    lacking = ", ".join(sorted(wanted - held))
    faults = []
    if held - wanted:
        # Their names may be anything, a person's too.
        n_strange = len(held - wanted)
        faults.append(f"the candidate holds {n_strange} columns that were not declared")
    if lacking:
        faults.append(f"the candidate lacks columns: {lacking}")
    return faults


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


def _suppressed_rows(
    table: pd.DataFrame, quasi_identifiers: Sequence[str], suppression_label: str
) -> np.ndarray:
    """Rows whose quasi-identifiers show nothing."""
    hidden = np.ones(len(table), dtype=bool)
    for name in quasi_identifiers:
        texts = to_text(table[name])
        hidden &= (texts.isna() | (texts == suppression_label)).to_numpy()
    return hidden


def label_faults(
    source: pd.DataFrame,
    table: pd.DataFrame,
    rows: np.ndarray,
    hierarchies: Mapping[str, Any],
    suppression_label: str,
    stated: Mapping[str, Collection[str]],
) -> list[str]:
    """Labels that do not cover the value of the row they stand in, or name others."""
    faults = []
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
            faults.append(
                f"column {name!r} holds labels in {int(outside.sum())} rows that do "
                "not cover the value of the source"
            )
        faults += invented_faults(
            domain, labels, suppression_label, stated.get(name, ())
        )
    return faults


def said_of(column: Hashable, error: DataError) -> str:
    """What is said of a column whose labels cannot be read, maybe by a stranger."""
    if is_our_error(error):
        return str(error).rstrip(".")
    return f"column {column!r} cannot be judged: {type(error).__name__}"


def invented_faults(
    domain: Domain, labels: Column, suppression_label: str, stated: Collection[str]
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
    n_rows = int(np.array([*invented, False])[labels.codes].sum())
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

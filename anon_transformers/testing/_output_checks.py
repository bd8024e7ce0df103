"""What a published table may show, and what it must keep."""

from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.metrics._cell_faults import center_faults, label_faults
from anon_transformers.testing._contract import require
from anon_transformers.testing._published_texts import column_texts, row_texts
from anon_transformers.testing._runs import ExampleRun, on_every_run

PUBLISHES = ("centers", "labels", "names", "swaps")
_PLAIN = {
    bool,
    bytes,
    date,
    datetime,
    Decimal,
    float,
    int,
    str,
    time,
    type(None),
    type(pd.NA),
    type(pd.NaT),
    pd.Timedelta,
    pd.Timestamp,
}


@on_every_run
def check_identifiers_are_gone(run: ExampleRun) -> None:
    """Neither the columns nor their values are published."""
    sentence = "Identifiers are dropped."
    published = [c for c in run.example.identifiers if c in run.output.columns]
    require(
        not published,
        sentence,
        f"column {published!r} in the output ({run.description})",
    )
    secrets = {
        text
        for name in run.example.identifiers
        for text in column_texts(run.example.table, name)
    }
    for name in run.output.columns:
        held = secrets.intersection(column_texts(run.output, name))
        require(
            not held,
            sentence,
            f"{len(held)} values of an identifier in column {name!r} "
            f"({run.description})",
        )


@on_every_run
def check_columns_are_those_of_the_input(run: ExampleRun) -> None:
    """No column is added, lost, renamed or moved."""
    require(
        list(run.output.columns) == run.example.published_columns,
        "The published columns are those of the input less the identifiers, in their "
        "order; no helper column reaches the output.",
        f"{list(run.output.columns)} instead of {run.example.published_columns}",
    )


@on_every_run
def check_index_is_fresh(run: ExampleRun) -> None:
    """Index labels may be names, so they are not published."""
    index = run.output.index
    fresh = isinstance(index, pd.RangeIndex) and index.equals(
        pd.RangeIndex(len(run.output))
    )
    require(
        fresh and index.name is None,
        "The original index is not published: rows are numbered afresh, from 0.",
        f"{type(index).__name__} named {index.name!r} ({run.description})",
    )


@on_every_run
def check_row_order_is_not_published(run: ExampleRun) -> None:
    """No column tells where a row stood, or what its label was."""
    sentence = "No published column tells the original order or the original index."
    labels = {str(label) for label in run.example.table.index}
    for name in run.output.columns:
        texts = column_texts(run.output, name)
        source = None
        if name in run.source.columns:
            source = column_texts(run.source, name)
        if texts == source:
            continue
        where = f"in column {name!r} ({run.description})"
        require(not labels.intersection(texts), sentence, f"index labels {where}")
        require(not _counts_up(texts), sentence, f"row numbers {where}")
        require(
            not _strictly_sorted(run.output[name]) or len(run.output) == 1,
            sentence,
            f"values that rise or fall from row to row {where}",
        )
        distinct_before = source is not None and len(set(source)) == len(source)
        require(
            len(set(texts)) < len(texts) or distinct_before or len(texts) == 1,
            sentence,
            f"a value of its own for every row {where}",
        )


@on_every_run
def check_cells_hide_nothing(run: ExampleRun) -> None:
    """What is published is plain values and nothing beside them."""
    sentence = "A published value holds no more than its text."
    require(not run.output.attrs, sentence, f"DataFrame.attrs {list(run.output.attrs)}")
    require(
        run.output.columns.name is None or run.example.table.columns.name is not None,
        sentence,
        "a name of the columns that the input did not have",
    )
    for name in run.example.quasi_identifiers:
        column = run.output[name]
        where = f"in column {name!r} ({run.description})"
        if isinstance(column.dtype, pd.CategoricalDtype):
            unused = set(column.cat.categories) - set(column.dropna())
            require(not unused, sentence, f"{len(unused)} unused categories {where}")
        strange = {type(cell).__name__ for cell in column if not _is_plain(cell)}
        require(not strange, sentence, f"cells of type {sorted(strange)} {where}")


@on_every_run
def check_cells_are_what_they_are_said_to_be(run: ExampleRun) -> None:
    """Labels and centers belong to their rows, as the gate of a release asks."""
    publishes = run.estimator.publishes
    require(
        publishes in PUBLISHES,
        f"publishes is one of {', '.join(PUBLISHES)}.",
        repr(publishes),
    )
    # What is confused easily is confused by a reader of labels, too.
    if publishes not in {"labels", "centers"} or run.example.name == "oddities":
        return
    for name in run.example.quasi_identifiers:
        faults = _cell_faults(run, name)
        require(
            not faults,
            'publishes="labels": a label covers the value of its row; '
            'publishes="centers": a center lies within the values of its class (a '
            'method that changes cells at random says publishes="noise", and cannot '
            "be registered).",
            f"{faults} ({run.description})",
        )


def _cell_faults(run: ExampleRun, name: str) -> str:
    """What is wrong with one column, in words; nothing: an empty text."""
    source = run.source.reset_index(drop=True)
    rows, mark = np.arange(len(source)), run.estimator.suppression_label
    hierarchies = getattr(run.estimator, "hierarchies_", {})
    faults = label_faults(source, run.output, rows, {name: hierarchies.get(name)}, mark)
    if run.estimator.publishes == "centers" and faults:
        # Of what has no mean, a method may publish a label beside centers.
        faults = _center_faults(run, source, name)
    elif faults:
        faults.append(_first_wrong_label(source, run.output, name, hierarchies, mark))
    return "; ".join(faults)


def _first_wrong_label(
    source: pd.DataFrame,
    output: pd.DataFrame,
    name: str,
    hierarchies: Mapping[str, Any],
    mark: str,
) -> str:
    """One label that is wrong, and its value: the examples are nobody's data."""
    trees = {name: hierarchies.get(name)}
    for row in range(len(output)):
        one = output.iloc[[row]].reset_index(drop=True)
        if label_faults(source, one, np.array([row]), trees, mark):
            label, value = one[name].iloc[0], source[name].iloc[row]
            return f"the first is {label!r} for the value {value!r}"
    return "no row alone is wrong"


def _center_faults(run: ExampleRun, source: pd.DataFrame, name: str) -> list[str]:
    """Centers of one column that are none of their class, which all columns make."""
    found = center_faults(
        source,
        run.output,
        np.arange(len(source)),
        run.example.quasi_identifiers,
        run.estimator.suppression_label,
    )
    return [fault for fault in found if fault.startswith(f"column {name!r} ")]


@on_every_run
def check_untouched_columns_stay(run: ExampleRun) -> None:
    """Columns that are neither recoded nor moved keep values, type and row."""
    sentence = (
        "Columns that are neither recoded nor moved are published as they are, row by "
        "row."
    )
    source = run.source
    hidden = run.suppressed_output
    for name in run.untouched:
        where = f"column {name!r} ({run.description})"
        require(name in run.output.columns, sentence, f"{where} is not there")
        before = source[name].reset_index(drop=True)
        after = run.output[name].reset_index(drop=True)
        require(len(after) == len(before), sentence, f"another number of rows: {where}")
        if run.suppression == "blank" and name in run.example.sensitive:
            require(
                after[hidden].isna().all(),
                'suppression="blank" empties the sensitive cells of suppressed rows.',
                f"values that stayed in {where}",
            )
            after, before = after[~hidden], before[~hidden]
            if hidden.any():  # room for the gaps may change the type
                require(_same_values(before, after), sentence, f"changed {where}")
                continue
        categories = isinstance(before.dtype, pd.CategoricalDtype)
        if categories and run.suppression in {"drop", "blank"}:
            # Those of rows that are gone must not be named.
            before = before.cat.remove_unused_categories()
            after = after.cat.remove_unused_categories()
        require(after.dtype == before.dtype, sentence, f"another dtype: {where}")
        require(_same_values(before, after), sentence, f"changed {where}")


@on_every_run
def check_rows_are_kept(run: ExampleRun) -> None:
    """Only suppression="drop" loses rows, and then those it names."""
    expected = len(run.example.table)
    sentence = (
        "The row count is kept; a missing quasi-identifier is a value, not dropped."
    )
    if run.suppression == "drop":
        expected -= run.estimator.n_suppressed_
        sentence = 'suppression="drop" drops the suppressed rows and no other.'
    require(
        len(run.output) == expected,
        sentence,
        f"{len(run.output)} rows instead of {expected} ({run.description})",
    )


CHECKS = (
    check_identifiers_are_gone,
    check_columns_are_those_of_the_input,
    check_index_is_fresh,
    check_row_order_is_not_published,
    check_cells_hide_nothing,
    check_cells_are_what_they_are_said_to_be,
    check_untouched_columns_stay,
    check_rows_are_kept,
)


def _same_values(before: pd.Series, after: pd.Series) -> bool:
    if not before.isna().equals(after.isna()):
        return False
    known = before.notna()
    if before.dtype == after.dtype:
        texts = row_texts(before.to_frame()) == row_texts(after.to_frame())
        return texts and bool((before[known] == after[known]).all())
    return bool((before[known].astype(object) == after[known].astype(object)).all())


def _counts_up(texts: list[str]) -> bool:
    """Whether the texts are row numbers, from 0 or from 1, alone or behind a prefix."""
    digits = ["".join(filter(str.isdigit, text.removesuffix(".0"))) for text in texts]
    rows = range(len(texts))
    return len(texts) > 1 and digits in (
        [str(row) for row in rows],
        [str(row + 1) for row in rows],
    )


def _strictly_sorted(column: pd.Series) -> bool:
    """Whether the cells rise or fall all the way; cells without an order do not."""
    if column.isna().any():
        return False
    try:
        rising = column.is_monotonic_increasing or column.is_monotonic_decreasing
    except TypeError:
        return False
    return bool(rising and column.is_unique)


def _is_plain(cell: Any) -> bool:
    return type(cell) in _PLAIN or isinstance(cell, np.generic)

"""How many persons of a population stand behind each published class."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.columns import Column, identify
from anon_transformers._data.frames import is_frame, to_frame
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.exceptions import DataError, unknown_choice


def count_population(
    population: Any,
    quasi_identifiers: Sequence[Column],
    first: np.ndarray,
    sizes: np.ndarray,
    count: Hashable,
) -> tuple[np.ndarray, int]:
    """Persons of the population in each class, and those in no class.

    Parameters
    ----------
    population : data frame or int array
        The population's quasi-identifiers, recoded by the rule of the release, a row a
        person or with a column ``count``; or the persons of each class.
    quasi_identifiers : sequence of Column
        The published quasi-identifiers.
    first : int array
        A row of each class.
    sizes : int array
        Persons of each class in the release.
    count : hashable
        Name of the column that counts.
    """
    if is_frame(population):
        persons, outside = _by_class(
            to_frame(population), quasi_identifiers, first, count
        )
    else:
        persons, outside = _given(population, len(sizes)), 0
    short = int((persons < sizes).sum())
    if short:
        raise DataError(
            f"population: {short} classes have fewer persons in the population than in "
            "the release; recode both by the same rule."
        )
    return persons, outside


def _given(population: Any, n_classes: int) -> np.ndarray:
    persons = np.asarray(population)
    if persons.shape != (n_classes,) or persons.dtype.kind not in "iu":
        raise DataError(
            f"population must be a data frame, or a whole number for each of the "
            f"{n_classes} classes."
        )
    return persons.astype(np.int64)


def _by_class(
    frame: pd.DataFrame,
    quasi_identifiers: Sequence[Column],
    first: np.ndarray,
    count: Hashable,
) -> tuple[np.ndarray, int]:
    for column in quasi_identifiers:
        if column.name not in frame.columns:
            message = unknown_choice("column", column.name, frame.columns)
            raise DataError(f"population: {message}")
    counted = count in frame.columns and count not in {
        c.name for c in quasi_identifiers
    }
    weights = whole_counts(frame[count]) if counted else np.ones(len(frame), np.int64)
    # The classes come first, so that their numbers are those of the release. A value
    # that the release does not have is one more code, which no class has.
    joined = group_rows(
        [
            np.concatenate((column.codes[first], _recoded(column, frame)))
            for column in quasi_identifiers
        ],
        [column.cardinality + 1 for column in quasi_identifiers],
    )
    found = joined.labels[len(first) :]
    inside = found < len(first)
    persons = np.bincount(found[inside], weights[inside], minlength=len(first))
    return persons.astype(np.int64), int(weights[~inside].sum())


def _recoded(column: Column, frame: pd.DataFrame) -> np.ndarray:
    """A column of the population in the codes of the release."""
    other = identify(frame[column.name])
    ours, theirs = column.values, other.values
    if column.kind != "number" or other.kind != "number":
        ours, theirs = column.texts(), other.texts()
    places = pd.Index(ours).get_indexer(pd.Index(theirs))
    places = np.where(places < 0, column.cardinality, places)
    return np.append(places, column.missing_code)[other.codes]


def whole_counts(counts: pd.Series) -> np.ndarray:
    """Counts as integers; a group of no rows, or of half a row, is no group."""
    numbers = pd.to_numeric(counts, errors="coerce").to_numpy(float, na_value=np.nan)
    wrong = int((~(numbers >= 1) | (numbers % 1 != 0)).sum())
    if wrong:
        raise DataError(
            f"column {counts.name!r} holds no whole number of at least 1 in {wrong} "
            "rows."
        )
    return numbers.astype(np.int64)

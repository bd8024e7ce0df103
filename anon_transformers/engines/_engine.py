"""What an engine does for the library."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError, unknown_choice

LABEL, HIDDEN, COUNT = "anon_label_{}", "anon_suppressed", "anon_rows"
"""Columns that an engine works with beside those of the table."""
NO_VALUES = frozenset({bytes, bytearray, memoryview, list, dict, tuple, np.ndarray})
"""What databases give for bytes, lists and structs."""


@dataclass(frozen=True)
class Counts:
    """Distinct combinations of some columns, and how many rows have each.

    Attributes
    ----------
    frame : DataFrame
        One row per combination, with the values that the engine gives.
    rows : int64 array
        Rows of the table that have each combination.
    keys : object
        The same combinations in the same order, as the engine joins them; None where
        they were only counted.
    """

    frame: pd.DataFrame
    rows: np.ndarray
    keys: Any = None

    def __post_init__(self) -> None:
        """Refuse cells that are no single values: which are equal, nobody knows."""
        for name, cells in self.frame.items():
            if cells.dtype != object:
                continue
            if pd.api.types.infer_dtype(cells) not in {"bytes", "mixed"}:
                continue
            found = sorted({t.__name__ for t in map(type, cells) if t in NO_VALUES})
            if found:
                raise DataError(
                    f"column {name!r} holds values ({', '.join(found)}) that are no "
                    "texts, numbers, dates or truth values; cast it in a query, as in "
                    "CAST(… AS text)."
                )


@dataclass(frozen=True)
class LabelTable:
    """What is published of each combination of quasi-identifiers.

    Attributes
    ----------
    keys : object
        The combinations, as :meth:`Engine.count_keys` gave them.
    labels : DataFrame
        Published cells of the quasi-identifiers, one row per combination.
    suppressed : bool array
        Combinations whose rows are suppressed.
    columns : list of str
        Columns of the published table in their order; those without labels are
        published as they are.
    emptied : list of str
        Columns whose cells are emptied where a row is suppressed.
    drops : bool
        Whether suppressed rows are left out.
    suppression_label : str
        What a row shows that no combination matches: one that came after counting.
    """

    keys: Any
    labels: pd.DataFrame
    suppressed: np.ndarray
    columns: list[str]
    emptied: list[str]
    drops: bool
    suppression_label: str


def holds_texts(labels: pd.Series) -> bool:
    """Whether published cells are texts, and no numbers or dates."""
    return labels.dtype.kind not in "fiM"


EXACT = 2**53
"""Whole numbers up to here are floating numbers, too, each one of its own."""


def exact_numbers(read: pd.Series, cells: Sequence[Any]) -> pd.Series:
    """A column as pandas read it, or its cells where floating numbers are too coarse.

    Beside a missing one, pandas reads whole and exact numbers as floating ones. Large
    ones become equal by that, and values of several persons the value of a class.

    Examples
    --------
    >>> cells = [2**53, 2**53 + 1, None]
    >>> read = pd.Series([2.0**53, 2.0**53, None])
    >>> exact_numbers(read, cells).tolist()
    [9007199254740992, 9007199254740993, <NA>]
    >>> exact_numbers(pd.Series([1.0, None]), [1, None]).tolist()
    [1.0, nan]
    """
    if read.dtype.kind != "f":
        return read
    known = {cell for cell in cells if not pd.isna(cell)}
    if any(isinstance(cell, float) for cell in known):
        return read
    whole = all(isinstance(cell, int) for cell in known)
    told_apart = len({float(cell) for cell in known}) == len(known)
    if told_apart and not (whole and any(abs(cell) > EXACT for cell in known)):
        return read
    fits = whole and all(-(2**63) <= cell < 2**63 for cell in known)
    dtype: Any = "Int64" if fits else object
    return pd.Series(list(cells), index=read.index, dtype=dtype)


class Engine(ABC):
    """A table that is counted and recoded where it lives."""

    name: str
    collected: str
    """What a user writes to get the table as a frame."""

    @property
    @abstractmethod
    def columns(self) -> list[str]:
        """Names of the columns."""

    @abstractmethod
    def n_rows(self) -> int:
        """How many rows the table has."""

    @abstractmethod
    def n_combinations(self, columns: Sequence[Any]) -> int:
        """How many distinct combinations of some columns there are."""

    @abstractmethod
    def count(self, columns: Sequence[Any]) -> Counts:
        """Count the rows of each combination of some columns, missing values too."""

    def count_keys(self, columns: Sequence[Any]) -> Counts:
        """Like :meth:`count`, with the keys that :meth:`recode` joins by."""
        return self.count(columns)

    @abstractmethod
    def n_repeated(self, column: Any) -> int:
        """How many values of a column stand in several rows."""

    @abstractmethod
    def recode(self, label_table: LabelTable) -> Any:
        """The published table, of the kind that the engine was opened on."""

    def __len__(self) -> int:
        return self.n_rows()

    def refuse_unknown(self, columns: Iterable[Any]) -> None:
        """Refuse columns that the table does not have."""
        for name in columns:
            if name not in self.columns:
                raise DataError(unknown_choice("column", name, self.columns))

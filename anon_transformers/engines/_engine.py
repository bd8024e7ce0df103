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

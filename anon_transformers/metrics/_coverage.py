"""Which ground values a published label may stand for."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from anon_transformers._data.columns import Column, encode, identify
from anon_transformers._data.frames import to_frame
from anon_transformers._data.labels import OR_MISSING
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import DataError, ParameterError, unknown_choice
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics._labels_read import (
    GroupReader,
    ValueReader,
    moments_of,
    numbers_of,
)


@dataclass(frozen=True)
class Domain:
    """The ground values of one attribute: the leaves of its hierarchy, or its values.

    Attributes
    ----------
    ground : Column
        The values, and the rows of the original in codes; the last code is a
        missing value, or one that the hierarchy does not have.
    """

    ground: Column

    @classmethod
    def of(cls, series: pd.Series, hierarchy: Hierarchy | None) -> "Domain":
        """The domain of a column of ground values."""
        if hierarchy is None:
            return cls(identify(series))
        column = encode(series, hierarchy)
        codes = np.where(column.codes < 0, column.missing_code, column.codes)
        return cls(Column(column.name, "hierarchy", column.values, codes,
                          hierarchy=column.hierarchy))  # fmt: skip

    @property
    def n_values(self) -> int:
        """How many ground values there are."""
        return len(self.ground.values)

    @property
    def places(self) -> np.ndarray | None:
        """Where numbers and dates lie; None for other values and in a hierarchy.

        Half of each, for the whole range of doubles would be none.
        """
        if self.ground.hierarchy is not None or self.ground.kind == "ordinal":
            return None
        places = numbers_of(self.ground, plain=True)
        if places is None:
            places = moments_of(self.ground)
        return None if places is None else places / 2

    def rows_by_value(self) -> np.ndarray:
        """Rows of the original by ground value, missing ones last."""
        return np.bincount(self.ground.codes, minlength=self.ground.cardinality)

    def cover(
        self, labels: Column, suppression_label: str = SUPPRESSED
    ) -> sparse.csr_array:
        """Label by ground value (missing values last): whether it may stand for it.

        Raises
        ------
        DataError
            If a label is neither a value, nor a group, nor a range of them.
        """
        found = self.read([str(text) for text in labels.texts()], suppression_label)
        _refuse_unread(labels, np.array([f is None for f in found], dtype=bool))
        lines = [f for f in found if f is not None] + [np.array([self.n_values])]
        sizes = [len(places) for places in lines]
        cells = np.concatenate(lines)
        table = sparse.csr_array(
            (np.ones(len(cells), dtype=np.int64), cells, np.cumsum([0, *sizes])),
            shape=(len(lines), self.n_values + 1),
        )
        table.sort_indices()
        return table

    def read(
        self, texts: Sequence[str], suppression_label: str = SUPPRESSED
    ) -> list[np.ndarray | None]:
        """Ground values that each label may stand for; None where it is no label."""
        hierarchy = self.ground.hierarchy
        read = (
            ValueReader(self.ground)
            if hierarchy is None
            else GroupReader(hierarchy, texts)
        )
        return [self._places(text, read, suppression_label) for text in texts]

    def _places(
        self,
        text: str,
        read: Callable[[str], np.ndarray | None],
        suppression_label: str,
    ) -> np.ndarray | None:
        """Ground values that a label may stand for, missing ones with them."""
        if text == suppression_label:
            return np.arange(self.n_values + 1)
        found = read(text)
        plain = text.removesuffix(OR_MISSING)
        if found is not None or plain == text:
            return found
        found = read(plain)
        return None if found is None else np.append(found, self.n_values)


def columns_of(
    published: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable] | None,
    hierarchies: Mapping[Any, Hierarchy] | None,
) -> list[Hashable]:
    """The columns to measure: those named, or else those that have a hierarchy."""
    names = list(
        quasi_identifiers if quasi_identifiers is not None else hierarchies or ()
    )
    if not names:
        raise ParameterError("quasi_identifiers is empty; name at least one column.")
    for name in names:
        if name not in published.columns:
            raise DataError(unknown_choice("column", name, published.columns))
    return names


@dataclass(frozen=True)
class Recoded:
    """One attribute before and after.

    Attributes
    ----------
    name : hashable
        Its column.
    domain : Domain
        Its ground values, with the rows of the original.
    labels : Column
        The published rows.
    cover : sparse array
        Which ground values each label may stand for; the last line is that of a
        missing cell.
    """

    name: Hashable
    domain: Domain
    labels: Column
    cover: sparse.csr_array


def recoded_columns(
    original: Any,
    published: Any,
    hierarchies: Mapping[Any, Hierarchy] | None,
    quasi_identifiers: Sequence[Hashable] | None,
    suppression_label: str,
) -> tuple[list[Recoded], int, int]:
    """Every attribute before and after, and how many rows there were and are."""
    before, after = to_frame(original), to_frame(published)
    names = columns_of(after, quasi_identifiers, hierarchies)
    columns_of(before, names, None)
    if not len(before):
        raise DataError("the original has no rows.")
    if len(after) > len(before):
        raise DataError(
            f"the published table has {len(after)} rows, the original {len(before)}."
        )
    found = []
    for name in names:
        domain = Domain.of(before[name], (hierarchies or {}).get(name))
        labels = identify(after[name])
        found.append(
            Recoded(name, domain, labels, domain.cover(labels, suppression_label))
        )
    return found, len(before), len(after)


def _refuse_unread(labels: Column, unread: np.ndarray) -> None:
    if not unread.any():
        return
    count = int(np.append(unread, False)[labels.codes].sum())
    raise DataError(
        f"column {labels.name!r} holds labels in {count} rows that are neither a value "
        "of the original nor a group or range of them."
    )

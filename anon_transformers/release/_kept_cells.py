"""The cells that a release has published, kept for its later tables.

A cell is the labels of one class. They are public; who is in which cell stands in the
ledger, encrypted. The file lies in the private folder of the release, and a cell keeps
its number in it for ever. It is written once a publication is reserved, and before
readers see it: a cell counts from the moment at which its version is published.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.columns import encode, to_text
from anon_transformers._kernels.covering import are_covered, first_cells, mark_cells
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.exceptions import ReleaseError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics._coverage import Domain
from anon_transformers.release._files import Kind, as_kind
from anon_transformers.release._run import PRIVATE_FILE, write_json

FILE = "cells.json"
NO_CELL = -1
Labels = tuple[str | None, ...]
"""What a cell publishes, by quasi-identifier; None is a missing value."""


@dataclass(frozen=True)
class KeptCells:
    """Cells of a release, by number.

    Attributes
    ----------
    columns : tuple of str
        The quasi-identifiers.
    suppression_label : str
        The mark of a suppressed cell.
    kinds : dict of str to kind
        What the columns are published as.
    labels : tuple of tuples
        The labels of each cell.
    versions : tuple of str
        The run that published each first.
    """

    columns: tuple[str, ...]
    suppression_label: str
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    labels: tuple[Labels, ...] = ()
    versions: tuple[str, ...] = ()

    @classmethod
    def read(
        cls, home: Path, columns: Sequence[str], suppression_label: str
    ) -> "KeptCells":
        """The cells of a release; none if nothing was published in kept cells."""
        file = home / FILE
        try:
            noted = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls(tuple(columns), suppression_label)
        except (OSError, ValueError):
            raise ReleaseError(
                f"{file} cannot be read; put a copy in its place."
            ) from None
        same = noted["columns"] == list(columns)
        if not same or noted["suppression_label"] != suppression_label:
            raise ReleaseError(
                "recoding: the cells that are kept have other quasi-identifiers "
                f"({', '.join(noted['columns'])}), or another mark of suppressed cells "
                f"({noted['suppression_label']!r}), than the file states now. Restore "
                "these, or begin another release."
            )
        cells = noted["cells"]
        return cls(
            tuple(columns),
            suppression_label,
            noted["kinds"],
            tuple(tuple(cell["labels"]) for cell in cells),
            tuple(cell["version"] for cell in cells),
        )

    def write(self, home: Path) -> None:
        """Write the file, whole or not at all."""
        cells = [
            {"labels": list(labels), "version": version}
            for labels, version in zip(self.labels, self.versions, strict=True)
        ]
        write_json(
            home / FILE,
            {
                "columns": list(self.columns),
                "suppression_label": self.suppression_label,
                "kinds": dict(self.kinds),
                "cells": cells,
            },
            PRIVATE_FILE,
        )

    def with_table(
        self,
        table: pd.DataFrame,
        kinds: Mapping[str, Kind],
        version: str,
        published: Collection[str],
    ) -> "KeptCells":
        """The same with the cells of a version; those that are known keep their number.

        Parameters
        ----------
        table : DataFrame
            As it is published.
        kinds : mapping of str to kind
            What its columns are.
        version : str
            Its run.
        published : collection of str
            Runs that were published before; what others noted is theirs no more.
        """
        labels, versions = list(self.labels), list(self.versions)
        place = {cell: number for number, cell in enumerate(labels)}
        for cell in dict.fromkeys(cells_of(table, self.columns)):
            if cell not in place:
                labels.append(cell)
                versions.append(version)
            elif versions[place[cell]] not in published:
                versions[place[cell]] = version
        known = dict(self.kinds) or {name: kinds[name] for name in self.columns}
        if len(labels) > len(self.labels):
            for name in self.columns:
                if known[name] != kinds[name]:
                    known[name] = "text"  # what every label can be
        return KeptCells(
            self.columns, self.suppression_label, known, tuple(labels), tuple(versions)
        )

    def numbers_of(self, table: pd.DataFrame) -> np.ndarray:
        """The cell of each row of a table that is published in kept cells."""
        place = {cell: number for number, cell in enumerate(self.labels)}
        return np.array(
            [place[cell] for cell in cells_of(table, self.columns)], dtype=np.int64
        )

    def in_use(self, published: Collection[str]) -> np.ndarray:
        """Numbers of the cells of versions that were published."""
        kept = [version in published for version in self.versions]
        return np.flatnonzero(np.array(kept, dtype=bool))

    @property
    def suppressed(self) -> int | None:
        """The cell whose labels are all the mark, if there is one."""
        marks = (self.suppression_label,) * len(self.columns)
        return self.labels.index(marks) if marks in self.labels else None

    def labels_of(self, cells: np.ndarray) -> dict[str, pd.Series]:
        """What is published of rows in these cells, by column."""
        return {
            name: as_kind(
                pd.Series([self.labels[cell][at] for cell in cells], dtype=object),
                self.kinds[name],
            )
            for at, name in enumerate(self.columns)
        }


def cells_of(table: pd.DataFrame, columns: Sequence[str]) -> list[Labels]:
    """The labels of each row, as texts."""
    texts = [to_text(table[name]) for name in columns]
    listed = [
        [
            None if missing else str(text)
            for text, missing in zip(t, t.isna(), strict=True)
        ]
        for t in texts
    ]
    return list(zip(*listed, strict=True))


class CoveredRows:
    """Rows of a source, and the cells that cover them.

    Parameters
    ----------
    source : DataFrame
        The table.
    kept : KeptCells
        The cells.
    numbers : int array
        Those of them that count.
    hierarchies : mapping
        Hierarchies of quasi-identifiers, or what builds them.
    """

    def __init__(
        self,
        source: pd.DataFrame,
        kept: KeptCells,
        numbers: np.ndarray,
        hierarchies: Mapping[str, Any],
    ):
        lines: list[np.ndarray] = []
        codes, cells = [], np.empty((len(numbers), len(kept.columns)), dtype=np.int64)
        share, n_values = np.zeros(len(numbers)), 0
        for at, name in enumerate(kept.columns):
            hierarchy = hierarchies.get(name)
            domain = Domain.of(source[name], hierarchy)
            held = [kept.labels[number][at] for number in numbers]
            place = {text: i for i, text in enumerate(dict.fromkeys(held))}
            found = covered_values(domain, list(place), kept.suppression_label)
            own = np.array([place[text] for text in held], dtype=np.int64)
            if isinstance(hierarchy, Hierarchy):  # the same in every month
                sizes = np.array([len(line) for line in found])
                share += np.log(np.maximum(sizes, 1))[own]
            cells[:, at] = own + len(lines)
            lines += [line + n_values for line in found]
            codes.append(codes_of(domain, source[name], hierarchy) + n_values)
            n_values += domain.n_values + 2
        # The most specific cell first: by leaves, then by marks, then the older one.
        marks = np.array(
            [kept.labels[n].count(kept.suppression_label) for n in numbers], dtype=int
        )
        hidden = numbers == (NO_CELL if kept.suppressed is None else kept.suppressed)
        order = np.lexsort((numbers, marks, share, hidden))
        self._cells = numbers[order]
        sizes = np.array([len(line) for line in lines], dtype=np.int64)
        self._marks = mark_cells(
            np.ascontiguousarray(cells[order]),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.concatenate([np.empty(0, np.int64), *lines]).astype(np.int64),
            len(lines),
            n_values,
        )
        grouped = group_rows(codes, [n_values] * len(codes))
        self._combination = grouped.labels
        self._rows = np.ascontiguousarray(
            np.stack([column[grouped.first] for column in codes], axis=1)
        )

    def first(self) -> np.ndarray:
        """The most specific cell that covers each row; -1 if none does."""
        found = first_cells(self._rows, self._marks)[self._combination]
        return np.append(self._cells, NO_CELL)[found]

    def stay(self, cells: np.ndarray) -> np.ndarray:
        """Whether each row is covered by the cell that is given for it."""
        place = np.full(int(self._cells.max(initial=0)) + 1, NO_CELL)
        place[self._cells] = np.arange(len(self._cells))
        known = (cells >= 0) & (cells < len(place))
        asked = np.where(known, place[np.where(known, cells, 0)], NO_CELL)
        rows = np.ascontiguousarray(self._rows[self._combination])
        return are_covered(rows, asked.astype(np.int64), self._marks)


def covered_values(
    domain: Domain, texts: Sequence[str | None], suppression_label: str
) -> list[np.ndarray]:
    """The values that each label covers; none if nobody has one of them now."""
    known = [text for text in texts if text is not None]
    read = dict(zip(known, domain.read(known, suppression_label), strict=True))
    nothing = np.empty(0, dtype=np.int64)
    missing, unknown = domain.n_values, domain.n_values + 1
    found = []
    for text in texts:
        line = np.array([missing]) if text is None else read[text]
        line = nothing if line is None else line.astype(np.int64)
        found.append(np.append(line, unknown) if text == suppression_label else line)
    return found


def codes_of(domain: Domain, column: pd.Series, hierarchy: Any) -> np.ndarray:
    """The value of each row; then missing ones, then what a hierarchy does not have."""
    codes = domain.ground.codes.astype(np.int64)
    if hierarchy is not None:
        codes[encode(column, hierarchy).codes < 0] = domain.n_values + 1
    return codes

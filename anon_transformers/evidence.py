"""What a privacy model judges: never a table, only what can be counted in it."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from anon_transformers._frames import to_frame
from anon_transformers._kernels.grouping import group_rows
from anon_transformers._tables import Column, identify
from anon_transformers.exceptions import (
    DataError,
    NotEvaluable,
    ParameterError,
    unknown_choice,
)

SUPPRESSED = "*"
"""The mark of a suppressed cell, unless a caller chooses another."""


@dataclass(frozen=True)
class SensitiveCounts:
    """How often each sensitive value occurs in each class.

    Attributes
    ----------
    values : ndarray
        Known values in their natural order.
    counts : sparse array of shape (n_classes, n_values + 1)
        Rows by class and value; the last column counts missing values.
    reference : ndarray of shape (n_values + 1,)
        Rows by value in the table that the classes are compared with.
    """

    values: np.ndarray
    counts: sparse.csr_array
    reference: np.ndarray


@dataclass(frozen=True)
class Classes:
    """Equivalence classes of a published table.

    Attributes
    ----------
    sizes : ndarray of shape (n_classes,)
        Rows of each class, or distinct persons where a subject column was given.
    rows : ndarray of shape (n_classes,)
        Rows of each class.
    labels : ndarray or None
        Class of each row; None if the classes were built from counts.
    suppressed : int or None
        The class whose quasi-identifiers are all suppressed.
    sensitive : mapping of name to SensitiveCounts
        One entry a sensitive column.
    population_sizes : ndarray or None
        Persons of the population behind each class, where known.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20, 20, None, None], "job": list("abca")})
    >>> classes = Classes.from_frame(table, ["age"], sensitive=["job"])
    >>> classes.sizes
    array([2, 2])
    >>> classes.sensitive["job"].counts.toarray()
    array([[1, 1, 0, 0],
           [1, 0, 1, 0]])
    """

    sizes: np.ndarray
    rows: np.ndarray
    labels: np.ndarray | None = None
    suppressed: int | None = None
    sensitive: Mapping[Hashable, SensitiveCounts] = field(default_factory=dict)
    population_sizes: np.ndarray | None = None
    _persons: sparse.csr_array | None = field(default=None, repr=False)

    kind = "classes"

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.sizes)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        quasi_identifiers: Sequence[Hashable],
        sensitive: Sequence[Hashable] = (),
        subject: Hashable | None = None,
        suppression_label: str = SUPPRESSED,
    ) -> "Classes":
        """Group a table by the published text of its quasi-identifiers.

        A missing quasi-identifier is a value of its own. Rows whose
        quasi-identifiers are all ``suppression_label`` are one class.
        """
        frame = to_frame(frame)
        _refuse_unknown_columns(frame, [*quasi_identifiers, *sensitive])
        _refuse_none(quasi_identifiers)
        known = [identify(frame[name]) for name in quasi_identifiers]
        groups = group_rows([c.codes for c in known], [c.cardinality for c in known])
        persons = None
        if subject is not None:
            _refuse_unknown_columns(frame, [subject])
            persons = identify(frame[subject])
        return cls.from_labels(
            groups.labels,
            len(groups.sizes),
            sensitive=[identify(frame[name]) for name in sensitive],
            subject=persons,
            suppressed=_suppressed_class(known, groups.first, suppression_label),
        )

    @classmethod
    def from_labels(
        cls,
        labels: np.ndarray,
        n_classes: int,
        *,
        sensitive: Sequence[Column] = (),
        subject: Column | None = None,
        suppressed: int | None = None,
        weights: np.ndarray | None = None,
        references: Mapping[Hashable, np.ndarray] | None = None,
    ) -> "Classes":
        """Count rows whose class is known already.

        Rows labelled -1 belong to no class, but they do count in the reference
        distribution of a sensitive column unless ``references`` gives one.
        """
        weights = np.ones(len(labels), dtype=np.int64) if weights is None else weights
        inside = labels >= 0
        at, mass = labels[inside], weights[inside]
        rows = np.bincount(at, mass, minlength=n_classes).astype(np.int64)
        persons = None
        if subject is not None:
            persons = _persons_by_class(at, subject.codes[inside], subject, n_classes)
        counted = {}
        for column in sensitive:
            reference = (references or {}).get(column.name)
            if reference is None:
                reference = np.bincount(column.codes, weights, column.cardinality)
            counts = _table(
                at, column.codes[inside], mass, n_classes, column.cardinality
            )
            counted[column.name] = SensitiveCounts(
                column.values, counts, np.asarray(reference, dtype=np.int64)
            )
        sizes = rows if persons is None else np.diff(persons.indptr).astype(np.int64)
        return cls(sizes, rows, labels, suppressed, counted, None, persons)

    @classmethod
    def from_counts(
        cls,
        table: Any,
        quasi_identifiers: Sequence[Hashable] | None = None,
        sensitive: Sequence[Hashable] = (),
        count: Hashable = "count",
        suppression_label: str = SUPPRESSED,
    ) -> "Classes":
        """Build from ``GROUP BY`` output: one row a combination, with its count."""
        table = to_frame(table)
        if quasi_identifiers is None:
            quasi_identifiers = [
                c for c in table.columns if c != count and c not in sensitive
            ]
        _refuse_unknown_columns(table, [*quasi_identifiers, *sensitive, count])
        _refuse_none(quasi_identifiers)
        known = [identify(table[name]) for name in quasi_identifiers]
        groups = group_rows([c.codes for c in known], [c.cardinality for c in known])
        classes = cls.from_labels(
            groups.labels,
            len(groups.sizes),
            sensitive=[identify(table[name]) for name in sensitive],
            suppressed=_suppressed_class(known, groups.first, suppression_label),
            weights=_whole_counts(table[count]),
        )
        return replace(classes, labels=None)

    def merge(self, into: np.ndarray, n_classes: int) -> "Classes":
        """Join classes: class ``i`` goes into class ``into[i]`` (-1: left out)."""
        inside = into >= 0
        joins = _table(
            into[inside],
            np.flatnonzero(inside),
            np.ones(inside.sum(), dtype=np.int64),
            n_classes,
            self.n_classes,
        )
        rows = joins @ self.rows
        persons = None if self._persons is None else (joins @ self._persons).tocsr()
        sizes = rows if persons is None else np.diff(persons.indptr).astype(np.int64)
        sensitive = {
            name: replace(column, counts=(joins @ column.counts).tocsr())
            for name, column in self.sensitive.items()
        }
        labels = None
        if self.labels is not None:
            labels = np.append(into, -1)[self.labels]
        population = None
        if self.population_sizes is not None:
            population = joins @ self.population_sizes
        gone = self.suppressed is None
        suppressed = (
            None if gone or into[self.suppressed] < 0 else int(into[self.suppressed])
        )
        return Classes(sizes, rows, labels, suppressed, sensitive, population, persons)

    def kept(self) -> "Classes":
        """The classes without the suppressed one."""
        if self.suppressed is None:
            return self
        into = np.arange(self.n_classes)
        into[self.suppressed] = -1
        into[self.suppressed + 1 :] -= 1
        return self.merge(into, self.n_classes - 1)

    def sensitive_columns(self, name: Hashable | None) -> list[SensitiveCounts]:
        """One sensitive column by name, or all of them; never none."""
        if name is None:
            if not self.sensitive:
                raise NotEvaluable("there is no sensitive column to judge.")
            return list(self.sensitive.values())
        if name not in self.sensitive:
            raise NotEvaluable(unknown_choice("sensitive column", name, self.sensitive))
        return [self.sensitive[name]]


def _refuse_unknown_columns(frame: pd.DataFrame, names: Sequence[Hashable]) -> None:
    if not frame.columns.is_unique:
        twice = sorted({str(c) for c in frame.columns[frame.columns.duplicated()]})
        raise DataError(f"the table has a column twice: {', '.join(twice)}.")
    for name in names:
        if name not in frame.columns:
            raise DataError(unknown_choice("column", name, frame.columns))


def _refuse_none(quasi_identifiers: Sequence[Hashable]) -> None:
    if not quasi_identifiers:
        raise ParameterError("quasi_identifiers is empty; name at least one column.")


def _whole_counts(counts: pd.Series) -> np.ndarray:
    """Counts as integers; a group of no rows, or of half a row, is no group."""
    numbers = pd.to_numeric(counts, errors="coerce").to_numpy(float, na_value=np.nan)
    wrong = int((~(numbers >= 1) | (numbers % 1 != 0)).sum())
    if wrong:
        raise DataError(
            f"column {counts.name!r} holds no whole number of at least 1 in {wrong} "
            "rows."
        )
    return numbers.astype(np.int64)


def _suppressed_class(
    columns: Sequence[Column], first: np.ndarray, mark: str
) -> int | None:
    """The class whose every quasi-identifier is the mark, if there is one."""
    if not len(first):
        return None
    marked = np.ones(len(first), dtype=bool)
    for column in columns:
        if column.kind in {"number", "date"}:
            return None
        at = np.flatnonzero(column.values == mark)
        marked &= np.isin(column.codes[first], at)
    return int(np.flatnonzero(marked)[0]) if marked.any() else None


def _table(rows, columns, mass, n_rows, n_columns) -> sparse.csr_array:
    return sparse.coo_array((mass, (rows, columns)), shape=(n_rows, n_columns)).tocsr()


def _persons_by_class(
    labels: np.ndarray, codes: np.ndarray, subject: Column, n_classes: int
) -> sparse.csr_array:
    """Class by person. Rows without a person count as nobody."""
    known = codes != subject.missing_code
    ones = np.ones(known.sum(), dtype=np.int64)
    return _table(labels[known], codes[known], ones, n_classes, len(subject.values))


@dataclass(frozen=True)
class Report:
    """What a run did, in numbers only.

    Attributes
    ----------
    method : str
        Class name of the anonymizer.
    rows, suppressed_rows, extra_suppressed_rows : int
        Rows of the input; rows suppressed; those among them that satisfied every
        model and went only so that the suppressed class would satisfy them too.
    classes : mapping
        Sizes of the kept classes in rows (also where k counts persons): count,
        smallest, largest, mean, variance.
    models : tuple of mappings
        Each model with its parameters, level and verdict.
    loss : float
        Domain-share loss.
    column_losses : mapping of str to float
        The loss of each quasi-identifier.
    risk : mapping of str to float
        Average and highest risk over the kept rows, or the persons in them.
    seconds : float
        Time to fit and recode.
    details : mapping
        What the method itself has to tell: levels, boxes.
    """

    method: str
    rows: int
    suppressed_rows: int
    extra_suppressed_rows: int
    classes: Mapping[str, float]
    models: tuple[Mapping[str, Any], ...]
    loss: float
    column_losses: Mapping[str, float]
    risk: Mapping[str, float]
    seconds: float
    details: Mapping[str, Any] = field(default_factory=dict)

    kind = "report"

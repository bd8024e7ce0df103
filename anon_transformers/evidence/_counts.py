"""How often sensitive values occur: in a class, in a reference, in finer classes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from scipy import sparse

from anon_transformers._data.columns import Column
from anon_transformers._data.readings import read_values
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.evidence._candidates import Candidates
from anon_transformers.evidence._holdings import Holdings, count_table, merge_table
from anon_transformers.evidence._references import ReferenceCounts, places_in
from anon_transformers.exceptions import ParameterError
from anon_transformers.hierarchies._hierarchy import Hierarchy

Origin = Literal["input", "released"]


@dataclass(frozen=True)
class SensitiveCounts:
    """How often each sensitive value occurs in each class.

    Attributes
    ----------
    values : ndarray
        Known values in their natural order.
    counts : sparse array of shape (n_classes, n_values + 1)
        Rows by class and value; the last column counts missing values. Where persons
        are known: the persons who hold the value at least once, and last those of whom
        some value is missing.
    reference : ndarray of shape (n_values + 1,)
        Rows, or persons, by value in the table that the classes are compared with.
    hierarchy : Hierarchy or None
        Tree of the values, for distances between them.
    origin : {"input", "released"}
        Whose distribution ``reference`` is: that of the table before anything was
        suppressed, or that of the published one.
    holdings : Holdings or None
        Who holds which value, where persons are known.
    reference_persons : int or None
        Persons of the table that ``reference`` counts, who may have several values.
    reference_holdings : Holdings or None
        Who holds which value in that table, as one class.
    ordered : bool
        Whether the order of the values means anything; that of texts does not.
    table : SensitiveCounts or None
        The published table, where these are not classes of it but of what an intruder
        makes of it.
    """

    values: np.ndarray
    counts: sparse.csr_array
    reference: np.ndarray
    hierarchy: Hierarchy | None = None
    origin: Origin = "released"
    holdings: Holdings | None = field(default=None, repr=False)
    reference_persons: int | None = None
    ordered: bool = False
    table: "SensitiveCounts | None" = field(default=None, repr=False)
    reference_holdings: Holdings | None = field(default=None, repr=False)

    @classmethod
    def of_rows(
        cls,
        column: Column,
        labels: np.ndarray,
        values: np.ndarray,
        mass: np.ndarray,
        n_classes: int,
        persons: np.ndarray | None = None,
    ) -> "SensitiveCounts":
        """Count rows, or persons, whose class is known; compared with nothing yet."""
        holdings = None
        if persons is None:
            counts = count_table(labels, values, mass, n_classes, column.cardinality)
        else:
            holdings = Holdings.of_rows(
                labels, persons, values, n_classes, column.missing_code
            )
            counts = holdings.counts()
        nothing = np.zeros(column.cardinality, dtype=np.int64)
        return cls(
            column.values,
            counts,
            nothing,
            column.hierarchy,
            holdings=holdings,
            ordered=column.ordered,
        )

    def compared(
        self, reference: "ReferenceCounts", origin: Origin
    ) -> "SensitiveCounts":
        """The same counts beside those of a whole table."""
        return replace(
            self,
            reference=np.asarray(reference.counts, dtype=np.int64),
            origin=origin,
            reference_persons=reference.persons,
            reference_holdings=reference.holdings,
        )

    @property
    def missing(self) -> int:
        """Column of ``counts`` that counts missing values."""
        return len(self.values)

    @cached_property
    def totals(self) -> np.ndarray:
        """What a share in each class is a share of: its persons, or its rows."""
        if self.holdings is not None:
            return self.holdings.n_persons()
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def several(self) -> np.ndarray:
        """Classes in which some person has several known values."""
        if self.holdings is None:
            return np.zeros(self.counts.shape[0], dtype=bool)
        return self.holdings.several()

    @cached_property
    def overlapping(self) -> np.ndarray:
        """Classes in which some person counts twice: has a further value, or may."""
        if self.holdings is None:
            return np.zeros(self.counts.shape[0], dtype=bool)
        return np.asarray(self.counts.sum(axis=1)) > self.totals

    @cached_property
    def lacking(self) -> np.ndarray:
        """Beside each entry of ``counts``, values in order: those who lack one, too.

        They are among the missing ones of their class as well.
        """
        if self.holdings is None:
            return np.zeros(self.counts.nnz, dtype=np.int64)
        return self.holdings.lacking().data

    def possible(self, which: np.ndarray) -> np.ndarray:
        """Those of each class who have one of these values, or may: one is missing."""
        if self.holdings is None:
            return self.counts[:, np.append(which, self.missing)].sum(axis=1)
        codes = np.zeros(self.missing + 1, dtype=np.int64)
        codes[which] = codes[self.missing] = 1
        return self.holdings.relabeled(codes).counts()[:, [1]].sum(axis=1)

    def once(self) -> "SensitiveCounts":
        """The same with a missing value counted only where no other is known."""
        if self.holdings is None:
            return self
        holdings = self.holdings.once()
        return self._recounted(holdings.counts(), holdings)

    @cached_property
    def candidates(self) -> Candidates | None:
        """Values left of persons in several classes; None where there are no such."""
        if self.holdings is None:
            return None
        counts = self.counts
        if not counts.has_sorted_indices:
            counts = counts.sorted_indices()
        return self.holdings.candidates(counts)

    def certain(self, values: np.ndarray) -> "SensitiveCounts":
        """One class of one person for each of these values, which that person holds.

        They are judged beside the same table.
        """
        ones = np.ones(len(values), dtype=np.int64)
        rows, width = np.arange(len(values)), self.counts.shape[1]
        counts = count_table(rows, values, ones, len(values), width)
        return replace(self, counts=counts, holdings=None, table=self)

    @cached_property
    def whole(self) -> "SensitiveCounts":
        """The whole published table as one class."""
        if self.table is not None:
            return self.table.whole
        return self.merge(np.zeros(self.counts.shape[0], dtype=np.int64), 1)

    @property
    def texts(self) -> np.ndarray:
        """Published text of each known value; whole numbers without a point."""
        kind: Any = "number" if self.values.dtype.kind in "iufM" else "category"
        return Column("", kind, self.values, np.empty(0, np.int32)).texts()

    @cached_property
    def ancestors(self) -> np.ndarray:
        """Group of each value at each level of the tree below its root.

        Shape (n_levels - 1, n_values + 1). A missing value, and one that the tree does
        not have, meets the others at the root only.
        """
        if self.hierarchy is None:
            raise ParameterError("there is no hierarchy of these values.")
        places = places_in(self.texts, self.hierarchy)
        groups = np.empty((self.hierarchy.n_levels - 1, self.missing + 1), np.int64)
        known = places >= 0
        own = np.arange(self.missing + 1)[~np.append(known, False)]
        for level, row in enumerate(groups):
            codes, labels, _ = self.hierarchy.level(level)
            row[:-1][known] = codes[places[known]]
            row[own] = len(labels) + np.arange(len(own))
        return groups

    @cached_property
    def _readings(
        self,
    ) -> dict[tuple[str, ...] | None, tuple[np.ndarray, "ReferenceCounts"] | None]:
        """What texts are read as, and the reference, by marks of a missing value."""
        return {}

    def as_read(self, marks: tuple[str, ...] | None = None) -> "SensitiveCounts | None":
        """The same counts of values as people read them; None if nothing differs.

        Parameters
        ----------
        marks : tuple of str, default=None
            What says that a value is missing; None: the usual marks.

        Examples
        --------
        >>> table = sparse.csr_array([[1, 1, 1, 0]])
        >>> column = SensitiveCounts(np.array(["HIV", "NA", "hiv"]), table, np.ones(4))
        >>> column.as_read().counts.toarray()
        array([[2, 1]])
        """
        found = self._reading(marks)
        if found is None:
            return None
        codes, reference = found
        width = int(codes[-1]) + 1
        _, first = np.unique(codes[:-1], return_index=True)
        values = self.values[first[: width - 1]]
        if self.holdings is not None:
            holdings = self.holdings.relabeled(codes)
            counts = holdings.counts()
        else:
            holdings, cells = None, self.counts.tocoo()
            owner, value = cells.coords
            counts = count_table(
                owner, codes[value], cells.data, self.counts.shape[0], width
            )
        changed = replace(self, values=values, counts=counts, holdings=holdings)
        return changed.compared(reference, self.origin)

    def read_codes(self, marks: tuple[str, ...] | None = None) -> np.ndarray | None:
        """Which read value each value is, missing last; None if nothing differs."""
        found = self._reading(marks)
        return None if found is None else found[0]

    def _reading(
        self, marks: tuple[str, ...] | None
    ) -> tuple[np.ndarray, "ReferenceCounts"] | None:
        """Look every text up once for each list of marks."""
        if marks not in self._readings:
            codes = read_values(self.texts.tolist(), marks)
            self._readings[marks] = codes if codes is None else self._read(codes)
        return self._readings[marks]

    def _read(self, codes: np.ndarray) -> tuple[np.ndarray, "ReferenceCounts"]:
        """The codes of read values, and the reference by these."""
        width, persons = int(codes[-1]) + 1, self.reference_persons
        if self.reference_holdings is not None:
            holdings = self.reference_holdings.relabeled(codes)
            return codes, ReferenceCounts(
                holdings.counts().toarray()[0], persons, holdings
            )
        if (persons or np.inf) >= self.reference.sum():
            return codes, ReferenceCounts(
                np.bincount(codes, self.reference, width), persons
            )
        # Persons may hold two spellings: as many as the more frequent one, at least.
        counts = np.zeros(width, dtype=np.int64)
        np.maximum.at(counts, codes, self.reference)
        return codes, ReferenceCounts(counts, persons)

    def merge(self, into: np.ndarray, n_classes: int) -> "SensitiveCounts":
        """Join classes as :meth:`Classes.merge` does."""
        if self.holdings is None:
            counts = merge_table(self.counts, into, n_classes)
            return self._recounted(counts, None)
        holdings = self.holdings.merge(into, n_classes)
        return self._recounted(holdings.counts(), holdings)

    def blanked(self, which: int) -> "SensitiveCounts":
        """The same with every value of one class missing."""
        if self.holdings is None:
            return self._recounted(blank_row(self.counts, which), None)
        holdings = self.holdings.blanked(which)
        return self._recounted(holdings.counts(), holdings)

    def _recounted(
        self, counts: sparse.csr_array, holdings: Holdings | None
    ) -> "SensitiveCounts":
        """Other counts of the same values: what is known of these is kept."""
        changed = replace(self, counts=counts, holdings=holdings)
        # A search merges classes often, and need not look its values up again.
        for cached in ("ancestors", "_readings"):
            if cached in self.__dict__:
                changed.__dict__[cached] = self.__dict__[cached]
        return changed


@dataclass(frozen=True)
class JointCounts:
    """How often each combination of all sensitive columns occurs in each class.

    Attributes
    ----------
    codes : int array of shape (n_columns, n_combinations)
        The value of each sensitive column in each combination.
    counts : sparse array of shape (n_classes, n_combinations)
        Rows by class and combination.
    persons : int array of shape (n_combinations,) or None
        Whose combination it is, where persons are known.
    """

    codes: np.ndarray
    counts: sparse.csr_array
    persons: np.ndarray | None = None

    @classmethod
    def of_rows(
        cls,
        labels: np.ndarray,
        columns: Sequence[np.ndarray],
        cardinalities: Sequence[int],
        mass: np.ndarray,
        n_classes: int,
        persons: np.ndarray | None = None,
    ) -> "JointCounts":
        """Count rows whose class is known."""
        of_person = [] if persons is None else [persons]
        n_persons = [int(codes.max(initial=0)) + 1 for codes in of_person]
        groups = group_rows([*columns, *of_person], [*cardinalities, *n_persons])
        codes = np.stack([column[groups.first] for column in columns])
        counts = count_table(labels, groups.labels, mass, n_classes, len(groups.first))
        return cls(codes, counts, None if persons is None else persons[groups.first])

    def agrees(self, which: int, counts: sparse.csr_array) -> bool:
        """Whether these are the counts of one column in the same classes."""
        owner, combination = self.counts.tocoo().coords
        if counts.shape[0] != self.counts.shape[0]:
            return False
        mine, _ = self._column(which, owner, combination, *counts.shape)
        return (mine != counts).nnz == 0

    def relabeled(self, columns: Sequence[np.ndarray | None]) -> "JointCounts":
        """The same cells with other codes, by column; None: as they are."""
        rows = [
            old if new is None else new[old]
            for old, new in zip(self.codes, columns, strict=True)
        ]
        return replace(self, codes=np.stack(rows))

    def finer(
        self, which: int, n_codes: int
    ) -> tuple[sparse.csr_array, Holdings | None, np.ndarray]:
        """Counts of one column where the others are quasi-identifiers too.

        Returns the counts by finer class, who holds what in these, and the class each
        of these belongs to.
        """
        others = np.delete(self.codes, which, axis=0)
        alike = group_rows(list(others), (others.max(axis=1, initial=0) + 1).tolist())
        owner, combination = self.counts.tocoo().coords
        groups = group_rows(
            [owner, alike.labels[combination]],
            [self.counts.shape[0], max(len(alike.first), 1)],
        )
        counts, holdings = self._column(
            which, groups.labels, combination, len(groups.first), n_codes
        )
        return counts, holdings, owner[groups.first]

    def _column(
        self,
        which: int,
        owner: np.ndarray,
        combination: np.ndarray,
        n_classes: int,
        n_codes: int,
    ) -> tuple[sparse.csr_array, Holdings | None]:
        """Counts of one column by other classes of the same cells."""
        values = self.codes[which][combination]
        if self.persons is None:
            mass = self.counts.tocoo().data
            return count_table(owner, values, mass, n_classes, n_codes), None
        persons = self.persons[combination]
        holdings = Holdings.of_rows(owner, persons, values, n_classes, n_codes - 1)
        return holdings.counts(), holdings

    def blanked(self, which: int, missing: np.ndarray) -> "JointCounts":
        """The same counts with every sensitive cell of one class emptied."""
        if self.persons is None:
            codes = np.column_stack((self.codes, missing))
            wide = sparse.csr_array(
                (self.counts.data, self.counts.indices, self.counts.indptr),
                shape=(self.counts.shape[0], codes.shape[1]),
            )
            return JointCounts(codes, blank_row(wide, which))
        cells = self.counts.tocoo()
        owner, combination = cells.coords
        codes = self.codes[:, combination].copy()
        codes[:, owner == which] = missing[:, np.newaxis]
        return JointCounts.of_rows(
            owner,
            list(codes),
            (missing + 1).tolist(),
            cells.data,
            self.counts.shape[0],
            self.persons[combination],
        )


def blank_row(counts: sparse.csr_array, which: int) -> sparse.csr_array:
    """Move everything that one class holds to the last column."""
    cells = counts.tocoo()
    rows, columns = cells.coords
    columns = np.where(rows == which, counts.shape[1] - 1, columns)
    return count_table(rows, columns, cells.data, *counts.shape)


def n_persons(subject: Column) -> int:
    """Persons of a whole column."""
    known = subject.codes[subject.codes != subject.missing_code]
    return int((np.bincount(known, minlength=1) > 0).sum())


def persons_by_class(
    labels: np.ndarray, codes: np.ndarray, subject: Column, n_classes: int
) -> sparse.csr_array:
    """Class by person. Rows without a person count as nobody."""
    known = codes != subject.missing_code
    ones = np.ones(known.sum(), dtype=np.int64)
    return count_table(
        labels[known], codes[known], ones, n_classes, len(subject.values)
    )

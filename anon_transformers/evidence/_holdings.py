"""Who holds which value in which class, and tables of counts."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from anon_transformers._kernels.counting import merge_rows
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.evidence._candidates import Candidates, intersect_classes


@dataclass(frozen=True)
class Holdings:
    """Which persons of each class hold which value, whatever the rows they have.

    Attributes
    ----------
    person, value : int arrays of shape (n_pairs,)
        Distinct pairs, by person and then by value. Every person has a pair with the
        missing value too, which comes last.
    held : sparse array of shape (n_classes, n_pairs)
        Above 0 where a row of the class says so.
    missing : int
        The value that stands for a missing one.
    """

    person: np.ndarray
    value: np.ndarray
    held: sparse.csr_array
    missing: int

    @classmethod
    def of_rows(
        cls,
        labels: np.ndarray,
        persons: np.ndarray,
        values: np.ndarray,
        n_classes: int,
        missing: int,
    ) -> "Holdings":
        """Collect rows whose class, person and value are known."""
        width = missing + 1
        present = np.bincount(persons, minlength=1) > 0
        groups = group_rows([persons, values], [len(present), width])
        person, value = persons[groups.first], values[groups.first]
        # Those who have no missing value get a pair with it, which no row holds.
        present[person[value == missing]] = False
        others = np.flatnonzero(present)
        pairs = np.append(person.astype(np.int64) * width + value, others * width)
        pairs[len(person) :] += missing
        order = np.argsort(pairs)
        place = np.empty(len(pairs), dtype=np.int64)
        place[order] = np.arange(len(pairs))
        ones = np.ones(len(persons), dtype=np.int64)
        held = count_table(labels, place[groups.labels], ones, n_classes, len(pairs))
        pairs = pairs[order]
        return cls(pairs // width, pairs % width, held, missing)

    def _cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Class and pair of everything that is held; which are a person's first."""
        owner = np.repeat(np.arange(self.held.shape[0]), np.diff(self.held.indptr))
        pair = self.held.indices
        person, first = self.person[pair], np.ones(len(pair), dtype=bool)
        first[1:] = (owner[1:] != owner[:-1]) | (person[1:] != person[:-1])
        return owner, pair, first

    def counts(self) -> sparse.csr_array:
        """Persons by class and value; last those of whom some value is not known."""
        owner, pair, _ = self._cells()
        ones = np.ones(len(pair), dtype=np.int64)
        return count_table(
            owner, self.value[pair], ones, self.held.shape[0], self.missing + 1
        )

    def lacking(self) -> sparse.csr_array:
        """Of the persons in each entry of :meth:`counts`, those who lack a value."""
        owner, pair, first = self._cells()
        value, of_person = self.value[pair], np.cumsum(first) - 1
        lost = np.bincount(of_person[value == self.missing], minlength=first.sum()) > 0
        # Zeros are kept: entry by entry this stands beside the counts.
        ones = lost[of_person].astype(np.int64)
        return count_table(owner, value, ones, self.held.shape[0], self.missing + 1)

    def several(self) -> np.ndarray:
        """Classes in which some person has several known values."""
        owner, pair, first = self._cells()
        known, n_classes = self.value[pair] != self.missing, self.held.shape[0]
        values = np.bincount(owner[known], minlength=n_classes)
        return values > np.bincount(owner[known & first], minlength=n_classes)

    def once(self) -> "Holdings":
        """The same where a missing value of a person with a known one is left out."""
        owner, pair, first = self._cells()
        kept = first | (self.value[pair] != self.missing)
        mass = self.held.data[kept]
        held = count_table(owner[kept], pair[kept], mass, *self.held.shape)
        return replace(self, held=held)

    def n_persons(self) -> np.ndarray:
        """Persons of each class."""
        owner, _, first = self._cells()
        return np.bincount(owner[first], minlength=self.held.shape[0])

    def candidates(self, counts: sparse.csr_array) -> Candidates | None:
        """What the classes of each person have in common; ``counts`` are of these."""
        owner, pair, _ = self._cells()
        return intersect_classes(owner, self.person[pair], self.value[pair], counts)

    def merge(self, into: np.ndarray, n_classes: int) -> "Holdings":
        """Join classes as :meth:`Classes.merge` does."""
        return replace(self, held=merge_table(self.held, into, n_classes))

    def blanked(self, which: int) -> "Holdings":
        """The same with every value of one class missing."""
        owner, pair, _ = self._cells()
        last = np.searchsorted(self.person, self.person[pair], side="right") - 1
        pair = np.where(owner == which, last, pair)
        held = count_table(owner, pair, self.held.data, *self.held.shape)
        return replace(self, held=held)

    def relabeled(self, codes: np.ndarray) -> "Holdings":
        """The same with each value replaced by ``codes[value]``."""
        owner, pair, _ = self._cells()
        person, value = self.person[pair], codes[self.value[pair]]
        n_classes = self.held.shape[0]
        return Holdings.of_rows(owner, person, value, n_classes, int(codes[-1]))


def count_table(rows, columns, mass, n_rows, n_columns) -> sparse.csr_array:
    """Sum ``mass`` by row and column."""
    return sparse.coo_array((mass, (rows, columns)), shape=(n_rows, n_columns)).tocsr()


def merge_table(
    counts: sparse.csr_array, into: np.ndarray, n_rows: int
) -> sparse.csr_array:
    """Join the rows of a table of counts."""
    n_columns = counts.shape[1]
    # scipy has places in 4 bytes or in 8; the kernel takes one of the two.
    places = (
        counts.indptr.astype(np.int64, copy=False),
        counts.indices.astype(np.int64, copy=False),
    )
    indptr, indices, data = merge_rows(*places, counts.data, into, n_rows, n_columns)
    return sparse.csr_array((data, indices, indptr), shape=(n_rows, n_columns))

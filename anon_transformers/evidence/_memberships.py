"""How far each row belongs to each set of a fuzzy partition: never published."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from anon_transformers._data.columns import Column, sensitive_names
from anon_transformers._data.frames import to_frame
from anon_transformers._data.readings import read_values
from anon_transformers._kernels.cardinality import TIE
from anon_transformers.evidence._references import open_sensitive
from anon_transformers.exceptions import DataError, check_choice, unknown_choice

Cardinality = Literal["non-fuzzy", "sigma"]
CARDINALITIES = ("non-fuzzy", "sigma")
SUMS_TO_ONE = 1e-6
"""How far the degrees of a row may be from adding up to 1."""
HALF = 0.5
MATRIX = 2


@dataclass(frozen=True)
class Memberships:
    """Degrees of rows in the sets of a fuzzy partition, and their sensitive values.

    Parameters
    ----------
    degrees : float array of shape (n_rows, n_sets)
        From 0 to 1; those of a row add up to 1. A crisp partition has only 0 and 1.
        An array that cannot be written to is taken as it is, any other is copied.
    sensitive : mapping of name to Column, optional
        The sensitive columns as codes.
    references : mapping of name to int array, optional
        For a sensitive column the rows by value in the table that the sets are
        compared with, missing ones last. Otherwise these very rows are counted.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"ill": ["flu", "cold", "flu", "cold"]})
    >>> degrees = [[1.0, 0.0], [0.75, 0.25], [0.5, 0.5], [0.0, 1.0]]
    >>> memberships = Memberships.from_frame(degrees, table, sensitive=["ill"])
    >>> memberships.labels()
    array([0, 0, 0, 1])
    >>> memberships.counts("ill")
    array([[1, 2, 0],
           [1, 1, 0]])
    """

    degrees: np.ndarray = field(repr=False)
    sensitive: Mapping[Any, Column] = field(default_factory=dict, repr=False)
    references: Mapping[Any, np.ndarray] = field(default_factory=dict, repr=False)

    kind = "memberships"

    def __post_init__(self) -> None:
        degrees = as_degrees(self.degrees)
        n_off = int((np.abs(degrees.sum(axis=1) - 1) > SUMS_TO_ONE).sum())
        if n_off:
            raise DataError(
                f"the degrees of {n_off} rows do not add up to 1: this is no fuzzy "
                "partition."
            )
        if degrees.flags.writeable:
            degrees = degrees.copy()
            degrees.setflags(write=False)
        object.__setattr__(self, "degrees", degrees)
        for name, column in self.sensitive.items():
            if len(column.codes) != self.n_rows:
                raise DataError(
                    f"sensitive column {name!r} has {len(column.codes)} rows, the "
                    f"degrees have {self.n_rows}."
                )

    @classmethod
    def from_frame(
        cls,
        degrees: Any,
        frame: Any,
        sensitive: Sequence[Hashable] = (),
        *,
        references: Mapping[Any, Mapping[Any, Any]] | None = None,
        hierarchies: Mapping[Any, Any] | None = None,
    ) -> "Memberships":
        """Take the sensitive columns from a table, row by row beside the degrees.

        Parameters
        ----------
        degrees : float array of shape (n_rows, n_sets)
            The degrees of each row of ``frame``.
        frame : data frame
            Holds the sensitive columns.
        sensitive : sequence of columns
            What an intruder wants to know.
        references, hierarchies : mappings, optional
            As for :meth:`Classes.from_frame`.
        """
        frame = to_frame(frame)
        for name in sensitive:
            if name not in frame.columns:
                raise DataError(unknown_choice("column", name, frame.columns))
        columns, by_code = open_sensitive(frame, sensitive, references, hierarchies)
        counts = {name: reference.counts for name, reference in by_code.items()}
        return cls(degrees, {column.name: column for column in columns}, counts)

    def crisp(self, labels: np.ndarray) -> "Memberships":
        """The same rows in the classes that readers see, each row in one of them.

        Examples
        --------
        >>> Memberships([[0.5, 0.5], [0.2, 0.8]]).crisp(np.array([7, 9])).degrees
        array([[1., 0.],
               [0., 1.]])
        """
        held, place = np.unique(labels, return_inverse=True)
        degrees = np.zeros((len(labels), len(held)))
        degrees[np.arange(len(labels)), place] = 1.0
        return replace(self, degrees=degrees)

    def as_read(self, marks: tuple[str, ...] | None = None) -> "Memberships | None":
        """The same rows with sensitive values as people read them; None if alike.

        See :meth:`SensitiveCounts.as_read`.
        """
        columns, references = dict(self.sensitive), dict(self.references)
        for name, column in self.sensitive.items():
            codes = read_values(column.texts().tolist(), marks)
            if codes is None:
                continue
            _, first = np.unique(codes[:-1], return_index=True)
            columns[name] = replace(
                column,
                values=column.values[first[: codes[-1]]],
                codes=codes[column.codes].astype(np.int32),
            )
            references[name] = np.bincount(codes, self.reference(name)).astype(np.int64)
        same = all(columns[name] is self.sensitive[name] for name in columns)
        return None if same else replace(self, sensitive=columns, references=references)

    @property
    def n_rows(self) -> int:
        """Rows that have degrees."""
        return len(self.degrees)

    @property
    def n_sets(self) -> int:
        """Sets of the partition, those that no row belongs to with them."""
        return self.degrees.shape[1]

    def labels(self) -> np.ndarray:
        """The set of each row's largest degree, the first of equal ones."""
        if not self.n_sets:
            return np.zeros(0, dtype=np.int64)
        return self.degrees.argmax(axis=1)

    def at_half(self) -> np.ndarray:
        """Which rows belong to which sets by one half or more."""
        return self.degrees >= HALF - TIE

    def shown(self) -> np.ndarray:
        """Which sets a release shows.

        It publishes each row under the set of its largest degree, or lists with each
        set the values of rows at one half or more. A set that has neither is seen by
        nobody.
        """
        shown = np.bincount(self.labels(), minlength=self.n_sets) > 0
        return shown | self.at_half().any(axis=0)

    def sensitive_names(self, name: Hashable | None) -> list[Hashable]:
        """One sensitive column by name, or all of them; never none."""
        return sensitive_names(self.sensitive, name)

    def counts(
        self, name: Hashable, cardinality: Cardinality = "non-fuzzy"
    ) -> np.ndarray:
        """How many rows of each set have each sensitive value.

        The rows of a set that have a value are a fuzzy set themselves, and may be
        counted in two ways.

        Parameters
        ----------
        name : column
            A sensitive column.
        cardinality : {"non-fuzzy", "sigma"}, default="non-fuzzy"
            Rows above one half, and one more if any is exactly there; or the sum of
            the degrees.

        Returns
        -------
        array of shape (n_sets, n_values + 1)
            The last column counts missing values.
        """
        check_choice("cardinality", cardinality, CARDINALITIES)
        column = self.sensitive[name]
        shape = self.n_sets, column.cardinality
        if cardinality == "sigma":
            table = np.empty(shape)
            for row, degrees in zip(table, self.degrees.T, strict=True):
                row[:] = np.bincount(column.codes, degrees, column.cardinality)
            return table
        # Rows add up to 1, so that each is at one half of two sets at most.
        rows, sets = np.nonzero(self.at_half())
        places = sets * column.cardinality + column.codes[rows]
        above = self.degrees[rows, sets] > HALF + TIE
        n_cells = shape[0] * shape[1]
        counts = np.bincount(places[above], minlength=n_cells)
        counts += np.bincount(places[~above], minlength=n_cells) > 0
        return counts.reshape(shape)

    def reference(self, name: Hashable) -> np.ndarray:
        """Rows by value of a sensitive column in the whole table, missing ones last."""
        if name in self.references:
            return self.references[name]
        column = self.sensitive[name]
        return np.bincount(column.codes, minlength=column.cardinality)


def as_degrees(given: Any, key: str = "degrees") -> np.ndarray:
    """A matrix of numbers from 0 to 1."""
    degrees = np.asarray(given, dtype=np.float64)
    if degrees.ndim != MATRIX:
        raise DataError(f"{key} must be a matrix, got {degrees.ndim} dimensions.")
    illegal = int((~((degrees >= 0) & (degrees <= 1))).any(axis=1).sum())
    if illegal:
        raise DataError(f"{key}: {illegal} rows hold numbers that are not from 0 to 1.")
    return degrees

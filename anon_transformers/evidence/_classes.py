"""What a privacy model judges: never a table, only what can be counted in it."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from anon_transformers._data.columns import Column, identify, sensitive_names
from anon_transformers._data.frames import to_frame
from anon_transformers._kernels.counting import add_up
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.engines import counted_frame
from anon_transformers.evidence._counts import (
    JointCounts,
    Origin,
    SensitiveCounts,
    persons_by_class,
)
from anon_transformers.evidence._holdings import merge_table
from anon_transformers.evidence._population import count_population, whole_counts
from anon_transformers.evidence._references import (
    ReferenceCounts,
    open_sensitive,
)
from anon_transformers.exceptions import (
    DataError,
    NotEvaluable,
    ParameterError,
    unknown_choice,
)
from anon_transformers.hierarchies._hierarchy import Hierarchy
from anon_transformers.roles import refuse_repeated_columns

SUPPRESSED = "*"
"""The text of a suppressed cell, unless a caller chooses another."""


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
    population_outside : int
        Persons of the population who are in none of these classes.

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
    sensitive: Mapping[Any, SensitiveCounts] = field(default_factory=dict)
    population_sizes: np.ndarray | None = None
    population_outside: int = 0
    _persons: sparse.csr_array | None = field(default=None, repr=False)
    _joint: JointCounts | None = field(default=None, repr=False)

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
        *,
        weights: np.ndarray | None = None,
        references: Mapping[Any, Mapping[Any, Any]] | None = None,
        reference_persons: int | None = None,
        hierarchies: Mapping[Any, Hierarchy] | None = None,
        population: Any = None,
    ) -> "Classes":
        """Group a table by the published text of its quasi-identifiers.

        A missing quasi-identifier is a value of its own. Rows whose
        quasi-identifiers are all ``suppression_label`` are one class.

        Parameters
        ----------
        frame : data frame, or table in an engine
            The published table. Of a DuckDB relation, a polars LazyFrame, an
            :class:`~anon_transformers.engines.SQLTable` or a data frame of PySpark, the
            engine counts the distinct combinations, and only these are read.
        quasi_identifiers, sensitive : sequences of columns
            What an intruder may know, and wants to know.
        subject : column, optional
            Tells persons apart.
        suppression_label : str, default="*"
            The text of a suppressed cell.
        weights : int array, optional
            How many rows of the table each row of ``frame`` stands for.
        references : mapping of column to mapping, optional
            For sensitive columns the distribution in the input: rows by published text
            of a value, missing ones under None, as :func:`distribution` gives it; with
            ``subject`` the persons who hold it; what one person holds may be a tuple.
            A value that the table holds more often is an error.
        reference_persons : int, optional
            Persons of the input, who may hold several values each; need not be given
            where tuples tell.
        hierarchies : mapping of column to Hierarchy, optional
            Trees of sensitive columns.
        population : data frame or int array, optional
            The quasi-identifiers of the population, recoded by the same rule: a row a
            person, or with a column ``count``. Or the persons of each class.
        """
        wanted = [*quasi_identifiers, *sensitive]
        wanted += [] if subject is None else [subject]
        frame, rows = counted_frame(frame, wanted)
        _refuse_unknown_columns(frame, wanted)
        weights = weights if rows is None else rows
        persons = None if subject is None else identify(frame[subject])
        columns, by_code = open_sensitive(
            frame, sensitive, references, hierarchies, weights, persons
        )
        classes = cls._grouped(
            frame,
            quasi_identifiers,
            suppression_label,
            population,
            sensitive=columns,
            references=by_code,
            reference_persons=reference_persons,
            subject=persons,
            weights=weights,
        )
        return classes if weights is None else replace(classes, labels=None)

    @classmethod
    def _grouped(
        cls,
        frame: pd.DataFrame,
        quasi_identifiers: Sequence[Hashable],
        suppression_label: str,
        population: Any,
        count: Hashable = "count",
        **options: Any,
    ) -> "Classes":
        if not quasi_identifiers:
            raise ParameterError(
                "quasi_identifiers is empty; name at least one column."
            )
        coded = [identify(frame[name]) for name in quasi_identifiers]
        groups = group_rows([c.codes for c in coded], [c.cardinality for c in coded])
        classes = cls.from_labels(
            groups.labels,
            len(groups.sizes),
            suppressed=_suppressed_class(coded, groups.first, suppression_label),
            origin="released",
            **options,
        )
        if population is None:
            return classes
        persons, outside = count_population(
            population, coded, groups.first, classes.sizes, count
        )
        return replace(classes, population_sizes=persons, population_outside=outside)

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
        references: Mapping[Any, ReferenceCounts] | None = None,
        reference_persons: int | None = None,
        origin: Origin = "input",
    ) -> "Classes":
        """Count rows whose class is known already.

        Rows labeled -1 belong to no class, but they do count in the reference
        distribution of a sensitive column unless ``references`` gives one, which is
        that of the input. Otherwise ``origin`` says whose distribution these rows
        have; those of an anonymizer are the input.
        """
        weights = np.ones(len(labels), dtype=np.int64) if weights is None else weights
        inside = labels >= 0
        rows = np.bincount(labels[inside], weights[inside], minlength=n_classes)
        persons, counted_persons = None, None
        if subject is not None:
            codes = subject.codes[inside]
            persons = persons_by_class(labels[inside], codes, subject, n_classes)
            # A row of nobody shows a value, and no person who would hold it.
            inside = inside & (subject.codes != subject.missing_code)
            counted_persons = subject.codes[inside]
        at, mass = labels[inside], weights[inside]
        counted, values = {}, [column.codes[inside] for column in sensitive]
        for column, inner in zip(sensitive, values, strict=True):
            reference = (references or {}).get(column.name)
            whose: Origin = "input"
            if reference is None:
                reference = ReferenceCounts.of_column(column, subject, weights)
                whose = origin
            elif reference.persons is None:
                reference = reference._replace(persons=reference_persons)
            counted[column.name] = SensitiveCounts.of_rows(
                column, at, inner, mass, n_classes, counted_persons
            ).compared(reference, whose)
        joint = None
        if len(sensitive) > 1:
            joint = JointCounts.of_rows(
                at,
                values,
                [column.cardinality for column in sensitive],
                mass,
                n_classes,
                counted_persons,
            )
        rows = rows.astype(np.int64)
        sizes = rows if persons is None else np.diff(persons.indptr).astype(np.int64)
        return cls(
            sizes, rows, labels, suppressed, counted, _persons=persons, _joint=joint
        )

    @classmethod
    def from_counts(
        cls,
        table: Any,
        quasi_identifiers: Sequence[Hashable] | None = None,
        sensitive: Sequence[Hashable] = (),
        count: Hashable = "count",
        suppression_label: str = SUPPRESSED,
        *,
        references: Mapping[Any, Mapping[Any, Any]] | None = None,
        hierarchies: Mapping[Any, Hierarchy] | None = None,
        population: Any = None,
    ) -> "Classes":
        """Build from ``GROUP BY`` output: one row per combination, with its count.

        The options are those of :meth:`from_frame`.
        """
        table = to_frame(table)
        if quasi_identifiers is None:
            quasi_identifiers = [
                c for c in table.columns if c != count and c not in sensitive
            ]
        _refuse_unknown_columns(table, [*quasi_identifiers, *sensitive, count])
        weights = whole_counts(table[count])
        columns, by_code = open_sensitive(
            table, sensitive, references, hierarchies, weights
        )
        classes = cls._grouped(
            table,
            quasi_identifiers,
            suppression_label,
            population,
            count,
            sensitive=columns,
            references=by_code,
            weights=weights,
        )
        return replace(classes, labels=None)

    def merge(self, into: np.ndarray, n_classes: int) -> "Classes":
        """Join classes: class ``i`` goes into class ``into[i]`` (-1: left out).

        Parameters
        ----------
        into : int array of shape (n_classes,)
            The class that each class becomes part of.
        n_classes : int
            How many classes there are then; one that nothing goes into is empty.

        Examples
        --------
        >>> classes = Classes.from_frame({"age": [20, 20, 30, 40]}, ["age"])
        >>> classes.merge(np.array([0, 1, 1]), n_classes=2).sizes
        array([2, 2])
        """
        rows, persons = add_up(into, self.rows, n_classes), self._persons
        sizes = rows
        if persons is not None:
            persons = merge_table(persons, into, n_classes)
            sizes = np.diff(persons.indptr).astype(np.int64)
            # Without rows (see without_rows) there are none after a merge, either.
            rows = sizes if self.rows is self.sizes else rows
        joint = self._joint
        if joint is not None:
            joint = replace(joint, counts=merge_table(joint.counts, into, n_classes))
        population, outside = self.population_sizes, self.population_outside
        if population is not None:
            outside += int(population[into < 0].sum())
            population = add_up(into, population, n_classes)
        shown = -1 if self.suppressed is None else int(into[self.suppressed])
        return Classes(
            sizes=sizes,
            rows=rows,
            labels=None if self.labels is None else np.append(into, -1)[self.labels],
            suppressed=None if shown < 0 else shown,
            sensitive={
                name: column.merge(into, n_classes)
                for name, column in self.sensitive.items()
            },
            population_sizes=population,
            population_outside=outside,
            _persons=persons,
            _joint=joint,
        )

    def without_rows(self) -> "Classes":
        """The same classes for who must count persons: ``rows`` are ``sizes``.

        Where no subject was given, rows are what there is to count, and stay. Else the
        class of each row is left out, too, for it tells how many rows there are.

        Examples
        --------
        >>> table = pd.DataFrame({"age": [20] * 6, "who": ["Ann"] * 6})
        >>> classes = Classes.from_frame(table, ["age"], subject="who")
        >>> classes.rows, classes.without_rows().rows
        (array([6]), array([1]))
        """
        if self._persons is None:
            return self
        return replace(self, rows=self.sizes, labels=None)

    def kept(self) -> "Classes":
        """The classes without the suppressed one."""
        if self.suppressed is None:
            return self
        into = np.arange(self.n_classes)
        into[self.suppressed] = -1
        into[self.suppressed + 1 :] -= 1
        return self.merge(into, self.n_classes - 1)

    def blanked(self, which: int) -> "Classes":
        """The same classes with the sensitive cells of one of them emptied."""
        columns = self.sensitive.items()
        joint = self._joint
        if joint is not None:
            missing = np.array([column.missing for _, column in columns])
            joint = joint.blanked(which, missing)
        return replace(
            self,
            sensitive={name: column.blanked(which) for name, column in columns},
            _joint=joint,
        )

    def as_read(self, marks: tuple[str, ...] | None = None) -> "Classes | None":
        """The same classes with sensitive values as people read them; None if alike.

        See :meth:`SensitiveCounts.as_read`.

        Parameters
        ----------
        marks : tuple of str, default=None
            What says that a value is missing; None: the usual marks.

        Examples
        --------
        >>> table = pd.DataFrame({"age": [20] * 3, "ill": ["HIV", "hiv", "flu"]})
        >>> classes = Classes.from_frame(table, ["age"], sensitive=["ill"])
        >>> classes.as_read().sensitive["ill"].counts.toarray()
        array([[2, 1, 0]])
        """
        read = {name: c.as_read(marks) for name, c in self.sensitive.items()}
        if all(column is None for column in read.values()):
            return None
        joint = self._joint
        if joint is not None:
            codes = [column.read_codes(marks) for column in self.sensitive.values()]
            joint = joint.relabeled(codes)
        columns = {name: read[name] or c for name, c in self.sensitive.items()}
        return replace(self, sensitive=columns, _joint=joint)

    def sensitive_columns(self, name: Hashable | None) -> list[SensitiveCounts]:
        """One sensitive column by name, or all of them; never none."""
        return [self.sensitive[name] for name in self.sensitive_names(name)]

    def sensitive_names(self, name: Hashable | None) -> list[Hashable]:
        """The names of :meth:`sensitive_columns`."""
        return sensitive_names(self.sensitive, name)

    def finer(self, name: Hashable) -> tuple[SensitiveCounts, np.ndarray]:
        """A sensitive column where the other ones are quasi-identifiers too.

        Returns
        -------
        SensitiveCounts
            By finer class: rows of one class that agree in every other sensitive
            column.
        ndarray
            The class that each finer one is part of.

        Examples
        --------
        >>> table = pd.DataFrame({"q": [1] * 3, "job": list("aab"), "ill": list("xyx")})
        >>> classes = Classes.from_frame(table, ["q"], sensitive=["job", "ill"])
        >>> column, owner = classes.finer("job")
        >>> column.counts.toarray()
        array([[1, 1, 0],
               [1, 0, 0]])
        """
        column = self.sensitive[name]
        if len(self.sensitive) == 1:
            return column, np.arange(self.n_classes)
        which = list(self.sensitive).index(name)
        if self._joint is None or not self._joint.agrees(which, column.counts):
            raise NotEvaluable(
                "the sensitive columns were counted one by one; how they occur "
                "together is not known."
            )
        counts, holdings, owner = self._joint.finer(which, column.counts.shape[1])
        return replace(column, counts=counts, holdings=holdings), owner


def _refuse_unknown_columns(frame: pd.DataFrame, names: Sequence[Hashable]) -> None:
    refuse_repeated_columns(frame.columns, named=names)
    for name in names:
        if name not in frame.columns:
            raise DataError(unknown_choice("column", name, frame.columns))


def _suppressed_class(
    columns: Sequence[Column], first: np.ndarray, suppression_label: str
) -> int | None:
    """The class whose every quasi-identifier is the suppression label, if any."""
    if not len(first):
        return None
    marked = np.ones(len(first), dtype=bool)
    for column in columns:
        if column.kind in {"number", "date"}:
            return None
        at = np.flatnonzero(column.values == suppression_label)
        marked &= np.isin(column.codes[first], at)
    return int(np.flatnonzero(marked)[0]) if marked.any() else None

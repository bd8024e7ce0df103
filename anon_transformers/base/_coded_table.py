"""A table at work, and what a recoding rule makes of it."""

import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray
from sklearn import get_config
from sklearn.base import BaseEstimator

from anon_transformers._data.columns import (
    Column,
    count_rows,
    encode,
    encode_sensitive,
    identify,
    refuse_suppression_label,
    refuse_unknown,
)
from anon_transformers._data.dates import in_zone
from anon_transformers._data.readings import read_spellings
from anon_transformers._kernels.counting import add_up
from anon_transformers._kernels.grouping import GroupedRows, group_rows, sort_rows
from anon_transformers.evidence import Classes
from anon_transformers.evidence._counts import n_persons
from anon_transformers.evidence._references import ReferenceCounts
from anon_transformers.exceptions import (
    DataError,
    InfeasibleError,
    ParameterError,
    SpellingWarning,
    level_of_caller,
    unknown_choice,
)
from anon_transformers.hierarchies._hierarchy import Hierarchy
from anon_transformers.roles import Roles


class Points(NamedTuple):
    """Distinct combinations of quasi-identifiers.

    ``codes`` has one row per attribute, ``weights`` counts rows, ``of_row`` gives the
    point of each coded row, -1 where a value cannot be coded, and ``n_uncoded`` counts
    the rows of which that is so.
    """

    codes: np.ndarray
    weights: np.ndarray
    of_row: np.ndarray
    n_uncoded: int = 0


def refuse_too_few(points: Points, k: int, subject: Column | None = None) -> None:
    """Refuse a table that has no ``k`` rows, or persons, to publish.

    Parameters
    ----------
    points : Points
        Of the table; see :meth:`CodedTable.points`.
    k : int
        Rows that a class must have, or persons where ``subject`` is given.
    subject : Column, optional
        Tells persons apart.

    Raises
    ------
    InfeasibleError
        With the rows and persons there are.
    """
    coded, n_coded = points.of_row >= 0, int(points.weights.sum())
    persons = None
    if subject is not None:  # a row of nobody is no person
        known = coded & (subject.codes != subject.missing_code)
        persons = len(np.unique(subject.codes[known]))
    if (n_coded if persons is None else persons) < k:
        others = points.n_uncoded
        unknown = (
            f", and {others} rows that a hierarchy does not know" if others else ""
        )
        raise InfeasibleError(f"{too_few(k, n_coded, persons)}{unknown}.")


def too_few(k: int, n_rows: int, n_persons: int | None = None) -> str:
    """Say that a table is too small for ``k``.

    Examples
    --------
    >>> too_few(50, 40)
    'k=50 needs at least as many rows, and the table has 40 rows'
    >>> too_few(50, 90, 40)
    'k=50 needs at least as many persons, and the table has 40 persons (90 rows)'
    """
    # scikit-learn wants to be told of a single sample in its own words.
    rows = "1 row (one sample)" if n_rows == 1 else f"{n_rows} rows"
    if n_persons is None:
        return f"k={k} needs at least as many rows, and the table has {rows}"
    persons = "1 person" if n_persons == 1 else f"{n_persons} persons"
    needs = f"k={k} needs at least as many persons"
    return f"{needs}, and the table has {persons} ({rows})"


@dataclass(frozen=True)
class CodedTable:
    """A table at work: coded quasi-identifiers, and what models need to judge.

    It holds every row of the table, or each distinct combination once with its weight:
    the methods that learn a rule need no more.

    Attributes
    ----------
    n_rows : int
        Rows of the table.
    quasi_identifiers : tuple of Column
        The quasi-identifiers in their order.
    sensitive : tuple of Column
        The sensitive columns.
    subject : Column or None
        Tells persons apart.
    references : mapping of column to array, optional
        How often the input has each sensitive value, where these rows are a part of it.
    weights : int64 array or None
        How many rows of the table each coded row stands for. None: one.
    """

    n_rows: int
    quasi_identifiers: tuple[Column, ...]
    sensitive: tuple[Column, ...] = ()
    subject: Column | None = None
    references: Mapping[Any, ReferenceCounts] | None = None
    weights: np.ndarray | None = None

    @property
    def n_coded_rows(self) -> int:
        """Rows that are held: those of the table, or its distinct combinations."""
        return len(self.quasi_identifiers[0].codes)

    def count_rows(self, which: np.ndarray) -> int:
        """How many rows of the table the coded rows of a mask stand for."""
        return count_rows(which, self.weights)

    def points(self) -> Points:
        """The distinct combinations of the quasi-identifiers."""
        codes, coded = self._coded()
        groups = group_rows(
            list(codes), [column.cardinality for column in self.quasi_identifiers]
        )
        of_row, weights = groups.labels, self.weights
        if coded is not None:
            of_row = np.full(self.n_coded_rows, -1, dtype=np.int32)
            of_row[coded] = groups.labels
            weights = None if weights is None else weights[coded]
        sizes = groups.sizes
        if weights is not None:
            sizes = add_up(groups.labels.astype(np.int64), weights, len(sizes))
        return Points(
            codes[:, groups.first], sizes, of_row, self.n_rows - int(sizes.sum())
        )

    def rows(self, ties: np.ndarray) -> Points:
        """Every row that can be coded as a point of its own, in an order of values.

        They are sorted by their quasi-identifiers. Rows that are equal in all of these
        stand in the order of ``ties``, a permutation of the rows: neither their place
        in the table nor a sensitive value decides which of them comes first.
        """
        assert self.weights is None, "rows are asked for, and only counts are known"
        codes, coded = self._coded()
        if coded is not None:
            ties = (np.cumsum(coded) - 1)[ties[coded[ties]]]
        order = ties[
            sort_rows(
                list(codes[:, ties]), [c.cardinality for c in self.quasi_identifiers]
            )
        ]
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        of_row = place
        if coded is not None:
            of_row = np.full(self.n_rows, -1, dtype=np.int64)
            of_row[coded] = place
        return Points(
            codes[:, order],
            np.ones(len(order), dtype=np.int64),
            of_row,
            self.n_rows - len(order),
        )

    def _coded(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Codes of the rows that have all of theirs, and which rows (None: all)."""
        codes = np.stack([column.codes for column in self.quasi_identifiers])
        if codes.min(initial=0) >= 0:
            return codes, None
        coded = np.all(codes >= 0, axis=0)
        return codes[:, coded], coded

    def classes(self, labels: np.ndarray, n_classes: int) -> Classes:
        """Evidence for classes given by one label per coded row (-1: in no class)."""
        return Classes.from_labels(
            labels,
            n_classes,
            sensitive=self.sensitive,
            subject=self.subject,
            weights=self.weights,
            references=self.references,
        )

    def reference(self, column: Column) -> ReferenceCounts:
        """How often this table has each value of one of its sensitive columns."""
        return ReferenceCounts.of_column(column, self.subject, self.weights)

    def part(self, rows: np.ndarray) -> "CodedTable":
        """Some of the coded rows, which models still compare with the whole input."""

        def of(column: Column) -> Column:
            return replace(column, codes=column.codes[rows])

        references = self.references or {
            column.name: self.reference(column) for column in self.sensitive
        }
        return CodedTable(
            self.count_rows(rows),
            tuple(map(of, self.quasi_identifiers)),
            tuple(map(of, self.sensitive)),
            None if self.subject is None else of(self.subject),
            references,
            None if self.weights is None else self.weights[rows],
        )

    @property
    def persons_move(self) -> bool:
        """Whether some person has several combinations of quasi-identifiers.

        Such a person may be in several classes, so that the persons of a union are not
        those of its parts added up: it can be less diverse than each part.
        """
        if self.subject is None:
            return False
        known = self.subject.codes != self.subject.missing_code
        combinations = self.points().of_row[known]
        pairs = group_rows(
            [self.subject.codes[known], combinations + 1],
            [self.subject.cardinality, int(combinations.max(initial=0)) + 2],
        )
        return len(pairs.first) > n_persons(self.subject)


def encode_table(
    frame: pd.DataFrame,
    roles: Roles,
    hierarchies: Mapping[Any, Any],
    hierarchy_of: Callable[[pd.Series], Any],
    suppression_label: str,
    weights: np.ndarray | None = None,
) -> CodedTable:
    """Code a table by its roles; ``hierarchy_of`` gives the hierarchy of a column.

    ``weights`` are the rows that each row of ``frame`` stands for.
    """
    names, sensitive = roles.quasi_identifiers, roles.sensitive
    refuse_unknown_hierarchies(hierarchies, [*names, *sensitive])
    coded = tuple(
        encode(frame[name], hierarchy_of(frame[name]), weights=weights)
        for name in names
    )
    for column in coded:
        refuse_suppression_label(column, frame[column.name], suppression_label, weights)
        warn_of_spellings(column)
    refuse_unknown(*coded, weights=weights)
    return CodedTable(
        len(frame) if weights is None else int(weights.sum()),
        coded,
        tuple(
            encode_sensitive(frame[name], hierarchies.get(name)) for name in sensitive
        ),
        None if roles.subject is None else identify(frame[roles.subject]),
        weights=weights,
    )


def warn_of_spellings(column: Column) -> None:
    """Warn where values of a text column differ only in how they are written."""
    if column.kind != "category":
        return
    # A mark of a missing value is a value of its own here: nobody counts it twice.
    codes = read_spellings(column.values.tolist())
    if codes is not None:
        n_values, n_read = len(codes) - 1, int(codes[-1])
        warnings.warn(
            f"column {column.name!r}: {n_values} texts are {n_read} values to a "
            "reader, who overlooks case, blanks and spellings of a number. Classes "
            "are told apart by text; write each value one way.",
            SpellingWarning,
            stacklevel=level_of_caller(),
        )


def refuse_unknown_hierarchies(
    hierarchies: Mapping[Any, Any], legal: Sequence[Hashable]
) -> None:
    """Refuse a hierarchy of a column that has no use for one."""
    for name in hierarchies:
        if name not in legal:
            message = unknown_choice("column", name, legal)
            raise ParameterError(f"hierarchies: {message}")


@dataclass(frozen=True)
class PublishedColumn:
    """A quasi-identifier as it is published.

    Attributes
    ----------
    codes : int array
        For each row the position of its label; -1 where no label covers the row.
    labels : ndarray
        Published values; a missing one is None (or NaN, NaT).
    shares : float array
        For each label the share of the attribute's domain it covers: 0 for a single
        value, 1 for everything.
    zone : tzinfo or None
        Time zone of labels that are moments of UTC.
    """

    codes: np.ndarray
    labels: np.ndarray
    shares: np.ndarray
    zone: tzinfo | None = None

    def decode(self, suppressed: np.ndarray, suppression_label: str) -> ExtensionArray:
        """Published cells; suppressed numbers and dates are missing."""
        hidden = suppressed | (self.codes < 0)
        codes = np.where(hidden, len(self.labels), self.codes)
        gap: Any = {"O": suppression_label, "M": np.datetime64("NaT")}.get(
            self.labels.dtype.kind, np.nan
        )
        return in_zone(np.append(self.labels, gap), self.zone).array.take(codes)

    def loss(self, suppressed: np.ndarray, weights: np.ndarray | None = None) -> float:
        """Mean share over all rows; a suppressed row counts as 1."""
        codes = np.where(suppressed, -1, self.codes) if suppressed.any() else self.codes
        rows = np.bincount(codes + 1, weights, minlength=len(self.shares) + 1)
        n_rows = len(codes) if weights is None else weights.sum()
        return float((rows[0] + rows[1:] @ self.shares) / n_rows)


def refuse_ambiguous_labels(
    table: CodedTable, published: list[PublishedColumn], suppression_label: str
) -> None:
    """Refuse labels that a reader would take for the suppression label.

    The root of a hierarchy may be that label: both stand for every value.
    """
    for column, recoded in zip(table.quasi_identifiers, published, strict=True):
        if recoded.labels.dtype != object:
            continue
        marked = recoded.labels == suppression_label
        if not marked.any():
            continue
        if column.hierarchy is not None:
            marked &= (recoded.shares < 1) & _names_a_part(
                column.hierarchy, suppression_label
            )
        count = table.count_rows(np.append(marked, False)[recoded.codes])
        if count:
            raise DataError(
                f"column {column.name!r} would be published with the suppression label "
                f"{suppression_label!r} in {count} rows that are not suppressed; "
                "choose another with suppression_label=."
            )


def _names_a_part(hierarchy: Hierarchy, name: str) -> bool:
    """Whether a group, at some level, has this name and not every value."""
    levels = map(hierarchy.level, range(hierarchy.n_levels))
    return any(
        bool((level.leaf_counts[level.labels == name] < len(level.codes)).any())
        for level in levels
    )


def without_unused_categories(table: pd.DataFrame) -> pd.DataFrame:
    """A table whose categories do not name the values of rows that are gone."""
    return table.assign(
        **{
            name: table[name].cat.remove_unused_categories()
            for name in table.columns
            if isinstance(table[name].dtype, pd.CategoricalDtype)
        }
    )


def group_published(columns: list[PublishedColumn]) -> GroupedRows:
    """Rows by published combination; a row without a label is marked by code 0."""
    return group_rows(
        [column.codes + 1 for column in columns],
        [len(column.labels) + 1 for column in columns],
    )


def approved(codes: np.ndarray, columns: list[PublishedColumn]) -> np.ndarray:
    """Rows whose combination of labels is one of the columns of ``codes``."""
    n_codes = codes.shape[1]
    joined = group_rows(
        [
            np.concatenate((own, column.codes)) + 1
            for own, column in zip(codes, columns, strict=True)
        ],
        [len(column.labels) + 1 for column in columns],
    )
    return np.isin(joined.labels[n_codes:], joined.labels[:n_codes])


def index_is_asked_for(estimator: BaseEstimator) -> bool:
    """Whether ``set_output`` asks for a frame that lines up with the input.

    By default no index is published: its labels may be names. ``set_output`` means that
    scikit-learn goes on working with the rows, and joins frames by their index.
    """
    own = getattr(estimator, "_sklearn_output_config", {}).get("transform")
    return (own or get_config()["transform_output"]) != "default"

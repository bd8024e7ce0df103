"""How often sensitive values occur: in a class, in a reference, in finer classes."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import sparse

from anon_transformers._evidence_candidates import Candidates, intersect_classes
from anon_transformers._kernels.counting import merge_rows
from anon_transformers._kernels.grouping import group_rows
from anon_transformers._readings import read_values
from anon_transformers._tables import Column, identify, natural_key, to_text
from anon_transformers.exceptions import DataError, ParameterError, unknown_choice
from anon_transformers.hierarchies._hierarchy import Hierarchy

Origin = Literal["input", "released"]


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
        self, reference: np.ndarray, origin: Origin, persons: int | None
    ) -> "SensitiveCounts":
        """The same counts beside those of a whole table."""
        return replace(
            self,
            reference=np.asarray(reference, dtype=np.int64),
            origin=origin,
            reference_persons=persons,
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
        """Classes in which some person has several values."""
        if self.holdings is None:
            return np.zeros(self.counts.shape[0], dtype=bool)
        return np.asarray(self.counts.sum(axis=1)) > self.totals

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
        places = _places(self.texts, self.hierarchy)
        groups = np.empty((self.hierarchy.n_levels - 1, self.missing + 1), np.int64)
        known = places >= 0
        own = np.arange(self.missing + 1)[~np.append(known, False)]
        for level, row in enumerate(groups):
            codes, labels, _ = self.hierarchy.level(level)
            row[:-1][known] = codes[places[known]]
            row[own] = len(labels) + np.arange(len(own))
        return groups

    @cached_property
    def _readings(self) -> dict[tuple[str, ...] | None, np.ndarray | None]:
        """What texts are read as, by the marks of a missing value."""
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
        if marks not in self._readings:
            self._readings[marks] = read_values(self.texts.tolist(), marks)
        codes = self._readings[marks]
        if codes is None:
            return None
        width = int(codes[-1]) + 1
        _, first = np.unique(codes[:-1], return_index=True)
        values = self.values[first[: width - 1]]
        reference = self._read_reference(codes, width)
        if self.holdings is not None:
            holdings = self.holdings.relabeled(codes)
            counts = holdings.counts()
        else:
            holdings, cells = None, self.counts.tocoo()
            owner, value = cells.coords
            counts = count_table(
                owner, codes[value], cells.data, self.counts.shape[0], width
            )
        return replace(
            self, values=values, counts=counts, reference=reference, holdings=holdings
        )

    def _read_reference(self, codes: np.ndarray, width: int) -> np.ndarray:
        """The reference by read value."""
        if (self.reference_persons or np.inf) >= self.reference.sum():
            return np.bincount(codes, self.reference, width).astype(np.int64)
        # Persons may hold two spellings: as many as the more frequent one, at least.
        reference = np.zeros(width, dtype=np.int64)
        np.maximum.at(reference, codes, self.reference)
        return reference

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
        for known in ("ancestors", "_readings"):
            if known in self.__dict__:
                changed.__dict__[known] = self.__dict__[known]
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


def count_table(rows, columns, mass, n_rows, n_columns) -> sparse.csr_array:
    """Sum ``mass`` by row and column."""
    return sparse.coo_array((mass, (rows, columns)), shape=(n_rows, n_columns)).tocsr()


def merge_table(
    counts: sparse.csr_array, into: np.ndarray, n_rows: int
) -> sparse.csr_array:
    """Join the rows of a table of counts."""
    n_columns = counts.shape[1]
    indptr, indices, data = merge_rows(
        counts.indptr, counts.indices, counts.data, into, n_rows, n_columns
    )
    return sparse.csr_array((data, indices, indptr), shape=(n_rows, n_columns))


def blank_row(counts: sparse.csr_array, which: int) -> sparse.csr_array:
    """Move everything that one class holds to the last column."""
    cells = counts.tocoo()
    rows, columns = cells.coords
    columns = np.where(rows == which, counts.shape[1] - 1, columns)
    return count_table(rows, columns, cells.data, *counts.shape)


def distribution(column: Any, subject: Any = None) -> dict[str | None, int]:
    """Rows by published text of a value, missing ones under None.

    This is what ``Classes.from_frame(references={name: …})`` takes. With ``subject``,
    the person of each row, it counts the persons who hold a value at least once.

    Examples
    --------
    >>> distribution(["flu", "cold", None, "flu"])
    {'cold': 1, 'flu': 2, None: 1}
    >>> distribution(["flu", "cold", None, "flu"], subject=[1, 1, 2, 1])
    {'cold': 1, 'flu': 1, None: 1}
    """
    series = column if isinstance(column, pd.Series) else pd.Series(column)
    coded = identify(series)
    persons = None if subject is None else identify(pd.Series(subject))
    return by_text(coded, held_by_value(coded, persons))


def by_text(column: Column, held: np.ndarray) -> dict[str | None, int]:
    """Counts by code as counts by published text, missing ones under None."""
    texts = [*column.texts().tolist(), None]
    counted = zip(texts, held.astype(np.int64).tolist(), strict=True)
    return {text: count for text, count in counted if count}


def held_by_value(
    column: Column, subject: Column | None = None, weights: np.ndarray | None = None
) -> np.ndarray:
    """Rows by value of a column, missing ones last; persons where they are known."""
    if subject is None:
        return np.bincount(column.codes, weights, column.cardinality)
    known = subject.codes != subject.missing_code
    holdings = Holdings.of_rows(
        np.zeros(int(known.sum()), dtype=np.int64),
        subject.codes[known],
        column.codes[known],
        1,
        column.missing_code,
    )
    return holdings.counts().toarray()[0]


def n_persons(subject: Column) -> int:
    """Persons of a whole column."""
    known = subject.codes[subject.codes != subject.missing_code]
    return int((np.bincount(known, minlength=1) > 0).sum())


def stretched(
    reference: Mapping[Any, int], column: Any, subject: Any = None
) -> dict[Any, int]:
    """A reference with the same shares and rows enough for a larger table.

    Examples
    --------
    >>> stretched({"flu": 1, "cold": 2}, ["flu", "flu", "flu"])
    {'flu': 3, 'cold': 6}
    """
    held = distribution(column, subject)
    known = [text for text in held if text is not None and reference.get(text)]
    times = max([1, *(-(-held[text] // reference[text]) for text in known)])
    return {text: rows * times for text, rows in reference.items()}


def with_reference(
    column: Column,
    series: pd.Series,
    reference: Mapping[Any, Any],
    weights: np.ndarray | None = None,
    subject: Column | None = None,
) -> tuple[Column, np.ndarray]:
    """The column with the values of a reference too, and the reference by code.

    What is released was in the input, each value at least as often. Missing cells may
    have been blanked.
    """
    texts = [key for key in reference if not (pd.isna(key) or key == "")]
    counts = _reference_rows(column.name, reference)
    given = _as_values(column, texts)
    values = _in_natural_order(column, series, given)
    place = pd.Index(values)
    lookup = np.append(place.get_indexer(pd.Index(column.values)), len(values))
    rows = np.zeros(len(values) + 1, dtype=np.int64)
    np.add.at(
        rows, place.get_indexer(pd.Index(given)), [counts[text] for text in texts]
    )
    rows[-1] = sum(counts[key] for key in counts.keys() - set(texts))
    column = replace(column, values=values, codes=lookup[column.codes].astype(np.int32))
    held = held_by_value(column, subject, weights).astype(np.int64)[:-1]
    strange = int(held[rows[:-1] == 0].sum())
    if strange:
        raise DataError(
            f"column {column.name!r} holds values in {strange} rows that its reference "
            "does not have; it belongs to another table."
        )
    beyond = int(np.maximum(held - rows[:-1], 0).sum())
    if beyond:
        raise DataError(
            f"column {column.name!r} holds its values in {beyond} rows more than its "
            "reference has; it belongs to another table."
        )
    return column, rows


def _reference_rows(name: Hashable, reference: Mapping[Any, Any]) -> dict[Any, int]:
    if not isinstance(reference, Mapping):
        raise ParameterError(
            f"references: what {name!r} has must be a mapping of text to rows, "
            f"got {type(reference).__name__}."
        )
    wrong = 0
    counts: dict[Any, int] = {}
    for key, rows in reference.items():
        whole = isinstance(rows, int | np.integer) and not isinstance(rows, bool)
        wrong += not whole or rows < 0
        counts[key] = int(rows) if whole else 0
    if wrong or not sum(counts.values()):
        raise ParameterError(
            f"references: what {name!r} has must count rows in whole numbers; "
            f"{wrong} of {len(reference)} entries do not."
        )
    return counts


def _as_values(column: Column, texts: list[Any]) -> np.ndarray:
    """Texts as the values that the column holds."""
    if column.kind != "number":
        return np.array([str(text) for text in texts], dtype=object)
    try:
        if column.values.dtype.kind == "M":
            moments = pd.to_datetime(pd.Series(texts, dtype=object), format="ISO8601")
            return moments.to_numpy(dtype=column.values.dtype)
        numbers = pd.to_numeric(pd.Series(texts, dtype=object)).to_numpy()
    except ValueError:
        raise DataError(
            f"references: column {column.name!r} holds numbers or dates, its reference "
            "other texts."
        ) from None
    # Texts of a narrow column are shorter than those of the same number in a wide one.
    narrow = column.values.dtype.kind == "f"
    return numbers.astype(column.values.dtype) if narrow else numbers


def _in_natural_order(
    column: Column, series: pd.Series, given: np.ndarray
) -> np.ndarray:
    if column.kind == "number":
        held = column.values
        if held.dtype == object:
            held = pd.to_numeric(pd.Series(held)).to_numpy()
        return np.union1d(held, given)
    both = list(dict.fromkeys([*column.values, *given]))
    if column.kind == "ordinal":
        order = to_text(pd.Series(series.cat.categories)).tolist()
        unknown = len(set(both) - set(order))
        if unknown:
            raise DataError(
                f"references: {unknown} values for column {column.name!r} are none of "
                "its ordered categories."
            )
        both.sort(key=order.index)
        return np.array(both, dtype=object)
    texts = np.array(sorted(both), dtype=object)
    key = natural_key(series)
    return texts if key is None else texts[np.argsort(key(texts), kind="stable")]


def _places(texts: np.ndarray, tree: Hierarchy) -> np.ndarray:
    """Leaf of each value; -1 where the tree has none."""
    spelt = [_spelling(str(text), tree) for text in texts]
    places = tree.locate([text or "" for text in spelt])
    return np.where([text is None for text in spelt], -1, places)


def _spelling(text: str, tree: Hierarchy) -> str | None:
    """As the tree has it: 20 may be its 20.0."""
    for other in (text, text.removesuffix(".0"), text + ".0"):
        if other in tree:
            return other
    return None


def refuse_values_beyond(tree: Hierarchy, column: Column) -> None:
    """Refuse values that the tree of a sensitive column does not have."""
    if not isinstance(tree, Hierarchy):
        raise ParameterError(f"hierarchies: what {column.name!r} has is no Hierarchy.")
    if tree.unknown != "error":
        return
    outside = np.append(_places(column.texts(), tree) < 0, False)
    strange = int(outside[column.codes].sum())
    if strange or outside.any():
        raise DataError(
            f"column {column.name!r} holds values in {strange} rows that its hierarchy "
            "does not have; unknown='root' takes them as far from all others."
        )


def open_sensitive(
    frame: pd.DataFrame,
    sensitive: Sequence[Hashable],
    references: Mapping[Hashable, Mapping[Any, Any]] | None,
    hierarchies: Mapping[Hashable, Hierarchy] | None,
    weights: np.ndarray | None = None,
    subject: Column | None = None,
) -> tuple[list[Column], dict[Hashable, np.ndarray]]:
    """The sensitive columns with their trees, and the references by code.

    ``weights`` are the rows that each row of ``frame`` stands for, ``subject`` the
    persons whom the references count.
    """
    references, hierarchies = references or {}, hierarchies or {}
    for option, given in (("references", references), ("hierarchies", hierarchies)):
        for name in given:
            if name not in sensitive:
                told = unknown_choice("sensitive column", name, sensitive)
                raise ParameterError(f"{option}: {told}")
    columns, by_code = [], {}
    for name in sensitive:
        column = identify(frame[name])
        if name in references:
            column, by_code[name] = with_reference(
                column, frame[name], references[name], weights, subject
            )
        if name in hierarchies:
            refuse_values_beyond(hierarchies[name], column)
            column = replace(column, hierarchy=hierarchies[name])
        columns.append(column)
    return columns, by_code


def persons_by_class(
    labels: np.ndarray, codes: np.ndarray, subject: Column, n_classes: int
) -> sparse.csr_array:
    """Class by person. Rows without a person count as nobody."""
    known = codes != subject.missing_code
    ones = np.ones(known.sum(), dtype=np.int64)
    return count_table(
        labels[known], codes[known], ones, n_classes, len(subject.values)
    )

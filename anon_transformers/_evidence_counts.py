"""How often sensitive values occur: in a class, in a reference, in finer classes."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import sparse

from anon_transformers._columns import rows_by_value
from anon_transformers._kernels.counting import merge_rows
from anon_transformers._kernels.grouping import group_rows
from anon_transformers._tables import Column, identify, natural_key, to_text
from anon_transformers.exceptions import DataError, ParameterError, unknown_choice
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
        Rows by class and value; the last column counts missing values.
    reference : ndarray of shape (n_values + 1,)
        Rows by value in the table that the classes are compared with.
    hierarchy : Hierarchy or None
        Tree of the values, for distances between them.
    origin : {"input", "released"}
        Whose distribution ``reference`` is: that of the table before anything was
        suppressed, or that of the published one.
    ordered : bool
        Whether the order of the values means anything; that of texts does not.
    """

    values: np.ndarray
    counts: sparse.csr_array
    reference: np.ndarray
    hierarchy: Hierarchy | None = None
    origin: Origin = "released"
    ordered: bool = False

    @property
    def missing(self) -> int:
        """Column of ``counts`` that counts missing values."""
        return len(self.values)

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

    def merge(self, into: np.ndarray, n_classes: int) -> "SensitiveCounts":
        """Join classes as :meth:`Classes.merge` does."""
        merged = replace(self, counts=merge_table(self.counts, into, n_classes))
        if "ancestors" in self.__dict__:
            # The values are the same ones: a search need not look them up again.
            merged.__dict__["ancestors"] = self.ancestors
        return merged


@dataclass(frozen=True)
class JointCounts:
    """How often each combination of all sensitive columns occurs in each class.

    Attributes
    ----------
    codes : int array of shape (n_columns, n_combinations)
        The value of each sensitive column in each combination.
    counts : sparse array of shape (n_classes, n_combinations)
        Rows by class and combination.
    """

    codes: np.ndarray
    counts: sparse.csr_array

    @classmethod
    def of_rows(
        cls,
        labels: np.ndarray,
        columns: Sequence[np.ndarray],
        cardinalities: Sequence[int],
        mass: np.ndarray,
        n_classes: int,
    ) -> "JointCounts":
        """Count rows whose class is known."""
        groups = group_rows(columns, cardinalities)
        codes = np.stack([column[groups.first] for column in columns])
        counts = count_table(labels, groups.labels, mass, n_classes, len(groups.first))
        return cls(codes, counts)

    def agrees(self, which: int, counts: sparse.csr_array) -> bool:
        """Whether these are the counts of one column in the same classes."""
        cells = self.counts.tocoo()
        owner, combination = cells.coords
        if counts.shape[0] != self.counts.shape[0]:
            return False
        mine = count_table(
            owner, self.codes[which][combination], cells.data, *counts.shape
        )
        return (mine != counts).nnz == 0

    def finer(self, which: int, n_codes: int) -> tuple[sparse.csr_array, np.ndarray]:
        """Counts of one column where the others are quasi-identifiers too.

        Returns the counts by finer class, and the class each of these belongs to.
        """
        others = np.delete(self.codes, which, axis=0)
        alike = group_rows(list(others), (others.max(axis=1, initial=0) + 1).tolist())
        cells = self.counts.tocoo()
        owner, combination = cells.coords
        groups = group_rows(
            [owner, alike.labels[combination]],
            [self.counts.shape[0], max(len(alike.first), 1)],
        )
        counts = count_table(
            groups.labels,
            self.codes[which][combination],
            cells.data,
            len(groups.first),
            n_codes,
        )
        return counts, owner[groups.first]

    def blanked(self, which: int, missing: np.ndarray) -> "JointCounts":
        """The same counts with every sensitive cell of one class emptied."""
        codes = np.column_stack((self.codes, missing))
        wide = sparse.csr_array(
            (self.counts.data, self.counts.indices, self.counts.indptr),
            shape=(self.counts.shape[0], codes.shape[1]),
        )
        return JointCounts(codes, blank_row(wide, which))


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


def distribution(column: Any) -> dict[str | None, int]:
    """Rows by published text of a value, missing ones under None.

    This is what ``Classes.from_frame(references={name: …})`` takes.

    Examples
    --------
    >>> distribution(["flu", "cold", None, "flu"])
    {'cold': 1, 'flu': 2, None: 1}
    """
    series = column if isinstance(column, pd.Series) else pd.Series(column)
    return rows_by_value(identify(series))


def stretched(reference: Mapping[Any, int], column: Any) -> dict[Any, int]:
    """A reference with the same shares and rows enough for a larger table.

    Examples
    --------
    >>> stretched({"flu": 1, "cold": 2}, ["flu", "flu", "flu"])
    {'flu': 3, 'cold': 6}
    """
    held = distribution(column)
    known = [text for text in held if text is not None and reference.get(text)]
    times = max([1, *(-(-held[text] // reference[text]) for text in known)])
    return {text: rows * times for text, rows in reference.items()}


def with_reference(
    column: Column,
    series: pd.Series,
    reference: Mapping[Any, Any],
    weights: np.ndarray | None = None,
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
    codes = lookup[column.codes].astype(np.int32)
    held = np.bincount(codes, weights, len(values) + 1).astype(np.int64)[:-1]
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
    return replace(column, values=values, codes=codes), rows


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
) -> tuple[list[Column], dict[Hashable, np.ndarray]]:
    """The sensitive columns with their trees, and the references by code.

    ``weights`` are the rows that each row of ``frame`` stands for.
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
                column, frame[name], references[name], weights
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

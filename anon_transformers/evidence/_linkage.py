"""An original and what became of it, row by row: evidence that is never published."""

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import pandas as pd

from anon_transformers._data.columns import identify
from anon_transformers._data.frames import to_frame
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.exceptions import DataError, ParameterError, unknown_choice

Moved = tuple[Hashable, ...]
"""Columns whose cells moved together, from row to row."""

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Linkage:
    """Which published row belongs to which original one, and what was moved.

    Row ``i`` of ``published`` is what became of row ``i`` of ``original``: the same
    person. Cells that were swapped came from other rows of their group.

    Parameters
    ----------
    original, published : data frame
        As many rows each. Columns of the original that were not published are left
        out.
    groups : mapping of column, or tuple of columns, to int array
        For columns that moved together the group of each row. Empty where cells were
        replaced and not moved.
    sources : mapping of the same keys to int array, optional
        The row that each row's cells came from. Where it is not known, only rows whose
        cells are unique in their group tell whether they moved.
    wanted : sequence of columns, optional
        The sensitive ones, which an intruder wants to know. None: what moved alone is
        taken for it, or, where columns moved together, what did not move.

    Examples
    --------
    >>> original = pd.DataFrame({"age": [20, 22, 40, 44], "pay": [1, 2, 3, 4]})
    >>> published = original.assign(pay=[2, 1, 3, 4])
    >>> linkage = Linkage(original, published, {"pay": [0, 0, 1, 1]})
    >>> linkage.moved, linkage.group_sizes("pay")
    ((('pay',),), array([2, 2]))
    """

    original: pd.DataFrame = field(repr=False)
    published: pd.DataFrame = field(repr=False)
    groups: Mapping[Any, np.ndarray] = field(default_factory=dict, repr=False)
    sources: Mapping[Any, np.ndarray] | None = field(default=None, repr=False)
    wanted: Sequence[Hashable] | None = field(default=None, repr=False)
    _found: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    kind = "linkage"

    def __post_init__(self) -> None:
        original, published = to_frame(self.original), to_frame(self.published)
        for frame in (original, published):
            if not frame.columns.is_unique:
                raise DataError("a table of the linkage has a column twice.")
        if len(original) != len(published):
            raise DataError(
                f"the original has {len(original)} rows and the published table "
                f"{len(published)}: they cannot be linked row by row."
            )
        for name in published.columns:
            if name not in original.columns:
                raise DataError(unknown_choice("column", name, original.columns))
        original = original[list(published.columns)].reset_index(drop=True)
        object.__setattr__(self, "original", original)
        object.__setattr__(self, "published", published.reset_index(drop=True))
        object.__setattr__(self, "groups", self._by_columns("groups", self.groups))
        if self.sources is not None:
            sources = self._by_columns("sources", self.sources)
            object.__setattr__(self, "sources", sources)
            self._refuse_bad_sources(sources)
        if self.wanted is not None:
            object.__setattr__(self, "wanted", self._columns("wanted", self.wanted))

    @classmethod
    def from_classes(
        cls, original: Any, published: Any, quasi_identifiers: Sequence[Hashable]
    ) -> "Linkage":
        """Take the equivalence classes of a k-anonymous table for its groups.

        Examples
        --------
        >>> original = pd.DataFrame({"age": [20, 22, 40, 44], "pay": [1, 2, 3, 4]})
        >>> published = original.assign(age=["[20, 22]"] * 2 + ["[40, 44]"] * 2)
        >>> Linkage.from_classes(original, published, ["age"]).group_sizes("age")
        array([2, 2])
        """
        linkage = cls(original, published)
        together = linkage._columns("quasi_identifiers", quasi_identifiers)
        coded = [identify(linkage.published[name]) for name in together]
        if not coded:
            raise ParameterError(
                "quasi_identifiers is empty; name at least one column."
            )
        classes = group_rows([c.codes for c in coded], [c.cardinality for c in coded])
        return cls(original, published, {together: classes.labels})

    @property
    def n_rows(self) -> int:
        """Rows that are linked."""
        return len(self.published)

    @property
    def moved(self) -> tuple[Moved, ...]:
        """Columns that moved, by what moved together."""
        return tuple(self.groups)

    @property
    def untouched(self) -> list[Hashable]:
        """Columns that did not move."""
        gone = {name for columns in self.groups for name in columns}
        return [name for name in self.published.columns if name not in gone]

    def labels(self, columns: Any) -> np.ndarray:
        """Group of each row, numbered from 0 without a gap."""
        return _labels(self, as_columns(columns))

    def group_sizes(self, columns: Any) -> np.ndarray:
        """Rows of each group."""
        return np.bincount(self.labels(columns))

    def _by_columns(
        self, what: str, given: Mapping[Any, Any]
    ) -> dict[Moved, np.ndarray]:
        """Keys as tuples of columns that exist, values as one number per row."""
        found: dict[Moved, np.ndarray] = {}
        seen: set[Hashable] = set()
        for key, of_rows in given.items():
            columns = self._columns(what, as_columns(key))
            for name in columns:
                if name in seen:
                    raise DataError(f"{what}: column {name!r} is named twice.")
                seen.add(name)
            numbers = np.asarray(of_rows)
            if numbers.shape != (self.n_rows,) or numbers.dtype.kind not in "iu":
                raise DataError(
                    f"{what}: {columns} needs one whole number for each of "
                    f"{self.n_rows} rows."
                )
            found[columns] = numbers
        return found

    def _columns(self, what: str, names: Sequence[Hashable]) -> Moved:
        """Names of columns that exist, as a tuple."""
        for name in names:
            if name not in self.published.columns:
                message = unknown_choice("column", name, self.published.columns)
                raise DataError(f"{what}: {message}")
        return tuple(names)

    def _refuse_bad_sources(self, sources: Mapping[Moved, np.ndarray]) -> None:
        if set(sources) != set(self.groups):
            raise DataError("sources and groups must name the same columns.")
        for columns, rows in sources.items():
            if not np.array_equal(np.sort(rows), np.arange(self.n_rows)):
                raise DataError(f"sources: {columns} is no permutation of the rows.")


def as_columns(key: Any) -> Moved:
    """A column, or a tuple of them, as a tuple."""
    return key if isinstance(key, tuple) else (key,)


def cached_per_linkage(
    function: Callable[Concatenate[Linkage, P], T],
) -> Callable[Concatenate[Linkage, P], T]:
    """Compute a function of a linkage, and of columns, once for each of them.

    A judge asks for the same numbers when it decides, when it tells the level and when
    it reports. They are kept in the linkage, and go with it.
    """

    @functools.wraps(function)
    def found(linkage: Linkage, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (function.__qualname__, *map(as_columns, args), *kwargs.items())
        if key not in linkage._found:
            linkage._found[key] = function(linkage, *args, **kwargs)
        return linkage._found[key]

    return found


@cached_per_linkage
def _labels(linkage: Linkage, columns: Moved) -> np.ndarray:
    if columns not in linkage.groups:
        raise ParameterError(unknown_choice("moved columns", columns, linkage.groups))
    return np.unique(linkage.groups[columns], return_inverse=True)[1]

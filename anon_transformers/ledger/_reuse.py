"""Publish again in the cells of the last release, and nobody who would stand alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError, check_choice
from anon_transformers.ledger._published_classes import LEFT_OUT, PublishedClasses
from anon_transformers.parameters import whole

NOWHERE = -1
"""The cell of those who are not in the table."""
OWN = ("cell", "left_out", "group", "counterfeit", "published")
NEWCOMERS = 0
"""The group of those of whom nothing was decided yet, but to wait for others."""
_UNUSED = {"group": NEWCOMERS, "counterfeit": False, "published": False}
"""Of a person of whom nothing was decided yet."""


@dataclass(frozen=True, eq=False)
class CellsInUse:
    """Who has been published in which cells. Private.

    Attributes
    ----------
    members : data frame
        A row per person who was ever published, or left out for their values: the
        ``cell`` in the last table (-1: not in it), the cell that they were ``left_out``
        of the last time (-1: of none), the ``group`` of those with the same cells in
        all releases, whether a ``counterfeit`` stands in their place, whether they were
        ever ``published``, and their values as last published.
    """

    members: pd.DataFrame = field(repr=False)


@dataclass(frozen=True, eq=False)
class ReuseDecision:
    """Who is published this time. Private, except the counterfeits.

    Attributes
    ----------
    published : bool array
        Which of the persons given are in the table, each in the cell given.
    counterfeits : data frame
        ``cell`` and values of rows that are added to the table, and stand for nobody.
        How many there are in each cell is declared; which they are is not.
    in_use : CellsInUse
        For the next release.
    waiting, withheld : int
        Persons given who were never published, and who were, and are not now.
    """

    published: np.ndarray = field(repr=False)
    counterfeits: pd.DataFrame = field(repr=False)
    in_use: CellsInUse
    waiting: int
    withheld: int

    def published_classes(self) -> PublishedClasses:
        """The table as :class:`Composition` judges it.

        A person in whose place a counterfeit stands is listed: no histogram tells that
        they left. So is who was left out for their values, in a class of their own.
        """
        members = self.in_use.members
        listed = members[(members[["cell", "left_out"]] != NOWHERE).any(axis=1)]
        classes = listed["cell"].where(
            listed["left_out"] == NOWHERE, LEFT_OUT - listed["left_out"]
        )
        values = listed.drop(columns=list(OWN))
        return PublishedClasses(
            list(listed.index),
            classes.to_numpy(),
            {str(name): values[name] for name in values.columns},
        )


def reuse_cells(
    in_use: CellsInUse | None,
    persons: Any,
    cells: Any,
    values: Mapping[str, Any],
    *,
    k: int,
    l: int | Mapping[str, int],  # noqa: E741 - the model's own name
    counterfeits: bool = False,
) -> ReuseDecision:
    """Decide who is published in cells that stay as they are.

    Persons with the same cells in all releases so far are a group. A group splits only
    if each part, and what is left of it, holds k persons and l values. Joiners of a
    cell wait until k of them are there, and are published if they have l values. If
    not, they are left out, as a group that later joiners are no part of. Where fewer
    leave or move, the others of their group are withheld with them, or counterfeits
    with the values that they were published with take their place.

    Parameters
    ----------
    in_use : CellsInUse or None
        What the last decision returned; None: this is the first release.
    persons : sequence
        Keys of the persons of the source.
    cells : sequence of int
        The cell that covers each of them now; -1: none does.
    values : mapping of str to sequence
        Their values in each sensitive column.
    k : int
        Smallest number of persons.
    l : int or mapping of str to int
        Smallest number of known values of every column, or by column.
    counterfeits : bool, default=False
        Whether counterfeits may be added. No model counts them: a part that is
        published holds k persons and l values without them.

    Notes
    -----
    Who waits is decided by presence and quasi-identifiers alone. Who is left out is
    decided by values: whoever knows that k joiners are there and not published knows
    that they have fewer than l values. If they came into a table together with others
    later, the difference would show which. So they come by themselves, once they have
    l values, or never. State a ``k`` large enough that this is rare.

    Examples
    --------
    >>> first = reuse_cells(
    ...     None, list("abcd"), [0, 0, 0, 0], {"ill": list("xyxy")}, k=2, l=2
    ... )
    >>> second = reuse_cells(
    ...     first.in_use, list("abcde"), [0] * 5, {"ill": list("xyxyx")}, k=2, l=2
    ... )
    >>> second.published  # e waits
    array([ True,  True,  True,  True, False])
    >>> third = reuse_cells(
    ...     second.in_use, list("abcdef"), [0] * 6, {"ill": list("xyxyxy")}, k=2, l=2
    ... )
    >>> third.published.all()
    np.True_
    """
    limits = whole("k", k), _wanted(l, values)
    now = _opened(persons, cells, values)
    known = in_use.members if in_use is not None else now.iloc[:0].assign(**_UNUSED)
    parts = _Parts(known, now, list(values), *limits)
    outcome = np.full(len(parts.index), NOWHERE)
    filled = np.zeros(len(parts.index), dtype=bool)
    left_out = outcome.copy()
    for rows in parts.groups():
        if parts.group[rows[0]] == NEWCOMERS:
            for part in parts.of(rows):
                if parts.is_enough(part):
                    outcome[part] = parts.target[part]
                elif len(part) >= parts.k:
                    left_out[part] = parts.target[part]
        else:
            _decide(parts, rows, outcome, filled, counterfeits)
    return _decision(parts, outcome, filled, left_out)


def _decide(
    parts: "_Parts",
    rows: np.ndarray,
    outcome: np.ndarray,
    filled: np.ndarray,
    counterfeits: bool,
) -> None:
    """What becomes of a group that was decided of: which parts, or all as one."""
    held = parts.held[rows[0]]
    split = parts.of(rows)
    shown = sorted((part for part in split if parts.is_enough(part)), key=len)
    rest = np.setdiff1d(rows, np.concatenate([rows[:0], *shown]))
    while shown and len(rest) and not parts.is_enough(rest, as_published=True):
        if counterfeits:
            cells = [parts.target[part[0]] for part in shown]
            filled[rest], outcome[rest] = True, held if held in cells else cells[-1]
            break
        rest = np.concatenate([rest, shown.pop(0)])
    for part in shown:
        outcome[part] = parts.target[part]


class _Parts:
    """Persons who were decided of or are there now, by group and by cell."""

    def __init__(
        self,
        known: pd.DataFrame,
        now: pd.DataFrame,
        names: list[str],
        k: int,
        l: Mapping[str, int],  # noqa: E741
    ):
        self.k, self.names = k, names
        self.l = [l[name] for name in names]
        self.index = known.index.union(now.index, sort=False)
        last = known.reindex(self.index)
        self.given = now.reindex(self.index)
        self.rows_given = self.index.get_indexer(now.index)
        self.target = self.given["cell"].fillna(NOWHERE).to_numpy(dtype=np.int64)
        self.held = last["cell"].fillna(NOWHERE).to_numpy(dtype=np.int64)
        self.group = last["group"].fillna(NEWCOMERS).to_numpy(dtype=np.int64)
        self.published = (last["published"] == True).to_numpy()  # noqa: E712 - or NaN
        self.last = last[names]
        self._codes = [
            [pd.factorize(source[name])[0] for name in names]
            for source in (self.given, self.last)
        ]

    def groups(self) -> list[np.ndarray]:
        """Rows of each group."""
        return _runs(self.group, np.arange(len(self.group)))

    def of(self, rows: np.ndarray) -> list[np.ndarray]:
        """Rows of a group by the cell that covers them now; others in none."""
        covered = rows[self.target[rows] != NOWHERE]
        return _runs(self.target[covered], covered)

    def is_enough(self, rows: np.ndarray, as_published: bool = False) -> bool:
        """Whether rows hold k persons and l known values, as of now or as published."""
        if len(rows) < self.k:
            return False
        held = (codes[rows] for codes in self._codes[int(as_published)])
        return all(
            len(np.unique(codes[codes >= 0])) >= fewest
            for codes, fewest in zip(held, self.l, strict=True)
        )


def _wanted(given: int | Mapping[str, int], names: Iterable[str]) -> dict[str, int]:
    """How many values each column must have."""
    if not isinstance(given, Mapping):
        return dict.fromkeys(names, whole("l", given))
    for name in names:
        check_choice("l", name, given)
    return {name: whole(f"l of {name}", given[name]) for name in names}


def _runs(keys: np.ndarray, rows: np.ndarray) -> list[np.ndarray]:
    """Rows with the same key together."""
    if not len(rows):
        return []
    order = np.argsort(keys, kind="stable")
    return np.split(rows[order], np.flatnonzero(np.diff(keys[order])) + 1)


def _opened(persons: Any, cells: Any, values: Mapping[str, Any]) -> pd.DataFrame:
    clash = sorted(set(OWN) & set(values))
    if clash:
        raise DataError(f"values: columns cannot be called {clash}.")
    index = pd.Index(persons)
    repeated = int(index.duplicated().sum())
    if repeated or index.hasnans:
        raise DataError(
            f"persons: {repeated} keys occur more than once, or some are missing; "
            "list each person once."
        )
    cell = np.asarray(cells)
    columns: dict[str, Any] = {"cell": cell}
    columns |= {name: list(held) for name, held in values.items()}
    for name, column in columns.items():
        if len(column) != len(index):
            raise DataError(f"{name!r} has {len(column)} for {len(index)} persons.")
    if len(cell) and (cell.dtype.kind not in "iu" or cell.min() < NOWHERE):
        raise DataError("cells must be whole numbers of at least 0, or -1.")
    return pd.DataFrame(columns, index=index)


def _decision(
    parts: _Parts, outcome: np.ndarray, filled: np.ndarray, left_out: np.ndarray
) -> ReuseDecision:
    shown = (outcome != NOWHERE) & ~filled
    before = parts.published
    values = parts.last.copy()
    values[shown] = parts.given.loc[shown, parts.names]
    members = values.assign(
        cell=outcome,
        left_out=left_out,
        counterfeit=filled,
        published=parts.published | shown,
    )
    # Who shared all cells so far and shares this one is of one group again.
    key = pd.MultiIndex.from_arrays([parts.group, outcome, left_out])
    members["group"] = pd.factorize(key)[0] + 1
    decided = (parts.group != NEWCOMERS) | (left_out != NOWHERE) | shown
    members = members[decided]
    fill = members.loc[members["counterfeit"], ["cell", *parts.names]].reset_index(
        drop=True
    )
    published, before = shown[parts.rows_given], before[parts.rows_given]
    return ReuseDecision(
        published=published,
        counterfeits=fill,
        in_use=CellsInUse(members),
        waiting=int((~published & ~before).sum()),
        withheld=int((~published & before).sum()),
    )

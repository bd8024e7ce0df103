"""Who was in which class of earlier releases, and who may be published now."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from anon_transformers.ledger._composition import Composition, Kind
from anon_transformers.ledger._published_classes import (
    LEFT_OUT,
    SUPPRESSED_CLASS,
    PublishedClasses,
    key_words,
)
from anon_transformers.ledger._reuse import NOWHERE, CellsInUse, reuse_cells

NEVER = -2
"""The class of those who were in no table of the series."""


class WhoIsPublished(NamedTuple):
    """Which of the persons given are published. Private.

    Attributes
    ----------
    published : bool array
        One per person given.
    left_out : int array
        The cell of those who are left out for their values from now on; -1 for all
        others.
    waiting, withheld : int
        Persons given who were never published, and who were, and are not now.
    """

    published: np.ndarray
    left_out: np.ndarray
    waiting: int
    withheld: int


class PersonsSoFar:
    """The persons of earlier releases, one release after the other. Private.

    Parameters
    ----------
    sensitive : mapping of str to {"permanent", "changing"}
        The sensitive columns that are judged.
    window : int, optional
        Judge the last releases only, as :class:`Composition` does.

    Examples
    --------
    >>> so_far = PersonsSoFar({"ill": "permanent"})
    >>> so_far.add(PublishedClasses([1, 2], [0, 0], {"ill": ["x", "y"]}), stays=True)
    >>> so_far.last_classes([1, 3])
    array([ 0, -2])
    >>> so_far.decide(
    ...     [1, 2, 3], [0, 0, 0], {"ill": ["x", "y", "x"]}, k=2, l={"ill": 2}
    ... ).published
    array([ True,  True, False])
    """

    def __init__(self, sensitive: Mapping[str, Kind], *, window: int | None = None):
        self._composition = Composition(sensitive, window=window)
        self._last = np.empty(0, dtype=np.int64)
        self._published = np.empty(0, dtype=bool)
        self._values: dict[str, pd.Series] = {
            name: pd.Series([], dtype=object) for name in sensitive
        }

    def add(self, release: PublishedClasses, *, stays: bool) -> None:
        """One more release, the latest.

        Parameters
        ----------
        release : PublishedClasses
            Who was in it, and where.
        stays : bool
            Whether the number of a class means the same cell in all such releases.
        """
        self._composition = self._composition.extended(release)
        numbers, shown = self._numbers(release), release.classes > LEFT_OUT
        room = range(max(len(self._last), int(numbers.max(initial=-1)) + 1))
        grown = np.full(len(room), NEVER, dtype=np.int64)
        grown[: len(self._last)] = self._last
        if stays:
            grown[numbers[shown]] = release.classes[shown]
        self._last = grown
        ever = np.zeros(len(room), dtype=bool)
        ever[: len(self._published)] = self._published
        ever[numbers[shown]] = True
        self._published = ever
        for name, before in self._values.items():
            held = before.reindex(room).astype(object)
            held.iloc[numbers] = release.values[name].astype(object).to_numpy()
            self._values[name] = held

    def last_classes(self, persons: Any) -> np.ndarray:
        """Where each was when last in a release that stays; -2: in none."""
        numbers = self._numbers(PublishedClasses(persons, np.zeros(len(persons), int)))
        return np.append(self._last, NEVER)[np.minimum(numbers, len(self._last))]

    def decide(
        self,
        persons: Any,
        cells: Any,
        values: Mapping[str, Any],
        *,
        k: int,
        l: Mapping[str, int],  # noqa: E741 - the model's own name
        suppressed: int | None = None,
    ) -> WhoIsPublished:
        """Who is published in cells that stay as they are, as :func:`reuse_cells` says.

        Of columns that change, each group must have held l values in every release.
        That is judged as :class:`Composition` does, and groups that would fail are
        withheld.

        Parameters
        ----------
        persons : sequence
            Keys of the persons of the source, of the kind of earlier releases.
        cells : sequence of int
            The cell that covers each of them now; -1: none does.
        values : mapping of str to sequence
            Their values in each sensitive column.
        k : int
            Smallest number of persons.
        l : mapping of str to int
            Smallest number of known values, by column.
        suppressed : int, optional
            The cell whose members show the mark in every quasi-identifier.
        """
        cells = np.asarray(cells, dtype=np.int64)
        now = PublishedClasses(persons, np.maximum(cells, 0), values)
        numbers = self._numbers(now)
        listed = {name: _coded(column) for name, column in now.values.items()}
        decision = reuse_cells(self._in_use(), numbers, cells, listed, k=k, l=l)
        published = decision.published.copy()
        if published.any():
            held = np.flatnonzero(published)
            classes = cells[held]
            if suppressed is not None:
                classes = np.where(classes == suppressed, SUPPRESSED_CLASS, classes)
            shown = PublishedClasses(
                now.persons._replace(words=now.persons.words[held]),
                classes,
                {name: column.iloc[held] for name, column in now.values.items()},
            )
            report = self._composition.extended(shown).report(k, l)
            published[held] = ~np.asarray(report.to_withhold)
        before = np.isin(numbers, np.flatnonzero(self._published))
        return WhoIsPublished(
            published,
            self._left_out(numbers, cells, published, k),
            waiting=int((~published & ~before).sum()),
            withheld=int((~published & before).sum()),
        )

    def _left_out(
        self, numbers: np.ndarray, cells: np.ndarray, published: np.ndarray, k: int
    ) -> np.ndarray:
        """The cell of newcomers who are k in it, and not published; -1 for others."""
        decided = np.flatnonzero(self._composition._membership)
        new = (cells != NOWHERE) & ~np.isin(numbers, decided)
        sizes = np.bincount(cells[new], minlength=int(cells.max(initial=0)) + 1)
        enough = sizes[np.maximum(cells, 0)] >= k
        return np.where(new & enough & ~published, cells, NOWHERE)

    def _in_use(self) -> CellsInUse:
        """What :func:`reuse_cells` needs to know of earlier releases."""
        membership = self._composition._membership
        members = pd.DataFrame(dict(self._values), index=range(len(membership)))
        return CellsInUse(
            # The last cell counts for counterfeits alone, of which there are none.
            members.assign(
                cell=NOWHERE,
                left_out=NOWHERE,
                group=membership,
                counterfeit=False,
                published=self._published,
            )
        )

    def _numbers(self, release: PublishedClasses) -> np.ndarray:
        """A number of each person, which they keep in later releases."""
        return self._composition._numbered(key_words(release.persons))[2]


def _coded(column: pd.Series) -> list[int | None]:
    """Values as small numbers, which are equal where the values are."""
    return [None if code < 0 else code for code in pd.factorize(column)[0].tolist()]

"""Names of nodes: new ones that nobody had, and those of two graphs side by side."""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import count
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError

LETTER = "n"
"""New names start with it."""
DRAWN = "bcdfghjkmpqrtvwxz"
"""Letters that are drawn for new names; they make no words."""
N_DRAWN = 4
"""How many are drawn: that somebody was called so happens once in 80,000 times."""


def new_names(
    n_nodes: int, old: Iterable[Hashable], rng: np.random.Generator
) -> np.ndarray:
    """Names for nodes, in rising order, that look like none of the old ones.

    They are ``n``, four letters that are drawn once, and a number, with zeros in front
    so that all are of one length. Letters are drawn again if an old name is made of
    them and a number, in any case of letters: which ones the old names had, nobody can
    tell from those that were drawn.

    Parameters
    ----------
    n_nodes : int
        How many are needed.
    old : iterable
        Names that may not come again.
    rng : Generator
        Where the letters come from.

    Examples
    --------
    >>> names = new_names(3, ["Ann", "Bob", "Eve"], np.random.default_rng(0))
    >>> names.tolist()
    ['nwqmg0', 'nwqmg1', 'nwqmg2']
    """
    taken = {start for name in old if (start := name_start(name)) is not None}
    while True:
        drawn = rng.choice(list(DRAWN), N_DRAWN)
        start = LETTER + "".join(drawn.tolist())
        if start not in taken:
            return names_from(start, n_nodes)


def name_start(name: Hashable) -> str | None:
    """The letters before the number of a name, in lower case; None: it is not so.

    Examples
    --------
    >>> name_start(" NN07 "), name_start("Ann")
    ('nn', None)
    """
    found = re.fullmatch(rf"\s*({LETTER}[a-z]*)\d+\s*", str(name), re.I)
    return None if found is None else found[1].lower()


def names_from(start: str, n_nodes: int) -> np.ndarray:
    """Names that begin alike, and go on with numbers of one length."""
    width = len(str(max(n_nodes - 1, 0)))
    names = np.empty(n_nodes, dtype=object)
    names[:] = [f"{start}{number:0{width}}" for number in range(n_nodes)]
    return names


def are_new(names: Sequence[Hashable], old: Iterable[Hashable]) -> bool:
    """Whether names are such as :func:`new_names` gives, and none looks like an old."""
    start = name_start(names[0]) if len(names) else None
    if start is None or not re.fullmatch(f"{LETTER}[{DRAWN}]{{{N_DRAWN}}}", start):
        return not len(names)
    taken = any(name_start(name) == start for name in old)
    return not taken and list(names) == names_from(start, len(names)).tolist()


def with_more_names(old: np.ndarray, n_nodes: int) -> np.ndarray:
    """The old names, and after them names that nobody has, up to ``n_nodes``.

    Whole numbers go on counting, so that a column of them stays one. Others are ``n0``
    and so on, or ``nn0`` where that is taken, for the old names are there to be seen.

    Examples
    --------
    >>> with_more_names(np.array([7, 3]), 4).tolist()
    [7, 3, 8, 9]
    >>> with_more_names(np.array(["Ann", "n0"], dtype=object), 3).tolist()
    ['Ann', 'n0', 'nn0']
    """
    more = n_nodes - len(old)
    if not more:
        return old
    names = np.empty(n_nodes, dtype=object)
    names[: len(old)] = old
    if len(old) and all(isinstance(name, Integral) for name in old.tolist()):
        first = max(old.tolist()) + 1
        names[len(old) :] = range(first, first + more)
        return names if old.dtype == object else np.array(names.tolist())
    taken = set(map(name_start, old.tolist()))
    starts = (LETTER * times for times in count(1))
    free = next(start for start in starts if start not in taken)
    names[len(old) :] = names_from(free, more)
    return names


def mapped_names(
    names: np.ndarray, mapping: Mapping[Any, Hashable]
) -> Sequence[Hashable]:
    """New name of each old one, by what an anonymizer kept with ``keep_mapping``."""
    old = names.tolist()
    unknown = sum(name not in mapping for name in old)
    if unknown:
        raise DataError(
            f"mapping: {unknown} of {len(old)} nodes of the original have no new name "
            "in it."
        )
    new = [mapping[name] for name in old]
    if len(set(new)) < len(new):
        raise DataError(
            "mapping: several nodes have one new name; nodes that are published in "
            "groups cannot be compared one by one."
        )
    return new


def places_of(names: Sequence[Hashable], among: Sequence[Hashable]) -> np.ndarray:
    """For each name its place among others, or -1."""
    index = pd.Index(list(among), dtype=object, tupleize_cols=False)
    return index.get_indexer(pd.Index(list(names), dtype=object, tupleize_cols=False))


def matched(
    names: Sequence[Hashable], among: Sequence[Hashable], *, noise: bool = False
) -> np.ndarray:
    """For each published name its place among the original's, all of which are found.

    Two graphs without one name in common have been given other names: they are refused
    rather than compared by the order in which they happen to list their nodes.

    Parameters
    ----------
    names, among : sequences
        Published names, and those of the original.
    noise : bool, default=False
        Whether there may be published nodes that the original lacks; they follow after
        its own.

    Raises
    ------
    DataError
        If they are not the same names.
    """
    places = places_of(names, among)
    strange = places < 0
    if len(places) and strange.all():
        raise renamed_nodes()
    if strange.any() and not noise:
        raise DataError(
            f"{strange.sum()} of {len(places)} nodes of what is published have a name "
            "that no node of the original has: node by node only graphs with the same "
            "names can be compared; relabel=False keeps them."
        )
    missing = len(among) - int((~strange).sum())
    if missing:
        raise DataError(
            f"{missing} of {len(among)} nodes of the original have a name that no node "
            "of what is published has: they cannot be compared node by node."
        )
    places[strange] = np.arange(len(among), len(places))
    return places


def renamed_nodes() -> DataError:
    """What to do where names were given anew."""
    return DataError(
        "the nodes of what is published have new names, so that nobody can be matched "
        "by name: pass mapping= with the new name by old name, which an anonymizer "
        "with keep_mapping=True has as mapping_, or publish with relabel=False."
    )

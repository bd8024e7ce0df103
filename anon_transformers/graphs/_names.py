"""Names of nodes: new ones that nobody had, and those of two graphs side by side."""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError

LETTER = "n"
"""New names are this and a number; longer rows of it where somebody is called so."""


def new_names(n_nodes: int, old: Iterable[Hashable]) -> np.ndarray:
    """Names for nodes, in rising order, that look like none of the old ones.

    They are ``n0``, ``n1`` and so on, with zeros in front so that all are of one
    length. If an old name is such a letter and a number, in any case of letters, then
    they start with ``nn``, and so on. Nothing else of the old names decides them.

    Parameters
    ----------
    n_nodes : int
        How many are needed.
    old : iterable
        Names that may not come again.

    Examples
    --------
    >>> new_names(3, ["Ann", "Bob", "Eve"]).tolist()
    ['n0', 'n1', 'n2']
    >>> new_names(2, ["N7", "Bob"]).tolist()
    ['nn0', 'nn1']
    """
    # An old name in the new row would pass for the person who had it.
    matches = (re.fullmatch(rf"\s*({LETTER}+)\d+\s*", str(name), re.I) for name in old)
    taken = {len(found[1]) for found in matches if found}
    letters = 1
    while letters in taken:
        letters += 1
    width = len(str(max(n_nodes - 1, 0)))
    names = np.empty(n_nodes, dtype=object)
    names[:] = [f"{LETTER * letters}{number:0{width}}" for number in range(n_nodes)]
    return names


def with_more_names(old: np.ndarray, n_nodes: int) -> np.ndarray:
    """The old names, and after them names that nobody has, up to ``n_nodes``.

    Whole numbers go on counting, so that a column of them stays one.

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
    names[len(old) :] = new_names(more, old.tolist())
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

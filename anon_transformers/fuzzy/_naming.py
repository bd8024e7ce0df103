"""What sets are called: words for ordered ones, intervals for those with limits."""

from collections.abc import Hashable, Mapping, Sequence
from datetime import tzinfo
from itertools import pairwise
from typing import Any

import numpy as np

from anon_transformers._data.labels import range_label
from anon_transformers._data.numbers import point_text
from anon_transformers.exceptions import ParameterError, check_columns

WHOLE = "any"
"""The set of all values."""
INCOMPLETE = "missing"
"""The set of the rows that lack a value, where columns are coded together."""
WORDS: dict[int, tuple[str, ...]] = {
    1: (WHOLE,),
    2: ("Low", "High"),
    3: ("Low", "Medium", "High"),
    4: ("Very low", "Low", "High", "Very high"),
    5: ("Very low", "Low", "Medium", "High", "Very high"),
    6: ("Very low", "Low", "Rather low", "Rather high", "High", "Very high"),
    7: ("Very low", "Low", "Rather low", "Medium", "Rather high", "High", "Very high"),
}


def ordered_names(n_sets: int) -> tuple[str, ...]:
    """Words for sets of one attribute, from the lowest to the highest.

    Examples
    --------
    >>> ordered_names(3)
    ('Low', 'Medium', 'High')
    >>> ordered_names(9)[:2]
    ('set 1', 'set 2')
    """
    return WORDS.get(n_sets) or numbered_names(n_sets)


def numbered_names(n_sets: int) -> tuple[str, ...]:
    """Names of sets that have no order people would know."""
    return tuple(f"set {number + 1}" for number in range(n_sets))


def interval_names(
    breaks: np.ndarray, *, lowest: bool = True, zone: tzinfo | None = None
) -> tuple[str, ...]:
    """Names of the intervals between break points, each closed on the right.

    Parameters
    ----------
    breaks : ndarray
        Rising numbers or dates, two or more; or one, for a single value.
    lowest : bool, default=True
        Whether the first interval is closed on the left too.
    zone : tzinfo, default=None
        Where dates are moments of UTC, the zone they are shown in.

    Examples
    --------
    >>> interval_names(np.array([20, 32.5, 60]))
    ('[20, 32.5]', '(32.5, 60]')
    >>> interval_names(np.array([20, 20]))
    ('20',)
    """
    texts = [point_text(point, zone) for point in breaks]
    names = [f"({low}, {high}]" for low, high in pairwise(texts)]
    if lowest:
        names[0] = range_label(texts[0], texts[1])
    return tuple(names)


Labels = Sequence[str] | Mapping[Any, Sequence[str]] | None


def given_names(labels: Labels, columns: Sequence[Hashable]) -> list[Any]:
    """The names a user gives, one tuple per column; None where there are none.

    Parameters
    ----------
    labels : list of str, dict of column to list, or None
        As an anonymizer was given them.
    columns : sequence
        Columns that may be named.
    """
    if labels is None:
        return [None] * len(columns)
    if not isinstance(labels, Mapping):
        return [_checked_names("labels", labels)] * len(columns)
    check_columns("labels", labels, columns)
    return [
        _checked_names(f"labels of column {name!r}", labels[name])
        if name in labels
        else None
        for name in columns
    ]


def _checked_names(key: str, given: Any) -> tuple[str, ...]:
    listed = isinstance(given, Sequence) and not isinstance(given, str)
    names = tuple(given) if listed else ()
    texts = all(isinstance(name, str) and name for name in names)
    if not names or not texts or len(set(names)) < len(names):
        raise ParameterError(
            f"{key} must be a list of different texts, from the lowest set to the "
            f"highest, got {given!r}."
        )
    if INCOMPLETE in names:
        raise ParameterError(
            f"{key}: {INCOMPLETE!r} is what rows without a value are called."
        )
    return names

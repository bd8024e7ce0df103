"""Published values as places, so that two releases can be compared value by value."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from anon_transformers._data.columns import Column
from anon_transformers._data.labels import OR_MISSING, set_label, unquoted, value_label
from anon_transformers.attacks._reading import ANYTHING, Label, Reading, read_columns
from anon_transformers.exceptions import DataError, NotEvaluable
from anon_transformers.hierarchies import Hierarchy

MOST_ENTRIES = 2**26
"""Pairs of values that a table may hold."""


@dataclass(frozen=True)
class PairedColumn:
    """One column of two tables in the same places.

    Attributes
    ----------
    left, right : int32 arrays of shape (n_codes, 3)
        Places of each code: see :mod:`anon_transformers._kernels.compatibility`.
    texts : pair of object arrays
        Published text of each code.
    name : callable
        Text of what two values have in common, where it is one ground value or
        neither of them.
    table : int32 array or None
        What values that are no ranges have in common.
    singles : bool array or None
        Which entries of the table are one value.
    gaps : bool
        Whether even places are no values but what lies between them.
    """

    left: np.ndarray
    right: np.ndarray
    texts: tuple[np.ndarray, np.ndarray]
    name: Any = field(repr=False)
    table: np.ndarray | None = None
    singles: np.ndarray | None = None
    gaps: bool = False


def pair(
    left: Column, right: Column, hierarchy: Hierarchy | None, suppression_label: str
) -> PairedColumn:
    """Give the values of one column in two tables common places.

    With a hierarchy, a value covers its leaves. Without, the grammar of labels decides:
    a range covers what lies between its ends (numbers by size, anything else by its
    text), a set its members, ``suppression_label`` everything, any other text itself.
    """
    texts = left.texts_of_codes(), right.texts_of_codes()
    if hierarchy is not None:
        return _by_leaves(texts, (left, right), hierarchy, suppression_label)
    reading = read_columns((left, right), texts, suppression_label)
    return (_by_members if reading.has_sets else _by_order)(texts, reading)


def _by_order(texts: tuple[np.ndarray, np.ndarray], reading: Reading) -> PairedColumn:
    """Place single values at odd places, what lies between them at even ones."""
    rank_of, names = reading.ranks()
    top = 2 * len(names)
    sides = [
        np.array([_range(label, rank_of, top) for label in side], dtype=np.int32)
        for side in reading.labels
    ]
    name = partial(_range_text, names=names)
    return PairedColumn(sides[0], sides[1], texts, name, gaps=True)


def _range(label: Label, rank_of: dict[str, int], top: int) -> tuple[int, int, int]:
    missing = int(label.missing)
    if label.kind == "none":
        return 1, 0, 1
    if label.kind == "all":
        return 0, top, missing
    first, last = label.parts[0], label.parts[-1]
    low = 0 if first is None else 2 * rank_of[first] + 1 + label.low_open
    high = top if last is None else 2 * rank_of[last] + 1 - label.high_open
    # Between a number and itself there is nothing.
    return (low, high, missing) if low <= high else (1, 0, missing)


def _range_text(place: Sequence[int], *, names: list[str]) -> str | None:
    low, high, missing = (int(part) for part in place)
    if low > high:
        return None
    low_open, high_open = low % 2 == 0, high % 2 == 0
    top = 2 * len(names)
    if (low, high) == (0, top):
        text = ANYTHING
    elif low == 0:
        text = f"{'<' if high_open else '<='} {names[high // 2]}"
    elif high == top:
        text = f"{'>' if low_open else '>='} {names[(low - 1) // 2]}"
    elif low == high and not low_open:
        text = names[low // 2]
    else:
        first, last = names[(low - 1) // 2], names[high // 2]
        text = f"{'(' if low_open else '['}{first}, {last}{')' if high_open else ']'}"
    return text + OR_MISSING if missing else text


def _by_leaves(
    texts: tuple[np.ndarray, np.ndarray],
    columns: tuple[Column, Column],
    hierarchy: Hierarchy,
    suppression_label: str,
) -> PairedColumn:
    """Place a value on the leaves below it."""
    bounds = _leaf_bounds(hierarchy)
    sides = []
    for side, column in zip(texts, columns, strict=True):
        places = np.array(
            [_leaves(text, bounds, hierarchy, suppression_label) for text in side],
            dtype=np.int32,
        )
        unknown = int((places[:, 2] < 0)[column.codes].sum())
        if unknown:
            raise DataError(
                f"column {column.name!r} holds values in {unknown} rows that its "
                "hierarchy does not have at any level."
            )
        sides.append(places)
    names = {ends: label for label, ends in reversed(bounds.items())}
    return PairedColumn(sides[0], sides[1], texts, partial(_group_text, names=names))


def _group_text(
    place: Sequence[int], *, names: dict[tuple[int, int], str]
) -> str | None:
    """Name the lowest value of a tree that covers these leaves."""
    low, high, missing = (int(part) for part in place)
    if low > high:
        return None
    return value_label(names[low, high], missing=bool(missing))


def _leaf_bounds(hierarchy: Hierarchy) -> dict[str, tuple[int, int]]:
    """First and last leaf of each value; of a name at two levels the wider one."""
    bounds: dict[str, tuple[int, int]] = {}
    for number in range(hierarchy.n_levels):
        level = hierarchy.level(number)
        _, first = np.unique(level.codes, return_index=True)
        _, last = np.unique(level.codes[::-1], return_index=True)
        last = len(level.codes) - 1 - last
        for label, low, high in zip(level.labels, first, last, strict=True):
            before = bounds.get(label, (int(low), int(low)))
            if high - low >= before[1] - before[0]:
                bounds[label] = int(low), int(high)
    bounds[hierarchy.root] = 0, len(hierarchy.leaves) - 1
    return bounds


def _leaves(
    text: str | None,
    bounds: dict[str, tuple[int, int]],
    hierarchy: Hierarchy,
    suppression_label: str,
) -> tuple[int, int, int]:
    if text is None:
        return 1, 0, 1
    if text == suppression_label:
        return 0, len(hierarchy.leaves) - 1, 1
    missing = text not in bounds and text.endswith(OR_MISSING)
    plain = text.removesuffix(OR_MISSING) if missing else text
    for spelled in (plain, unquoted(plain), plain.removesuffix(".0")):
        if spelled in bounds:
            return *bounds[spelled], int(missing)
    at = int(hierarchy.locate([plain])[0])
    return (at, at, int(missing)) if at >= 0 else (1, 0, -1)


def _by_members(texts: tuple[np.ndarray, np.ndarray], reading: Reading) -> PairedColumn:
    """Compare sets by their members; sets are numbers whose bits are the members."""
    place, members = reading.ranks()
    if len(texts[0]) * len(texts[1]) > MOST_ENTRIES:
        raise NotEvaluable("a column has too many sets to compare each with each.")
    left, right = (_bits(side, place, len(members)) for side in reading.labels)
    common = np.bitwise_and.outer(left, right)
    number_of: dict[int, int] = {0: -1}
    for bits in (*common.ravel().tolist(), *left.tolist(), *right.tolist()):
        if bits not in number_of:
            number_of[bits] = len(number_of) - 1
    table = np.array([number_of[bits] for bits in common.ravel().tolist()])
    numbered = [bits for bits in number_of if bits]
    places = [
        np.array([(at, number_of[bits], 0) for at, bits in enumerate(side.tolist())])
        for side in (left, right)
    ]
    return PairedColumn(
        places[0].astype(np.int32),
        places[1].astype(np.int32),
        texts,
        partial(_set_text, numbered=numbered, members=members),
        table.astype(np.int32).reshape(common.shape),
        np.array([bits.bit_count() == 1 for bits in numbered], dtype=bool),
    )


def _bits(side: list[Label], place: dict[str, int], n_members: int) -> np.ndarray:
    """One whole number per label; the highest bit stands for a missing value."""
    absent = 1 << n_members
    bits = np.empty(len(side), dtype=object)
    for at, label in enumerate(side):
        inside = 0
        if label.kind == "all":
            inside = absent - 1
        elif label.kind == "range":
            low, high = label.parts
            first = 0 if low is None else place[low] + label.low_open
            last = n_members - 1 if high is None else place[high] - label.high_open
            inside = sum(1 << p for p in range(first, last + 1))
        else:
            for part in label.parts:
                inside |= 0 if part is None else 1 << place[part]
        bits[at] = inside | (absent if label.missing else 0)
    return bits


def _set_text(
    place: Sequence[int], *, numbered: list[int], members: list[str]
) -> str | None:
    bits = numbered[int(place[0])]
    inside = [member for at, member in enumerate(members) if bits >> at & 1]
    missing = bool(bits >> len(members) & 1)
    return set_label(inside, missing=missing) if inside else None

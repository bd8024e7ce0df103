"""Published values as places, so that two releases can be compared value by value."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from anon_transformers._labels import OR_MISSING, parse_set, set_label, value_label
from anon_transformers._tables import Column
from anon_transformers.exceptions import DataError, NotEvaluable
from anon_transformers.hierarchies import Hierarchy

MOST_ENTRIES = 2**26
"""Pairs of values that a table may hold."""

_END = r'("(?:[^"\\]|\\.)*"|[^,\[\]"]+)'
_RANGE = re.compile(rf"\[{_END}, {_END}([\])\[])\Z")
_BELOW = re.compile(r"< (.+)\Z")
_FROM = re.compile(r">= (.+)\Z")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?\Z")


class Label(NamedTuple):
    """One published value, read.

    Attributes
    ----------
    kind : {"all", "none", "one", "set", "range"}
        Everything, nothing but a missing value, one value, several, or all between two.
    parts : tuple
        The value, the members, or the two ends; an end that is None is open.
    missing : bool
        Whether the value may be missing.
    closed : bool
        Whether the upper end belongs to a range.
    """

    kind: str
    parts: tuple[str | None, ...] = ()
    missing: bool = False
    closed: bool = True


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
    """

    left: np.ndarray
    right: np.ndarray
    texts: tuple[np.ndarray, np.ndarray]
    name: Any = field(repr=False)
    table: np.ndarray | None = None
    singles: np.ndarray | None = None


def pair(
    left: Column, right: Column, hierarchy: Hierarchy | None, mark: str
) -> PairedColumn:
    """Give the values of one column in two tables common places.

    With a hierarchy, a value covers its leaves. Without, the grammar of labels decides:
    a range covers what lies between its ends (numbers by size, anything else by its
    text), a set its members, ``mark`` everything, any other text itself.
    """
    texts = _texts(left), _texts(right)
    if hierarchy is not None:
        return _by_leaves(texts, (left, right), hierarchy, mark)
    labels = tuple([read_label(text, mark) for text in side] for side in texts)
    kinds = {label.kind for side in labels for label in side}
    if "set" in kinds:
        return _by_members(texts, labels)
    numbers = "number" in {left.kind, right.kind}
    return _by_order(texts, labels, ordered=numbers or "range" in kinds)


def _texts(column: Column) -> np.ndarray:
    """Text of each code, the missing one last."""
    texts = np.empty(column.cardinality, dtype=object)
    texts[:-1] = column.texts()
    return texts


def read_label(text: str | None, mark: str) -> Label:
    """Read a published value by the grammar of labels.

    Examples
    --------
    >>> read_label("[-5, -1] or missing", "*")
    Label(kind='range', parts=('-5', '-1'), missing=True, closed=True)
    >>> read_label("*", "*").kind
    'all'
    """
    if text is None:
        return Label("none", missing=True)
    if text == mark:
        return Label("all", missing=True)
    missing = text.endswith(OR_MISSING)
    plain = text.removesuffix(OR_MISSING)
    if plain.startswith("{") and plain.endswith("}"):
        return Label("set", tuple(parse_set(plain)[0]), missing)
    found = _RANGE.match(plain)
    if found:
        low, high, end = found.groups()
        return Label("range", (_unquoted(low), _unquoted(high)), missing, end == "]")
    for pattern, ends in ((_BELOW, (None, 1)), (_FROM, (1, None))):
        found = pattern.match(plain)
        if found:
            parts = tuple(None if at is None else found.group(at) for at in ends)
            return Label("range", parts, missing, closed=False)
    return Label("one", (_unquoted(plain),), missing)


def _unquoted(text: str) -> str:
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except json.JSONDecodeError:
        return text


def _by_order(
    texts: tuple[np.ndarray, np.ndarray],
    labels: tuple[list[Label], ...],
    *,
    ordered: bool,
) -> PairedColumn:
    """Place single values at odd places, what lies between them at even ones."""
    ends = {
        part
        for side in labels
        for label in side
        for part in label.parts
        if part is not None and not (ordered and _is_any(label))
    }
    as_numbers = ordered and all(_NUMBER.match(end) for end in ends)
    rank_of: dict[str, int] = {}
    known: dict[Any, int] = {}
    for key, end in sorted((Decimal(e) if as_numbers else e, e) for e in ends):
        rank_of[end] = known.setdefault(key, len(known))
    top = 2 * len(known)
    names = {2 * rank + 1: end for end, rank in reversed(rank_of.items())}
    sides = [
        np.array([_range(label, rank_of, top) for label in side], dtype=np.int32)
        for side in labels
    ]
    return PairedColumn(
        sides[0], sides[1], texts, partial(_range_text, names=names, top=top)
    )


def _is_any(label: Label) -> bool:
    """Whether a box without a cut says that it covers everything."""
    return label.kind == "one" and label.parts == ("any",)


def _range(label: Label, rank_of: dict[str, int], top: int) -> tuple[int, int, int]:
    missing = int(label.missing)
    if label.kind == "none":
        return 1, 0, 1
    if label.kind == "all":
        return 0, top, missing
    first, last = label.parts[0], label.parts[-1]
    if first is not None and first not in rank_of:
        return 0, top, missing  # "any"
    low = 0 if first is None else 2 * rank_of[first] + 1
    high = top if last is None else 2 * rank_of[last] + int(label.closed)
    # A range that ends before it begins holds nothing.
    return (low, high, missing) if low <= high else (1, 0, missing)


def _range_text(place: Sequence[int], *, names: dict[int, str], top: int) -> str | None:
    low, high, missing = (int(part) for part in place)
    if low > high:
        return None
    first = names.get(low)
    last = names.get(high, names.get(high + 1))
    if first is None:
        text = "any" if high == top else f"< {last}"
    elif high == top:
        text = f">= {first}"
    elif low == high:
        text = first
    else:
        text = f"[{first}, {last}{']' if high % 2 else ')'}"
    return text + OR_MISSING if missing else text


def _by_leaves(
    texts: tuple[np.ndarray, np.ndarray],
    columns: tuple[Column, Column],
    hierarchy: Hierarchy,
    mark: str,
) -> PairedColumn:
    """Place a value on the leaves below it."""
    bounds = _leaf_bounds(hierarchy)
    sides = []
    for side, column in zip(texts, columns, strict=True):
        places = np.array(
            [_leaves(text, bounds, hierarchy, mark) for text in side], dtype=np.int32
        )
        unknown = int((places[:, 2] < 0)[column.codes].sum())
        if unknown:
            raise DataError(
                f"column {column.name!r} holds values in {unknown} rows that its "
                "hierarchy does not have at any level."
            )
        sides.append(places)
    names = {ends: label for label, ends in reversed(bounds.items())}
    return PairedColumn(sides[0], sides[1], texts, partial(_tree_text, names=names))


def _tree_text(
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
    mark: str,
) -> tuple[int, int, int]:
    if text is None:
        return 1, 0, 1
    if text == mark:
        return 0, len(hierarchy.leaves) - 1, 1
    missing = text not in bounds and text.endswith(OR_MISSING)
    plain = text.removesuffix(OR_MISSING) if missing else text
    for spelt in (plain, _unquoted(plain), plain.removesuffix(".0")):
        if spelt in bounds:
            return *bounds[spelt], int(missing)
    at = int(hierarchy.locate([plain])[0])
    return (at, at, int(missing)) if at >= 0 else (1, 0, -1)


def _by_members(
    texts: tuple[np.ndarray, np.ndarray], labels: tuple[list[Label], ...]
) -> PairedColumn:
    """Compare sets by their members; sets are numbers whose bits are the members."""
    members = sorted({p for side in labels for lab in side for p in lab.parts if p})
    place = {member: at for at, member in enumerate(members)}
    if len(labels[0]) * len(labels[1]) > MOST_ENTRIES:
        raise NotEvaluable("a column has too many sets to compare each with each.")
    left, right = (_bits(side, place) for side in labels)
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


def _bits(side: list[Label], place: dict[str, int]) -> np.ndarray:
    """One whole number a label; the highest bit stands for a missing value."""
    absent = 1 << len(place)
    bits = np.empty(len(side), dtype=object)
    for at, label in enumerate(side):
        inside = 0
        if label.kind == "all":
            inside = absent - 1
        elif label.kind == "range":
            low, high = (place.get(part or "") for part in label.parts)
            first, last = low or 0, len(place) - 1 if high is None else high
            inside = sum(1 << p for p in range(first, last + 1))
        else:
            inside = sum(1 << place[part] for part in label.parts if part)
        bits[at] = inside | (absent if label.missing else 0)
    return bits


def _set_text(
    place: Sequence[int], *, numbered: list[int], members: list[str]
) -> str | None:
    bits = numbered[int(place[0])]
    inside = [member for at, member in enumerate(members) if bits >> at & 1]
    missing = bool(bits >> len(members) & 1)
    return set_label(inside, missing=missing) if inside else None

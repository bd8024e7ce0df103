"""Published labels of one column in two tables, read alike."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, NamedTuple

import numpy as np

from anon_transformers._data.columns import Column
from anon_transformers._data.labels import (
    OR_MISSING,
    is_date,
    is_number,
    parse_ends,
    parse_set,
    unquoted,
)
from anon_transformers.exceptions import NotEvaluable

Scale = Literal["number", "date", "text"]

ANYTHING = "any"
"""Label of a box without a cut."""

# 007 is a text: where no range tells that a column holds numbers, it is not 7.
_AS_PUBLISHED = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?\Z")


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
    low_open, high_open : bool
        Whether the end of a range lies outside.
    """

    kind: str
    parts: tuple[str | None, ...] = ()
    missing: bool = False
    low_open: bool = False
    high_open: bool = False


@dataclass(frozen=True)
class Reading:
    """Labels of one column in two tables.

    Attributes
    ----------
    labels : pair of lists of Label
        One label per code.
    scale : {"number", "date", "text"}
        By what the values are ordered.
    """

    labels: tuple[list[Label], list[Label]]
    scale: Scale

    @property
    def has_sets(self) -> bool:
        """Whether a label names its members."""
        return any(label.kind == "set" for side in self.labels for label in side)

    def ranks(self) -> tuple[dict[str, int], list[str]]:
        """Rank of each value and end, and a text for each rank."""
        ends = {end for side in self.labels for end in _ends(side)}
        rank_of: dict[str, int] = {}
        names: list[str] = []
        numbers: dict[Any, int] = {}
        for key, end in sorted((_key(end, self.scale), end) for end in ends):
            if key not in numbers:
                numbers[key] = len(names)
                names.append(end)
            rank_of[end] = numbers[key]
        return rank_of, names


def read_columns(
    columns: tuple[Column, Column],
    texts: tuple[np.ndarray, np.ndarray],
    suppression_label: str,
) -> Reading:
    """Read the labels of both sides.

    A dash makes a range only where the column holds numbers: ``12-14`` may be a name.

    Raises
    ------
    NotEvaluable
        If a label of a column of ranges cannot be read: its records would match nobody.
    """
    labels = _read(texts, suppression_label)
    typed = any(c.kind == "number" and c.values.dtype.kind != "M" for c in columns)
    if not Reading(labels, "text").has_sets:
        dashed = _read(texts, suppression_label, dashes=True)
        every = all(is_number(end) for side in dashed for end in _ends(side))
        labels = dashed if typed or every or _show_numbers(labels) else labels
        if typed or _ranges(labels):
            labels = _with_anything(labels[0]), _with_anything(labels[1])
    if not _ranges(labels):
        plain = all(_AS_PUBLISHED.match(end) for side in labels for end in _ends(side))
        return Reading(labels, "number" if typed and plain else "text")
    scale = _scale(_ranges(labels), typed=typed)
    for column, side in zip(columns, labels, strict=True):
        unread = sum(not _is_readable(label, scale) for label in side)
        if unread:
            raise NotEvaluable(
                f"column {column.name!r} is one of {scale} ranges and has {unread} "
                "labels that cannot be read as such; does it need its hierarchy?"
            )
    return Reading(labels, scale)


def read_label(
    text: str | None, suppression_label: str, *, dashes: bool = False
) -> Label:
    """Read a published value by the grammar of labels.

    Examples
    --------
    >>> read_label("[-5, -1] or missing", "*").parts
    ('-5', '-1')
    >>> read_label("*", "*").kind
    'all'
    """
    if text is None:
        return Label("none", missing=True)
    if text == suppression_label:
        return Label("all", missing=True)
    missing = text.endswith(OR_MISSING)
    plain = text.removesuffix(OR_MISSING)
    if plain.startswith("{") and plain.endswith("}"):
        return Label("set", tuple(parse_set(plain)[0]), missing)
    ends = parse_ends(plain, dashes=dashes)
    if ends is not None:
        parts = ends.low, ends.high
        return Label("range", parts, missing, ends.low_open, ends.high_open)
    return Label("one", (unquoted(plain),), missing)


def _read(
    texts: tuple[np.ndarray, np.ndarray],
    suppression_label: str,
    *,
    dashes: bool = False,
) -> tuple[list[Label], list[Label]]:
    left, right = (
        [read_label(t, suppression_label, dashes=dashes) for t in side]
        for side in texts
    )
    return left, right


def _ends(side: Iterable[Label]) -> Iterable[str]:
    """Every text that has a place."""
    return (part for label in side for part in label.parts if part is not None)


def _ranges(labels: tuple[list[Label], list[Label]]) -> list[Label]:
    return [label for side in labels for label in side if label.kind == "range"]


def _show_numbers(labels: tuple[list[Label], list[Label]]) -> bool:
    """Whether one table has nothing but numbers, or a range has them at its ends."""
    for side in labels:
        ends = list(_ends(side))
        if ends and all(is_number(end) for end in ends):
            return True
    return any(all(map(is_number, _ends([label]))) for label in _ranges(labels))


def _with_anything(side: list[Label]) -> list[Label]:
    """Read the label of a box without a cut, which in other columns is a name."""
    return [
        Label("all", missing=label.missing)
        if label.kind == "one" and label.parts == (ANYTHING,)
        else label
        for label in side
    ]


def _scale(ranges: Sequence[Label], *, typed: bool) -> Scale:
    """What the ends of ranges are.

    Texts of digits in the order of texts, ``[10, 9]``, are no numbers.
    """
    numbers = all(map(is_number, _ends(ranges)))
    as_texts = (
        numbers
        and any(_is_reversed(label, "number") for label in ranges)
        and not any(_is_reversed(label, "text") for label in ranges)
    )
    if typed or (numbers and not as_texts):
        return "number"
    return "date" if all(map(is_date, _ends(ranges))) else "text"


def _is_readable(label: Label, scale: Scale) -> bool:
    fits = {"number": is_number, "date": is_date}.get(scale)
    if fits is not None and not all(map(fits, _ends([label]))):
        return False
    return label.kind != "range" or not _is_reversed(label, scale)


def _is_reversed(label: Label, scale: Scale) -> bool:
    """Whether a range ends before it begins."""
    low, high = label.parts
    return None not in {low, high} and _key(low, scale) > _key(high, scale)


def _key(end: str | None, scale: Scale) -> Any:
    return Decimal(end) if scale == "number" and end is not None else end

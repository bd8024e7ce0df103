"""One hierarchy a data type, in place of one written by hand for each column.

The rules are those of a comparison of Datafly and Mondrian (University of Zaragoza,
2017). A level belongs to the whole column: every value has been
generalized equally often.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, ClassVar

from anon_transformers.exceptions import DataError, ParameterError, unknown_choice
from anon_transformers.hierarchies._builder import HierarchyBuilder
from anon_transformers.hierarchies._hierarchy import Unknown, check_policies
from anon_transformers.hierarchies._levels import ROOT
from anon_transformers.hierarchies._normalize import Normalizer
from anon_transformers.hierarchies._rules import StepRule, TypeRule


@dataclass(frozen=True)
class CharRule(StepRule):
    """Any character becomes the root."""

    @classmethod
    def fit(cls, values: Sequence[str]) -> "CharRule":
        """The same for every column."""
        return cls()

    @property
    def n_steps(self) -> int:
        """One."""
        return 1

    def step(self, labels: Sequence[str], level: int) -> list[str]:
        """The root."""
        return [ROOT] * len(labels)


@dataclass(frozen=True)
class IntRule(StepRule):
    """Digits become 0 from the right; 1234 → 1230 → 1200 → 1000 → 0.

    Towards zero, so that negative numbers reach 0 too.
    """

    n_digits: int

    @classmethod
    def fit(cls, values: Sequence[str]) -> "IntRule":
        """As many steps as the largest number has digits."""
        digits = [value.lstrip("+-0") for value in values]
        return cls(max(1, len(max(digits, key=len))))

    @property
    def n_steps(self) -> int:
        """One per digit."""
        return self.n_digits

    def step(self, labels: Sequence[str], level: int) -> list[str]:
        """One more digit."""
        if level == 1:
            labels = [_plain(label) for label in labels]
        zeros = "0" * level
        return [
            label[:-level] + zeros if len(label) > level + (label[0] == "-") else "0"
            for label in labels
        ]


@dataclass(frozen=True)
class DoubleRule(StepRule):
    """Decimals are cut to the fewest in the column, then one by one, then digits."""

    n_decimals: int
    """What the first step leaves; -1 where there are none to cut."""

    whole: IntRule

    @classmethod
    def fit(cls, values: Sequence[str]) -> "DoubleRule":
        """Where all have equally many decimals, the first step takes one already."""
        parts = [_plain(value).partition(".") for value in values]
        counts = {len(decimals) for _, _, decimals in parts}
        shown = min(counts) - (len(counts) == 1)
        return cls(shown, IntRule.fit([whole for whole, _, _ in parts]))

    @property
    def n_steps(self) -> int:
        """One per decimal that is left after the first step, and one per digit."""
        return self.n_decimals + 1 + self.whole.n_steps

    def step(self, labels: Sequence[str], level: int) -> list[str]:
        """One more decimal, then one more digit."""
        if level == 1:
            labels = [_plain(label) for label in labels]
        left = self.n_decimals - level + 1
        # A later value may have decimals even where the column had none.
        cut = _cut(labels, max(left, 0))
        return cut if left >= 0 else self.whole.step(cut, -left)


@dataclass(frozen=True)
class DateRule(StepRule):
    """dd/mm/yyyy → mm/yyyy → yyyy, then the year as a number of four digits."""

    @classmethod
    def fit(cls, values: Sequence[str]) -> "DateRule":
        """The same for every column."""
        return cls()

    @property
    def n_steps(self) -> int:
        """Day, month and the digits of the year."""
        return 2 + len("yyyy")

    def step(self, labels: Sequence[str], level: int) -> list[str]:
        """Without the day, without the month, then one more digit."""
        if level <= len(("day", "month")):
            return [label[len("dd/") :] for label in labels]
        return IntRule(len("yyyy")).step(labels, level - 2)


@dataclass(frozen=True)
class StringRule(StepRule):
    """Texts are cut to the shortest in the column, then one character at a time."""

    n_characters: int
    """What the first step leaves."""

    @classmethod
    def fit(cls, values: Sequence[str]) -> "StringRule":
        """Where all are equally long, the first step takes a character already."""
        lengths = set(map(len, values))
        return cls(min(lengths) - (len(lengths) == 1))

    @property
    def n_steps(self) -> int:
        """One per character that is left after the first step, and the root."""
        return self.n_characters + 1

    def step(self, labels: Sequence[str], level: int) -> list[str]:
        """One more character; the last becomes the root."""
        left = self.n_characters - level + 1
        return [label[:left] for label in labels] if left else [ROOT] * len(labels)


def _cut(labels: Sequence[str], n_decimals: int) -> list[str]:
    """Decimals beyond so many are left out; never rounded, and never -0."""
    end = n_decimals + 1 if n_decimals else 0
    cut = [
        label[: label.index(".") + end] if "." in label else label for label in labels
    ]
    return [text if text[0] != "-" else _plain(text) for text in cut]


def _plain(text: str) -> str:
    """Digits without an exponent, a plus sign, or zeros before them."""
    if "e" in text or "E" in text:
        text = format(Decimal(text), "f")
    if text[0] in "123456789" or text[:2] == "0.":
        return text
    whole, point, decimals = text.lstrip("+-").partition(".")
    digits = (whole.lstrip("0") or "0") + point + decimals
    return f"-{digits}" if text[0] == "-" and digits.strip("0.") else digits


Rows = list[list[str]]


@dataclass(frozen=True)
class DataType:
    """A kind of text, and how it is made less exact.

    Attributes
    ----------
    pattern : str
        What all values of the column look like.
    text_pattern : str or None
        A narrower one for texts that nobody declared to be of this type.
    rule : callable
        From the values of a column to the generalizations of each, level by level, the
        last one the same for all; or to a rule of steps, which a hierarchy keeps for
        values that come later.
    """

    pattern: str
    rule: Callable[[Sequence[str]], Rows | StepRule]
    text_pattern: str | None = None


DATA_TYPES: dict[str, DataType] = {
    "date": DataType(r"[0-9]{2}/[0-9]{2}/[0-9]{4}", DateRule.fit),
    "int": DataType(r"[-+]?[0-9]+", IntRule.fit),
    # With an exponent, because that is how very small floats are written; among texts,
    # 12E1 is a code.
    "double": DataType(
        r"[-+]?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]{1,3})?",
        DoubleRule.fit,
        text_pattern=r"[-+]?[0-9]+([.][0-9]+)?",
    ),
    "char": DataType(r".", CharRule.fit),
    "string": DataType(r".+", StringRule.fit),
}
"""By name, in the order in which a column is tried against them."""

FIXED = (DateRule.fit, IntRule.fit, CharRule.fit)
"""Rules whose labels of a value do not depend on the other values of the column."""


def register_data_type(
    name: str, pattern: str, rule: Callable[[Sequence[str]], Rows]
) -> None:
    """Add a type, or change the rule of one; new types are tried before the others.

    Parameters
    ----------
    name : str
        By which ``ByDataType`` and ``types=`` of Datafly know it.
    pattern : str
        Regular expression that every value of such a column matches as a whole.
    rule : callable
        From the values of a column to the generalizations of each, level by level; the
        last one must be the same for all.
    """
    try:
        re.compile(pattern)
    except re.error as error:
        raise ParameterError(f"pattern is no regular expression: {error}.") from None
    added = {name: DataType(pattern, rule)}
    others = {known: kind for known, kind in DATA_TYPES.items() if known != name}
    DATA_TYPES.clear()
    DATA_TYPES.update({**added, **others})


def detect_data_type(values: Sequence[str], *, of_floats: bool = False) -> str:
    """The first type that all values look like.

    Parameters
    ----------
    values : sequence of str
        Distinct values of a column.
    of_floats : bool, default=False
        Whether they are floats as they are printed: whole ones are double, for others
        may come, and exponents are no letters.

    Examples
    --------
    >>> detect_data_type(["7", "12"]), detect_data_type(["7", "a"])
    ('int', 'char')
    >>> detect_data_type(["7", "1e-05"], of_floats=True)
    'double'
    """
    for name, kind in DATA_TYPES.items():
        pattern = kind.pattern if of_floats else kind.text_pattern or kind.pattern
        if not (of_floats and name == "int") and not _strange(values, pattern):
            return name
    raise DataError("no data type fits: there are empty texts.")


def _strange(values: Sequence[str], pattern: str) -> int:
    """How many values do not look so."""
    matches = re.compile(pattern, flags=re.S).fullmatch
    return sum(match is None for match in map(matches, values))


@dataclass(frozen=True)
class ByDataType(HierarchyBuilder):
    """Generalize by what the values look like.

    The hierarchy keeps the rule with what it took from the values, such as the length
    of the shortest: ``transform`` of Datafly treats values that come later likewise.
    Those that the rule is not for (of another type, or with more digits than it has
    steps) are unknown, and so are all where a registered type has a rule of its own.

    Parameters
    ----------
    type : str, optional
        One of ``DATA_TYPES``; by default the first that all values look like.
    unknown, normalizer
        As for :class:`Hierarchy`.

    Examples
    --------
    >>> ByDataType().build(["1234", "87"]).rows
    (('1234', '1230', '1200', '1000', '0'), ('87', '80', '0', '0', '0'))
    """

    top: ClassVar[tuple[str, ...]] = ()

    type: str | None = None
    unknown: Unknown = "error"
    normalizer: Normalizer | None = None

    def __post_init__(self) -> None:
        check_policies(self.unknown, self.normalizer)
        if self.type is not None and self.type not in DATA_TYPES:
            raise ParameterError(unknown_choice("data type", self.type, DATA_TYPES))

    @property
    def extremes(self) -> str:
        """What labels reveal that are cut to the shortest value."""
        fixed = [name for name, kind in DATA_TYPES.items() if kind.rule in FIXED]
        if self.type in fixed:
            return ""
        return (
            "Its labels are as short as the shortest value, or have as few decimals, "
            f"which one person may have. A stated type ({', '.join(fixed)}) and other "
            "kinds of hierarchies do not show it."
        )

    def rule(self, values: Sequence[str]) -> TypeRule | None:
        """The steps of the type; None, where it has a rule of its own."""
        kind, pattern = self._kind(values)
        steps = kind.rule(values)
        return TypeRule(pattern, steps) if isinstance(steps, StepRule) else None

    def ancestors(self, values: Sequence[str]) -> Rows:
        """For each value its generalizations; the last one is the root of the type."""
        kind, pattern = self._kind(values)
        rows = kind.rule(values)
        if isinstance(rows, StepRule):
            return TypeRule(pattern, rows).chains(values)
        return rows

    def _kind(self, values: Sequence[str]) -> tuple[DataType, str]:
        """The type, and what all values look like."""
        if self.type is None:
            kind = DATA_TYPES[detect_data_type(values)]
            return kind, kind.text_pattern or kind.pattern
        kind = DATA_TYPES[self.type]
        strange = _strange(values, kind.pattern)
        if strange:
            raise DataError(f"{strange} values do not look like {self.type}.")
        return kind, kind.pattern


def for_floats(builder: Any, values: Sequence[str]) -> tuple[Any, Sequence[str]]:
    """The builder for a column of floats, and its values as that one counts decimals.

    To guess a type, one must know that they are floats. Beside 1.25 the number 1 has
    one decimal, 1.0: decimals are cut to the fewest in the column.
    """
    if not isinstance(builder, ByDataType) or not values:
        return builder, values
    whole = [re.fullmatch(r"-?[0-9]+", value) is not None for value in values]
    if not all(whole):
        values = [f"{v}.0" if w else v for v, w in zip(values, whole, strict=True)]
    if builder.type is None:
        builder = replace(builder, type=detect_data_type(values, of_floats=True))
    return builder, values

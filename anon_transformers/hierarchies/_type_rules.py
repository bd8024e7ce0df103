"""What each data type loses at each level.

A rule is made for a column (:func:`fit`), takes from it what it needs to know (how many
decimals or characters its values have), and treats every other value likewise. Numbers
are cut as texts: never rounded, whatever their length.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from anon_transformers.hierarchies._levels import ROOT
from anon_transformers.hierarchies._rules import StepRule


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
        """One a digit."""
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
        """One a decimal that is left after the first step, and one a digit."""
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
        """One a character that is left after the first step, and the root."""
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

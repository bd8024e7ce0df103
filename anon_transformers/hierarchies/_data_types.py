"""One hierarchy a data type, in place of one written by hand for each column.

The rules are those of a comparison of Datafly and Mondrian (University of Zaragoza,
2017). A level belongs to the whole column: every value has been
generalized equally often.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from anon_transformers.exceptions import DataError, ParameterError, unknown_choice
from anon_transformers.hierarchies._builder import ROOT, HierarchyBuilder
from anon_transformers.hierarchies._hierarchy import Unknown, check_policies
from anon_transformers.hierarchies._normalize import Normalizer

Rule = Callable[[Sequence[str]], list[list[str]]]


@dataclass(frozen=True)
class DataType:
    """A kind of text, and how it is made less exact.

    Attributes
    ----------
    pattern : str
        What all values of the column look like.
    rule : callable
        From the values of a column to the generalizations of each, level by level; the
        last one is the same for all.
    """

    pattern: str
    rule: Rule


def generalize_char(values: Sequence[str]) -> list[list[str]]:
    """Any character becomes the root."""
    return [[ROOT] for _ in values]


def generalize_int(values: Sequence[str]) -> list[list[str]]:
    """Digits become 0 from the right; 1234 → 1230 → 1200 → 1000 → 0."""
    numbers = [int(value) for value in values]
    top = max(len(str(abs(number))) for number in numbers)
    return [[_cut_digits(n, level) for level in range(1, top + 1)] for n in numbers]


def generalize_double(values: Sequence[str]) -> list[list[str]]:
    """Decimals are cut to the fewest in the column, then one by one, then digits."""
    values = [_written_out(value) for value in values]
    decimals = [len(value.partition(".")[2]) for value in values]
    fewest, most = min(decimals), max(decimals)
    kept = (
        list(range(fewest, -1, -1))
        if most > fewest
        else list(range(fewest - 1, -1, -1))
    )
    whole = [_cut_decimals(value, 0) for value in values]
    return [
        [_cut_decimals(value, count) for count in kept] + digits
        for value, digits in zip(values, generalize_int(whole), strict=True)
    ]


def generalize_date(values: Sequence[str]) -> list[list[str]]:
    """dd/mm/yyyy → mm/yyyy → yyyy, then the year as a number of four digits."""
    rows = []
    for value in values:
        _, month, year = value.split("/")
        digits = [_cut_digits(int(year), level) for level in range(1, 5)]
        rows.append([f"{month}/{year}", year, *digits])
    return rows


def generalize_string(values: Sequence[str]) -> list[list[str]]:
    """Texts are cut to the shortest in the column, then one character at a time."""
    lengths = [len(value) for value in values]
    shortest, longest = min(lengths), max(lengths)
    first = shortest if longest > shortest else shortest - 1
    return [[value[:n] for n in range(first, 0, -1)] + [ROOT] for value in values]


DATA_TYPES: dict[str, DataType] = {
    "date": DataType(r"[0-9]{2}/[0-9]{2}/[0-9]{4}", generalize_date),
    "int": DataType(r"[-+]?[0-9]+", generalize_int),
    # With an exponent, because that is how very small floats are written.
    "double": DataType(
        r"[-+]?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]{1,3})?", generalize_double
    ),
    "char": DataType(r".", generalize_char),
    "string": DataType(r".+", generalize_string),
}
"""By name, in the order in which a column is tried against them."""


def register_data_type(name: str, pattern: str, rule: Rule) -> None:
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


def detect_data_type(values: Sequence[str]) -> str:
    """The first type that all values look like.

    Examples
    --------
    >>> detect_data_type(["7", "12"]), detect_data_type(["7", "a"])
    ('int', 'char')
    """
    for name, kind in DATA_TYPES.items():
        if all(re.fullmatch(kind.pattern, value, flags=re.S) for value in values):
            return name
    raise DataError("no data type fits: there are empty texts.")


@dataclass(frozen=True)
class ByDataType(HierarchyBuilder):
    """Generalize by what the values look like.

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

    def ancestors(self, values: Sequence[str]) -> list[list[str]]:
        """For each value its generalizations; the last one is the root of the type."""
        kind = DATA_TYPES[self.type or detect_data_type(values)]
        strange = sum(not re.fullmatch(kind.pattern, v, flags=re.S) for v in values)
        if strange:
            raise DataError(f"{strange} values do not look like {self.type}.")
        return kind.rule(values)


def _cut_digits(number: int, level: int) -> str:
    """Towards zero, so that negative numbers reach 0 too."""
    size = abs(number) - abs(number) % 10**level
    return str(-size if number < 0 else size)


def _cut_decimals(text: str, count: int) -> str:
    """Cut, not rounded; never -0."""
    whole, _, decimals = text.lstrip("+").partition(".")
    shown = f"{whole}.{decimals[:count]}" if count else whole
    return shown if any(c in "123456789" for c in shown) else shown.lstrip("-")


def _written_out(text: str) -> str:
    """Digits without an exponent."""
    return format(Decimal(text), "f") if "e" in text.lower() else text

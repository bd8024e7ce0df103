"""What the values of a column are: numbers, codes, ranges, dates, words, free text.

A kind is found from the values and their counts, and from the name of the column where
values alone do not tell: 1, 2 and 3 may be counts or codes. What is said of a column
holds counts and shares, and never a value.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from anon_transformers._data.dates import written_format
from anon_transformers.hierarchies._written_ranges import are_ranges

KindName = Literal[
    "constant", "number", "ordered ranges", "date", "nominal code", "prefix code",
    "words", "free text",
]  # fmt: skip
KINDS: tuple[KindName, ...] = get_args(KindName)

_NUMBER = re.compile(r"[-+]?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?\Z")
_WHOLE = re.compile(r"[-+]?[0-9]+\Z")
ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
ISO_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9.:+-]+\Z")
_CODE = re.compile(r"[0-9A-Z]{3,}\Z")
_DOTTED_CODE = re.compile(r"[A-Za-z]{0,3}[0-9]{1,6}([.-]?[0-9A-Za-z]{1,4})?\Z")
_NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

NOMINAL_NAMES = frozenset(
    [
        "id", "ids", "code", "codes", "cd", "type", "typ", "kind", "class",
        "category", "cat", "status", "state", "source", "reason", "group", "mode",
        "flag", "sex", "gender", "race", "region", "country", "district", "county",
        "method",
    ]
)  # fmt: skip
"""Parts of names of columns whose numbers stand for things."""
COUNTING_NAMES = frozenset(
    [
        "num", "number", "n", "count", "counts", "cnt", "age", "year", "years", "yr",
        "time", "days", "day", "hours", "hour", "minutes", "months", "weeks",
        "amount", "income", "salary", "wage", "pay", "price", "cost", "costs", "tax",
        "rent", "revenue", "height", "weight", "size", "length", "width", "score",
        "points", "rate", "temperature", "pressure", "distance", "area", "total",
        "sum", "mean", "avg", "kids", "children", "persons", "members", "rooms",
    ]
)  # fmt: skip
"""Parts of names of columns whose numbers count or measure."""
PREFIX_NAMES = frozenset(
    [
        "zip", "zipcode", "plz", "postal", "postcode", "postalcode", "cp", "icd",
        "diag", "diagnosis", "naics", "sic", "nace", "isco", "soc", "nuts", "fips",
        "hs",
    ]
)  # fmt: skip
"""Parts of names of columns whose codes are the finer the longer they are."""
FEW_CODES = 60
"""Nominal codes have at most so many different values."""
LARGEST_CODE = 999
TURNING = 0.5
"""Share of codes beside which counts turn from rising to falling, or back.

Counts of a number rise to what is usual, and fall; those of codes jump.
"""
FEWEST_TURNS = 3
LONGEST_CODE = 12
MANY_CODES = 10
SHARED_PREFIX = 0.7
"""Three characters leave at most this share of the different codes."""
LONG_TEXT = 40
MANY_WORDS = 5
OWN_TEXT = 0.3
"""Free texts repeat rarely: at least this share of the rows has a text of its own."""


@dataclass(frozen=True)
class ValueKind:
    """The kind of a column, and why.

    Attributes
    ----------
    kind : str
        One of :data:`KINDS`.
    reason : str
        Half a sentence with counts; no value of the column.
    date_format : str or None
        How dates are written, as for ``datetime.strptime``; None for ISO 8601.
    ambiguous : bool
        Whether day and month of dates could be exchanged, or years have two digits.
    whole : bool
        Whether all numbers are whole.
    decimal_comma : bool
        Whether a comma stands before the decimals of numbers.
    """

    kind: KindName
    reason: str
    date_format: str | None = None
    ambiguous: bool = False
    whole: bool = False
    decimal_comma: bool = False


def name_parts(name: str) -> list[str]:
    """The words of a column's name.

    Examples
    --------
    >>> name_parts("patient_nbr"), name_parts("admissionTypeID"), name_parts("zip3")
    (['patient', 'nbr'], ['admission', 'type', 'id'], ['zip', '3'])
    """
    return [part.lower() for part in _NAME_PARTS.findall(name)]


def find_kind(
    values: Sequence[str], counts: Sequence[int], name: str = ""
) -> ValueKind:
    """Find out what the values of a column are.

    Parameters
    ----------
    values : sequence of str
        The different values, without marks of missing ones.
    counts : sequence of int
        How often each of them occurs.
    name : str, default=""
        Name of the column.

    Examples
    --------
    >>> find_kind(["1", "2", "3", "5", "6"], [90, 2, 40, 1, 30], "type_id").kind
    'nominal code'
    >>> find_kind(["1", "2", "3"], [9, 8, 2], "num_procedures").kind
    'number'
    >>> find_kind(["[70-80)", "[80-90)"], [5, 5]).kind
    'ordered ranges'
    """
    n_values, n_rows = len(values), sum(counts)
    found = f"{n_values:,} different values in {n_rows:,} rows"
    if n_values <= 1:
        return ValueKind("constant", "one value in all rows where it is known")
    date = _date_kind(values, found)
    if date is not None:
        return date
    parts = set(name_parts(name))
    if all(_NUMBER.match(value) for value in values):
        return _numeric_kind(values, counts, parts, found)
    if are_ranges(values):
        return ValueKind("ordered ranges", f"{n_values:,} ranges that have an order")
    if _is_prefix_code(values, parts):
        return ValueKind("prefix code", f"{found}, codes whose first characters group")
    if _is_free_text(values, counts):
        return ValueKind("free text", f"{found}, long texts of many words")
    return ValueKind("words", found)


def _date_kind(values: Sequence[str], found: str) -> ValueKind | None:
    if all(ISO_DATE.match(v) or ISO_MOMENT.match(v) for v in values):
        return ValueKind("date", f"{found}, dates as ISO 8601 writes them")
    pattern = written_format(values)
    if pattern is None:
        return None
    other = None
    if pattern.startswith(("%d", "%m")) and "%b" not in pattern:
        swap = {"%d": "%m", "%m": "%d"}
        other = re.sub("%[dm]", lambda m: swap[m[0]], pattern)
    exchanged = other is not None and _all_dates(values, other)
    short = "%y" in pattern
    said = f"{found}, dates written as {pattern}"
    if exchanged:
        said += ", in which day and month could be exchanged in every value"
    if short:
        said += ", whose years have two digits"
    return ValueKind("date", said, pattern, ambiguous=exchanged or short)


def _all_dates(values: Sequence[str], pattern: str) -> bool:
    from datetime import datetime

    for value in values:
        try:
            datetime.strptime(value.strip(), pattern)
        except ValueError:
            return False
    return True


def _numeric_kind(
    values: Sequence[str], counts: Sequence[int], parts: set[str], found: str
) -> ValueKind:
    whole = all(_WHOLE.match(value) for value in values)
    if parts & PREFIX_NAMES or _is_written_code(values, parts):
        return ValueKind("prefix code", f"{found}, codes whose first digits group")
    if not whole:
        return ValueKind("number", f"{found}, numbers with decimals")
    numbers = [int(value) for value in values]
    small = (
        len(values) <= FEW_CODES and 0 <= min(numbers) <= max(numbers) <= LARGEST_CODE
    )
    if small and not parts & COUNTING_NAMES:
        if parts & NOMINAL_NAMES:
            said = "whole numbers, and the name says that they are codes"
            return ValueKind("nominal code", f"{found}, {said}", whole=True)
        turns = _turns(numbers, counts)
        if turns >= max(FEWEST_TURNS, TURNING * (len(values) - 2)):
            said = (
                f"whole numbers whose counts rise and fall {turns} times, as of codes"
            )
            return ValueKind("nominal code", f"{found}, {said}", whole=True)
    return ValueKind("number", f"{found}, whole numbers", whole=True)


def _turns(numbers: Sequence[int], counts: Sequence[int]) -> int:
    """How often counts turn from rising to falling, or back, along the numbers."""
    ordered = [count for _, count in sorted(zip(numbers, counts, strict=True))]
    steps = [b - a for a, b in itertools.pairwise(ordered) if a != b]
    return sum((a > 0) != (b > 0) for a, b in itertools.pairwise(steps))


def _is_written_code(values: Sequence[str], parts: set[str]) -> bool:
    """Digits of one length with a leading zero, or as many as a postal code has."""
    if len({len(value) for value in values}) > 1 or not values[0].isdigit():
        return False
    if len(values[0]) <= 1 or not all(_CODE.match(value) for value in values):
        return False
    zeros = any(value.startswith("0") for value in values)
    return zeros or (len(values[0]) > len("9999") and not parts & COUNTING_NAMES)


def _is_prefix_code(values: Sequence[str], parts: set[str]) -> bool:
    """Short texts with digits, of which the first characters are shared by several."""
    if parts & PREFIX_NAMES:
        return all(len(value) <= LONGEST_CODE for value in values)
    if any(len(value) > LONGEST_CODE for value in values):
        return False
    with_digits = [v for v in values if any(c.isdigit() for c in v)]
    if len({len(v) for v in values}) == 1 and all(_CODE.match(v) for v in values):
        return bool(with_digits)
    codes = sum(_DOTTED_CODE.match(value) is not None for value in values)
    shared = len({value[:3] for value in values}) <= SHARED_PREFIX * len(values)
    return len(values) >= MANY_CODES and codes >= 0.95 * len(values) and shared


def _is_free_text(values: Sequence[str], counts: Sequence[int]) -> bool:
    if len(values) < OWN_TEXT * sum(counts) or len(values) < MANY_CODES:
        return False
    lengths = sorted(len(value) for value in values)
    words = sorted(len(v.split()) for v in values)
    middle = len(values) // 2
    return words[middle] >= MANY_WORDS or lengths[middle] >= LONG_TEXT

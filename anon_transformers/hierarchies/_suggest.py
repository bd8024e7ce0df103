"""A first hierarchy for a column, from its values."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from anon_transformers.exceptions import DataError, check_choice
from anon_transformers.hierarchies._builder import HierarchyBuilder
from anon_transformers.hierarchies._dates import DateParts
from anon_transformers.hierarchies._groups import (
    as_rows,
    frequency_levels,
    is_by_frequency,
    ordered_levels,
    prefix_levels,
    word_levels,
)
from anon_transformers.hierarchies._hierarchy import (
    Hierarchy,
    Unknown,
    check_policies,
)
from anon_transformers.hierarchies._intervals import Intervals, read_decimals
from anon_transformers.hierarchies._kinds import (
    ISO_DATE,
    KINDS,
    KindName,
    ValueKind,
    find_kind,
)
from anon_transformers.hierarchies._masking import Masking
from anon_transformers.hierarchies._written_ranges import read_range

MOMENT_PARTS = ("day", "month", "quarter", "year", "decade", "century")
DOUBLED = (2, 4, 8)
"""Widths of few whole numbers, such as counts of children."""
TAIL = 0.5
"""Where 99 % of the values lie in less than this share of the range, it is skewed."""
MOST_VALUES = 0.99
CUT_SHARES = (8, 4, 2)
"""Into how many parts skewed numbers are cut, level by level."""
FROM_FREQUENCIES = (
    "rare values are joined, so that whoever reads a label learns that they are rare"
)


@dataclass(frozen=True)
class Suggestion:
    """A proposed hierarchy, and why it is proposed.

    Attributes
    ----------
    hierarchy : Hierarchy
        For the values of the column.
    kind : str
        What the values are taken for, see :func:`suggest_hierarchy`.
    reason : str
        Why, and how values are joined; it holds counts, and no value.
    stated : dict or None
        How a release file states it, where a builder makes it for any values:
        ``{"kind": "intervals", "widths": [5, 10]}``. None: it goes into a file.
    score : float or None
        How much loss it saves, see :func:`anon_transformers.proposals.score`.

    Examples
    --------
    >>> found = suggest_hierarchy(["[0-10)", "[100-110)", "[20-30)"])
    >>> found.kind, found.hierarchy.rows[0]
    ('ordered ranges', ('[0-10)', '[0, 30)', '*'))
    """

    hierarchy: Hierarchy
    kind: str
    reason: str
    stated: dict[str, Any] | None = None
    score: float | None = None


def suggest(column: Any) -> Hierarchy:
    """Propose a hierarchy for a column, from its values.

    It is the hierarchy of :func:`suggest_hierarchy`, which also says why.

    Parameters
    ----------
    column : Series or sequence
        The column, or its values; missing ones are left out.

    Examples
    --------
    >>> suggest(["34", "37", "61"]).rows[0]
    ('34', '[30, 34]', '[30, 39]', '[0, 49]', '*')
    >>> suggest(["50001", "50018"]).rows[0]
    ('50001', '5000*', '500**', '50***', '5****', '*')
    """
    return suggest_hierarchy(column).hierarchy


def suggest_hierarchy(
    column: Any, kind: KindName | None = None, *, subject: Any = None
) -> Suggestion:
    """Propose a hierarchy for a column, and say why.

    * Ranges such as ``[70-80)``, ``5 to 9`` and ``65+`` are joined with neighbors.
    * Numbers go into ranges of round widths; where few lie far from the others, into
      ranges of about equally many, cut at round numbers.
    * Whole numbers that are codes are never made into ranges: rare ones are joined.
    * Words are joined by a word they share, then rare groups are.
    * Dates go up by calendar; postal and similar codes lose characters from the right.

    Parameters
    ----------
    column : Series or sequence
        The column, or its values; missing ones are left out. The name of a Series tells
        codes from counts.
    kind : str, optional
        What the values are: "number", "ordered ranges", "date", "nominal code",
        "prefix code", "words", "free text" or "constant"; found out by default.
    subject : Series or sequence, optional
        The person of each row: how often a value occurs is counted in persons then.

    Raises
    ------
    DataError
        If there is no value, or values are not of the stated kind.

    Examples
    --------
    >>> import pandas as pd
    >>> codes = pd.Series([1] * 950 + [3] * 30 + [7] * 20, name="admission_type_id")
    >>> suggest_hierarchy(codes).hierarchy.rows[1]
    ('3', 'other values (each below 5 %)', '*')
    >>> suggest_hierarchy(["Surgery-General", "Surgery-Thoracic", "Urology"]).kind
    'words'
    """
    # The table's own way to texts, so that an anonymizer finds the same leaves.
    from anon_transformers._data.columns import leaf_texts

    values = leaf_texts(column)
    if not values:
        raise DataError("there is no value to make a hierarchy from.")
    rows = _counts(column, values, None)
    found = find_kind(values, rows, str(getattr(column, "name", None) or ""))
    if kind is not None:
        check_choice("kind", kind, KINDS)
        found = replace(found, kind=kind, reason=f"stated as {kind}; {found.reason}")
    held = rows if subject is None else _counts(column, values, subject)
    return _suggestion(values, held, found)


def _counts(column: Any, values: Sequence[str], subject: Any) -> list[int]:
    """How many rows, or persons, hold each value."""
    import pandas as pd

    from anon_transformers._data.columns import leaf_column

    series = column if isinstance(column, pd.Series) else pd.Series(column)
    codes = pd.Series(leaf_column(series)[0].codes)
    if subject is not None:
        persons = pd.factorize(pd.Series(subject).reset_index(drop=True))[0]
        codes = codes[~pd.DataFrame({"v": codes, "p": persons}).duplicated()]
    held = codes.value_counts()
    return [int(held.get(code, 0)) for code in range(len(values))]


def _suggestion(
    values: list[str], counts: Sequence[int] | None, found: ValueKind
) -> Suggestion:
    """What is proposed for values of a kind; without counts no value is rare."""
    makers = {
        "number": _numbers,
        "date": _dates,
        "ordered ranges": _ranges,
        "prefix code": _codes,
        "nominal code": _nominal,
        "words": _words,
        "free text": _words,
        "constant": _constant,
    }
    return makers[found.kind](values, counts, found)


def _numbers(
    values: list[str], counts: Sequence[int] | None, found: ValueKind
) -> Suggestion:
    builder, how = _intervals(values, counts)
    stated: dict[str, Any] = {"kind": "intervals"}
    if builder.cuts:
        stated["cuts"] = [[_plain(cut) for cut in level] for level in builder.cuts]
    else:
        stated["widths"] = [_plain(width) for width in builder.widths]
    reason = f"{found.reason}; {how}"
    return Suggestion(builder.build(values), found.kind, reason, stated)


def _dates(
    values: list[str], counts: Sequence[int] | None, found: ValueKind
) -> Suggestion:
    from anon_transformers._data.dates import DateFormat

    reason = f"{found.reason}; by month, quarter, year, decade and century"
    pattern = found.date_format
    if pattern is None:
        days = all(ISO_DATE.match(value) for value in values)
        builder = DateParts() if days else DateParts(MOMENT_PARTS)
        stated = {"kind": "dates", "parts": list(builder.parts)}
        return Suggestion(builder.build(values), found.kind, reason, stated)
    if "%y" in pattern:  # 63 may be 1963 and 2063: nobody knows the decade
        return _words(values, counts, found)
    read = [DateFormat(pattern).read(value.strip()) for value in values]
    strange = sum(moment is None for moment in read)
    if strange:
        raise DataError(f"{strange} values are no date written as {pattern}.")
    iso = [moment.date().isoformat() for moment in read if moment is not None]
    chains = {row[0]: row[1:] for row in DateParts().build(iso).rows}
    rows = [(v, *chains[day]) for v, day in zip(values, iso, strict=True)]
    # Read as dates the column has other values, for which the builder is right.
    return Suggestion(Hierarchy(rows), found.kind, reason, {"kind": "dates"})


def _ranges(
    values: list[str], counts: Sequence[int] | None, found: ValueKind
) -> Suggestion:
    strange = sum(read_range(value) is None for value in values)
    if strange:
        raise DataError(f"{strange} values are no ranges that have an order.")
    rows = as_rows(values, ordered_levels(values))
    reason = f"{found.reason}; neighbors are joined two by two"
    return Suggestion(Hierarchy(rows), found.kind, reason)


def _codes(
    values: list[str], counts: Sequence[int] | None, found: ValueKind
) -> Suggestion:
    if len({len(value) for value in values}) == 1:
        builder = Masking()
        stated = {"kind": "masking", "length": len(values[0])}
        reason = f"{found.reason}; each level hides one more character"
        return Suggestion(builder.build(values), found.kind, reason, stated)
    rows = as_rows(values, prefix_levels(values))
    reason = f"{found.reason}; by three, two and one of the first characters"
    return Suggestion(Hierarchy(rows), found.kind, reason)


def _nominal(
    values: list[str], counts: Sequence[int] | None, found: ValueKind
) -> Suggestion:
    levels = [] if counts is None else frequency_levels(values, counts)
    how = FROM_FREQUENCIES if levels else "shown whole or not at all"
    rows = as_rows(values, levels)
    return Suggestion(Hierarchy(rows), found.kind, f"{found.reason}; {how}")


def _words(
    values: list[str], counts: Sequence[int] | None, found: ValueKind
) -> Suggestion:
    levels = word_levels(values, counts)
    joins_rare = any(is_by_frequency(label) for level in levels for label in level)
    shares = any(label.startswith("any ") for level in levels for label in level)
    how = ["values that share a word are joined"] if shares else []
    how += [FROM_FREQUENCIES] if joins_rare else []
    rows = as_rows(values, levels)
    said = " and ".join(how) or "shown whole or not at all"
    return Suggestion(Hierarchy(rows), found.kind, f"{found.reason}; {said}")


def _constant(
    values: list[str], counts: Sequence[int] | None, found: ValueKind
) -> Suggestion:
    # One value is a level of its own of numbers and dates, as it always was.
    only = find_kind([*values, *values], [1, 1])
    if only.kind in {"number", "date", "prefix code"}:
        return replace(_suggestion(values, counts, only), kind=found.kind)
    return Suggestion(Hierarchy(as_rows(values, [])), found.kind, found.reason)


def _intervals(
    values: Sequence[str], counts: Sequence[int] | None
) -> tuple[Intervals, str]:
    numbers = read_decimals(values)
    cuts = [] if counts is None else _round_cuts(numbers, counts)
    if cuts:
        return Intervals(cuts=cuts), (
            "few are far from the others, so that ranges hold about equally many and "
            "are cut at round numbers"
        )
    return Intervals(widths=_widths(numbers)), "ranges of round widths"


def _round_cuts(numbers: list[Decimal], counts: Sequence[int]) -> list[list[Decimal]]:
    """Round numbers near quantiles, if few numbers take most of the range.

    They are rounded to one digit of the distance to the next one, so that no cut is
    the value of a person who is alone with it by more than chance.
    """
    ordered = sorted(zip(numbers, counts, strict=True))
    total, low, high = sum(counts), ordered[0][0], ordered[-1][0]

    def at(share: float) -> Decimal:
        held = 0
        for number, count in ordered:
            held += count
            if held >= share * total:
                return number
        return high

    if high == low or (at(MOST_VALUES) - low) / (high - low) >= Decimal(str(TAIL)):
        return []
    finest = [at(part / CUT_SHARES[0]) for part in range(1, CUT_SHARES[0])]
    finest = [*finest, at(0.95), at(MOST_VALUES)]
    cuts = sorted({_rounded(cut, at(0.75) - at(0.25)) for cut in finest})
    cuts = [cut for cut in cuts if low < cut <= high]
    levels = []
    while len(cuts) > 1:
        levels.append(cuts)
        cuts = cuts[1::2]
    return [*levels, cuts] if cuts and levels else levels


def _rounded(number: Decimal, spread: Decimal) -> Decimal:
    """The next number with few digits, no further off than a part of the spread."""
    size = max(abs(number), Decimal(1))
    step = Decimal(1).scaleb(size.adjusted())
    if spread > 0:
        step = min(step, Decimal(1).scaleb((spread / 4).adjusted()))
    return (number / step).to_integral_value() * step


def _widths(numbers: list[Decimal]) -> list[Decimal]:
    """About four levels: 5, 10, 50, 100, … times a power of ten, below the range."""
    span = max(numbers) - min(numbers)
    if not span:
        return [Decimal(1)]
    # No range is finer than the digits that are written.
    digits = max(int(number.as_tuple().exponent) for number in numbers)
    finest = max(span / 20, Decimal(1).scaleb(digits))
    if finest == 1 and digits == 0:
        few = [Decimal(width) for width in DOUBLED if _parts(numbers, width) > 1]
        return few or [Decimal(DOUBLED[-1])]
    width = Decimal(1).scaleb(finest.adjusted())
    widths = []
    while width < span:
        widths += [w for w in (width * 5, width * 10) if finest <= w < 2 * span]
        width *= 10
    several = [width for width in widths[:3] if _parts(numbers, width) > 1]
    return several or widths[:1] or [width]


def _parts(numbers: list[Decimal], width: Decimal | int) -> int:
    """How many ranges of a width the numbers lie in; of one, nothing can be told."""
    return len({number // width - (number < 0) for number in numbers})


def _plain(number: Any) -> int | float:
    """A number as a release file writes it."""
    exact = Decimal(str(number))
    return int(exact) if exact == exact.to_integral_value() else float(exact)


class Suggested(HierarchyBuilder):
    """Whatever :func:`suggest` proposes for the values of a column.

    It sees the different values alone: what is rare, it does not know.

    Parameters
    ----------
    unknown : {"error", "root", "suppress"}, default="error"
        What happens to a value that was not there at ``fit``.

    Examples
    --------
    >>> Suggested().build(["34", "37", "61"]).rows[2]
    ('61', '[60, 64]', '[60, 69]', '[50, 99]', '*')
    """

    def __init__(self, *, unknown: Unknown = "error"):
        check_policies(unknown, None)
        self.unknown = unknown

    @property
    def extremes(self) -> str:
        """What labels reveal that are chosen by the values."""
        return (
            "Its labels depend on all values: the widths of ranges on the lowest and "
            "the highest, groups of texts on what others hold, which one person may "
            "have. A stated hierarchy does not show it."
        )

    def ancestors(self, values: Sequence[str]) -> list[list[str]]:
        distinct = list(values)
        found = find_kind(distinct, [1] * len(distinct))
        rows = _suggestion(distinct, None, found).hierarchy.rows
        at = {row[0]: list(row[1:-1]) for row in rows}
        return [at[value] for value in values]

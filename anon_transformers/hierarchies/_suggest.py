"""A first hierarchy for a column, from its values."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from anon_transformers.exceptions import DataError
from anon_transformers.hierarchies._builder import HierarchyBuilder
from anon_transformers.hierarchies._data_types import ByDataType, detect_data_type
from anon_transformers.hierarchies._dates import DateParts
from anon_transformers.hierarchies._hierarchy import (
    Hierarchy,
    Unknown,
    check_policies,
)
from anon_transformers.hierarchies._intervals import Intervals
from anon_transformers.hierarchies._masking import Masking

FEW = 12
"""Up to so many different texts are shown whole or not at all."""

_NUMBER = re.compile(r"[-+]?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?\Z")
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_ISO_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9.:+-]+\Z")
_CODE = re.compile(r"[0-9A-Z]{3,}\Z")


def suggest(column: Any) -> Hierarchy:
    """Propose a hierarchy for a column, from its values.

    Dates go up by calendar, numbers by ranges whose widths double and quintuple, codes
    of one length lose characters from the right, few texts go straight to the root, and
    other texts are cut from the right.

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
    # The table's own way to texts, so that an anonymizer finds the same leaves.
    from anon_transformers._data.columns import leaf_texts

    distinct = leaf_texts(column)
    if not distinct:
        raise DataError("there is no value to make a hierarchy from.")
    return _builder(distinct).build(distinct)


def _builder(values: list[str]) -> HierarchyBuilder:
    if all(_ISO_DATE.match(value) for value in values):
        return DateParts()
    if all(_ISO_MOMENT.match(value) for value in values):
        return DateParts(("day", "month", "quarter", "year", "decade", "century"))
    if detect_data_type(values) == "date":
        return ByDataType(type="date")
    same_length = len({len(value) for value in values}) == 1
    if same_length and all(_CODE.match(value) for value in values) and _is_code(values):
        return Masking()
    if all(_NUMBER.match(value) for value in values):
        return Intervals(widths=_widths([Decimal(value) for value in values]))
    if len(values) <= FEW:
        return _Flat()
    return ByDataType(type="string")


def _is_code(values: list[str]) -> bool:
    """Letters or a leading zero, or numbers as long as a postal code."""
    odd = any(not v.isdigit() or v.startswith("0") for v in values)
    return odd or len(values[0]) > len("9999")


def _widths(numbers: list[Decimal]) -> list[Decimal]:
    """About four levels: 5, 10, 50, 100, … times a power of ten, below the range."""
    span = max(numbers) - min(numbers)
    if not span:
        return [Decimal(1)]
    # No range is finer than the digits that are written.
    digits = max(int(number.as_tuple().exponent) for number in numbers)
    finest = max(span / 20, Decimal(1).scaleb(digits))
    width = Decimal(1).scaleb(finest.adjusted())
    widths = []
    while width < span:
        widths += [w for w in (width * 5, width * 10) if finest <= w < 2 * span]
        width *= 10
    return widths[:3] or [width]


class Suggested(HierarchyBuilder):
    """Whatever :func:`suggest` proposes for the values of a column.

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
            "the highest, the length of texts on the shortest, which one person may "
            "have. A stated hierarchy does not show it."
        )

    def ancestors(self, values: Sequence[str]) -> list[list[str]]:
        rows = _builder(list(values)).build(values).rows
        at = {row[0]: list(row[1:-1]) for row in rows}
        return [at[value] for value in values]


class _Flat(HierarchyBuilder):
    """Every value, then the root."""

    def ancestors(self, values: Sequence[str]) -> list[list[str]]:
        return [[] for _ in values]

r"""The grammar of published values.

* a single value is published as it is: ``20``, ``Private``;
* a range of numbers, dates or ordered values: ``[20, 35]``, ``[-5, -1]``;
* a set of categories: ``{Private, State-gov}``, or, where it is long, the range of the
  texts in their order: ``[50001, 50990]``;
* a class that also holds missing values says so: ``[20, 35] or missing``.

A text that could be read as one of these is written as a JSON string. What a hierarchy
calls by one name at two levels, it alone can tell apart.
"""

import json
import re
from collections.abc import Sequence

OR_MISSING = " or missing"
LONGEST_SET = 20
"""A label with more members names only the first and the last."""

_PLAIN_END = re.compile(r"[^\s,\[\]\"][^,\[\]\"]*(?<!\s)\Z")
_PLAIN_MEMBER = re.compile(r"[^\s,{}\"][^,{}\"]*(?<!\s)\Z")


def range_label(low: str, high: str, *, missing: bool = False) -> str:
    """Label of every value from ``low`` to ``high``.

    Examples
    --------
    >>> range_label("-5", "-1")
    '[-5, -1]'
    >>> range_label("20", "20", missing=True)
    '20 or missing'
    >>> range_label("a, b", "c")
    '["a, b", c]'
    """
    if low == high:
        text = _single(low, like_range=True)
    else:
        text = f"[{_end(low)}, {_end(high)}]"
    return text + OR_MISSING if missing else text


def value_label(value: str, *, missing: bool = False) -> str:
    """Label of one value of a hierarchy.

    Examples
    --------
    >>> value_label("Europe", missing=True)
    'Europe or missing'
    """
    text = _single(value)
    return text + OR_MISSING if missing else text


def set_label(members: Sequence[str], *, missing: bool = False) -> str:
    """Label of a set of categories, in the order given.

    Examples
    --------
    >>> set_label(["Private", "State-gov"])
    '{Private, State-gov}'
    >>> set_label(["a, b", "c"])
    '{"a, b", c}'
    >>> set_label(["{odd}"])
    '"{odd}"'
    """
    if len(members) > LONGEST_SET:
        return range_label(members[0], members[-1], missing=missing)
    if len(members) == 1:
        text = _single(members[0], like_set=True, like_range=True)
    else:
        text = "{" + ", ".join(_member(member) for member in members) + "}"
    return text + OR_MISSING if missing else text


def parse_set(label: str) -> tuple[list[str], bool]:
    """Members of a label made by :func:`set_label`, and whether one may be missing.

    Examples
    --------
    >>> parse_set('{"a, b", c} or missing')
    (['a, b', 'c'], True)
    """
    missing = label.endswith(OR_MISSING)
    text = label.removesuffix(OR_MISSING)
    if text.startswith('"'):
        return [json.loads(text)], missing
    if not text.startswith("{"):
        return [text], missing
    pieces = re.findall(r'"(?:[^"\\]|\\.)*"|[^,{}"]+', text[1:-1])
    members = [piece.strip() for piece in pieces if piece.strip()]
    return [json.loads(m) if m.startswith('"') else m for m in members], missing


def _single(value: str, *, like_range: bool = False, like_set: bool = False) -> str:
    """Quote what could be read as another label of the same column."""
    ambiguous = (
        value.startswith('"')
        or value.endswith(OR_MISSING)
        or (like_set and value.startswith("{"))
        or (like_range and value.startswith("[") and value.endswith("]"))
    )
    return _quoted(value) if ambiguous else value


def _member(value: str) -> str:
    return value if _PLAIN_MEMBER.match(value) else _quoted(value)


def _end(value: str) -> str:
    return value if _PLAIN_END.match(value) else _quoted(value)


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)

r"""The grammar of published values.

* a single value is published as it is: ``20``, ``Private``;
* a range of numbers, dates or ordered values: ``[20, 35]``, ``[-5, -1]``;
* a set of categories: ``{Private, State-gov}``, or, where it is long, the range of the
  texts in their order: ``[50001, 50990]``;
* a class that also holds missing values says so: ``[20, 35] or missing``.

A text that could be read as one of these is written as a JSON string. What a hierarchy
calls by one name at two levels, it alone can tell apart.

More is read than is written, for other tools write it: see :func:`parse_ends`.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

OR_MISSING = " or missing"
LONGEST_SET = 20
"""A label with more members names only the first and the last."""

_PLAIN_END = re.compile(r"[^\s,\[\]\"][^,\[\]\"]*(?<!\s)\Z")
_PLAIN_MEMBER = re.compile(r"[^\s,{}\"][^,{}\"]*(?<!\s)\Z")

_READ_END = r'("(?:[^"\\]|\\.)*"|[^,\[\]"]+?)'
_BRACKETS = re.compile(rf"([\[\](])\s*{_READ_END}\s*,\s*{_READ_END}\s*([\])\[])\Z")
_SIDED = re.compile(r"(>=|<=|>|<)(\s*)(.+)\Z")
_DIGITS = r"[-+]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][-+]?[0-9]{1,3})?"
_NUMBER = re.compile(rf"\s*{_DIGITS}\s*\Z")
_DASHED = re.compile(rf"(\[?)\s*({_DIGITS})\s*-\s*({_DIGITS})\s*(\]?)\Z")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")


@dataclass(frozen=True)
class Ends:
    """The two ends of a range as they are written; None where it is open-ended.

    Attributes
    ----------
    low, high : str or None
        What stands at each end.
    low_open, high_open : bool
        Whether the end itself lies outside.
    """

    low: str | None
    high: str | None
    low_open: bool = False
    high_open: bool = False


def parse_ends(label: str, *, dashes: bool = False) -> Ends | None:
    """Read a range of anything that has an order: numbers, dates, texts.

    With any number of blanks between their parts:

    * brackets, closed or open on either side: ``[20, 35]``, ``[20, 30)``,
      ``[20, 30[``, ``]20, 30]``, ``(20, 30]``;
    * one side: ``>= 80``, ``>80``, ``< 20``, ``<=19``;
    * if asked for, a dash between numbers, with or without brackets, both ends inside:
      ``20-39``, ``[20-39]``, ``-5--1``;
    * any of these with `` or missing`` behind it.

    Texts such as ``<=50K`` and ``(Smith, John)`` are names: where an end is neither a
    number nor a date, only what this library itself writes is a range.

    Examples
    --------
    >>> parse_ends("[2020-01-01, 2020-12-31]").high
    '2020-12-31'
    >>> parse_ends("5-10", dashes=True).low
    '5'
    >>> parse_ends("Europe") is None
    True
    """
    text = label.removesuffix(OR_MISSING).strip()
    brackets = _BRACKETS.match(text)
    if brackets:
        left, low, high, right = brackets.groups()
        ends = Ends(unquoted(low), unquoted(high), left != "[", right != "]")
        return ends if left == "[" or _measured(ends) else None
    sided = _SIDED.match(text)
    if sided:
        sign, blank, end = sided.groups()
        ends = Ends(None, end, high_open=sign == "<")
        if sign[0] == ">":
            ends = Ends(end, None, low_open=sign == ">")
        return ends if blank or _measured(ends) else None
    dashed = _DASHED.match(text) if dashes else None
    if dashed and bool(dashed[1]) == bool(dashed[4]):
        # 12345-6789 is the code of a place.
        ascends = float(dashed[2]) <= float(dashed[3])
        return Ends(dashed[2], dashed[3]) if ascends else None
    return None


def _measured(ends: Ends) -> bool:
    """Whether what stands at the ends is a number or a date."""
    known = [end for end in (ends.low, ends.high) if end is not None]
    return all(is_number(end) or is_date(end) for end in known)


def is_number(text: str) -> bool:
    """Whether a text is a number, in whatever way it is written."""
    return _NUMBER.match(text) is not None


def is_date(text: str) -> bool:
    """Whether a text begins with a day, so that texts sort as moments do."""
    return _DATE.match(text) is not None


def unquoted(text: str) -> str:
    """What a JSON string says; any other text as it is.

    Examples
    --------
    >>> unquoted('"a, b"'), unquoted("a")
    ('a, b', 'a')
    """
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except json.JSONDecodeError:
        return text


@dataclass(frozen=True)
class PublishedLabel:
    """What a published label covers: one value, a range or a set.

    Attributes
    ----------
    text : str
        What was published, without `` or missing``.
    ends : Ends or None
        Of a range.
    members : tuple of str
        Of a set, in the order it names them; the one value where it is no range.
    missing : bool
        Whether the value may also be missing.
    """

    text: str
    ends: Ends | None = None
    members: tuple[str, ...] = ()
    missing: bool = False


def parse_label(label: str, *, dashes: bool = False) -> PublishedLabel:
    """Read a label that a range, a set or a single value was published as.

    Parameters
    ----------
    label : str
        A published text; the suppression label is read as a value.
    dashes : bool, default=False
        Whether ``20-39`` is a range too; see :func:`parse_ends`.

    Returns
    -------
    PublishedLabel
        A text that is neither a range nor a set is a value. One name of a hierarchy,
        such as ``Europe`` or ``537**``, is a value too: only its hierarchy tells what
        lies below it.

    Examples
    --------
    >>> parse_label("[20, 29]").ends
    Ends(low='20', high='29', low_open=False, high_open=False)
    >>> parse_label("{a, b} or missing").members
    ('a', 'b')
    >>> parse_label("Europe").members
    ('Europe',)
    """
    text, missing = label.removesuffix(OR_MISSING), label.endswith(OR_MISSING)
    if not text:  # nothing but the words: a value
        text, missing = label, False
    ends = parse_ends(text, dashes=dashes)
    if ends is not None:
        return PublishedLabel(text, ends=ends, missing=missing)
    if text.startswith("{") and text.endswith("}"):
        return PublishedLabel(text, members=tuple(parse_set(text)[0]), missing=missing)
    return PublishedLabel(text, members=(unquoted(text),), missing=missing)


def range_label(low: str, high: str, *, missing: bool = False) -> str:
    """Label of every value from ``low`` to ``high``.

    Parameters
    ----------
    low, high : str
        The first and the last value, as :meth:`Column.texts` writes them.
    missing : bool, default=False
        Whether it may be missing.

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

    Parameters
    ----------
    value : str
        A leaf, or the name of a group.
    missing : bool, default=False
        Whether it may be missing.

    Examples
    --------
    >>> value_label("Europe", missing=True)
    'Europe or missing'
    """
    text = _single(value)
    return text + OR_MISSING if missing else text


def set_label(
    members: Sequence[str],
    *,
    missing: bool = False,
    longest: int | None = LONGEST_SET,
) -> str:
    """Label of a set of categories, in the order given.

    Parameters
    ----------
    members : sequence of str
        The categories.
    missing : bool, default=False
        Whether one may be missing.
    longest : int or None, default=LONGEST_SET
        Of more members only the first and the last are named. None: all are.

    Examples
    --------
    >>> set_label(["Private", "State-gov"])
    '{Private, State-gov}'
    >>> set_label(["a, b", "c"])
    '{"a, b", c}'
    >>> set_label(["{odd}"])
    '"{odd}"'
    """
    if longest is not None and len(members) > longest:
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

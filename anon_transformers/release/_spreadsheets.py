"""Cells that a spreadsheet would run, written so that it shows them instead.

A text that begins with one of ``= + - @``, or with a tab or the end of a line, gets an
apostrophe in front, which spreadsheets take as "this is text". So does a text that
begins with apostrophes before such a character, so that all can be read back: a reader
takes one apostrophe away wherever one was put.

In some countries a semicolon, not a comma, ends a cell, and a tab or the end of a line
may do so anywhere: quotation marks help only where a program takes them for such. So
what stands behind one of these inside a text is guarded like the beginning.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from anon_transformers._data.columns import to_text
from anon_transformers._data.readings import read_text

GUARDED = "guarded"
"""Kind of a column of texts in which such cells have an apostrophe in front."""

_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?\Z")


_ENDS = re.compile(r"([;\t\r\n])")
"""What ends a cell in some program or country."""


def would_run(text: str) -> bool:
    """Whether a spreadsheet would take a text for more than a text or a number.

    Examples
    --------
    >>> [would_run(text) for text in ("=1+2", "-5", "-5+2", "@x", "[-5, -1]", "2-3")]
    [True, False, True, True, False, False]
    >>> would_run("gout;=1+2"), would_run("gout;'=1+2")
    (True, False)
    """
    unmarked = not text.startswith("'") and _begin_needs_guard(text)
    return unmarked or any(
        not part.startswith("'") and _part_needs_guard(part) for part in _parts(text)
    )


def _needs_guard(text: str) -> bool:
    return _begin_needs_guard(text) or any(map(_part_needs_guard, _parts(text)))


def _parts(text: str) -> list[str]:
    """What stands behind each sign that may end a cell."""
    return _ENDS.split(text)[2::2]


def _begin_needs_guard(text: str) -> bool:
    return _begins_to_run(text) and _NUMBER.match(text) is None


def _part_needs_guard(part: str) -> bool:
    return _part_begins_to_run(part) and _NUMBER.match(part) is None


def _part_begins_to_run(part: str) -> bool:
    # A quotation mark inside a text is written twice, and at the beginning of a cell
    # two of them are an empty text that the rest follows.
    return _begins_to_run(part, overlooked="'\"")


def _begins_to_run(text: str, overlooked: str = "'") -> bool:
    """Whether its first sign that is seen, but for apostrophes, has a text run.

    Blanks and invisible signs before it do not help everywhere, and some programs read
    the wide forms alike. Whatever begins so does so with an apostrophe in front, too:
    that makes it reversible.
    """
    for sign in text:
        seen = read_text(sign)
        if sign in "\t\r\n" or (seen and seen in "=+-@"):
            return True
        if seen and sign not in overlooked:
            return False
    return False


def guard(text: str) -> str:
    """The text as it is written.

    Examples
    --------
    >>> guard("=1+2"), guard("'=1+2"), guard("it's"), guard("gout;=1+2")
    ("'=1+2", "''=1+2", "it's", "gout;'=1+2")
    """
    begin = "'" if _begin_needs_guard(text) else ""
    return begin + _each_part(text, _guard_part)


def _guard_part(part: str) -> str:
    return f"'{part}" if _part_needs_guard(part) else part


def unguard(text: str) -> str:
    """The text as it was.

    Examples
    --------
    >>> unguard("'=1+2"), unguard("'tis"), unguard("gout;'=1+2")
    ('=1+2', "'tis", 'gout;=1+2')
    """
    guarded = text.startswith("'") and _begins_to_run(text[1:])
    return _each_part(text[1:] if guarded else text, _unguard_part)


def _unguard_part(part: str) -> str:
    guarded = part.startswith("'") and _part_begins_to_run(part[1:])
    return part[1:] if guarded else part


def _each_part(text: str, change: Callable[[str], str]) -> str:
    """The text with every part behind the end of a cell changed."""
    pieces = _ENDS.split(text)
    pieces[2::2] = map(change, pieces[2::2])
    return "".join(pieces)


def guard_texts(
    frame: pd.DataFrame, schema: Mapping[str, Any]
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Guard the columns of texts that need it; their kind in the schema says so."""
    frame, schema = frame.copy(deep=False), dict(schema)
    for name in frame.columns:
        kind = schema[str(name)]
        ordered = isinstance(kind, Mapping)
        if not ordered and kind != "text":
            continue
        texts = to_text(frame[name])
        if any(map(_needs_guard, texts.dropna().unique())):
            frame[name] = texts.map(guard, na_action="ignore")
            schema[str(name)] = {**kind, GUARDED: True} if ordered else GUARDED
    return frame, schema

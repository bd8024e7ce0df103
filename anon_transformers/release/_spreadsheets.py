"""Cells that a spreadsheet would run, written so that it shows them instead.

A text that begins with one of ``= + - @``, or with a tab or the end of a line, gets an
apostrophe in front, which spreadsheets take as "this is text". So does a text that
begins with apostrophes before such a character, so that all can be read back: a reader
takes one apostrophe away wherever one was put.
"""

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from anon_transformers._readings import read_text
from anon_transformers._tables import to_text

GUARDED = "guarded"
"""Kind of a column of texts in which such cells have an apostrophe in front."""

_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?\Z")


def would_run(text: str) -> bool:
    """Whether a spreadsheet would take a text for more than a text or a number.

    Examples
    --------
    >>> [would_run(text) for text in ("=1+2", "-5", "-5+2", "@x", "[-5, -1]", "2-3")]
    [True, False, True, True, False, False]
    """
    return not text.startswith("'") and _needs_guard(text)


def _needs_guard(text: str) -> bool:
    return _begins_to_run(text) and _NUMBER.match(text) is None


def _begins_to_run(text: str) -> bool:
    """Whether its first sign that is seen, but for apostrophes, has a text run.

    Blanks and invisible signs before it do not help everywhere, and some programs read
    the wide forms alike. Whatever begins so does so with an apostrophe in front, too:
    that makes it reversible.
    """
    for sign in text:
        seen = read_text(sign)
        if sign in "\t\r\n" or (seen and seen in "=+-@"):
            return True
        if seen and sign != "'":
            return False
    return False


def guard(text: str) -> str:
    """The text as it is written.

    Examples
    --------
    >>> guard("=1+2"), guard("'=1+2"), guard("it's")
    ("'=1+2", "''=1+2", "it's")
    """
    return f"'{text}" if _needs_guard(text) else text


def unguard(text: str) -> str:
    """The text as it was.

    Examples
    --------
    >>> unguard("'=1+2"), unguard("'tis")
    ('=1+2', "'tis")
    """
    return text[1:] if text.startswith("'") and _begins_to_run(text[1:]) else text


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

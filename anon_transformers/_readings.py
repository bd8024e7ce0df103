"""Values as people read them: spellings of one value, and marks of a missing one.

A column may hold three texts, and a reader sees one value: ``HIV``, ``hiv`` and
``HIV `` say the same. What is counted by its text alone would call them diverse.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence

import numpy as np

USUAL_MARKS = frozenset(
    {
        "-", "--", "---", ".", "..", "?", "??", "#n/a", "#na", "#null!", "(null)",
        "<na>", "<null>", "[null]", "\\n", "missing", "n.a", "n.a.", "n/a", "na", "nan",
        "nat", "nil", "none", "not available", "null", "unknown", "\u2013", "\u2014",
    }
)  # fmt: skip
"""Texts that say that a value is missing, as they are read."""

NUMBER = re.compile(r"[-+]?(0|[1-9][0-9]*|[1-9][0-9]{0,2}(,[0-9]{3})+)?(\.[0-9]*)?\Z")
"""How a number is written. A leading zero or an exponent is part of a code."""
CODE = re.compile(r"[-+]?(0[0-9]+|[0-9]+[eE][0-9]+)\Z")
"""What Python would take for a number, and a reader of codes does not."""


def read_text(text: str) -> str:
    r"""A text as people read it: composed, without case, blanks and invisible marks.

    Examples
    --------
    >>> read_text(" Breast  Cancer\u200b") == read_text("breast cancer")
    True
    """
    if text.isascii():  # most texts are, and need no more
        return " ".join(text.casefold().split())
    visible = (c for c in text if unicodedata.category(c) != "Cf")
    folded = unicodedata.normalize("NFC", "".join(visible)).casefold()
    return " ".join(unicodedata.normalize("NFC", folded).split())


def read_values(
    texts: Sequence[str], marks: Collection[str] | None = None
) -> np.ndarray | None:
    """The read value that each of the distinct ``texts`` stands for.

    Parameters
    ----------
    texts : sequence of str
        The distinct values of a column, in their natural order.
    marks : collection of str, default=None
        What says that a value is missing; None: :data:`USUAL_MARKS`.

    Returns
    -------
    int array of shape (n_texts + 1,) or None
        Numbers of read values in the order of their first text. The largest number
        stands for a missing value; the last entry is that of a missing cell. None if
        every text is a value of its own.

    Examples
    --------
    >>> read_values(["50000", "50000.0", "60000", "NA"])
    array([0, 0, 1, 2, 2])
    >>> read_values(["001", "1"]) is None
    True
    """
    named = USUAL_MARKS if marks is None else {read_text(mark) for mark in marks}
    plain = [read_text(text) for text in texts]
    known = [text for text in plain if text not in named]
    if _are_numbers(known):
        plain = [_number(text) for text in plain]
    order: dict[str, int] = {}
    for text in plain:
        if text not in named:
            order.setdefault(text, len(order))
    if len(order) == len(plain):
        return None
    codes = [order.get(text, len(order)) for text in plain]
    return np.array([*codes, len(order)], dtype=np.int64)


def _are_numbers(texts: Sequence[str]) -> bool:
    """Whether a column is one of numbers, though a few of its cells may be none."""
    written = sum(_is_number(text) for text in texts)
    codes = any(CODE.match(text) for text in texts)
    return written > 0 and not codes and 2 * written >= len(texts)


def _is_number(text: str) -> bool:
    return NUMBER.match(text) is not None and any(c.isdigit() for c in text)


def _number(text: str) -> str:
    """One spelling of a number, digit by digit; any other text as it is."""
    if not _is_number(text):
        return text
    whole, _, decimals = text.replace(",", "").lstrip("+-").partition(".")
    decimals = decimals.rstrip("0")
    digits = f"{whole or '0'}.{decimals}" if decimals else whole or "0"
    return f"-{digits}" if text.startswith("-") and digits != "0" else digits

"""Values as people read them: spellings of one value, and marks of a missing one.

A column may hold three texts, and a reader sees one value: ``HIV``, ``hiv`` and
``HIV `` say the same. What is counted by its text alone would call them diverse.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from decimal import Decimal

import numpy as np

USUAL_MARKS = frozenset(
    {
        "-", "--", "---", ".", "..", "?", "??", "#n/a", "#na", "#null!", "(null)",
        "<na>", "<null>", "[null]", "\\n", "missing", "n.a", "n.a.", "n/a", "na", "nan",
        "nat", "nil", "none", "(none)", "not available", "not known", "null",
        "unknown", "\u2013", "\u2014",
    }
)  # fmt: skip
"""Texts that say that a value is missing, as they are read."""

PLAIN = re.compile(r"[-+]?(0|[1-9][0-9]*|[1-9][0-9]{0,2}(,[0-9]{3})+)?(\.[0-9]*)?\Z")
"""A number that nobody takes for a code: no leading zero, no exponent."""
NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[-+]?[0-9]{1,3})?\Z")
"""What is a number in a column of numbers, and may be a code elsewhere."""
BLANKS = "\u2800\u3164\uffa0\u115f\u1160"
"""Letters and signs that look like blanks."""
INVISIBLE = {"Cf", "Cc", "Cn", "Co", "Cs"}
"""Categories of characters that show nothing."""


def read_text(text: str) -> str:
    r"""A text as people read it: composed, without case, blanks and invisible marks.

    Examples
    --------
    >>> read_text(" Breast  Cancer\u200b") == read_text("breast cancer")
    True
    """
    if text.isascii() and text.isprintable():  # most texts are, and need no more
        return " ".join(text.casefold().split())
    # Composed by compatibility: full-width letters read like others.
    plain = unicodedata.normalize("NFKC", text)
    for blank in BLANKS:
        plain = plain.replace(blank, " ")
    visible = (c for c in plain if c.isspace() or _shows(c))
    folded = unicodedata.normalize("NFKC", "".join(visible)).casefold()
    return " ".join(unicodedata.normalize("NFC", folded).split())


def _shows(letter: str) -> bool:
    """Whether a character is seen; joiners and variation selectors are not."""
    joiner = letter == "\u034f" or "\ufe00" <= letter <= "\ufe0f"
    return not joiner and unicodedata.category(letter) not in INVISIBLE


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
    usual = marks is None
    named = USUAL_MARKS if usual else {read_text(mark) for mark in marks or ()}
    plain = [read_text(text) for text in texts]
    missing = [text in named or (usual and _says_nothing(text)) for text in plain]
    known = [text for text, lost in zip(plain, missing, strict=True) if not lost]
    numbers = _are_numbers(known)
    plain = [_number(text, numbers) for text in plain]
    order: dict[str, int] = {}
    for text, lost in zip(plain, missing, strict=True):
        if not lost:
            order.setdefault(text, len(order))
    if len(order) == len(plain):
        return None
    codes = [
        len(order) if lost else order[text]
        for text, lost in zip(plain, missing, strict=True)
    ]
    return np.array([*codes, len(order)], dtype=np.int64)


def _says_nothing(text: str) -> bool:
    """Whether a text has neither a letter nor a digit nor a sign that means one."""
    return not any(c.isalnum() or unicodedata.category(c)[0] == "S" for c in text)


def _are_numbers(texts: Sequence[str]) -> bool:
    """Whether a column is one of numbers: all are, and most are no codes."""
    plain = sum(_is_plain(text) for text in texts)
    return 2 * plain > len(texts) and all(
        _is_plain(text) or NUMBER.match(text) for text in texts
    )


def _is_plain(text: str) -> bool:
    return PLAIN.match(text) is not None and any(c.isdigit() for c in text)


def _number(text: str, in_numbers: bool) -> str:
    """One spelling of a number, digit by digit; any other text as it is.

    ``007`` and ``5e4`` are numbers in a column of numbers only. To take ``1`` and
    ``1.0`` for one value elsewhere, too, can only lower what is reached.
    """
    if _is_plain(text):
        digits = text.replace(",", "")
    elif in_numbers and NUMBER.match(text):
        digits = f"{Decimal(text):f}"
    else:
        return text
    whole, _, decimals = digits.lstrip("+-").partition(".")
    whole, decimals = whole.lstrip("0") or "0", decimals.rstrip("0")
    shown = f"{whole}.{decimals}" if decimals else whole
    return f"-{shown}" if text.startswith("-") and shown != "0" else shown

"""Values as people read them: spellings of one value, and marks of a missing one.

A column may hold three texts, and a reader sees one value: ``HIV``, ``hiv`` and
``"HIV" `` say the same. What is counted by its text alone would call them diverse.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from decimal import Decimal
from functools import cache

import numpy as np

USUAL_MARKS = frozenset(
    {
        "-", "--", "---", ".", "..", "?", "??", "#n/a", "#na", "#null!", "(null)",
        "<na>", "<null>", "[null]", "\\n", "k.a.", "keine angabe", "missing", "n.a",
        "n.a.", "n.k.", "n/a", "na", "nan", "nat", "nil", "none", "(none)", "no answer",
        "not applicable", "not available", "not known", "not specified", "not stated",
        "null", "refused", "unbekannt", "undefined", "unknown", "unspecified", "\u2013",
        "\u2014",
    }
)  # fmt: skip
"""Texts that say that a value is missing, as they are read.

No number is one: whether 9999 is a value or a mark, only the column's owner knows.
"""

PLAIN = re.compile(
    r"(?=.*[0-9])[-+]?(0|[1-9][0-9]*|[1-9][0-9]{0,2}(,[0-9]{3})+)?(\.[0-9]*)?\Z"
)
"""A number that nobody takes for a code: no leading zero, no exponent."""
NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[-+]?[0-9]{1,3})?\Z")
"""What is a number in a column of numbers, and may be a code elsewhere."""
BLANKS = "\u2800\u3164\uffa0\u115f\u1160"
"""Letters and signs that look like blanks."""
INVISIBLE = {"Cf", "Cc", "Cn", "Co", "Cs"}
"""Categories of characters that show nothing."""

QUIET = re.compile(r"[a-z0-9 ]*(?:(?<=[0-9])\.[0-9]+[a-z0-9 ]*)*\Z")
"""Plain words and decimals: most texts are, and every sign of them means something."""
DROPPED = re.compile(
    # Each begins with its sign, so that the search runs from one sign to the next.
    r"""!|"|&|\(|\)|\*|;|\?|@|\[|\\|\]|\^|_|`|{|\||}|~
    | \.(?![0-9]) | \.(?<=[^\W\d_]\.)                      # between digits: decimals
    | ,(?<![0-9],) | ,(?![0-9]) | :(?<![0-9]:) | :(?![0-9]) | /(?<![0-9]/) | /(?![0-9])
    | '(?<![0-9]') | '(?![0-9]{3})                         # between digits: thousands
    | \#(?<![^\W\d_]\#) | \#(?=[^\W_])                     # after a letter: C#
    | <(?!=?\ ?[-+]?\.?[0-9])(?!(?<=[^\W_]<)[^\W_])
    | >(?!=?\ ?[-+]?\.?[0-9])(?!(?<=[^\W_]>)[^\W_])
    | =(?<![<>]=) | =(?!\ ?[-+]?\.?[0-9])
    | -(?<=[^\W\d_]-)(?=[^\W_]) | -(?<=[0-9]-)(?=[^\W\d_])        # a hyphen, no minus
    | -(?<![^\W_]-)(?!\.?[0-9])(?!\ *\Z)
    """,
    re.VERBOSE,
)
"""Signs where they mean nothing, unlike in ``A-``, ``C++``, ``-5``, ``<5``, ``1.5``."""
APOSTROPHE = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])")
"""Part of a word."""
TIGHT = re.compile(r" ?([+<>=%$\u00b0]) ?| (?=-\Z)")
"""Signs that mean the same with and without blanks around them."""
LIKE_ASCII = {
    "\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u2032": "'", "\u2043": "-",
    "\u2044": "/", "\u2212": "-", "\u2264": "<=", "\u2265": ">=", "\u066a": "%",
    "\u066b": ".", "\u066c": ",",
}  # fmt: skip
"""Signs that are read like others."""

MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[t ]([0-9]{2}:[0-9]{2})"
    r"(:[0-9]{2}(?:\.[0-9]+)?)?(?: ?z|[-+]00:?00)?\Z"
)
TIME = re.compile(r"([0-9]{1,2})(:[0-9]{2})(:[0-9]{2})?(?: ?([ap]) ?m)?\Z")
MIDNIGHT, NOON = "00:00", 12

UNITS = {
    "%": "%", "percent": "%", "per cent": "%", "pct": "%", "prozent": "%",
    "$": "usd", "us$": "usd", "usd": "usd", "\u20ac": "eur", "eur": "eur",
    "euro": "eur", "\u00a3": "gbp", "gbp": "gbp", "\u00a5": "jpy", "jpy": "jpy",
    "chf": "chf", "\u20b9": "inr", "inr": "inr", "\u20bd": "rub", "rub": "rub",
}  # fmt: skip
"""Units of amounts, one word for each."""
_UNIT = "|".join(map(re.escape, sorted(UNITS, key=len, reverse=True)))
AMOUNT = re.compile(
    rf"([-+]?) ?(?:({_UNIT}) ?)?([-+]?)"
    r"((?:[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+|(?:[ '][0-9]{3})+))(?:\.[0-9]*)?"
    r"|[1-9][0-9]{0,2}(?:[ '][0-9]{3})+,[0-9]+"
    r"|[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+,[0-9]+|(?:\.[0-9]{3}){2,})"
    r"|[0-9]+(?:[.,][0-9]+)?|\.[0-9]+)"
    rf"(?: ?({_UNIT}))?\Z"
)
"""A number with thousands and decimals as countries write them, and its unit."""
BY_COMMAS = re.compile(r"[1-9][0-9]{0,2}(,[0-9]{3})+\Z")

SINGLE = re.compile(r"[^0-9]*?([-+]?\.?[0-9](?:[0-9.,' ]*[0-9])?)[^0-9]*\Z")
"""A text with one number in it."""

TRUE = frozenset({"true", "t", "yes", "y", "1"})
FALSE = frozenset({"false", "f", "no", "n", "0"})
FEWEST_LETTERS = 2
"""Of a mark that is found without its signs: ``\\N`` is one, and ``n`` is not."""


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


def read_value(text: str) -> str:
    r"""A text as people read it who overlook signs that mean nothing.

    A sign that may mean something is kept: ``A-``, ``C++``, ``-5``, ``<5``, ``1.5``.

    Examples
    --------
    >>> [read_value(text) for text in ('"HIV"', "(HIV)", "hiv.", "HIV-positive")]
    ['hiv', 'hiv', 'hiv', 'hiv positive']
    >>> [read_value(text) for text in ("A-", "A+", "<5", "07:30", "2020-01-02 00:00")]
    ['a-', 'a+', '<5', '7:30', '2020-01-02']
    """
    return _bare(read_text(text))


def _bare(text: str) -> str:
    """Drop signs until none is left that means nothing."""
    while QUIET.match(text) is None and NUMBER.match(text) is None:
        less = _with_fewer_signs(text)
        if less == text:
            break
        text = less
    return text


def _with_fewer_signs(text: str) -> str:
    if not text.isascii():
        text = read_text("".join(map(_like_ascii, text)))
    if ":" in text and (found := MOMENT.match(text)):
        day, time, seconds = found.groups()
        seconds = "" if not (seconds or "").strip(":.0") else seconds
        return day if time == MIDNIGHT and not seconds else f"{day} {time}{seconds}"
    if ":" in text and (found := TIME.match(text)):
        hour, minutes, seconds, half = found.groups()
        hours = int(hour) if half is None else int(hour) % NOON + NOON * (half == "p")
        return f"{hours}{minutes}{'' if seconds == ':00' else seconds or ''}"
    less = APOSTROPHE.sub("", text) if "'" in text else text
    less = " ".join(DROPPED.sub(" ", less).split())
    if QUIET.match(less) is None:
        less = TIGHT.sub(r"\1", less)
    return less or text


def _like_ascii(letter: str) -> str:
    """One spelling of digits, hyphens and quotation marks of all scripts."""
    if letter in LIKE_ASCII:
        return LIKE_ASCII[letter]
    category = unicodedata.category(letter)
    if letter.isascii() or category[0] not in "NP":
        return letter
    if category == "Nd":
        return str(unicodedata.decimal(letter))
    if category[0] == "N":
        return letter
    return "-" if category == "Pd" else '"'


def read_spellings(texts: Sequence[str]) -> np.ndarray | None:
    """The text that each of the distinct ``texts`` is a spelling of.

    Only case, blanks and spellings of a number are overlooked: labels, names and
    numbers of persons differ in signs too. See :func:`read_values` for the answer.

    Examples
    --------
    >>> read_spellings(["Nurse", "nurse", "[20, 30)", "[20, 30]"])
    array([0, 0, 1, 2, 3])
    """
    return _numbered(_one_number_each([read_text(text) for text in texts]))


def read_values(
    texts: Sequence[str], marks: Collection[str] | None = None
) -> np.ndarray | None:
    """The read value that each of the distinct ``texts`` stands for.

    Parameters
    ----------
    texts : sequence of str
        The distinct values of a column, in their natural order.
    marks : collection of str, default=None
        What says that a value is missing, beside :data:`USUAL_MARKS`; an empty
        collection: nothing does.

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
    >>> read_values(["50 000 $", "USD 50,000", "50.000,00", "60'000"])
    array([0, 0, 0, 1, 2])
    >>> read_values(["001", "1"]) is None
    True
    """
    seen = [read_text(text) for text in texts]
    bare = [_bare(text) for text in seen]
    any_missing = marks is None or len(marks) > 0
    named = _named(tuple(marks or ())) if any_missing else frozenset()
    missing = [
        text in named or less in named or (any_missing and _says_nothing(text))
        for text, less in zip(seen, bare, strict=True)
    ]
    known = [text for text, lost in zip(bare, missing, strict=True) if not lost]
    read = iter(_as_one_column(known))
    return _numbered([None if lost else next(read) for lost in missing])


def reads_as(texts: Sequence[str], value: str) -> np.ndarray:
    """Which of the texts of a column say ``value``.

    Examples
    --------
    >>> reads_as(["(HIV)", "hiv", "flu"], "HIV")
    array([ True,  True, False])
    """
    *read, wanted = _as_one_column([read_value(text) for text in (*texts, value)])
    return np.array([text == wanted for text in read], dtype=bool)


def read_amounts(texts: Sequence[str]) -> np.ndarray:
    """The number that each text is read as, whatever stands before and behind it.

    Units are overlooked: this is for those who ask whether numbers can be computed,
    and not whether two values are one. What holds no number, or several, is NaN.

    Examples
    --------
    >>> read_amounts(["$1,234", "1234 USD", "ca. -5.0 kg", "unknown", "7:30"])
    array([1234., 1234.,   -5.,   nan,   nan])
    """
    return np.array([_single_amount(read_value(text)) for text in texts], dtype=float)


def _single_amount(text: str) -> float:
    number, _ = _amount(text)
    if NUMBER.match(number) is None and (found := SINGLE.match(text)):
        number, _ = _amount(found[1])
    return float(number) if NUMBER.match(number) else np.nan


@cache
def _named(marks: tuple[str, ...]) -> frozenset[str]:
    """The usual marks and these, with and without their signs."""
    seen = USUAL_MARKS | {read_text(mark) for mark in marks}
    bare = {
        _bare(mark) for mark in seen if sum(map(str.isalnum, mark)) >= FEWEST_LETTERS
    }
    return frozenset(seen | bare)


def _numbered(read: Sequence[str | None]) -> np.ndarray | None:
    """Numbers for texts in the order of their first; None is a missing value."""
    order: dict[str, int] = {}
    for text in read:
        if text is not None:
            order.setdefault(text, len(order))
    if len(order) == len(read):
        return None
    codes = [len(order) if text is None else order[text] for text in read]
    return np.array([*codes, len(order)], dtype=np.int64)


def _as_one_column(texts: Sequence[str]) -> list[str]:
    """One spelling of each amount and truth, as far as the others show what they are.

    Where all amounts of a column that have a unit have the same, it says nothing.
    """
    amounts = [_amount(text) for text in texts]
    several = len({unit for _, unit in amounts if unit}) > 1
    read = _one_number_each([number for number, _ in amounts])
    if several:
        units = [unit for _, unit in amounts]
        read = [
            f"{text} {unit}" if unit else text
            for text, unit in zip(read, units, strict=True)
        ]
    if TRUE.union(FALSE).issuperset(read):
        return ["true" if text in TRUE else "false" for text in read]
    return read


def _amount(text: str) -> tuple[str, str]:
    """A number without thousands and its unit; any other text and no unit."""
    simple = text.replace(".", "", 1).isdigit()
    found = None if simple else AMOUNT.match(text)
    if found is None:
        return text, ""
    sign, before, later_sign, number, after = found.groups()
    units = {UNITS[unit] for unit in (before, after) if unit}
    if len(units) > 1 or (sign and later_sign):
        return text, ""
    if BY_COMMAS.match(number.partition(".")[0]):
        number = number.replace(",", "")
    elif number.count(".") > 1 or ("," in number and "." in number):
        number = number.replace(".", "")
    number = number.replace(",", ".").replace(" ", "").replace("'", "")
    return f"{sign or later_sign}{number}", next(iter(units), "")


def _one_number_each(texts: Sequence[str]) -> list[str]:
    numbers = _are_numbers(texts)
    return [_number(text, numbers) for text in texts]


def _says_nothing(text: str) -> bool:
    """Whether a text has neither a letter nor a digit nor a sign that means one."""
    return not any(c.isalnum() or unicodedata.category(c)[0] == "S" for c in text)


def _are_numbers(texts: Sequence[str]) -> bool:
    """Whether a column is one of numbers: all are, and most are no codes.

    A power of ten is no code where another number stands beside it.
    """
    others = [text for text in texts if not _is_plain(text)]
    plain = len(texts) - len(others)
    codes = sum(text.lstrip("+-").startswith("0") for text in others)
    return (
        plain > 0
        and (codes == 0 or 2 * plain > len(texts))
        and all(map(NUMBER.match, others))
    )


def _is_plain(text: str) -> bool:
    return PLAIN.match(text) is not None


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

"""Values as people read them: spellings of one value, and marks of a missing one.

A column may hold three texts, and a reader sees one value: ``HIV``, ``hiv`` and
``"HIV" `` say the same. What is counted by its text alone would call them diverse.
"""

import html
import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import cache

import numpy as np

from anon_transformers._data.amounts import (
    NUMBER,
    UNITS,
    Amount,
    one_number,
    one_number_each,
    read_amount,
)
from anon_transformers._data.missing_marks import USUAL_MARKS, Marks

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
    "\u066b": ".", "\u066c": ",", "\u2248": "~", "\u223c": "~", "\u2243": "~",
}  # fmt: skip
"""Signs that are read like others."""

INLINE = re.compile(
    r"</?(?:b|i|u|s|em|strong|small|big|sup|sub|span|font|mark|tt|a)(?: [^<>]*)?>", re.I
)
"""Tags within a word."""
TAG = re.compile(
    r"</?(?:br|p|div|hr|li|ul|ol|td|tr|th|table|pre|code|h[1-6]|html|body|img)"
    r"(?: [^<>]*)?/?>",
    re.I,
)
"""Tags between words. Others may be marks of missing values, such as ``<NA>``."""
FOOTNOTE = re.compile(
    "[\u2122\u00ae\u00a9\u2120]"
    r"|(?<!10)(?<!(?<![^\W\d_])m)(?<!(?<![^\W\d_])[cdkm]m)"
    "(?<![\u207a\u207b\u00b9\u00b2\u00b3\u2070\u2074-\u2079])"
    "[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+"
)
"""Marks of trade and numbers of footnotes; no powers of ten, areas and volumes."""
LISTED = re.compile(r"\(?[0-9]{1,2}[.)] ?(?=[^\W\d_]{2}[^0-9]*\Z)")
"""The number of an item in a list, as in ``1. HIV``."""
LIST_STARTS = frozenset("(0123456789")
ABOUT = re.compile(
    r"(?:ca|circa|approx|approximately|about|around|roughly|etwa|ungefahr|rund|environ)"
    r"(?: (?=[-+]?\.?[0-9])| ?(?=[-+]?[$\u20ac\u00a3]))"
)
"""What says that a number is not exact."""

MOMENT = re.compile(
    r"([0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2})[t ]([0-9]{2}:[0-9]{2})"
    r"(:[0-9]{2}(?:\.[0-9]+)?)?(?: ?z|[-+]00:?00)?\Z"
)
TIME = re.compile(r"([0-9]{1,2})(:[0-9]{2})(:[0-9]{2})?(?: ?([ap]) ?m)?\Z")
MIDNIGHT, NOON = "00:00", 12

SINGLE = re.compile(r"[^0-9]*?([-+]?\.?[0-9](?:[0-9.,' ]*[0-9])?)[^0-9]*\Z")
"""A text with one number in it."""

TRUE = frozenset({"true", "t", "yes", "y", "1"})
FALSE = frozenset({"false", "f", "no", "n", "0"})
SEXES = {"m": "male", "male": "male", "f": "female", "female": "female"}
SPELLINGS = {
    "true": TRUE,
    "false": FALSE | {"female"},  # ``f`` is either
    "male": frozenset({"m", "male"}),
}
"""What truths and sexes are called in any column."""
WORDS = re.compile(r"[a-z]+(?: [a-z]+)*\Z")
"""Most texts are: no digit, no accent, nothing to join."""
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
WRITTEN_DAY = re.compile(
    r"([0-9]{4})([-/])(1[0-2]|0?[1-9])\2(3[01]|[12][0-9]|0?[1-9])\Z"
)
BARE_DAY = re.compile(r"(19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])\Z")
"""Digits that are a day in a column of days, and a number elsewhere."""
HOURS = re.compile(r"([01]?[0-9]|2[0-3]) ?h ?([0-5][0-9])\Z")
INITIALS = re.compile(r"(?<![^\W_])[^\W\d_](?:\. ?[^\W\d_])+(?![^\W_])")
"""Letters with full stops between them, as in ``H.I.V.``."""
SPACED = re.compile(r"\b[^\W\d_](?: [^\W\d_]\b){2,}|\A[^\W\d_] [^\W\d_]\Z")
"""Letters with blanks between them, as in ``H I V``."""
PAIR = re.compile(r"([\[(] ?[-+]?[0-9.]+) ?, ?(?=[-+]?[0-9.]+ ?[\])])")
"""The ends of a range in brackets, with and without a blank between them."""
HYPHEN = re.compile(r"(?<=[0-9]) ?- ?(?=\.?[0-9])")
"""What stands between the ends of a range."""
TO = re.compile(r" (?<=[0-9] )(?:to|bis|until|till|through|a) (?=\.?[0-9])")
"""Words for it; ``\u00e0`` among them, without its accent."""
FAR_SIGN = re.compile(r"(?<![^\W_])(?<![^\W_] )- (?=\.?[0-9])")
"""The minus of a number, and a blank before it."""
CLOSE = re.compile(
    r" (?:(?<=[^\W\d_] )(?=[0-9])|(?<=[0-9] )(?=[^\W\d_]))|- (?<=[^\W\d_]- )(?=[0-9])"
)
"""Between a letter and a digit: ``HIV 1``, ``5 mg``."""
ACCENTS = re.compile("(?<=[a-z])[\u0300-\u036f]+")
WITHOUT_ACCENTS = str.maketrans(
    {"\u00f8": "o", "\u0142": "l", "\u0111": "d", "\u00f0": "d", "\u0131": "i",
     "\u00e6": "ae", "\u0153": "oe", "\u00fe": "th"}
)  # fmt: skip
"""Letters that no accent is taken from."""
TWO_LETTERS = str.maketrans(
    {"\u00e4": "ae", "\u00f6": "oe", "\u00fc": "ue", "\u00f8": "oe", "\u00e5": "aa"}
)
"""How letters are written where a keyboard lacks them."""
SECOND_LETTER = re.compile("(?<=[aou])e|(?<=a)a")
"""What such a spelling has more than one without accents."""


def read_text(text: str) -> str:
    r"""A text as people read it: composed, without case, blanks and invisible marks.

    Examples
    --------
    >>> read_text(" Breast  Cancer\u200b") == read_text("breast cancer")
    True
    """
    if "&" in text or "<" in text:
        text = _without_markup(text)
    if text.isascii() and text.isprintable():  # most texts are, and need no more
        return " ".join(text.casefold().split())
    # Composed by compatibility: full-width letters read like others.
    plain = unicodedata.normalize("NFKC", FOOTNOTE.sub("", text))
    for blank in BLANKS:
        plain = plain.replace(blank, " ")
    visible = (c for c in plain if c.isspace() or _shows(c))
    folded = unicodedata.normalize("NFKC", "".join(visible)).casefold()
    read = " ".join(unicodedata.normalize("NFC", folded).split())
    # Composed, full-width signs may be markup, too.
    marked = "<" in read or "&" in read
    return read_text(read) if marked and _without_markup(read) != read else read


def _without_markup(text: str) -> str:
    """A text as a browser shows it, in one line."""
    before = ""
    while before != text:
        before, text = text, TAG.sub(" ", INLINE.sub("", html.unescape(text)))
    return text


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
        less = text if DAY.match(text) else _with_fewer_signs(text)
        if less == text:
            break
        text = less
    return text


def _with_fewer_signs(text: str) -> str:
    if not text.isascii():
        text = read_text("".join(map(_like_ascii, text)))
    if found := WRITTEN_DAY.match(text):
        return _day(found)
    if ":" in text and (found := MOMENT.match(text)):
        day, time, seconds = found.groups()
        day = _with_fewer_signs(day)
        seconds = "" if not (seconds or "").strip(":.0") else seconds
        return day if time == MIDNIGHT and not seconds else f"{day} {time}{seconds}"
    if ":" in text and (found := TIME.match(text)):
        hour, minutes, seconds, half = found.groups()
        hours = int(hour) if half is None else int(hour) % NOON + NOON * (half == "p")
        return f"{hours}{minutes}{'' if seconds == ':00' else seconds or ''}"
    less = APOSTROPHE.sub("", text) if "'" in text else text
    if "," in less:
        less = PAIR.sub(r"\1, ", less)
    if "-" in less:
        less = HYPHEN.sub("-", FAR_SIGN.sub("-", less))
    less = " ".join(DROPPED.sub(" ", less).split())
    if QUIET.match(less) is None:
        less = TIGHT.sub(r"\1", less)
    return less or text


def _day(found: re.Match[str]) -> str:
    year, _, month, day = found.groups()
    return f"{year}-{month:0>2}-{day:0>2}"


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


def without_accents(text: str) -> str:
    r"""A read text in the letters that a plain keyboard has.

    Examples
    --------
    >>> without_accents("sj\u00f6gren"), without_accents("\u0142\u00f3d\u017a")
    ('sjogren', 'lodz')
    """
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFD", text.translate(WITHOUT_ACCENTS))
    return unicodedata.normalize("NFC", ACCENTS.sub("", apart))


def _word(text: str, less: str) -> str:
    """What a text says, however its words are divided; ``less`` has no signs."""
    if " " in text and SPACED.search(text):
        less = _bare(SPACED.sub(_joined, text))
    if "." not in text and WORDS.match(less):
        return less
    less = without_accents(less)
    if "." in text and (initials := INITIALS.sub(_joined, text)) != text:
        less = without_accents(_bare(initials))
    less = ABOUT.sub("", less, count=1) if less[:1] in "acreu" else less
    if NUMBER.match(less):
        return less
    if "h" in less and (found := HOURS.match(less)):
        return f"{int(found[1])}:{found[2]}"
    return CLOSE.sub("", TO.sub("-", less)) if " " in less else less


def _joined(initials: re.Match[str]) -> str:
    return initials.group().replace(".", "").replace(" ", "")


def read_spellings(texts: Sequence[str]) -> np.ndarray | None:
    """The text that each of the distinct ``texts`` is a spelling of.

    Only case, blanks and spellings of a number are overlooked: labels, names and
    numbers of persons differ in signs too. See :func:`read_values` for the answer.

    Examples
    --------
    >>> read_spellings(["Nurse", "nurse", "[20, 30)", "[20, 30]"])
    array([0, 0, 1, 2, 3])
    """
    return _numbered(one_number_each([read_text(text) for text in texts]))


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
    >>> read_values(["5 mg", "5.0mg", "HIV-1", "HIV1", "5 to 10", "5 - 10"])
    array([0, 0, 1, 1, 2, 2, 3])
    >>> read_values(["001", "1"]) is None
    True
    """
    seen = _without_list_numbers([read_text(text) for text in texts])
    bare = [_bare(text) for text in seen]
    words = list(map(_word, seen, bare))
    missing = [False] * len(seen)
    if marks is None or len(marks) > 0:
        named = _named(tuple(marks or ()))
        missing = list(map(named.are, seen, bare, words))
    known = [word for word, lost in zip(words, missing, strict=True) if not lost]
    read = iter(_as_one_column(known, _written_out(seen)))
    return _numbered([None if lost else next(read) for lost in missing])


def value_keys(texts: Sequence[str]) -> list[str]:
    """What each of the distinct ``texts`` of a column is known by in every table.

    Texts that :func:`read_values` takes for one value have one key. It looks at a whole
    column: ``1`` is a truth beside ``no``, and a number beside ``2``. Another table of
    the same column may hold other texts, so that a key supposes all of it at once:
    units, leading zeros, and what a truth is called never count. Values that differ by
    these alone have one key, which can only lower what is reached.

    Examples
    --------
    >>> value_keys(["50000", "50000.0", "$50k", "050000", "yes", "1", "HIV-1", "hiv 1"])
    ['50000', '50000', '50000', '50000', 'true', 'true', 'hiv1', 'hiv1']
    """
    seen = _without_list_numbers([read_text(text) for text in texts])
    return [_key(_word(text, _bare(text))) for text in seen]


def _key(word: str) -> str:
    if BARE_DAY.match(word):
        return f"{word[:4]}-{word[4:6]}-{word[6:]}"
    amount = read_amount(word)
    if amount is not None:
        word = _shown(one_number(amount.number, in_numbers=True), amount, False)
    word = one_number(word, in_numbers=True)
    for said, spellings in SPELLINGS.items():
        if word in spellings:
            return said
    return SECOND_LETTER.sub("", word)


def reads_as(texts: Sequence[str], value: str) -> np.ndarray:
    """Which of the texts of a column say ``value``.

    Examples
    --------
    >>> reads_as(["(HIV)", "hiv", "flu"], "HIV")
    array([ True,  True, False])
    """
    seen = _without_list_numbers([read_text(text) for text in (*texts, value)])
    words = [_word(text, _bare(text)) for text in seen]
    *read, wanted = _as_one_column(words, _written_out(seen))
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
    single = SINGLE.match(text)
    for candidate in (text, "" if single is None else single[1]):
        amount = read_amount(candidate)
        number = candidate if amount is None else amount.number
        if NUMBER.match(number):
            return float(number)
    return np.nan


def _without_list_numbers(seen: list[str]) -> list[str]:
    """Texts without the number of an item, unless nothing but it tells them apart.

    Examples
    --------
    >>> _without_list_numbers(["1. hiv", "2. hiv", "flu", "5. mg"])
    ['hiv', 'hiv', 'flu', '5. mg']
    >>> _without_list_numbers(["1. trimester", "2. trimester"])
    ['1. trimester', '2. trimester']
    """
    less = [
        text[found.end() :]
        if text[:1] in LIST_STARTS
        and (found := LISTED.match(text))
        and text[found.end() :].partition(" ")[0] not in UNITS
        else text
        for text in seen
    ]
    rests = set(less) - USUAL_MARKS
    ordinals = len(rests) == 1 and rests.isdisjoint(seen)
    return seen if ordinals else less


def _written_out(seen: Sequence[str]) -> dict[str, str]:
    """Words with two letters for one, as in ``Mueller``, and what they stand for."""
    spelled = (
        (text, text.translate(TWO_LETTERS)) for text in seen if not text.isascii()
    )
    return {
        _word(other, _bare(other)): _word(text, _bare(text))
        for text, other in spelled
        if other != text
    }


@cache
def _named(marks: tuple[str, ...]) -> Marks:
    """The usual marks and these."""
    seen = USUAL_MARKS | {read_text(mark) for mark in marks}
    return Marks(seen, _bare, without_accents)


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


def _as_one_column(texts: Sequence[str], written_out: dict[str, str]) -> list[str]:
    """One spelling of each amount and truth, as far as the others show what they are.

    Where all amounts of a column that have a unit have the same, it says nothing.
    """
    if written_out:
        texts = [written_out.get(text, text) for text in texts]
    if any(map(DAY.match, texts)):
        texts = [
            f"{text[:4]}-{text[4:6]}-{text[6:]}" if BARE_DAY.match(text) else text
            for text in texts
        ]
    amounts = {
        place: amount
        for place, text in enumerate(texts)
        if (amount := read_amount(text)) is not None
    }
    several = len({amount.unit for amount in amounts.values() if amount.unit}) > 1
    read = list(texts)
    for place, amount in amounts.items():
        read[place] = amount.number
    strays = {place for place, amount in amounts.items() if amount.other}
    read = one_number_each(read, strays)
    for place, amount in amounts.items():
        read[place] = _shown(read[place], amount, several)
    if TRUE.union(FALSE).issuperset(read):
        return ["true" if text in TRUE else "false" for text in read]
    if SEXES.keys() >= set(read):
        return [SEXES[text] for text in read]
    return read


def _shown(number: str, amount: Amount, with_unit: bool) -> str:
    unit = amount.other or (amount.unit if with_unit else "")
    return f"{amount.limit}{number} {unit}" if unit else f"{amount.limit}{number}"

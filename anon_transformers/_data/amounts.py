"""Numbers, amounts and ranges by value, however they are written."""

import re
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import NamedTuple

PLAIN = re.compile(
    r"[-+]?(?:(?:0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:,[0-9]{3})+)(?:\.[0-9]*)?|\.[0-9]+)\Z"
)
"""A number that nobody takes for a code: no leading zero, no exponent."""
NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[-+]?[0-9]{1,3})?\Z")
"""What is a number in a column of numbers, and may be a code elsewhere."""

SYNONYMS = {
    "%": "percent|per cent|pct|prozent|pour cent|por ciento",
    "usd": "$|us$|$us|dollar|dollars|us dollar|us dollars|bucks",
    "eur": "\u20ac|euro|euros", "gbp": "\u00a3|pound|pounds|sterling|quid",
    "jpy": "\u00a5|yen", "chf": "sfr|franken|swiss francs|swiss franc",
    "inr": "\u20b9|rs|rupee|rupees", "rub": "\u20bd|ruble|rubles|rouble|roubles|rubel",
    "cny": "rmb|yuan|renminbi", "pln": "zl|zloty|zlotys", "krw": "\u20a9|won",
    "try": "\u20ba|lira", "brl": "r$|real|reais", "mxn": "mx$|peso|pesos",
    "aud": "a$|au$", "cad": "c$|ca$", "sek": "", "nok": "", "dkk": "", "czk": "kc",
    "mg": "milligram|milligrams|milligramm", "kg": "kilo|kilos|kilogram|kilograms",
    "\u03bcg": "ug|mcg|microgram|micrograms",
    "ml": "milliliter|milliliters|millilitres",
    "cm": "centimeter|centimeters|centimetres", "km": "kilometer|kilometers|kilometres",
    "years": "year|yr|yrs|jahr|jahre|ans|anos",
    "months": "month|monat|monate|mois|meses",
    "weeks": "week|wk|wks|woche|wochen", "days": "day|tag|tage|jours|dias",
    "hours": "hour|hr|hrs|stunde|stunden", "minutes": "minute|min|mins|minuten",
}  # fmt: skip
UNITS = {
    word: unit
    for unit, words in SYNONYMS.items()
    for word in (unit, *filter(None, words.split("|")))
}
"""Units of amounts, one word for each."""
MONEY = frozenset(SYNONYMS) - {
    "%", "mg", "kg", "\u03bcg", "ml", "cm", "km", "years", "months", "weeks", "days",
    "hours", "minutes",
}  # fmt: skip
MANY = {
    "k": 3, "thousand": 3, "tsd": 3, "tausend": 3, "mille": 3,
    "million": 6, "millions": 6, "millionen": 6, "mio": 6, "mn": 6,
    "billion": 9, "billions": 9, "bn": 9, "milliarden": 9, "mrd": 9,
}  # fmt: skip
"""Words for powers of ten."""
MANY_OF_MONEY = {**MANY, "m": 6, "b": 9}
"""Beside a currency, ``m`` is no meter."""

_UNIT = "|".join(map(re.escape, sorted(UNITS, key=len, reverse=True)))
AMOUNT = re.compile(
    rf"((?:[<>]=?)?)([-+]?) ?(?:(?=[^0-9.])({_UNIT}) ?)?([-+]?)"
    r"((?:[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+|(?:[ '][0-9]{3})+))(?:\.[0-9]*)?"
    r"|[1-9][0-9]{0,2}(?:[ '][0-9]{3})+,[0-9]+"
    r"|[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+,[0-9]+|(?:\.[0-9]{3}){2,})"
    r"|[0-9]+(?:[.,][0-9]+)?|\.[0-9]+)"
    r"(?: ?([^\W\d_]+(?: [^\W\d_]+)*))?"
    r"(?: ?([%$\u20ac\u00a3\u00a5\u20b9\u20bd\u20a9\u20ba]))?\Z"
)
"""A number with thousands and decimals as countries write them, and its unit."""
ANY_DIGIT = re.compile("[0-9]")
SIMPLE = re.compile(r"[0-9]+(?:\.[0-9]+)?\Z")
LEADING_ZEROS = re.compile(r"\A0+(?=[0-9])")
BY_COMMAS = re.compile(r"[1-9][0-9]{0,2}(,[0-9]{3})+\Z")
RANGE = re.compile(r"(\.?[0-9][0-9.,]*)-(\.?[0-9][0-9.,]*)(?= ?[^\W\d_ ]|\Z)")
"""Two numbers and a hyphen between them, and perhaps a unit."""
OF_NUMBERS = 0.95
"""The share of numbers among texts from which on the others are strays."""


class Amount(NamedTuple):
    """A number without thousands, and what stands around it; or a range."""

    number: str
    unit: str = ""
    limit: str = ""
    other: str = ""
    """A unit that is in no table: it may as well be a part of a code, as in ``2B``."""


def read_amount(text: str) -> Amount | None:
    """A number without thousands and its unit; None for any other text.

    Examples
    --------
    >>> read_amount("$50k")
    Amount(number='50000', unit='usd', limit='', other='')
    >>> read_amount("<5.0 drops")
    Amount(number='5.0', unit='', limit='<', other='drops')
    """
    if ANY_DIGIT.search(text) is None or SIMPLE.match(text):
        return None
    found = AMOUNT.match(text)
    if found is None:
        return _range(text)
    limit, sign, before, later_sign, number, after, symbol = found.groups()
    power, after = _power(after or "", bool(before or symbol))
    known = [word for word in (before, after, symbol) if word in UNITS]
    units = {UNITS[word] for word in known}
    other = after if after and after not in UNITS else ""
    if len(units) > 1 or (sign and later_sign) or (other and units):
        return None
    number = _in_digits(number)
    if units:  # no code has one
        number = LEADING_ZEROS.sub("", number)
    number = f"{sign or later_sign}{number}"
    if power:
        number = f"{Decimal(number).scaleb(power):f}"
    return Amount(number, next(iter(units), ""), limit, other)


def _power(words: str, of_money: bool) -> tuple[int, str]:
    """The power of ten that words begin with, and the words after it."""
    first, _, rest = words.partition(" ")
    of_money = of_money or UNITS.get(rest) in MONEY
    power = (MANY_OF_MONEY if of_money else MANY).get(first, 0)
    if not power or (rest and rest not in UNITS):
        return 0, words
    return power, rest


def _in_digits(number: str) -> str:
    if BY_COMMAS.match(number.partition(".")[0]):
        number = number.replace(",", "")
    elif number.count(".") > 1 or ("," in number and "." in number):
        number = number.replace(".", "")
    return number.replace(",", ".").replace(" ", "").replace("'", "")


def _range(text: str) -> Amount | None:
    """A range with the numbers of its ends by value; None for any other text."""
    found = RANGE.match(text) if "-" in text else None
    if found is None:
        return None
    ends = [one_number(end, in_numbers=False) for end in found.groups()]
    return Amount(f"{'-'.join(ends)}{text[found.end() :]}")


def one_number_each(
    texts: Sequence[str], strays: Collection[int] | None = None
) -> list[str]:
    """One spelling of each number of a column.

    Parameters
    ----------
    texts : sequence of str
        The texts of the column.
    strays : collection of int, default=None
        Places of texts known to be no numbers of the column. Where this is stated, one
        text or a few beside the numbers do not make these codes.

    Examples
    --------
    >>> one_number_each(["50000", "5e4", "50,000.0"])
    ['50000', '50000', '50000']
    """
    plain = [place for place, text in enumerate(texts) if PLAIN.match(text)]
    unlike = set(plain).union(strays or ())
    powers = [
        place
        for place, text in enumerate(texts)
        if place not in unlike and NUMBER.match(text)
    ]
    n_plain = len(unlike) - len(strays or ())
    codes = any(texts[place].lstrip("+-").startswith("0") for place in powers)
    in_numbers = (
        n_plain > 0
        and _are_enough(n_plain + len(powers), len(texts), strays is not None)
        and (not codes or 2 * n_plain > len(texts))
    )
    read = list(texts)
    for place in (*plain, *powers) if in_numbers else plain:
        read[place] = one_number(texts[place], in_numbers)
    return read


def _are_enough(n_numbers: int, n_texts: int, with_strays: bool) -> bool:
    """Whether a column is one of numbers: all are, or all but a few strays."""
    n_strays = n_texts - n_numbers
    if not with_strays or n_strays == 0:
        return n_strays == 0
    few = n_strays == 1 or n_numbers >= OF_NUMBERS * n_texts
    return few and n_numbers > n_strays


def one_number(text: str, in_numbers: bool) -> str:
    """One spelling of a number, digit by digit; any other text as it is.

    ``007`` and ``5e4`` are numbers in a column of numbers only. To take ``1`` and
    ``1.0`` for one value elsewhere, too, can only lower what is reached.

    Examples
    --------
    >>> one_number("007", in_numbers=True), one_number("007", in_numbers=False)
    ('7', '007')
    """
    if PLAIN.match(text):
        digits = text.replace(",", "")
    elif in_numbers and NUMBER.match(text):
        digits = f"{Decimal(text):f}"
    else:
        return text
    whole, _, decimals = digits.lstrip("+-").partition(".")
    whole, decimals = whole.lstrip("0") or "0", decimals.rstrip("0")
    shown = f"{whole}.{decimals}" if decimals else whole
    return f"-{shown}" if text.startswith("-") and shown != "0" else shown

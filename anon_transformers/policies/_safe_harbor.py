"""HIPAA safe harbor (45 CFR 164.514(b)(2)) as rules for published columns.

What is written so that it can be recognized is judged: by the name of a column, by how
its cells are written, and by what the release file says of it. A cell that a rule
cannot read in a column of its kind breaks it. The rest the file attests in words.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from types import MappingProxyType
from typing import ClassVar

from anon_transformers._data.labels import parse_ends
from anon_transformers.hierarchies._written_ranges import WrittenRange, read_range
from anon_transformers.policies._rules import (
    ColumnFault,
    ColumnRule,
    PublishedCells,
    members_of,
)

IDENTIFIER_NAMES = {
    "a name": frozenset(
        [
            "name",
            "names",
            "firstname",
            "lastname",
            "surname",
            "forename",
            "fullname",
            "initials",
        ]
    ),
    "a place smaller than a state": frozenset(
        [
            "address",
            "street",
            "city",
            "town",
            "village",
            "county",
            "district",
            "precinct",
            "parish",
            "latitude",
            "longitude",
            "lat",
            "lon",
            "geocode",
        ]
    ),
    "a telephone or fax number": frozenset(
        ["phone", "telephone", "tel", "mobile", "cellphone", "msisdn", "fax"]
    ),
    "an e-mail address": frozenset(["email", "mail"]),
    "a social security number": frozenset(["ssn"]),
    "a medical record number": frozenset(["mrn"]),
    "a health plan beneficiary number": frozenset(["beneficiary"]),
    "an account number": frozenset(["account", "iban"]),
    "a certificate or license number": frozenset(
        ["license", "licence", "certificate", "passport"]
    ),
    "a vehicle identifier": frozenset(["vin", "plate"]),
    "a device identifier": frozenset(["device", "serial", "imei"]),
    "an address in the web": frozenset(["url", "homepage", "website"]),
    "an IP address": frozenset(["ip"]),
    "a biometric identifier": frozenset(["fingerprint", "voiceprint", "biometric"]),
    "a photograph": frozenset(["photo", "photograph", "picture"]),
    "another unique code": frozenset(
        ["id", "ids", "uuid", "guid", "pseudonym", "token", "username"]
    ),
}
"""Last words of names of columns, by the kind of identifier that they stand for."""
NUMBER_WORDS = frozenset(["no", "nr", "nbr", "num", "number", "hash", "hashed"])
"""Words behind the one that counts, as in ``account_number``."""
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
IDENTIFIER_CELLS = {
    "an e-mail address": re.compile(r"[^\s@,;{}]+@[^\s@,;{}]+\.[A-Za-z]{2,}"),
    "an address in the web": re.compile(r"\b(?:https?|ftp)://\S|\bwww\.\w", re.I),
    "an IP address": re.compile(rf"(?<![\d.])(?:{_OCTET}\.){{3}}{_OCTET}(?![\d.])"),
    "a social security number": re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])"),
    "a telephone or fax number": re.compile(
        r"\+\d[\d ()/-]{7,}"
        r"|(?<![\d-])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\d-])"
    ),
}
"""How cells are written that are identifiers wherever they stand."""

DATE_NAMES = frozenset(["date", "dates", "dob", "datetime", "timestamp"])
DATE_ENDS = frozenset(["month", "weekday", "quarter"])
BIRTH_NAMES = frozenset(["dob", "birth", "birthday", "birthdate", "born"])
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
WRITTEN_DATE = re.compile(
    r"(?<![\d-])(?:1[6-9]|2[01])\d\d-(?:0[1-9]|1[0-2]|Q[1-4])(?!\d)"
    r"|(?<![\d./-])\d{4}[./]\d{1,2}[./]\d{1,2}(?![\d./])"
    r"|(?<![\d./-])\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})(?![\d./-])"
    rf"|\b(?:\d{{1,2}}\.? ?)?(?:{_MONTHS})[a-z]*\.?,? \d{{1,4}}\b",
    re.I,
)
"""A day, a month or a quarter of a year, however it is written."""
_YEAR = re.compile(r"(?:1[0-9]|2[0-9])\d\d\Z")
_FIRST_DAY, _LAST_DAY = re.compile(r"\d{4}-01-01\Z"), re.compile(r"\d{4}-12-31\Z")

AGE_NAMES = frozenset(["age", "ages"])
OLDEST = 90
"""Ages from this one on are one group."""

ZIP_NAMES = frozenset(
    ["zip", "zipcode", "zips", "zipcodes", "postal", "postcode", "postalcode"]
)
_LONG_ZIP = re.compile(r"(?<!\d)\d{5}-\d{4}(?!\d)")
_ZIP = re.compile(r"(\d{3})[*xX#]*\Z")
_SHORT_ZIP = re.compile(r"\d{0,2}[*xX#]+\Z")
RESTRICTED_ZIPS = frozenset(
    [
        "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830",
        "831", "878", "879", "884", "890", "893",
    ]
)  # fmt: skip
"""Three-digit areas of at most 20,000 persons by the census of 2000."""

ATTESTATIONS = MappingProxyType({
    "names": "No column holds names of persons, relatives, employers or household "
    "members.",
    "places": "No column holds a place smaller than a state, but zip codes that are "
    "named so or stated under columns.",
    "dates": "No column holds an element of a date but the year, or an age over 89, "
    "that neither its name nor the file says to be a date or an age.",
    "numbers": "No column holds numbers of medical records, health plans, accounts, "
    "certificates, licenses, vehicles or devices.",
    "biometrics": "No column holds biometric identifiers, full-face photographs or the "
    "like.",
    "other-codes": "No column holds any other unique identifying number, "
    "characteristic or code.",
    "no-actual-knowledge": "Whoever publishes has no actual knowledge that the table "
    "could identify a person, alone or with other information.",
})  # fmt: skip
"""What cannot be recognized in a table, by the word that a file attests it with."""


def _counted(cells: PublishedCells, column: str, breaks: Callable[[str], bool]) -> int:
    """Rows whose label breaks a rule; of a set, one member is enough."""
    return sum(
        rows
        for text, rows in cells.texts(column)
        if any(breaks(member.strip()) for member in members_of(text))
    )


def _is_of(
    cells: PublishedCells,
    column: str,
    kind: str,
    names: frozenset[str],
    last: frozenset[str] = frozenset(),
) -> bool:
    """Whether the file says that a column is of a kind, or else its name does.

    ``names`` count wherever they stand in its name, and ``last`` at its end alone:
    ``birth_country`` is no date.
    """
    stated = cells.kinds.get(column)
    if stated is not None:
        return stated == kind
    words = cells.words(column)
    return bool(names.intersection(words)) or bool(last.intersection(words[-1:]))


@dataclass(frozen=True)
class NoIdentifiers(ColumnRule):
    """No identifier is published, by role, by name or by how its cells are written."""

    name: ClassVar[str] = "no-identifiers"
    sentence: ClassVar[str] = (
        "No column is an identifier by its role or its name, and no cell is written "
        "as a mail, web or IP address, a social security or a telephone number."
    )

    def faults(self, cells: PublishedCells) -> list[ColumnFault]:
        """Columns that are identifiers, each with its first reason."""
        found = []
        for column in cells.columns:
            first = next(self._reasons(cells, column), None)
            if first is not None:
                found.append(ColumnFault(column, *first))
        return found

    def _reasons(self, cells: PublishedCells, column: str) -> Iterator[tuple[int, str]]:
        filled = cells.filled(column)
        if column in cells.identifiers:
            yield filled, "it is declared as an identifier and published"
        words = cells.words(column)
        while len(words) > 1 and words[-1] in NUMBER_WORDS:
            words.pop()
        for kind, names in IDENTIFIER_NAMES.items():
            if filled and words and words[-1] in names:
                yield (
                    filled,
                    f"its name says that it is {kind}; declare it as an identifier, "
                    f"or state columns: {{{column}: none}} if it is none",
                )
        for kind, pattern in IDENTIFIER_CELLS.items():
            rows = _counted(cells, column, partial(_is_written_as, pattern))
            if rows:
                yield rows, f"its cells are written as {kind}"


def _is_written_as(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


@dataclass(frozen=True)
class YearsOnly(ColumnRule):
    """Of a date no more than the year is published."""

    name: ClassVar[str] = "years-only"
    sentence: ClassVar[str] = "Of a date no more than the year is published."
    kinds: ClassVar[tuple[str, ...]] = ("date", "birth")

    def faults(self, cells: PublishedCells) -> list[ColumnFault]:
        """Columns with elements of dates beside the year."""
        found = []
        for column in cells.columns:
            named = _is_of(cells, column, "date", DATE_NAMES, DATE_ENDS)
            named = named or _is_birth(cells, column)
            breaks = _is_no_year if named else _is_written_date
            rows = _counted(cells, column, breaks)
            if rows:
                reason = "it tells more of a date than the year, or cannot be read"
                found.append(ColumnFault(column, rows, reason))
        return found


def _whole_years(text: str) -> bool:
    """Whether a range of days begins and ends with a year."""
    ends = parse_ends(text)
    return (
        ends is not None
        and bool(ends.low and _FIRST_DAY.match(ends.low))
        and bool(ends.high and _LAST_DAY.match(ends.high))
        and not ends.low_open
        and not ends.high_open
    )


def _is_written_date(text: str) -> bool:
    return WRITTEN_DATE.search(text) is not None and not _whole_years(text)


def _is_no_year(text: str) -> bool:
    """Whether a cell of a column of dates is neither a year nor a range of years."""
    if _whole_years(text):
        return False
    read = read_range(text)
    if read is None or (read.low is None and read.high is None):
        return True
    ends = [end for end in read.ends if end is not None]
    return not all(_YEAR.match(str(end)) for end in ends)


@dataclass(frozen=True)
class OldestTogether(ColumnRule):
    """Ages over 89, and years that tell them, are published as one group."""

    name: ClassVar[str] = "ages-over-89"
    sentence: ClassVar[str] = (
        "Ages over 89 are in one group, such as >= 90, and so are years of birth that "
        "tell them."
    )
    kinds: ClassVar[tuple[str, ...]] = ("age", "birth")

    def faults(self, cells: PublishedCells) -> list[ColumnFault]:
        """Columns that tell ages over 89 apart."""
        found = []
        for column in cells.columns:
            if _is_of(cells, column, "age", AGE_NAMES):
                rows = _counted(cells, column, _tells_old_age)
                reason = "it tells ages over 89 apart, or cannot be read"
            elif _is_birth(cells, column):
                tells = partial(_tells_old_year, cells.year - OLDEST)
                rows = _counted(cells, column, tells)
                reason = "its years tell ages over 89 apart"
            else:
                continue
            if rows:
                found.append(ColumnFault(column, rows, reason))
        return found


def _is_birth(cells: PublishedCells, column: str) -> bool:
    """Whether a column holds dates or years of birth, as ``birth_year`` does."""
    if column in cells.kinds:
        return cells.kinds[column] == "birth"
    words = cells.words(column)
    if words and words[-1] in {"year", "yr", "date"}:
        return bool(BIRTH_NAMES.intersection(words))
    return bool(words) and words[-1] in BIRTH_NAMES


def _tells_old_age(text: str) -> bool:
    """Whether a label separates some ages over 89 from others, or cannot be read."""
    read = read_range(text)
    return True if read is None else _splits_above(read, Decimal(OLDEST))


def _splits_above(read: WrittenRange, first: Decimal) -> bool:
    """Whether a range holds some numbers from ``first`` on, and not all of them.

    Examples
    --------
    >>> [_splits_above(read_range(text), Decimal(90)) for text in (">= 90", "85+")]
    [False, False]
    >>> [_splits_above(read_range(text), Decimal(90)) for text in ("[85, 90)", "89")]
    [False, False]
    >>> [_splits_above(read_range(text), Decimal(90)) for text in ("90", "[80, 95]")]
    [True, True]
    >>> [_splits_above(read_range(text), Decimal(90)) for text in ("> 90", "95+")]
    [True, True]
    """
    if read.high is not None:
        return read.high > first or (read.high == first and not read.high_open)
    if read.low is None:
        return False
    return read.low > first or (read.low == first and read.low_open)


def _tells_old_year(last: int, text: str) -> bool:
    """Whether a label separates some years up to ``last`` from others.

    What is no year at all is refused by :class:`YearsOnly`.
    """
    ends = parse_ends(text)
    if ends is not None and _whole_years(text):
        read: WrittenRange | None = WrittenRange(
            Decimal(str(ends.low)[:4]), Decimal(str(ends.high)[:4])
        )
    else:
        read = read_range(text)
    if read is None:
        return True
    turned = WrittenRange(
        None if read.high is None else -read.high,
        None if read.low is None else -read.low,
        read.high_open,
        read.low_open,
    )
    return _splits_above(turned, Decimal(-last))


@dataclass(frozen=True)
class ThreeDigitZips(ColumnRule):
    """Of a zip code at most three digits, and 000 where few persons live."""

    name: ClassVar[str] = "three-digit-zips"
    sentence: ClassVar[str] = (
        "Of a zip code at most three digits are published, and 000 for areas of at "
        "most 20,000 persons."
    )
    kinds: ClassVar[tuple[str, ...]] = ("zip",)

    def faults(self, cells: PublishedCells) -> list[ColumnFault]:
        """Columns with longer zip codes, or with those of small areas."""
        found = []
        for column in cells.columns:
            named = _is_of(cells, column, "zip", ZIP_NAMES)
            breaks = _is_fine_zip if named else _is_long_zip
            rows = _counted(cells, column, breaks)
            if rows:
                reason = (
                    "it has zip codes of more than three digits, of an area of at "
                    "most 20,000 persons that is not 000, or what cannot be read"
                )
                found.append(ColumnFault(column, rows, reason))
        return found


def _is_long_zip(text: str) -> bool:
    return _LONG_ZIP.search(text) is not None


def _is_fine_zip(text: str) -> bool:
    """Whether a cell of a column of zip codes tells more than the rule leaves."""
    three = _ZIP.match(text)
    if three:
        return three[1] in RESTRICTED_ZIPS
    # Two digits cover a whole area of three digits with many persons, and more.
    return _SHORT_ZIP.match(text) is None


RULES: tuple[ColumnRule, ...] = (
    NoIdentifiers(),
    YearsOnly(),
    OldestTogether(),
    ThreeDigitZips(),
)

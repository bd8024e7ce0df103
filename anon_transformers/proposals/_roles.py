"""A role for every column of a table, with the reason.

A proposal is a start and no judgment: a person knows what an intruder may know. In
doubt a column is proposed as a quasi-identifier, which no harm comes from but loss.
What is said of a column holds counts and shares, and never a value.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pandas as pd

from anon_transformers._data.dates import DateFormat
from anon_transformers._data.decimal_commas import have_decimal_commas
from anon_transformers.base._base import repeated_identifiers
from anon_transformers.exceptions import (
    DataError,
    ParameterError,
    check_choice,
    unknown_choice,
)
from anon_transformers.hierarchies._kinds import (
    COUNTING_NAMES,
    PREFIX_NAMES,
    ValueKind,
    find_kind,
    name_parts,
)
from anon_transformers.proposals._missing import (
    known_cells,
    marks_in,
    text_counts,
    without_marks,
)
from anon_transformers.release._declared_roles import COLUMN_ROLES, DeclaredRoles
from anon_transformers.release._identifying_columns import identifying_faults
from anon_transformers.release._person_columns import FEWEST_PERSONS as FEWEST_NAMED
from anon_transformers.release._person_columns import PersonSigns
from anon_transformers.release._person_names import PLACES, person_name

Role = Literal[
    "quasi_identifiers", "sensitive", "identifiers", "insensitive", "dropped", "subject"
]
ROLES: tuple[str, ...] = (*COLUMN_ROLES, "subject")
Confidence = Literal["high", "medium", "low"]
Rest = Literal["propose", "drop-unsure", "drop"]
RESTS: tuple[str, ...] = ("propose", "drop-unsure", "drop")
PUBLISHED_ROLES = ("quasi_identifiers", "sensitive", "insensitive")
Progress = Callable[[int, int, str], None]

WITH_COMMAS = {"number": ","}
"""How a release file states numbers with a decimal comma."""
NEARLY_ALL = 0.95
"""From this share of different values on, nearly every row has a value of its own."""
MANY_PERSONS = 0.2
"""Persons with few rows each: a subject has at least this share of different values."""
OWN_WORDS = 0.5
FEWEST_PERSONS = 20
MOST_PER_PERSON = 0.01
"""No person has more than this share of the rows, or so many rows as below."""
SOME_ROWS = 50
DENSE = 0.9
"""Share of the whole numbers between the lowest and the highest that a serial has."""
FEWEST_SERIAL = 500
FEW_VALUES = 20
NAME_NAMES = frozenset(
    ["name", "firstname", "lastname", "surname", "address", "street", "url"]
)
"""Parts of names of columns that name persons, if not one alone."""
KNOWN_NAMES = frozenset(
    [
        "age", "sex", "gender", "race", "ethnicity", "birth", "born", "dob", "zip",
        "zipcode", "plz", "postal", "postcode", "city", "town", "county", "region",
        "country", "nationality", "marital", "education", "occupation", "job",
        "profession", "workclass", "date", "admission", "discharge", "height",
        "weight",
    ]
)  # fmt: skip
"""Parts of names of columns that others know of a person."""
SENSITIVE_NAMES = frozenset(
    [
        "diag", "diagnosis", "diagnoses", "disease", "icd", "illness", "hiv", "aids",
        "cancer", "depressed", "depression", "income", "salary", "wage", "religion",
        "orientation", "drug", "drugs", "marijuana", "criminal", "conviction",
        "treatment", "therapy", "mental", "debt",
    ]
)  # fmt: skip
"""Parts of names of columns that an intruder wants to know."""
NUMBER_NAMES = frozenset(
    [
        "num", "number", "n", "count", "counts", "cnt",
    ]
)  # fmt: skip
"""How many of something is another thing than which."""
CONTACT = re.compile(
    r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}|https?://\S+|(?:\d{1,3}\.){3}\d{1,3}"
    r"|\+\d[\d ()/-]{7,}"
)
"""Mail addresses, addresses in a net, phone numbers."""


@dataclass(frozen=True)
class ColumnProposal:
    """What a column is, and the role that is proposed for it.

    Attributes
    ----------
    column : str
        Its name.
    kind : str
        What its values are: "number", "ordered ranges", "date", "nominal code",
        "prefix code", "words", "free text", "identifier", "constant" or "empty".
    role : str
        "quasi_identifiers", "sensitive", "identifiers", "insensitive", "dropped" or
        "subject", as a release file names them.
    reason : str
        One sentence with counts and shares; no value of the column.
    confidence : {"high", "medium", "low"}
        How sure it is; a person should look at whatever is not high.
    source_kind : str or dict or None
        What a release file states of the column under ``source.columns``.
    n_values : int
        Different values.
    missing : float
        Share of the rows in which it is missing.
    """

    column: str
    kind: str
    role: str
    reason: str
    confidence: Confidence
    source_kind: Any = None
    n_values: int = 0
    missing: float = 0.0


@dataclass(frozen=True)
class TableProposal:
    """Roles of all columns of a table, and what is known of the table.

    Attributes
    ----------
    columns : tuple of ColumnProposal
        One per column, in the order of the table.
    missing : tuple of str
        Texts that stand for missing values.
    n_rows : int
        Rows of the table.
    n_persons : int or None
        Persons, where a subject is proposed.
    """

    columns: tuple[ColumnProposal, ...]
    missing: tuple[str, ...]
    n_rows: int
    n_persons: int | None

    def of_role(self, role: str) -> list[str]:
        """Columns for which this role is proposed."""
        return [p.column for p in self.columns if p.role == role]

    @property
    def subject(self) -> str | None:
        """The column that tells persons apart."""
        return next(iter(self.of_role("subject")), None)


def propose_roles(frame: pd.DataFrame, **options: Any) -> list[ColumnProposal]:
    """Propose a role for every column of a table, with reasons.

    Parameters
    ----------
    frame : data frame
        The table, best as texts: numbers with leading zeros are codes.
    **options
        Those of :func:`propose_table`.

    Examples
    --------
    >>> table = pd.DataFrame({
    ...     "patient_nbr": [f"{number // 2 + 7000}" for number in range(200)],
    ...     "age": ["[30-40)", "[40-50)", "[50-60)", "[60-70)"] * 50,
    ... })
    >>> for found in propose_roles(table):
    ...     print(found.column, found.kind, found.role, sep=" | ")
    patient_nbr | identifier | subject
    age | ordered ranges | quasi_identifiers
    """
    return list(propose_table(frame, **options).columns)


def propose_table(
    frame: pd.DataFrame,
    *,
    stated: Mapping[str, str] | None = None,
    missing: Sequence[str] | None = None,
    dates: Mapping[str, Mapping[str, Any]] | None = None,
    rest: Rest = "propose",
    progress: Progress | None = None,
) -> TableProposal:
    """Propose a role for every column, and say what stands for missing values.

    Parameters
    ----------
    frame : data frame
        The table.
    stated : mapping of column to role, optional
        Roles that a person has decided on.
    missing : sequence of str, optional
        Texts that stand for missing values; found out by default.
    dates : mapping of column to dict, optional
        How dates are written, as under ``source.columns`` of a release file.
    rest : {"propose", "drop-unsure", "drop"}, default="propose"
        What becomes of columns that ``stated`` does not name: a role is proposed for
        each, those of low certainty are dropped, or all are. Columns that tell persons
        apart keep their role in any case: nothing of them is published, and persons are
        counted by them.
    progress : callable, optional
        Called with how many columns are done, how many there are, and the next one.

    Raises
    ------
    DataError
        If there is no row, or no column is left that an intruder could know.
    """
    given, formats = dict(stated or {}), dict(dates or {})
    _check_stated(frame, given, formats)
    check_choice("rest", rest, RESTS)
    if not len(frame):
        raise DataError("the table is empty: it has no rows.")
    counts = {str(name): text_counts(frame[name]) for name in frame.columns}
    marks = marks_in(counts) if missing is None else list(missing)
    found = []
    for done, (name, held) in enumerate(counts.items()):
        if progress is not None:
            progress(done, len(counts), name)
        known = without_marks(held, marks)
        how = (given.get(name), formats.get(name), len(frame))
        found.append(_propose(name, known, *how))
    if progress is not None:
        progress(len(counts), len(counts), "")
    table = _KnownTable(frame, marks)
    columns = _one_subject(table, found, given)
    columns = _without_telling(table, columns, given)
    columns = [p if p.column in given else _without_rest(p, rest) for p in columns]
    columns = _counting_persons(table, columns, given)
    if not any(p.role == "quasi_identifiers" for p in columns):
        raise DataError(
            "no column is left that an intruder could know: there is nothing to "
            "generalize. State one as a quasi-identifier (-q)."
        )
    persons = next((p.n_values for p in columns if p.role == "subject"), None)
    return TableProposal(tuple(columns), tuple(marks), len(frame), persons)


def _check_stated(
    frame: pd.DataFrame, stated: Mapping[str, str], dates: Mapping[str, Any]
) -> None:
    columns = list(map(str, frame.columns))
    for name in (*stated, *dates):
        if name not in columns:
            raise ParameterError(unknown_choice("column", name, columns))
    for role in stated.values():
        if role not in ROLES:
            raise ParameterError(unknown_choice("role", role, ROLES))
    subjects = [name for name, role in stated.items() if role == "subject"]
    if len(subjects) > 1:
        raise ParameterError(f"subject: one column, got {', '.join(subjects)}.")


@dataclass(frozen=True)
class _KnownTable:
    """A table with nothing in place of marks of missing values, column by column."""

    frame: pd.DataFrame
    marks: Sequence[str]

    def select(self, names: Sequence[str]) -> pd.DataFrame:
        """Some of its columns."""
        return pd.DataFrame(
            {name: known_cells(self.frame[name], self.marks) for name in names}
        )


def _propose(
    name: str, counts: pd.Series, stated: str | None, date: Any, n_rows: int
) -> ColumnProposal:
    """What one column alone shows."""
    absent = 1 - float(counts.sum()) / n_rows
    if not len(counts):
        reason = f"no value in {n_rows:,} rows"
        role = stated or "dropped"
        return ColumnProposal(name, "empty", role, reason, "high", missing=1.0)
    values, held = counts.index.tolist(), counts.tolist()
    kind = _kind_of(values, held, name)
    if date is not None:
        kind = replace(kind, kind="date", ambiguous=False, date_format=date["date"])
    role, why, confidence = _role(name, kind, values, held)
    shown = "identifier" if role in {"identifiers", "subject"} else kind.kind
    if stated is not None:
        role, why, confidence = stated, "stated", "high"
    said = f"{kind.reason[0].upper()}{kind.reason[1:]}"
    if absent > 0:
        said += f", missing in {absent:.1%}"
    return ColumnProposal(
        name,
        shown,
        role,
        f"{said}; {why}.",
        confidence,
        date if date is not None else _source_kind(kind, role),
        len(values),
        absent,
    )


def _kind_of(values: Sequence[str], counts: Sequence[int], name: str) -> ValueKind:
    """What the values are; numbers with a decimal comma are numbers."""
    if not have_decimal_commas(values):
        return find_kind(values, counts, name)
    found = f"{len(values):,} different values in {sum(counts):,} rows"
    said = f"{found}, numbers with a decimal comma"
    return ValueKind("number", said, decimal_comma=True)


def _role(
    name: str, kind: ValueKind, values: Sequence[str], counts: Sequence[int]
) -> tuple[str, str, Confidence]:
    """Role, why, and how sure that is."""
    parts = set(name_parts(name))
    n_rows, n_values = sum(counts), len(values)
    if kind.kind == "constant":
        # As insensitive, the first other value of a later table would be published.
        why = "it tells nothing, and a later table may hold a value of few"
        return "dropped", why, "high"
    if kind.kind == "free text":
        why = (
            "free text is refused, because it may name anybody, and nothing here "
            "protects it: leave it out of the source"
        )
        return "dropped", why, "high"
    naming = _naming(name, kind, values, counts)
    if naming is not None:
        return naming
    if kind.kind == "date" and kind.ambiguous:
        why = (
            "left out until a person says how its dates are written (--date, or "
            "source.columns)"
        )
        return "dropped", why, "low"
    if parts & SENSITIVE_NAMES and not parts & NUMBER_NAMES:
        why = "the name says that an intruder may want to know it"
        return "sensitive", why, "medium"
    if parts & KNOWN_NAMES:
        return "quasi_identifiers", "others may know it of a person", "high"
    if n_values <= FEW_VALUES or n_values / n_rows < MANY_PERSONS:
        why = "nothing says that nobody knows it"
        return "quasi_identifiers", why, "low"
    return "quasi_identifiers", "it differs between persons", "medium"


def _naming(
    name: str,
    kind: ValueKind,
    values: Sequence[str],
    counts: Sequence[int],
) -> tuple[str, str, Confidence] | None:
    """Whether a column names persons: an identifier, or a subject if it repeats."""
    n_rows, n_values = sum(counts), len(values)
    contacts = sum(
        n for v, n in zip(values, counts, strict=True) if CONTACT.fullmatch(v)
    )
    if contacts >= NEARLY_ALL * n_rows:
        role = "identifiers" if n_values == n_rows else "subject"
        return role, "addresses or numbers at which a person is reached", "high"
    parts, named = set(name_parts(name)), person_name(name)
    decimals = kind.kind == "number" and not kind.whole
    if decimals or kind.kind in {"date", "ordered ranges"}:
        return None
    per_value = f"{n_rows / n_values:.1f} rows per value, at most {max(counts):,}"
    if named == "strong" and FEWEST_NAMED <= n_values < n_rows:
        return "subject", f"{per_value}: the name is that of a person", "high"
    if named != "strong" and parts & (PREFIX_NAMES | COUNTING_NAMES):
        return None
    share = n_values / n_rows
    hint = named is not None or bool(parts & NAME_NAMES and not parts & PLACES)
    serial = kind.kind in {"number", "prefix code"} and _is_serial(values)
    worded = kind.kind == "words"
    if share >= NEARLY_ALL and (hint or serial or worded or n_rows >= SOME_ROWS):
        sure: Confidence = "high" if hint or serial or worded else "medium"
        role = "identifiers" if n_values == n_rows else "subject"
        return role, f"{share:.1%} of the rows have a value of their own", sure
    few_each = max(counts) <= max(MOST_PER_PERSON * n_rows, FEWEST_PERSONS)
    enough = share >= (OWN_WORDS if worded and not hint else MANY_PERSONS)
    if n_values < FEWEST_PERSONS or not few_each or not enough:
        return None
    if not (hint or serial or worded):
        return None
    why = f"{per_value}: it seems to tell persons apart who have several rows"
    return "subject", why, "medium"


def _is_serial(values: Sequence[str]) -> bool:
    """Whether they are the numbers of a row without large gaps."""
    if len(values) < FEWEST_SERIAL or not all(value.isdecimal() for value in values):
        return False
    numbers = [int(value) for value in values]
    return len(numbers) >= DENSE * (max(numbers) - min(numbers) + 1)


def _source_kind(kind: ValueKind, role: str) -> Any:
    """How the reader takes the column, so that later files are read alike."""
    if role != "quasi_identifiers":
        return None
    if kind.kind == "number":
        if kind.decimal_comma:
            return WITH_COMMAS
        return "integer" if kind.whole else "number"
    if kind.kind == "date":
        if kind.date_format is None:
            return None  # ISO 8601 is found, with times and without
        return {"date": DateFormat(kind.date_format).pattern}
    return "text"


def _one_subject(
    table: _KnownTable, found: Sequence[ColumnProposal], stated: Mapping[str, str]
) -> list[ColumnProposal]:
    """One subject at most; an identifier that repeats needs one."""
    candidates = [p for p in found if p.role == "subject"]
    chosen = next((p for p in candidates if stated.get(p.column) == "subject"), None)
    if chosen is None and candidates:
        order = {"high": 0, "medium": 1, "low": 2}
        chosen = min(candidates, key=lambda p: (order[p.confidence], p.n_values))
    others = []
    for one in found:
        if one.role == "subject" and one is not chosen:
            why = f"{one.reason.rstrip('.')}; another column is the subject."
            others.append(replace(one, role="identifiers", reason=why))
        else:
            others.append(one)
    if chosen is not None:
        return others
    names = [p.column for p in others if p.role == "identifiers"]
    repeated = next(iter(repeated_identifiers(table.select(names), names)), None)
    return [
        replace(
            p,
            role="subject",
            confidence="medium",
            reason=f"{p.reason.rstrip('.')}; it repeats, so that persons are counted.",
        )
        if p.column == repeated and p.column not in stated
        else p
        for p in others
    ]


def _without_rest(one: ColumnProposal, rest: Rest) -> ColumnProposal:
    """A column that nobody named, dropped if that is asked for."""
    goes = rest == "drop" or (rest == "drop-unsure" and one.confidence == "low")
    if not goes or one.role not in PUBLISHED_ROLES:
        return one
    how = "columns that are not named" if rest == "drop" else "what is not sure"
    why = f"{one.reason.rpartition('; ')[0]}; dropped, as {how} should be."
    return replace(one, role="dropped", reason=why, source_kind=None)


def _counting_persons(
    table: _KnownTable, found: list[ColumnProposal], stated: Mapping[str, str]
) -> list[ColumnProposal]:
    """The subject, among dropped columns that a release would refuse to leave out.

    A class has no more of its values than rows: whatever they stand for, whoever counts
    them promises no less than whoever counts rows.
    """
    if any(p.role == "subject" for p in found):
        return found
    quasi = [p.column for p in found if p.role == "quasi_identifiers"]
    dropped = [p for p in found if p.role == "dropped" and p.column not in stated]
    names = [p.column for p in dropped]
    signs = PersonSigns(table.select([*quasi, *names]), quasi)
    told = {p.column: sign for p in dropped if (sign := signs.of(p.column)) is not None}
    telling = [p for p in dropped if p.column in told]
    if not telling:
        return found
    chosen = min(telling, key=lambda p: (not told[p.column].named, p.n_values))
    why = (
        f"{chosen.reason.partition(';')[0]}; it has {told[chosen.column].words}: "
        "persons are counted by it, and none of it is published. If it stands for "
        "something else, drop it and state accept_repeated."
    )
    subject = replace(chosen, role="subject", reason=why, confidence="medium")
    return [subject if p is chosen else p for p in found]


def _without_telling(
    table: _KnownTable, found: Sequence[ColumnProposal], stated: Mapping[str, str]
) -> list[ColumnProposal]:
    """Sensitive columns that tell persons apart become quasi-identifiers.

    A release refuses them, unless a person accepts it (``accept_unique``).
    """
    subject = next((p.column for p in found if p.role == "subject"), None)
    persons = None if subject is None else table.frame[subject]
    return [_judged(table, one, subject, persons, stated) for one in found]


def _judged(
    table: _KnownTable,
    one: ColumnProposal,
    subject: str | None,
    persons: pd.Series | None,
    stated: Mapping[str, str],
) -> ColumnProposal:
    """One column, with another role if it tells persons apart."""
    if one.role not in {"sensitive", "insensitive"} or one.kind == "constant":
        return one
    roles: Any = {one.role: (one.column,), "subject": subject}
    frame = table.select([one.column])
    if not identifying_faults(frame, DeclaredRoles(**roles), persons):
        return one
    said = one.reason.rstrip(".")
    if one.column in stated:
        why = (
            f"{said}; few hold the same value: a release asks to accept that "
            "(accept_unique)."
        )
        return replace(one, reason=why, confidence="low")
    why = (
        f"{said}; but few hold the same value, so that it is generalized (or accept it "
        "under accept_unique)."
    )
    values = text_counts(frame[one.column])
    kind = _kind_of(values.index.tolist(), values.tolist(), one.column)
    return replace(
        one,
        role="quasi_identifiers",
        reason=why,
        confidence="low",
        source_kind=_source_kind(kind, "quasi_identifiers"),
    )

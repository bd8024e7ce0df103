"""Columns that are left out, and look as if they told persons apart.

An identifier that repeats says that persons have several rows, and a release refuses to
count rows for persons then. Whoever declares the same column as dropped would take that
evidence away: k rows of one person would pass for k persons.
"""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from anon_transformers._data.columns import identify
from anon_transformers.base._base import persons_in
from anon_transformers.exceptions import DataError
from anon_transformers.hierarchies._kinds import (
    COUNTING_NAMES,
    PREFIX_NAMES,
    find_kind,
    name_parts,
)
from anon_transformers.release._declared_roles import DeclaredRoles
from anon_transformers.release._identifying_columns import is_filled

ID_NAMES = frozenset(
    [
        "id", "ids", "nbr", "no", "nr", "key", "uuid", "guid", "ssn", "nhs", "mrn",
        "email", "mail", "phone", "tel", "mobile", "fax", "passport", "iban",
        "account", "name", "firstname", "lastname", "surname", "address", "street",
        "ip", "url", "license", "licence", "plate",
    ]
)  # fmt: skip
"""Parts of names of columns whose values stand for one thing each."""
PERSON_NAMES = frozenset(
    [
        "patient", "person", "subject", "client", "member", "customer", "user",
        "pupil", "student", "employee", "respondent", "participant", "case",
        "household", "insured", "citizen", "individual",
    ]
)  # fmt: skip
"""Parts of names of columns that are about persons."""
FEWEST_PERSONS = 10
"""A column with fewer values groups rows, and tells no persons apart."""
NAMED_SHARE = 0.05
"""Values per row of a column whose name says that it is an identifier."""
CODED_SHARE = 0.2
"""Values per row of a column of codes, whatever its name."""
NEARLY_ALL = 0.95
AGREEING = 0.5
"""How far rows with one value agree in a quasi-identifier: 0 is chance, 1 always."""
FEWEST_REPEATED = 3
"""Values that must repeat before their rows are compared."""
NEARLY_CONSTANT = 0.99
CODE = re.compile(r"(?=\S*\d)(?=\S*[^\W\d_]|\S*@)\S+|\d{6,}")
"""A word of letters and digits, a mail address, or a long number."""


def refuse_dropped_persons(frame: pd.DataFrame, roles: DeclaredRoles) -> None:
    """Refuse to count rows where a dropped column says that persons have several.

    Parameters
    ----------
    frame : data frame
        The source, before columns are left out.
    roles : DeclaredRoles
        What its columns are, and what was accepted.
    """
    if roles.subject is not None or roles.rows_are_persons:
        return
    judged = [name for name in roles.dropped if name not in roles.accept_repeated]
    faults = {}
    for name in judged:
        found = signs_of_persons(frame, name, roles.quasi_identifiers)
        if found is not None:
            faults[name] = found
    if not faults:
        return
    first = next(iter(faults))
    said = "; ".join(f"column {name!r} has {why}" for name, why in faults.items())
    raise DataError(
        f"roles.dropped: {said}. It seems to tell persons apart who have several rows, "
        f"and rows would be counted for persons. State 'subject: {first}' in place of "
        "dropping it, and persons are counted (it is not published, either); "
        f"'accept_repeated: [{', '.join(faults)}]' if its values do not stand for "
        "persons; or 'rows_are_persons: true' if every row is a person all the same."
    )


def signs_of_persons(
    frame: pd.DataFrame, name: str, quasi_identifiers: Sequence[str]
) -> str | None:
    """Why a column seems to tell persons apart who have several rows; None if not.

    It does if values repeat, there are more than a few, and its name, the form of its
    values or the quasi-identifiers of the rows that share a value say so. Dates, ranges
    and numbers with decimals never do.

    Examples
    --------
    >>> rows = range(60)
    >>> visits = pd.DataFrame({
    ...     "patient": [f"P{i // 3}" for i in rows],
    ...     "ward": [f"W{i % 5}" for i in rows],
    ...     "age": [20 + i // 3 for i in rows],
    ... })
    >>> signs_of_persons(visits, "patient", ["age"])
    '20 values in 60 rows, of which 20 repeat, and the form of codes'
    >>> signs_of_persons(visits, "ward", ["age"]) is None
    True
    """
    column = identify(frame[name])
    known = is_filled(column, None)
    counts, labels = _values_in(column.codes[known])
    if len(counts) == len(labels):  # one person may still be written in several ways
        persons = persons_in(frame[name], column.texts().tolist())
        counts, labels = _values_in(persons[column.codes[known]])
    repeated = int((counts > 1).sum())
    if len(counts) < FEWEST_PERSONS or not repeated:
        return None
    values = pd.Series(column.texts()[column.codes[known]]).value_counts()
    texts = [str(value) for value in values.index]
    kind = find_kind(texts, values.tolist(), name)
    whole = kind.kind != "number" or kind.whole
    if kind.kind in {"date", "ordered ranges"} or not whole:
        return None
    why = _by_form(texts, counts)
    if why is None and kind.kind != "free text":  # which is named after persons, too
        why = _by_name(name, counts)
    if why is None and repeated >= FEWEST_REPEATED:
        why = _by_rows(frame[known], labels, quasi_identifiers)
    if why is None:
        return None
    found = f"{len(counts):,} values in {len(labels):,} rows"
    return f"{found}, of which {repeated:,} repeat, and {why}"


def _values_in(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many rows have each value that occurs, and the value of each row."""
    held, labels = np.unique(codes, return_inverse=True)
    return np.bincount(labels, minlength=len(held)), labels


def _by_name(name: str, counts: np.ndarray) -> str | None:
    parts = set(name_parts(name))
    hint = bool(parts & (ID_NAMES | PERSON_NAMES)) or name.lower().endswith("id")
    if not hint or parts & (COUNTING_NAMES | PREFIX_NAMES):
        return None
    enough = len(counts) >= NAMED_SHARE * counts.sum()
    return "a person's or an identifier's name" if enough else None


def _by_form(texts: Sequence[str], counts: np.ndarray) -> str | None:
    codes = [text for text in texts if CODE.fullmatch(text)]
    if len(codes) < NEARLY_ALL * len(texts):
        return None
    if len(counts) < CODED_SHARE * counts.sum():
        return None
    # Amounts are long numbers, too, but not all of one length.
    if all(code.isdigit() for code in codes) and len({*map(len, codes)}) > 1:
        return None
    return "the form of codes"


def _by_rows(
    rows: pd.DataFrame, labels: np.ndarray, quasi_identifiers: Sequence[str]
) -> str | None:
    """Whether rows with one value agree in most quasi-identifiers, beyond chance.

    What gives one of them, such as the day of birth beside the age, does not.
    """
    found = [
        agreement(identify(rows[name]).codes, labels) for name in quasi_identifiers
    ]
    judged = [one for one in found if one is not None]
    alike = sum(one >= AGREEING for one in judged)
    if len(judged) == 1 or alike * 2 <= len(judged):
        return None
    return f"rows with one value agree in {alike} of {len(judged)} quasi-identifiers"


def agreement(codes: np.ndarray, labels: np.ndarray) -> float | None:
    """How far rows of one label have one code: 0 is chance, 1 always.

    Every label that has several rows counts alike. None where nearly all rows have the
    same code.

    Examples
    --------
    >>> agreement(np.array([0, 0, 1, 1, 0, 1]), np.array([0, 0, 1, 1, 2, 2]))
    0.333...
    """
    shares = np.bincount(codes) / len(codes)
    chance = float((shares**2).sum())
    if chance >= NEARLY_CONSTANT:
        return None
    sizes = np.bincount(labels)
    both = pd.Series(labels).groupby([labels, codes]).size()
    alike = np.bincount(
        both.index.get_level_values(0), weights=both * (both - 1), minlength=len(sizes)
    )
    several = sizes > 1
    pairs = sizes[several] * (sizes[several] - 1)
    return float(((alike[several] / pairs).mean() - chance) / (1 - chance))

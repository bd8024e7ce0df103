"""Names of columns that say that their values stand for persons.

The head of a name counts: ``hospital_patient_id`` numbers patients, ``patient_ward_id``
numbers wards, and ``patient_age`` numbers nothing.
"""

import re
from itertools import pairwise
from typing import Literal

from anon_transformers.hierarchies._kinds import (
    COUNTING_NAMES,
    PREFIX_NAMES,
    name_parts,
)

PERSONS = frozenset(
    [
        "patient", "patients", "person", "subject", "client", "customer", "member",
        "user", "pupil", "student", "employee", "worker", "respondent", "participant",
        "proband", "case", "insured", "citizen", "individual", "resident", "applicant",
        "beneficiary", "enrollee", "subscriber", "donor", "passenger", "inmate",
        "voter", "taxpayer", "borrower", "tenant", "guest", "patienten", "kunde",
        "kunden", "klient", "versicherten", "probanden", "paciente", "cliente",
        "persona", "personne",
    ]
)  # fmt: skip
"""Words for those whom a table is about; others, as a doctor, have rows of many."""
SHORT_PERSONS = frozenset(["pat", "pt", "subj", "cust", "emp"])
"""The same, cut short: alone they may mean anything."""
IDS = frozenset(["id", "ids", "key", "code", "uuid", "guid", "nbr", "nr", "no"])
"""Words for what tells things apart, whatever they are."""
NUMBERS = frozenset(["nbr", "nr", "no", "number", "num", "nummer", "name"])
"""Words for what a person has one of if they end a name, as ``patient_no`` does."""
IDENTIFIERS = frozenset(
    [
        "ssn", "mrn", "nhs", "nino", "bsn", "pesel", "cpf", "aadhaar", "msisdn",
        "passport", "email", "mail", "phone", "telephone", "tel", "mobile", "fax",
        "iban", "username", "login",
    ]
)  # fmt: skip
"""What is known to tell persons apart, or to reach them."""
WEAK_HEADS = frozenset(["account", "address", "ip", "plate", "license", "licence"])
"""What often tells persons apart, where it ends a name."""
FORMS = frozenset(
    ["hash", "hashed", "md5", "sha", "token", "pseudonym", "pseudo", "enc", "encrypted"]
)
"""How an identifier may be written; it is one all the same."""
PLACES = frozenset(
    [
        "city", "town", "school", "ward", "hospital", "clinic", "site", "region",
        "county", "country", "state", "district", "street", "building", "house",
        "room", "unit", "department", "dept", "station", "branch", "store", "shop",
    ]
)  # fmt: skip
"""Words for what many persons share."""
OTHER = COUNTING_NAMES | PREFIX_NAMES | PLACES | {"of"}
FUSED = re.compile(
    f"({'|'.join(sorted(PERSONS, key=len, reverse=True))})"
    f"({'|'.join(sorted(IDS | NUMBERS, key=len, reverse=True))})"
)


def person_name(name: str) -> Literal["strong", "weak"] | None:
    """Whether the name of a column says that its values stand for persons.

    ``strong``: a word for a person, with one for an identifier or alone; or a
    well-known identifier of persons. ``weak``: an identifier of something, or a full
    name.

    Examples
    --------
    >>> [person_name(name) for name in ("patientID", "home_phone", "case", "member_no")]
    ['strong', 'strong', 'strong', 'strong']
    >>> [person_name(name) for name in ("visit_id", "name")]
    ['weak', 'weak']
    >>> {person_name(name) for name in ("paid", "no_of_visits", "ward_id", "user_age")}
    {None}
    """
    parts = _parts(name)
    if not parts:
        return None
    if _is_strong(parts):
        return "strong"
    weak = bool(IDS.intersection(parts)) or parts[-1] in WEAK_HEADS
    if parts == ["name"] or (weak and not OTHER.intersection(parts)):
        return "weak"
    return None


def _parts(name: str) -> list[str]:
    """The words of a name, without those that say nothing of what it names."""
    parts: list[str] = []
    for part in name_parts(name):
        fused = FUSED.fullmatch(part)
        parts += [part] if fused is None else fused.groups()
    parts = ["name" if part == "fullname" else part for part in parts if part != "full"]
    while len(parts) > 1 and (parts[-1].isdigit() or parts[-1] in FORMS):
        parts.pop()
    return parts


def _is_strong(parts: list[str]) -> bool:
    if len(parts) == 1 and parts[0] in PERSONS:
        return True
    for place, (one, other) in enumerate(pairwise(parts)):
        rest = parts[place + 2 :]
        if one in PERSONS | SHORT_PERSONS:
            if other in NUMBERS:
                if not rest:
                    return True
            elif other in IDS and not OTHER.intersection(rest):
                return True
        if one in IDS - NUMBERS and other in PERSONS and not rest:
            return True
    # How many mails there are is another thing than whose they are.
    if parts[0] in COUNTING_NAMES:
        return False
    head = list(parts)
    while len(head) > 1 and head[-1] in IDS | NUMBERS | {"address"}:
        head.pop()
    return head[-1] in IDENTIFIERS

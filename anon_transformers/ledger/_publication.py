"""A publication as the ledger keeps it: what was promised and measured, no values."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from anon_transformers.ledger._chain import LedgerEntry

COMPARED = (
    "release", "version", "period", "source", "subject", "roles", "method",
    "recoding", "thresholds", "asked_values", "levels", "sha256",
)  # fmt: skip
_SHORT = 16


@dataclass(frozen=True)
class Publication:
    """What the ledger keeps of one published version.

    Attributes
    ----------
    release : str
        Name of the release.
    version : str
        Name of the version, which is that of its run.
    source : str
        A name of the source, never a path or an address.
    source_id : str
        The same for all releases of one source.
    sha256 : str
        Hash of the published bytes.
    period : str or None
        What it is about.
    subject : str or None
        Column that tells persons apart.
    roles : dict of str to list of str
        Columns by role.
    method : dict
        The anonymizer with its parameters; of lists and mappings, which may hold
        values, a digest.
    thresholds : dict
        The thresholds in force, by id.
    levels : dict
        What was measured for each, by id; None where no number is published.
    asked_values : dict of str to int, or None
        Different values that were asked of groups of persons, by sensitive column; None
        in entries that do not say so.
    shares_persons_with : list of str
        Ids of other sources that are declared to hold some of the same persons.
    places : list of str
        Ids of the files that it was read from, whatever the source is called.
    linked : bool
        Whether it shows which rows are of one person in several versions, as stable
        pseudonyms do.
    recoding : {"fresh", "reuse"}
        Whether its classes were made anew, or are cells that the release keeps.

    Examples
    --------
    >>> march = Publication("adult", "r1", "adult.csv", "s1", "ab", period="2026-03")
    >>> march.method
    {}
    """

    release: str
    version: str
    source: str
    source_id: str
    sha256: str
    period: str | None = None
    subject: str | None = None
    roles: dict[str, Any] = field(default_factory=dict)
    method: dict[str, Any] = field(default_factory=dict)
    thresholds: dict[str, Any] = field(default_factory=dict)
    levels: dict[str, Any] = field(default_factory=dict)
    asked_values: dict[str, int] | None = None
    shares_persons_with: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    linked: bool = False
    recoding: str = "fresh"

    @property
    def name(self) -> tuple[str, str]:
        """Release and version, by which the ledger finds it."""
        return self.release, self.version

    def to_dict(self) -> dict[str, Any]:
        """What is written."""
        return asdict(self)

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> "Publication":
        """A publication from an entry; keys of later versions are left out."""
        known = cls.__dataclass_fields__
        return cls(**{key: value for key, value in given.items() if key in known})


def share_persons(
    one: Publication, others: Iterable[Publication]
) -> set[tuple[str, str]]:
    """Names of publications that may hold some of the persons of one.

    Those of one source do, or of one file, versions of one release, though it was given
    another source meanwhile, and those of sources that either declares to share
    persons. If A shares
    persons with B, and B with C, whoever has all three looks for a person in each: C is
    judged with A.

    Examples
    --------
    >>> a = Publication("clinic", "1", "a.csv", "a", "h")
    >>> b = Publication("survey", "1", "b.csv", "b", "h", shares_persons_with=["a"])
    >>> c = Publication("panel", "1", "c.csv", "c", "h", shares_persons_with=["b"])
    >>> sorted(share_persons(c, [a, b]))
    [('clinic', '1'), ('survey', '1')]
    """
    reached, found = _ties(one), set()
    left = [(other.name, _ties(other)) for other in others]
    while near := [each for each in left if not reached.isdisjoint(each[1])]:
        for name, ties in near:
            found.add(name)
            reached |= ties
        left = [each for each in left if each[0] not in found]
    return found


def _ties(one: Publication) -> set[tuple[str, str]]:
    """What links a publication to others: its release, its sources and their files."""
    sources = {one.source_id, *one.shares_persons_with}
    return {
        ("release", one.release),
        *(("source", source) for source in sources),
        *(("place", place) for place in one.places),
    }


@dataclass(frozen=True)
class RecordedPublication:
    """A publication with what the ledger says became of it.

    Attributes
    ----------
    publication : Publication
        What was reserved.
    state : {"reserved", "published", "given-up"}
        What happened last.
    reserved_at, published_at : str or None
        When.
    memberships : {"none", "kept", "forgotten"}
        Whether the classes of its persons are kept.
    forgotten_persons : int
        How many persons were removed from them one by one.
    """

    publication: Publication
    state: str
    reserved_at: str
    published_at: str | None = None
    memberships: str = "none"
    forgotten_persons: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The same for machines."""
        return {
            **self.publication.to_dict(),
            "state": self.state,
            "reserved_at": self.reserved_at,
            "published_at": self.published_at,
            "memberships": self.memberships,
            "forgotten_persons": self.forgotten_persons,
        }


def fold(entries: Iterable[LedgerEntry]) -> dict[tuple[str, str], RecordedPublication]:
    """What became of each publication, in the order of the reservations."""
    found: dict[tuple[str, str], RecordedPublication] = {}
    for entry in entries:
        name, content = entry.publication, entry.content
        if entry.event == "reserved":
            publication = Publication.read(content["publication"])
            found.pop(name, None)  # one that was given up, and comes again
            found[name] = RecordedPublication(publication, "reserved", content["at"])
        elif name in found:
            found[name] = _changed(found[name], content)
    return found


def _changed(
    before: RecordedPublication, content: Mapping[str, Any]
) -> RecordedPublication:
    parts = dict(vars(before))
    event = content["event"]
    if event == "published":
        parts |= {"state": "published", "published_at": content["at"]}
    elif event == "given-up":
        parts |= {"state": "given-up"}
    elif event == "memberships":
        parts |= {"memberships": "kept"}
    elif content.get("what") == "person":
        parts["forgotten_persons"] += 1
    else:
        parts |= {"memberships": "forgotten"}
    return RecordedPublication(**parts)


def plain_parameters(stated: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters without lists and mappings, which may hold values of the table.

    In their place stands a digest, so that a change is seen.

    Examples
    --------
    >>> plain_parameters({"k": 5, "domain": {"zip": ["007"]}})
    {'k': 5, 'domain': 'sha256:c8f96bf592e13bc6'}
    """
    return {name: _plain(value) for name, value in stated.items()}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):  # JSON has no infinity
        return value if value - value == 0 else str(value)
    text = json.dumps(value, sort_keys=True, default=str).encode()
    return f"sha256:{hashlib.sha256(text).hexdigest()[:_SHORT]}"


def compare_publications(
    old: Publication, new: Publication
) -> dict[str, dict[str, Any]]:
    """What differs between two publications: no cell of either is known here.

    Parameters
    ----------
    old, new : Publication
        As the ledger has them.

    Returns
    -------
    dict
        For each key that differs, such as ``thresholds.k-anonymity.k``, ``from`` and
        ``to``.

    Examples
    --------
    >>> old = Publication("a", "1", "a.csv", "s", "h1", thresholds={"k": {"k": 5}})
    >>> new = Publication("a", "2", "a.csv", "s", "h1", thresholds={"k": {"k": 9}})
    >>> compare_publications(old, new)["thresholds.k.k"]
    {'from': 5, 'to': 9}
    """
    before, after = _flat(old), _flat(new)
    return {
        key: {"from": before.get(key), "to": after.get(key)}
        for key in dict.fromkeys([*before, *after])
        if before.get(key) != after.get(key)
    }


def _flat(publication: Publication) -> dict[str, Any]:
    whole = publication.to_dict()
    found: dict[str, Any] = {}
    for key in COMPARED:
        _flatten(key, whole[key], found)
    return found


def _flatten(key: str, value: Any, found: dict[str, Any]) -> None:
    if isinstance(value, Mapping) and value:
        for name, part in value.items():
            _flatten(f"{key}.{name}", part, found)
    else:
        found[key] = value

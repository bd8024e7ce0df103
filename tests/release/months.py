"""Months of one release: persons of towns, and what becomes of their tables."""

import pytest

from anon_transformers.exceptions import GateError
from anon_transformers.release import anonymize, load, publish, validate

SECRET = "5" * 64
HIERARCHY = "a;*\nb;*\nc;*\n"
ROLES = {
    "quasi_identifiers": ["town"],
    "sensitive": ["job"],
    "subject": "name",
    "identifiers": ["name"],
    "accept_unique": ["job"],
}


def make_monthly(release, monkeypatch):
    """A release of towns as they are: a class is a town."""
    monkeypatch.setenv("ANON_LEDGER_KEY", SECRET)
    (release.folder / "towns.csv").write_text(HIERARCHY)
    release.write(
        roles=ROLES,
        hierarchies={"town": "towns.csv"},
        anonymizer={"name": "full-domain", "suppression_limit": 0.2},
        thresholds=[
            {"model": "k-anonymity", "k": 3},
            {"model": "distinct-l-diversity", "l": 2},
        ],
        composition={"sensitive": {"job": "permanent"}},
    )
    release.publish = lambda rows: published(release, rows)
    return release


def persons(count, town="a", jobs="xyz", first=0):
    """Rows of persons of one town, whose jobs take turns."""
    return [
        [f"NAMEMARK{town}{number}", town, f"JOBMARK{jobs[number % len(jobs)]}"]
        for number in range(first, first + count)
    ]


def published(release, rows):
    release.write_rows([["name", "town", "job"], *rows])
    return publish(validate(anonymize(load(release.file))))


def refused(release, rows):
    """Why a month is refused; asserts that readers see nothing of it."""
    before = release.public_bytes()
    with pytest.raises(GateError) as caught:
        release.publish(rows)
    assert release.public_bytes() == before
    assert "MARK" not in str(caught.value)
    return str(caught.value)

"""Ledgers to fill and to tamper with."""

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("cryptography")

from anon_transformers.ledger import Ledger, MembershipKey, Publication

SIGNING = b"s" * 32


def make_publication(number, release="people", source_id="people.csv", **more):
    return Publication(
        release,
        f"run-{number}",
        "people.csv",
        source_id,
        f"{number:064x}",
        roles={"quasi_identifiers": ["age"], "sensitive": ["job"]},
        **more,
    )


@pytest.fixture
def place(tmp_path):
    return tmp_path / "private" / "ledger.sqlite"


@pytest.fixture
def ledger(place):
    return Ledger(place, SIGNING)


@pytest.fixture
def filled(ledger):
    """Three publications, of which the last is reserved."""
    for number in range(3):
        ledger.reserve(make_publication(number))
        if number < 2:
            ledger.confirm(("people", f"run-{number}"))
    return ledger


@pytest.fixture
def key():
    return MembershipKey(b"m" * 32)

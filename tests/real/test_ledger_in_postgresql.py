"""A ledger that a team keeps in PostgreSQL does what one in a file does."""

import subprocess
import sys

import pytest
import sqlalchemy as sa

from anon_transformers.exceptions import LedgerError
from anon_transformers.ledger import Ledger
from anon_transformers.release import read_config
from anon_transformers.release._ledger import open_ledger
from tests.ledger.conftest import SIGNING
from tests.ledger.test_publications import WRITER, events
from tests.real.postgres import running_cluster
from tests.release.conftest import SmallRelease
from tests.release.months import make_monthly, persons, refused

pytestmark = pytest.mark.real
TURNS, WRITERS = 5, 3


@pytest.fixture(scope="module")
def server():
    with running_cluster() as cluster:
        yield cluster.url


@pytest.fixture
def url(server):
    """The address of the database, emptied of what another test wrote."""
    engine = sa.create_engine(server)
    with engine.begin() as connection:
        known = sa.MetaData()
        known.reflect(connection)
        known.drop_all(connection)
    engine.dispose()
    return server


@pytest.fixture
def monthly(tmp_path, monkeypatch):
    return make_monthly(SmallRelease(tmp_path), monkeypatch)


@pytest.mark.parametrize("shared", [False, True], ids=["sources", "one-source"])
def test_processes_that_append_at_once_never_fork_the_chain(url, shared):
    names = [f"source-{who}" for who in range(WRITERS)]
    lines = [
        [sys.executable, "-c", WRITER, url, f"release-{who}",
         "one" if shared else name, str(TURNS)]
        for who, name in enumerate(names)
    ]  # fmt: skip
    running = [subprocess.Popen(line) for line in lines]
    assert [process.wait(timeout=300) for process in running] == [0] * WRITERS
    ledger = Ledger(url, SIGNING)
    found = ledger.verify()
    assert found.faults == ()
    assert found.n_entries == WRITERS * TURNS * 2
    if shared:  # between a reservation and its end nobody else reserved
        assert events(ledger) == ["reserved", "published"] * (WRITERS * TURNS)


def test_months_are_judged_together(monthly, url, monkeypatch):
    monkeypatch.setenv("TEAM_LEDGER", url)
    monthly.write(ledger={"url": "$TEAM_LEDGER"})
    monthly.publish(persons(6))
    assert "1 person who came" in refused(monthly, persons(7))
    monthly.publish(persons(9))
    ledger = open_ledger(read_config(monthly.file))
    assert len(ledger.publications()) == 2
    assert ledger.verify().faults == ()
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        rows = connection.execute(sa.text("SELECT * FROM anon_ledger_entries")).all()
        kept = connection.execute(sa.text("SELECT blob FROM anon_ledger_memberships"))
        written = str(rows) + "".join(str(bytes(blob)) for (blob,) in kept)
        # A row that somebody changed: its hash is no longer that of its content.
        connection.execute(
            sa.text(
                "UPDATE anon_ledger_entries SET content = replace(content, "
                "'reserved', 'received') WHERE sequence = 1"
            )
        )
    engine.dispose()
    assert "MARK" not in written
    assert ledger.verify().faults
    with pytest.raises(LedgerError):
        ledger.refuse_changed()


def test_a_server_that_cannot_be_reached_publishes_nothing(monthly, url, monkeypatch):
    monkeypatch.setenv("TEAM_LEDGER", url.replace("127.0.0.1:", "127.0.0.1:1"))
    monthly.write(ledger={"url": "$TEAM_LEDGER"})
    with pytest.raises(LedgerError) as caught:
        monthly.publish(persons(6))
    assert "127.0.0.1" not in str(caught.value)
    assert not list(monthly.target.glob("current"))

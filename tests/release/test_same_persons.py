"""Which releases hold the same persons, whatever names them and whatever was lost."""

import shutil
import sqlite3
from contextlib import closing

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import GateError
from anon_transformers.release import anonymize, load, publish, validate
from anon_transformers.release._config import read_config
from anon_transformers.release._ledger import places_of
from tests.release.months import persons, refused

pytestmark = pytest.mark.gx
LACKS = "the ledger lacks 1 published version"


def in_database(monthly, rows):
    with closing(sqlite3.connect(monthly.folder / "people.db")) as connection:
        connection.execute("DROP TABLE IF EXISTS people")
        connection.execute("CREATE TABLE people (name TEXT, town TEXT, job TEXT)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
        connection.commit()


def test_a_workspace_that_was_lost_is_noticed_by_what_is_public(monthly):
    monthly.publish(persons(6))
    shutil.rmtree(monthly.work)
    assert LACKS in refused(monthly, persons(7))


def test_a_workspace_that_was_lost_is_noticed_by_a_database(monthly):
    database = {"url": "sqlite:///public.db", "table": "people"}
    monthly.write(target={"path": "out", "database": database})
    monthly.publish(persons(6))
    shutil.rmtree(monthly.work)
    shutil.rmtree(monthly.target)
    with pytest.raises(GateError, match=LACKS):
        monthly.publish(persons(7))


def test_a_workspace_that_was_lost_is_noticed_in_any_period(monthly):
    monthly.write(
        source={"path": "people-{period:%Y-%m}.csv"},
        target={"path": "out/{period:%Y-%m}", "retention": {"periods": 12}},
    )
    header = ["name", "town", "job"]
    monthly.source = monthly.folder / "people-2026-01.csv"
    monthly.write_rows([header, *persons(6)])
    publish(validate(anonymize(load(monthly.file, period="2026-01"))))
    shutil.rmtree(monthly.work)
    (monthly.target / "current").unlink()  # or the target would be refused
    monthly.source = monthly.folder / "people-2026-02.csv"
    monthly.write_rows([header, *persons(7)])
    with pytest.raises(GateError, match=LACKS):
        validate(anonymize(load(monthly.file, period="2026-02")))


def test_a_copy_of_a_version_is_known(monthly):
    monthly.publish(persons(6))
    versions = monthly.target / "versions"
    shutil.copytree(monthly.target / "current", versions / "a copy")
    monthly.publish(persons(6))


@pytest.mark.parametrize(
    "source",
    [
        {"url": "sqlite:///{folder}/people.db", "table": "people"},
        {"url": "sqlite+pysqlite:///people.db", "table": "people"},
        {"url": "sqlite:///people.db", "query": "SELECT * FROM people"},
    ],
    ids=["absolute", "driver", "query"],
)
def test_the_file_of_a_database_is_one_source(monthly, another_release, source):
    stated = {"kind": "sql", "url": "sqlite:///people.db", "table": "people"}
    in_database(monthly, persons(6))
    monthly.write(source=stated)
    publish(validate(anonymize(load(monthly.file))))
    in_database(monthly, persons(7))
    other = another_release("other")
    url = source["url"].format(folder=monthly.folder)
    other.write(**{**monthly.content, "target": {"path": "out-other"}})
    other.write(source={"kind": "sql", **source, "url": url})
    with pytest.raises(GateError, match="1 person who came"):
        publish(validate(anonymize(load(other.file))))


@pytest.mark.parametrize(
    ("url", "same"),
    [
        ("postgresql+psycopg2://$USER_A@db.example.org:5432/ward", True),
        ("postgresql://DB.example.org/ward", True),
        ("postgresql://db.example.org:5433/ward", False),
        ("postgresql://db.example.org/other", False),
    ],
)
def test_an_address_has_many_spellings(monthly, url, same):
    def places(given, table="people"):
        monthly.write(source={"kind": "sql", "url": given, "table": table})
        return set(places_of(read_config(monthly.file)))

    address = "postgresql://$USER_B@db.example.org/ward"
    assert places(address)
    assert bool(places(address) & places(url)) == same
    assert not places(address) & places(url, "others")

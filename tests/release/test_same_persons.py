"""Which releases hold the same persons, whatever names them and whatever was lost."""

import shutil

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import GateError
from tests.release.months import persons, refused

pytestmark = pytest.mark.gx
LACKS = "the ledger lacks 1 published version"


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


def test_a_copy_of_a_version_is_known(monthly):
    monthly.publish(persons(6))
    versions = monthly.target / "versions"
    shutil.copytree(monthly.target / "current", versions / "a copy")
    monthly.publish(persons(6))

"""The personal data of a run that failed go, whatever is out of reach."""

import logging
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

pytest.importorskip("pydantic")

from anon_transformers.airflow._endings import EndRun
from anon_transformers.exceptions import ReleaseError
from anon_transformers.release import load
from tests.release.conftest import SmallRelease

SECRETS = {"ANON_PLACE": "vault"}


@pytest.fixture
def begun(tmp_path, monkeypatch):
    """A run whose workspace is named by a variable that only its steps have."""
    release = SmallRelease(tmp_path)
    release.write(workspace="$ANON_PLACE", airflow={"secrets": SECRETS})
    with monkeypatch.context() as patch:
        patch.setenv("ANON_PLACE", str(release.work))
        load(release.file, run_id="failed")
    assert list(release.work.rglob("input*"))
    return release


def connections(monkeypatch, get):
    """Stand in for Airflow, which would rewire the logging of this process."""
    module = ModuleType("airflow.sdk")
    module.BaseHook = SimpleNamespace(get_connection=get)
    monkeypatch.setitem(sys.modules, "airflow.sdk", module)


def test_a_failed_run_is_ended_with_the_secrets_of_its_steps(begun, monkeypatch):
    place = SimpleNamespace(password=str(begun.work))
    connections(monkeypatch, lambda name: {"vault": place}[name])
    EndRun(str(begun.file), SECRETS)({"run_id": "failed"})
    assert not list(begun.work.rglob("input*"))
    assert begun.events()[-1]["event"] == "abandoned"


def test_connections_out_of_reach_do_not_keep_personal_data(begun, monkeypatch, caplog):
    def gone(name):
        raise KeyError("SECRETMARK")

    connections(monkeypatch, gone)
    monkeypatch.setenv("ANON_PLACE", str(begun.work))
    with caplog.at_level(logging.ERROR):
        EndRun(str(begun.file), SECRETS)({"run_id": "failed"})
    assert not list(begun.work.rglob("input*"))
    assert "airflow.secrets: no connection (KeyError)." in caplog.text
    assert "SECRETMARK" not in caplog.text


def test_trouble_with_one_run_keeps_no_other_one(monkeypatch, caplog):
    ended = []

    def abandon(location):
        ended.append(location.name)
        if location.name == "a":
            raise ReleaseError("it is at work")

    monkeypatch.setattr("anon_transformers.release.abandon", abandon)
    monkeypatch.setattr(EndRun, "of_task", lambda *_: [Path("a"), Path("b")])
    EndRun("people.yaml")({"run_id": "failed"})
    assert ended == ["a", "b"]
    assert "a: it is at work" in caplog.text

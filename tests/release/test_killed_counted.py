"""Killed at any point, a release that DuckDB counts is the old or the new one."""

import sys
from pathlib import Path
from random import randrange

import pandas as pd
import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")
pytest.importorskip("duckdb")

from tests.release.test_killed import LINES, seen_by_readers, sweep

pytestmark = [
    pytest.mark.slow,
    pytest.mark.gx,
    pytest.mark.skipif(sys.platform != "linux", reason="forks, and looks into /proc"),
]
SCRIPT = Path(__file__).with_name("sweep_counted.py")
KINDS = {"first": "nothing", "replacement": "old"}


@pytest.fixture
def counted(release):
    people = pd.read_csv(release.source, dtype={"zip": str}).drop(columns="name")
    release.source = release.folder / "people.parquet"
    people.to_parquet(release.source, index=False)
    release.write(
        source={"path": "people.parquet", "engine": "duckdb"},
        roles={**release.content["roles"], "identifiers": []},
        target={"path": "out", "format": "parquet"},
    )
    return release


@pytest.mark.parametrize("kind", KINDS)
def test_killed_while_it_loads_or_publishes(counted, tmp_path, kind):
    report = sweep(counted, tmp_path, kind, "changes", stride=11, script=SCRIPT)
    seen = seen_by_readers(report)
    assert set(seen) == {KINDS[kind], "new"}
    assert seen == sorted(seen, key=[KINDS[kind], "new"].index)  # never back
    assert report["total"] - report["begins"]["publish"] > 10
    assert report["begins"]["anonymize"] > 5


def test_a_step_that_was_killed_can_be_done_again(counted, tmp_path):
    report = sweep(counted, tmp_path, "replacement", "retry", stride=17, script=SCRIPT)
    assert set(seen_by_readers(report)) == {"old", "new"}


@pytest.mark.parametrize("kind", KINDS)
def test_killed_at_lines_that_may_write(counted, tmp_path, kind):
    report = sweep(
        counted, tmp_path, kind, "lines", LINES, randrange(LINES), script=SCRIPT
    )
    assert len(seen_by_readers(report)) >= report["total"] // LINES > 20

"""Killed at any point, readers see the old release or the new one whole."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from random import randrange

import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

pytestmark = [
    pytest.mark.gx,
    pytest.mark.skipif(sys.platform != "linux", reason="forks, and looks into /proc"),
]
KINDS = ["first", "replacement", "first-foreign", "replacement-foreign"]
"""With ``-foreign``: in a house that holds links, strays and others' folders, too."""
LINES = 31
"""Of so many lines one is tried, another one each time: all of them take hours."""
SCRIPT = Path(__file__).with_name("sweep_kills.py")


def sweep(release, folder, kind, way, stride, first=0, script=SCRIPT):
    """Run the script; what it found, point by point."""
    template = folder / "sweep" / "template"
    template.mkdir(parents=True)
    for file in (release.file, release.source):
        shutil.copy(file, template)
    asked = [str(template.parent), kind, way, str(stride), str(first)]
    done = subprocess.run(
        [sys.executable, str(script), *asked],
        capture_output=True,
        text=True,
        check=False,
        timeout=7200,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    report = json.loads(done.stdout.splitlines()[-1])
    failed = {
        p: reason for p, (state, reason) in report["found"].items() if state == "failed"
    }
    assert not failed, (failed, done.stderr[-3000:])
    return report


def seen_by_readers(report):
    """What readers saw after each kill, in the order of the points."""
    points = sorted(report["found"], key=int)
    ended = [report["found"][point][0] for point in points]
    assert ended[-1] == 0  # the last point lies behind the end
    assert set(ended[:-1]) == {-9}  # every other one was a real kill
    return [report["found"][point][1] for point in points]


@pytest.mark.parametrize(
    ("kind", "before"),
    [
        pytest.param("first", "nothing", marks=pytest.mark.slow),
        ("replacement-foreign", "old"),
    ],
)
def test_killed_while_it_loads_or_publishes(release, tmp_path, kind, before):
    report = sweep(release, tmp_path, kind, "changes", stride=11)
    seen = seen_by_readers(report)
    assert set(seen) == {before, "new"}
    assert seen == sorted(seen, key=[before, "new"].index)  # one change, never back
    assert report["begins"]["load"] == 0
    assert report["total"] - report["begins"]["publish"] > 10
    assert report["begins"]["anonymize"] > 5


@pytest.mark.slow
def test_a_step_that_was_killed_can_be_done_again(release, tmp_path):
    report = sweep(release, tmp_path, "replacement", "retry", stride=17)
    assert set(seen_by_readers(report)) == {"old", "new"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["changes", "retry"])
def test_killed_at_every_change_of_the_file_system(release, tmp_path, kind, way):
    report = sweep(release, tmp_path, kind, way, stride=1)
    assert len(report["found"]) == report["total"] + 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_killed_at_lines_that_may_write(release, tmp_path, kind):
    report = sweep(release, tmp_path, kind, "lines", LINES, randrange(LINES))
    assert len(seen_by_readers(report)) >= report["total"] // LINES > 20


@pytest.fixture
def reusing(release, monkeypatch):
    """A release that keeps its cells, and the classes of its persons."""
    monkeypatch.setenv("ANON_LEDGER_KEY", "5" * 64)
    roles = {**release.content["roles"], "subject": "name"}
    release.write(roles=roles, composition={"k": 3}, recoding="reuse")
    return release


@pytest.mark.parametrize(
    ("kind", "before"),
    [("first", "nothing"), pytest.param("replacement", "old", marks=pytest.mark.slow)],
)
def test_killed_while_cells_are_kept(reusing, tmp_path, kind, before):
    report = sweep(reusing, tmp_path, kind, "changes", stride=13)
    assert set(seen_by_readers(report)) == {before, "new"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS[:2])
@pytest.mark.parametrize("way", ["changes", "retry"])
def test_killed_at_every_change_while_cells_are_kept(reusing, tmp_path, kind, way):
    report = sweep(reusing, tmp_path, kind, way, stride=1)
    assert len(report["found"]) > 50


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS[:2])
def test_killed_at_lines_while_cells_are_kept(reusing, tmp_path, kind):
    report = sweep(reusing, tmp_path, kind, "lines", LINES, randrange(LINES))
    assert len(report["found"]) > report["total"] // LINES > 20

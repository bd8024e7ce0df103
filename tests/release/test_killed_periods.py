"""Killed in one period, another goes on, and every link leads to a whole version."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from tests.release.test_periods import with_periods

pytestmark = [
    pytest.mark.gx,
    pytest.mark.skipif(sys.platform != "linux", reason="forks, and looks into /proc"),
]
SCRIPT = Path(__file__).with_name("sweep_periods.py")
BACKFILL, AGAIN = "2026-10", "2026-11"


def sweep(release, folder, period, stride):
    template = folder / "sweep" / "template"
    template.mkdir(parents=True)
    with_periods(release, [BACKFILL, AGAIN, "2026-12"])
    release.write(target={"path": "out/{period}"})
    for file in (release.file, *release.folder.glob("p-*.csv")):
        shutil.copy(file, template)
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(template.parent), period, str(stride)],
        capture_output=True,
        text=True,
        check=False,
        timeout=3600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    report = json.loads(done.stdout.splitlines()[-1])
    failed = {
        p: why for p, (ended, why) in report["found"].items() if ended == "failed"
    }
    assert not failed, (failed, done.stderr[-3000:])
    ended = [report["found"][p][0] for p in sorted(report["found"], key=int)]
    assert ended[-1] == 0
    assert set(ended[:-1]) == {-9}
    assert {seen for _, seen in report["found"].values()} == {AGAIN}
    assert report["total"] > report["begins"]["publish"] > 10


@pytest.mark.slow
def test_killed_while_another_period_is_under_way(release, tmp_path):
    sweep(release, tmp_path, BACKFILL, stride=7)


@pytest.mark.slow
@pytest.mark.parametrize("period", [BACKFILL, AGAIN])
def test_killed_at_every_change_while_another_is_under_way(release, tmp_path, period):
    sweep(release, tmp_path, period, stride=1)

"""Killed while a month is published, the next one is judged with what readers saw."""

import json
import shutil
import subprocess
import sys
from collections import Counter

import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from tests.release.sweep_months import MONTHS, rows_of

pytestmark = [
    pytest.mark.gx,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="forks, and looks into /proc"),
]


def sweep(monthly, folder, recoding):
    """Run the script; how often each outcome came."""
    template = folder / "sweep" / "template"
    template.mkdir(parents=True)
    monthly.write(recoding=recoding)
    monthly.write_rows([["name", "town", "job"], *rows_of(MONTHS["january"])])
    for file in (monthly.file, monthly.source, monthly.folder / "towns.csv"):
        shutil.copy(file, template)
    done = subprocess.run(
        [sys.executable, "-m", "tests.release.sweep_months", str(template.parent), "7"],
        capture_output=True,
        text=True,
        check=False,
        timeout=7200,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    report = json.loads(done.stdout.splitlines()[-1])
    failed = {
        point: why for point, (ended, why) in report["found"].items()
        if ended == "failed"
    }  # fmt: skip
    assert not failed, (failed, done.stderr[-3000:])
    points = sorted(report["found"], key=int)
    assert {report["found"][point][0] for point in points[:-1]} == {-9}
    return Counter(seen for _, seen in report["found"].values())


def test_a_month_that_was_seen_is_judged_with_though_its_run_was_killed(
    monthly, tmp_path
):
    found = sweep(monthly, tmp_path, "fresh")
    assert found["1 seen, 0 later"] > 3  # march is refused
    assert found["0 seen, 1 later"] > 3  # nobody saw february, and march is public


def test_kept_cells_withhold_whom_a_killed_month_showed(monthly, tmp_path):
    found = sweep(monthly, tmp_path, "reuse")
    assert found["1 seen, 1 later"] > 3
    assert found["0 seen, 1 later"] > 3

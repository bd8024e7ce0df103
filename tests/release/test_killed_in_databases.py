"""Killed at any point of *publish*, a database shows the old release or the new one."""

import json
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")
pytest.importorskip("duckdb")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.gx,
    pytest.mark.skipif(sys.platform != "linux", reason="forks, and looks into /proc"),
]
URLS = {"sqlite": "sqlite:///public.db", "duckdb": "duckdb:///public.duckdb"}


@pytest.mark.parametrize("backend", URLS)
def test_each_kill_leaves_a_whole_release(release, tmp_path, backend):
    database = {"url": URLS[backend], "table": "ward"}
    release.write(target={"path": "out", "database": database})
    template = tmp_path / "sweep" / "template"
    template.mkdir(parents=True)
    for file in (release.file, release.source):
        shutil.copy(file, template)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.release.sweep_databases"),
            *(str(template.parent), backend, "1"),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=3600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    report = json.loads(done.stdout.splitlines()[-1])
    failed = {
        p: said for p, (state, said) in report["found"].items() if state == "failed"
    }
    assert not failed, (failed, done.stderr[-3000:])
    kills = sorted(report["found"], key=int)
    assert [report["found"][point][0] for point in kills] == [-9] * (len(kills) - 1) + [
        0
    ]
    seen = [report["found"][point][1] for point in kills]
    assert seen[0] == "old old"
    assert seen[-1] == "new new"
    assert "new old" in seen  # between the folder and the database
    assert seen == sorted(seen, key=["old old", "new old", "new new"].index)

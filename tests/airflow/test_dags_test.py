"""One period by Airflow's own commands, without a scheduler, as the page says."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("airflow")
pytest.importorskip("great_expectations")

from anon_transformers.release import read_published

pytestmark = [pytest.mark.airflow, pytest.mark.gx, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
VISITS = """\
source: {path: "../data/{period:%Y-%m}.csv"}
roles: {quasi_identifiers: [age], sensitive: [job]}
anonymizer: {name: mondrian, step: {age: 5}}
thresholds: [{model: k-anonymity, k: 10}]
target: {path: ../out}
airflow: {period: previous, start_date: 2026-01-01}
workspace: ../work
composition: {accept_unjudged: made-up rows that describe nobody}
"""


@pytest.fixture
def airflow(tmp_path, environment):
    """Runs a command of Airflow in a home of its own."""

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "airflow", *arguments],
            env=environment(tmp_path, tmp_path / "dags", tmp_path / "releases"),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=600,
        )

    return run


def test_a_period_is_published_by_two_commands(tmp_path, airflow):
    for folder in ("dags", "releases", "data"):
        (tmp_path / folder).mkdir()
    shutil.copy(ROOT / "dags/releases.py", tmp_path / "dags")
    (tmp_path / "releases/visits.yaml").write_text(VISITS)
    rows = [f"{20 + i % 40},{'abc'[i % 3]}" for i in range(120)]
    (tmp_path / "data/2026-09.csv").write_text("\n".join(["age,job", *rows]) + "\n")
    migrated = airflow("db", "migrate")
    assert migrated.returncode == 0, migrated.stdout
    done = airflow("dags", "test", "visits", "2026-10-01")
    assert done.returncode == 0, done.stdout
    assert "publish visits 2026-09: version" in done.stdout
    assert len(read_published(tmp_path / "out", period="2026-09")) == 120
    missing = airflow("dags", "test", "visits", "2026-03-01")
    assert missing.returncode == 1
    assert "2026-02.csv does not exist" in missing.stdout

"""Studio starts at once: what jobs need is imported by the worker, or when asked."""

import subprocess
import sys

SCRIPT = """
import sys
from pathlib import Path
from anon_transformers.studio import make_app

make_app(Path(sys.argv[1]), "token", 8000)
print(*sorted(sys.modules))
"""
HEAVY = {"numba", "pandas", "sklearn", "scipy", "great_expectations", "matplotlib"}


def test_the_server_starts_without_what_jobs_need(tmp_path):
    said = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert HEAVY & set(said.stdout.split()) == set()

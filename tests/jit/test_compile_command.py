"""``anon compile``, and what is left to compile after it."""

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from anon_transformers.cli._app import app
from anon_transformers.jit import CompileOutcome, _ahead

MAIN = "from anon_transformers.cli import main; main()"
USE = """
import json, warnings
from numba.core import event
from anon_transformers.registry import registry
from anon_transformers.testing import (
    anonymizer_checks, metric_checks, privacy_model_checks
)


class Compiled(event.Listener):
    names = []

    def on_start(self, event):
        kernel = event.data["dispatcher"].py_func
        types = ", ".join(map(str, event.data["args"]))
        self.names.append(f"{kernel.__module__}.{kernel.__qualname__}({types})")

    def on_end(self, event):
        pass


event.register("numba:compile", Compiled())
warnings.simplefilter("ignore")
found = registry()
for catalog, checks in (
    (found.anonymizers, anonymizer_checks),
    (found.privacy_models, privacy_model_checks),
    (found.metrics, metric_checks),
):
    for name in catalog:
        # Every third check: all instances, all kinds of checks in turn.
        for _, check in list(checks(catalog[name]))[::3]:
            check()
print(json.dumps(sorted(set(Compiled.names))))
"""


def invoke(monkeypatch, outcome, *arguments):
    asked = []

    def compile_kernels(jobs, progress):
        asked.append(jobs)
        progress(1, 1, "mondrian._split")
        return outcome

    monkeypatch.setattr(_ahead, "compile_kernels", compile_kernels)
    return CliRunner().invoke(app, ["compile", *arguments]), asked


def test_it_says_what_was_done(monkeypatch):
    done, asked = invoke(monkeypatch, CompileOutcome(3, 4, 0, ()), "--jobs", "2")
    assert done.exit_code == 0
    assert done.stdout == "3 kernels compiled, 4 were there already.\n"
    assert asked == [2]


def test_machines_are_told_in_json(monkeypatch):
    done, asked = invoke(monkeypatch, CompileOutcome(0, 7, 1, ()), "--json")
    assert json.loads(done.stdout) == {
        "compiled": 0, "kept": 7, "removed": 1, "faults": [],
    }  # fmt: skip
    assert asked == [os.cpu_count()]


def test_a_fault_is_told_and_exits_with_1(monkeypatch):
    done, _ = invoke(
        monkeypatch, CompileOutcome(1, 0, 0, ("shop.sell(int64): broken",))
    )
    assert done.exit_code == 1
    assert "shop.sell(int64): broken" in done.stderr


@pytest.mark.slow
def test_after_it_nothing_registered_compiles(tmp_path):
    environment = {**os.environ, "ANON_CACHE_DIR": str(tmp_path)}
    compiled = subprocess.run(
        [sys.executable, "-c", MAIN, "compile", "--json"],
        capture_output=True, text=True, env=environment, check=True,
    )  # fmt: skip
    outcome = json.loads(compiled.stdout)
    assert outcome["faults"] == []
    assert outcome["kept"] == 0
    used = subprocess.run(
        [sys.executable, "-c", USE],
        capture_output=True, text=True, env=environment, check=True,
    )  # fmt: skip
    assert json.loads(used.stdout) == []
    assert "compiling kernels" not in used.stderr

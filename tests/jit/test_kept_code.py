"""Machine code is kept, found again, and never out of date."""

import json
import os
import subprocess
import sys

import pytest

from anon_transformers.jit import _places

CALLEE = """
from anon_transformers.jit import njit

STEP = 1


@njit
def up(number):
    return number + STEP
"""
CALLER = """
from anon_transformers.jit import njit
from kernels_of_a_test.callee import up


@njit("int64")
def twice_up(number):
    return up(up(number))
"""
NOTICE = "anon: compiling kernels for first use"


@pytest.fixture
def package(tmp_path):
    """A package with a kernel that calls one of another file."""
    folder = tmp_path / "code" / "kernels_of_a_test"
    folder.mkdir(parents=True)
    folder.joinpath("__init__.py").touch()
    folder.joinpath("callee.py").write_text(CALLEE)
    folder.joinpath("caller.py").write_text(CALLER)
    return folder


def run(package, code, **environment):
    paths = (str(package.parent), os.environ.get("PYTHONPATH", ""))
    kept = {"ANON_CACHE_DIR": str(package.parents[1] / "kept"), **environment}
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **kept},
    )


CALL = "from kernels_of_a_test.caller import twice_up; print(twice_up(5))"
AHEAD = """
import json
from anon_transformers.jit import _ahead

_ahead.kernel_modules = lambda: ["kernels_of_a_test.caller"]
if __name__ == "__main__":
    print(json.dumps(_ahead.compile_kernels(1)))
"""


def test_a_second_process_compiles_nothing_and_says_nothing(package):
    first, second = run(package, CALL), run(package, CALL)
    assert first.stdout == second.stdout == "7\n"
    assert first.stderr.count(NOTICE) == 1
    assert second.stderr == ""


def test_a_change_in_a_callee_s_file_is_seen(package):
    run(package, CALL)
    package.joinpath("callee.py").write_text(CALLEE.replace("STEP = 1", "STEP = 10"))
    changed = run(package, CALL)
    assert changed.stdout == "25\n"
    assert NOTICE in changed.stderr


def test_damaged_code_is_compiled_again(package):
    run(package, CALL)
    kept = sorted((package.parents[1] / "kept").iterdir())
    assert kept
    for path in kept:
        path.write_bytes(path.read_bytes()[:40])
    assert run(package, CALL).stdout == "7\n"
    assert run(package, CALL).stderr == ""


def test_what_is_compiled_ahead_is_not_compiled_again(package):
    outcome = json.loads(run(package, AHEAD).stdout)
    assert outcome == [1, 0, 0, []]
    assert json.loads(run(package, AHEAD).stdout) == [0, 1, 0, []]
    used = run(package, CALL)
    assert (used.stdout, used.stderr) == ("7\n", "")


BESIDE = {"ANON_CACHE_DIR": "", "NUMBA_CACHE_DIR": ""}


def test_compiling_ahead_removes_what_is_out_of_date(package):
    run(package, CALL, **BESIDE)
    package.joinpath("callee.py").write_text(CALLEE.replace("STEP = 1", "STEP = 10"))
    assert json.loads(run(package, AHEAD, **BESIDE).stdout)[:3] == [1, 0, 2]
    assert json.loads(run(package, AHEAD, **BESIDE).stdout)[:3] == [0, 1, 0]


def test_compiling_ahead_leaves_files_of_others(package):
    names = [
        # As numba names its index and its machine code.
        "caller.twice_up-8.py311.nbi",
        "kernels_of_a_test.caller.twice_up-8.py311.1.nbc",
        # A module that was not imported, and another package.
        f"kernels_of_a_test.absent.up-{'0' * 16}-{'0' * 32}.nbc",
        f"other.caller.up-{'0' * 16}-{'0' * 32}.nbc",
    ]
    folder = package / "__pycache__"
    folder.mkdir(exist_ok=True)
    for name in names:
        folder.joinpath(name).touch()
    assert json.loads(run(package, AHEAD, **BESIDE).stdout)[2] == 0
    assert {path.name for path in folder.iterdir()} >= set(names)


def test_a_chosen_folder_keeps_the_code_of_another_version(package):
    run(package, CALL)
    kept = set((package.parents[1] / "kept").iterdir())
    package.joinpath("callee.py").write_text(CALLEE.replace("STEP = 1", "STEP = 10"))
    assert json.loads(run(package, AHEAD).stdout)[:3] == [1, 0, 0]
    assert kept < set((package.parents[1] / "kept").iterdir())


def test_a_kernel_that_cannot_be_compiled_is_named(package):
    package.joinpath("caller.py").write_text(
        CALLER.replace('"int64"', '"int64, int64"')
    )
    _, _, _, faults = json.loads(run(package, AHEAD).stdout)
    assert len(faults) == 1
    assert faults[0].startswith("kernels_of_a_test.caller.twice_up(int64, int64): ")


def test_folders_are_tried_in_order(tmp_path, monkeypatch):
    monkeypatch.delenv("ANON_CACHE_DIR", raising=False)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "platform", "linux")
    beside, home = tmp_path / "__pycache__", tmp_path / "home" / "anon-transformers"
    refused = set()
    monkeypatch.setattr(_places, "_is_writable", lambda folder: folder not in refused)

    def found():
        _places._find_place.cache_clear()
        return _places.find_place(str(tmp_path))

    assert found() == (beside, (beside,), "")
    # What the owner compiled beside the modules is found by those who cannot write.
    refused.add(beside)
    assert found() == (home, (beside, home), "")
    refused.add(home)
    assert found().reason == f"{home} cannot be written"
    assert found().searched[:2] == (beside, home)
    monkeypatch.setenv("ANON_CACHE_DIR", str(tmp_path / "own"))
    assert found() == (tmp_path / "own", (tmp_path / "own",), "")
    _places._find_place.cache_clear()


def test_a_temporary_folder_is_nobody_else_s(tmp_path, monkeypatch):
    monkeypatch.setattr(_places.tempfile, "tempdir", str(tmp_path))
    own = _places._temporary()
    assert own.stat().st_mode & 0o077 == 0
    assert _places._temporary() == own
    own.chmod(0o777)
    assert _places._temporary() != own


def test_where_nothing_can_be_kept_it_is_said(package, capsys):
    from anon_transformers.jit import _notice

    before = _notice._State.was_shown
    try:
        _notice._State.was_shown = False
        _notice.announce_compiling("/some/folder cannot be written")
        _notice.announce_compiling("")
    finally:
        _notice._State.was_shown = before
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "/some/folder cannot be written; set ANON_CACHE_DIR" in said

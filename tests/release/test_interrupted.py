"""A run that somebody interrupts ends at once, and takes its private data with it."""

import logging
import signal
import subprocess
import sys

import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers import release as steps
from anon_transformers.release import run_release
from anon_transformers.release._log import LOG
from anon_transformers.release._under_way import _OURS

pytestmark = pytest.mark.gx


@pytest.mark.parametrize("step", ["anonymize", "validate", "publish"])
def test_an_interrupted_run_is_given_up_at_once(release, monkeypatch, caplog, step):
    def interrupt(location):
        raise KeyboardInterrupt

    monkeypatch.setattr(steps, step, interrupt)
    with (
        caplog.at_level(logging.WARNING, logger=LOG.name),
        pytest.raises(KeyboardInterrupt),
    ):
        run_release(release.file)
    assert release.runs() == []
    assert [e["event"] for e in release.events()][-1] == "abandoned"
    assert not _OURS.handles
    (said,) = [r.getMessage() for r in caplog.records]
    assert "is given up" in said
    monkeypatch.undo()
    run_release(release.file)  # it waits for nobody


def test_an_interrupt_while_the_source_is_read(release, monkeypatch, caplog):
    from anon_transformers.release import _load

    def interrupt(form):
        raise KeyboardInterrupt

    monkeypatch.setattr(_load, "read_expected", interrupt)
    with (
        caplog.at_level(logging.WARNING, logger=LOG.name),
        pytest.raises(KeyboardInterrupt),
    ):
        run_release(release.file)
    assert "before a run began" in caplog.text
    assert release.nothing_written()


def test_a_reader_of_lines_who_goes_away_leaves_no_private_data(release):
    """As in ``anon release FILE 2>&1 | head -1``."""
    program = (
        "import sys\n"
        "from anon_transformers import release\n"
        "from anon_transformers.cli import main\n"
        "anonymize = release.anonymize\n"
        "def later(location):\n"
        "    sys.stdin.readline()\n"
        "    return anonymize(location)\n"
        "release.anonymize = later\n"
        f"sys.argv = ['anon', 'release', {str(release.file)!r}]\n"
        "main()\n"
    )
    line = [sys.executable, "-c", program]
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(line, **pipes, text=True) as run:
        assert run.stderr.readline().startswith("load people: rows 40")
        run.stderr.close()
        run.stdin.write("\n")
        run.stdin.close()
        assert run.wait(600) == 141
    assert release.runs() == []
    assert [e["event"] for e in release.events()][-1] == "abandoned"


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_the_command_says_a_sentence(release, number, code):
    program = (
        "import os, sys, signal\n"
        # Whoever runs the tests in the background may have it ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from anon_transformers import release\n"
        "from anon_transformers.cli import main\n"
        "def interrupt(location):\n"
        f"    os.kill(os.getpid(), {int(number)})\n"
        "    import time; time.sleep(60)\n"
        "release.anonymize = interrupt\n"
        f"sys.argv = ['anon', 'release', {str(release.file)!r}]\n"
        "main()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ended.returncode == code, ended.stderr
    assert "is given up" in " ".join(ended.stderr.split())
    assert "Traceback" not in ended.stderr
    assert release.runs() == []

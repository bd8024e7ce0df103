"""Runs of the release: the check of its file, a run as a job, and all runs so far."""

import json
import logging
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import ConfigurationError, ParameterError
from anon_transformers.release import (
    abandon,
    check_release,
    run_release,
)
from anon_transformers.release._log import FACTS, heard_by, where_in
from anon_transformers.release._run import (
    ACKNOWLEDGED,
    FINISHED,
    QUARANTINE,
    REPORTS,
    RUNS,
    VERDICT,
    is_plain,
    period_in,
)
from anon_transformers.release._status import FAILURES, past_runs
from anon_transformers.release._steps import STEPS
from anon_transformers.studio._jobs import Progress
from anon_transformers.studio._project import Project

CHECK, RELEASE = "check", "release"
"""Kinds of the jobs, and of their results."""
CHECK_WORK = "anon_transformers.studio._runs:check"
RELEASE_WORK = "anon_transformers.studio._runs:release"
REPORT = "validation.html"
MANIFEST = "manifest.json"
MEASURED = ("rows", "nodes", "edges", "suppressed_rows", "loss")
"""Numbers of a manifest that the list of runs shows, where they are published."""


def check(
    project: Project, params: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Check the release file as ``anon check`` does; what is wrong is the result."""
    progress(0, 1, "reading the file, its hierarchies and its suite")
    try:
        check_release(project.file, source=True, period=project.period)
    except ConfigurationError as error:
        fault = str(error).removeprefix(f"{project.file}:").strip()
        return {"fault": fault}
    return {"fault": None}


def release(
    project: Project, params: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Run the whole release as ``anon release`` does (a job).

    What it warned of, and what a reader should know of the table, is in the result.

    Raises
    ------
    GateError
        If a threshold is broken: the candidate lies in quarantine.
    """
    at = STEPS[0]

    def on_step(step: str) -> None:
        nonlocal at
        at = step
        progress(STEPS.index(step), len(STEPS), step)

    def on_stage(stage: str) -> None:
        said = f"{at}: {stage}" if stage else at
        progress(STEPS.index(at), len(STEPS), said)

    with _stages(on_stage) as warned:
        folder = run_release(project.file, on_step=on_step, period=project.period)
    progress(len(STEPS), len(STEPS), "published")
    known = [*warned, *_to_know(Path(folder))]
    return {"folder": folder, "run": Path(folder).name, "to_know": known}


@contextmanager
def _stages(on_stage: Callable[[str], None]) -> Iterator[list[str]]:
    """Hear what steps are at, and what they warn of; nothing of it is logged."""
    warned: list[str] = []

    class Stages(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.levelno >= logging.WARNING:
                warned.append(record.getMessage())
            else:
                on_stage(where_in(getattr(record, FACTS, {})))

    with heard_by(Stages()):
        yield warned


def _to_know(folder: Path) -> list[str]:
    """What the command line says beside the numbers, of what its manifest states."""
    from anon_transformers.release._hidden_columns import HIDDEN_SHARES
    from anon_transformers.release._report import warnings_of_hidden

    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    found = []
    if manifest.get("not_judged"):
        columns = ", ".join(manifest["not_judged"])
        found.append(f"No threshold judges these sensitive columns: {columns}.")
    measured = manifest.get("measured", {})
    if HIDDEN_SHARES in measured:
        found += warnings_of_hidden(measured, manifest["suppression_label"])
    return found


@dataclass(frozen=True)
class PastRun:
    """One run of the release, as journal and manifest tell it.

    Attributes
    ----------
    run : str
        Its name, which is that of its version.
    release : str
        Of a file that is several releases, which one.
    period : str or None
        What it was about.
    at, outcome : str
        When something happened to it last (UTC), and what: ``published``,
        ``quarantined``, ``refused``, ``removed``, ``abandoned`` or ``under way``.
    folder : Path or None
        What it published, or its quarantine.
    measured : dict
        Numbers of its manifest.
    private_report : Path or None
        Its report for those who have the source, if there is one.
    place : Path
        The private folder of its release, and below it the run's name.
    acknowledged : bool
        Somebody took note that it published nothing.
    """

    run: str
    release: str
    period: str | None
    at: str
    outcome: str
    folder: Path | None = None
    measured: Mapping[str, Any] = field(default_factory=dict)
    private_report: Path | None = None
    place: Path = Path()
    acknowledged: bool = False

    @property
    def is_news(self) -> bool:
        """Whether it published nothing, and nobody took note of that."""
        return self.outcome in FAILURES and not self.acknowledged

    @property
    def verdict(self) -> Mapping[str, Any]:
        """What the gate said of a quarantined candidate; empty if it cannot be read."""
        if self.outcome != "quarantined" or self.folder is None:
            return {}
        try:
            found = json.loads((self.folder / VERDICT).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def report(self) -> Path | None:
        """Its validation report, if there is one."""
        file = None if self.folder is None else self.folder / REPORT
        # A link could lead to any file.
        return file if file is not None and is_plain(file, stat.S_ISREG) else None


def runs_of(project: Project) -> list[PastRun]:
    """All runs of a release, newest first; of a release file that is in order."""
    stories = past_runs(project.config).items()
    found = [_past(project, place, story) for place, story in stories]
    # Of one second, as the journal has them: what ends a name is drawn.
    return sorted(found, key=lambda run: run.at)[::-1]


def refused_of(runs: list[PastRun]) -> list[PastRun]:
    """The runs that published nothing, where no later run of their period ended well.

    Parameters
    ----------
    runs : list of PastRun
        Newest first.
    """
    last: dict[tuple[str, str | None], PastRun] = {}
    for run in runs:
        last.setdefault((run.release, run.period), run)
    return [run for run in last.values() if run.is_news]


def acknowledge(project: Project, name: str) -> None:
    """Take note of a refused run, as ``anon abandon`` does.

    Raises
    ------
    ParameterError
        If there is no such run.
    """
    for run in runs_of(project):
        if run.run == name and run.outcome in FAILURES:
            abandon(run.place.parent / RUNS / name)
            return
    raise ParameterError("no run of this name was refused.")


def _past(project: Project, place: Path, story: list[dict[str, Any]]) -> PastRun:
    # That somebody took note of a refusal does not change what became of the run.
    own = [event for event in story if event["event"] != ACKNOWLEDGED]
    last, home = (own or story)[-1], place.parent
    period = period_in(story)
    outcome = last["event"] if last["event"] in FINISHED else "under way"
    folder = None
    if outcome == "published" and isinstance(last.get("version"), str):
        folder = Path(last["version"])
        # A journal may come with the file, and name any folder of this machine.
        folder = folder if project.may_read(folder) else None
    elif outcome == "quarantined":
        folder = home / QUARANTINE / place.name
    return PastRun(
        place.name,
        home.name,
        None if period is None else period.name,
        str(last.get("at", "")),
        outcome,
        folder,
        _measured(folder),
        _private_report(place, outcome),
        place,
        story[-1]["event"] == ACKNOWLEDGED,
    )


def _private_report(place: Path, outcome: str) -> Path | None:
    """Where the private report of a run lies; behind a link there is none."""
    from anon_transformers.release._private_report import PAGE

    home = place.parent
    folder, name = home / REPORTS, f"{place.name}.html"
    if outcome == "quarantined":
        folder, name = home / QUARANTINE / place.name, PAGE
    if is_plain(folder) and is_plain(folder / name, stat.S_ISREG):
        return folder / name
    return None


def _measured(folder: Path | None) -> dict[str, Any]:
    """Numbers of a manifest; none if somebody changed it to what we cannot read."""
    try:
        text = (folder / "manifest.json").read_text() if folder else "{}"
        measured = json.loads(text).get("measured", {})
        found = {key: measured[key] for key in MEASURED if key in measured}
        found["smallest"] = measured.get("classes", {}).get("smallest")
        found["average risk"] = (measured.get("risk") or {}).get("average-risk")
    except (OSError, ValueError, AttributeError, TypeError):
        return {}
    return {key: number for key, number in found.items() if number is not None}

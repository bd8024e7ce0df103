"""The table as the release file would publish it, and what the gate says of it.

It is made as a try of ``anon release --suggest`` is: by the release's own method,
judged by its own gate, in a private folder. Nothing is published. Pages that show the
result read it from here.
"""

import json
import logging
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import DataError
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._file_kinds import TABLE_KINDS
from anon_transformers.studio._jobs import Progress
from anon_transformers.studio._project import Project, Result

# Pages read results from here, and the server starts without what makes them.
if TYPE_CHECKING:
    import pandas as pd

    from anon_transformers.gx.gate import GateResult
    from anon_transformers.release._forms import Form
    from anon_transformers.release._trials import Trials, Try

    Tables = Mapping[str, pd.DataFrame]

PROTECT = "protect"
"""Kind of the job, and of its result."""
WORK = "anon_transformers.studio._protected:protect"
ROW = "row of the source"
SOURCE, PUBLISHED = "source.parquet", "published.parquet"
AT_WORK, JUDGING, KEEPING = 10, 60, 95
"""Where the bar of progress is when the method begins, and when it has ended."""
AFTER_METHOD = {
    "writing the candidate": JUDGING,
    "measuring what is published": 70,
    "comparing with the source": 75,
    "judging by the thresholds": 80,
}
"""Where it is when a step says what it is at."""
ROW_GROUP = 20_000
"""Rows that are read at once to show a few of a large table."""
NOT_READ = frozenset(
    {"target", "suite", "schedule", "airflow", "expect", "on_refusal", "thresholds",
     "workspace"}
)  # fmt: skip
"""Keys of a file that a source is not read by; of thresholds, see ``_read_by``."""


@dataclass(frozen=True)
class Protected:
    """A protected table beside its source.

    Attributes
    ----------
    result : Result
        What was found: ``passed``, ``reasons``, ``checks``, ``loss``,
        ``column_losses``, ``risk``, ``classes``, ``suppressed_rows``, ``seconds``.
    source : data frame
        The rows as they were read.
    published : data frame
        The rows as they would be published, in the order of the source and under its
        row numbers; a row that is left out is not there.
    """

    result: Result
    source: "pd.DataFrame"
    published: "pd.DataFrame"


def protected_of(project: Project, kind: str = PROTECT) -> Protected | None:
    """What the last run of the job made; None if there was none."""
    import pandas as pd

    result = project.result(kind)
    if result is None:
        return None
    source, published = files_of(result)
    table = pd.read_parquet(published).set_index(ROW)
    return Protected(result, pd.read_parquet(source), table)


def protect(
    project: Project, params: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Make the candidate of the release file and judge it (a job).

    Raises
    ------
    DataError
        If there is no candidate, in the words of the method or of the release.
    """
    from anon_transformers.release._forms import INPUT
    from anon_transformers.release._resolve import resolve
    from anon_transformers.release._stated_engine import in_memory
    from anon_transformers.release._trials import private_trials

    progress(0, 100, "reading the table")
    config = in_memory(resolve(project.config, project.period, file=project.file))
    tables = read_tables(config)
    method = config.anonymizer.name
    progress(AT_WORK, 100, f"{method} at work")
    with private_trials(config, tables) as trials, _told(progress):
        found, made = judged(trials, config)
        progress(KEEPING, 100, "keeping the tables")
        keeper = Keeper(project, PROTECT)
        keeper.keep_source(tables[INPUT])
        keeper.keep_published(made)
    progress(100, 100, "done")
    return {**found, "tables": keeper.tables}


@contextmanager
def _told(progress: Progress) -> Iterator[None]:
    """Tell what the steps of a release say they are at, and how far a search is."""
    from anon_transformers.release._log import FACTS, heard_by, logged_step, where_in

    class ProtectStages(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            facts = getattr(record, FACTS, {})
            said, share = str(facts.get("stage") or ""), facts.get("share")
            if said in AFTER_METHOD:
                progress(AFTER_METHOD[said], 100, said)
            elif share is not None:
                done = AT_WORK + round(share * (JUDGING - AT_WORK))
                progress(done, 100, where_in(facts))

    with heard_by(ProtectStages()), logged_step("protect"):
        yield


def make_protected(project: Project, progress: Progress) -> Protected:
    """The protected table of the file as it is; it is made, if there is none."""
    found = protected_of(project)
    if found is None or not found.result.current:
        project.keep_work(PROTECT, {}, lambda: protect(project, {}, progress))
        found = protected_of(project)
    assert found is not None
    return found


def judged(trials: "Trials", config: ReleaseConfig) -> tuple[dict[str, Any], "Try"]:
    """Make a candidate and judge it; its numbers, as a result keeps them.

    Raises
    ------
    DataError
        If there is no candidate.
    """
    from anon_transformers.release._forms import form_of
    from anon_transformers.release._validate import public_verdict

    made = trials.attempt(config, config.thresholds)
    candidate = made.candidate
    if candidate is None or made.result is None:
        raise DataError(made.reason)
    form, report = form_of(config), candidate.noted["report"]
    numbers = form.numbers(
        candidate.tables, config.thresholds, candidate.suppression_label
    )
    found = {
        **public_verdict(made.result, numbers),
        # With the rows that are suppressed, which the published table does not tell.
        "loss": report["loss"],
        "column_losses": report["column_losses"],
        "suppressed_rows": made.suppressed_rows,
        "suppressed_persons": made.suppressed_persons,
        "suppression_label": candidate.suppression_label,
        "source_rows": len(candidate.source),
        "method": config.anonymizer.name,
        "seconds": report["seconds"],
        "details": report["details"],
    }
    found["checks"] = _measured(found["checks"], made.result)
    return found, made


def _measured(
    checks: list[dict[str, Any]], result: "GateResult"
) -> list[dict[str, Any]]:
    """What the gate measured, where the published table alone does not tell it.

    That is for the person whose data they are, and no part of a manifest.
    """
    observed = {check.id: check.to_dict()["observed"] for check in result.checks}
    return [{"observed": observed.get(check["id"]), **check} for check in checks]


# The source.

_kept: "dict[str, Tables]" = {}
"""The table that was read last, by everything that it was read by."""


def read_tables(config: ReleaseConfig) -> "Tables":
    """Read the source as a release does, once for all jobs on the same files.

    Parameters
    ----------
    config : ReleaseConfig
        With nothing left to fill in.
    """
    from anon_transformers.release._forms import form_of

    form = form_of(config)
    key = _read_by(form)
    if key is None:
        return form.read()
    if key not in _kept:
        _kept.clear()  # before another one is read: there may be room for one only
        _kept[key] = form.read()
    return _kept[key]


def _read_by(form: "Form") -> str | None:
    """What a table is read by: files, their sizes and times, roles, marks.

    None where that is not known: of readers of other sources, and of graphs.
    """
    from anon_transformers.release._table import TableForm

    config = form.config
    if not isinstance(form, TableForm) or config.source.kind not in TABLE_KINDS:
        return None
    files = [config.path(text) for text in config.source.files.values()]
    if not files or not all(file.is_file() for file in files):
        return None
    about = [(file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    stated = config.model_dump(mode="json", exclude=set(NOT_READ))
    marks, names = form.stated_marks, [str(file) for file in files]
    return json.dumps([names, about, stated, marks], default=str)


# The result.


def files_of(result: Result, name: str = "") -> tuple[Path, Path]:
    """Files of the source and of a published table that a job kept.

    Parameters
    ----------
    result : Result
        Of a job that kept tables.
    name : str
        Which one, if it made several.
    """
    tables = result.found["tables"]
    folder = result.folder
    return folder / f"{tables}-{SOURCE}", folder / f"{tables}-{name}{PUBLISHED}"


class Keeper:
    """Keeps the tables of a job beside those of the job before it.

    Which of them are shown, the result says, and that is written last: a job that is
    cancelled while it writes leaves the older tables with their own numbers.

    Parameters
    ----------
    project : Project
        Whose job it is.
    kind : str
        Which job.
    """

    def __init__(self, project: Project, kind: str):
        self.tables = secrets.token_hex(4)
        self._folder = project.results_folder(kind)
        before = project.result(kind)
        shown = "" if before is None else before.found.get("tables", "")
        for file in self._folder.glob("*.parquet"):
            if not file.name.startswith(f"{shown}-"):
                file.unlink()

    def keep_source(self, source: "pd.DataFrame") -> None:
        """Keep the rows as they were read."""
        source = source.reset_index(drop=True)
        file = self._folder / f"{self.tables}-{SOURCE}"
        source.to_parquet(file, row_group_size=ROW_GROUP)

    def keep_published(self, made: "Try", name: str = "") -> None:
        """Keep a candidate, in the order of the source and under its row numbers."""
        from anon_transformers.release._table_evidence import read_rows

        assert made.candidate is not None
        published = made.candidate.tables[0].copy()
        published.insert(0, ROW, read_rows(made.candidate))
        published = published.sort_values(ROW).reset_index(drop=True)
        file = self._folder / f"{self.tables}-{name}{PUBLISHED}"
        published.to_parquet(file, row_group_size=ROW_GROUP)

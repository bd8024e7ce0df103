"""Second step: make the candidate."""

import warnings
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from anon_transformers.base._progress import progress_heard_by
from anon_transformers.evidence import SUPPRESSED, Report
from anon_transformers.exceptions import (
    AnonymizationError,
    ExtremesWarning,
    level_of_caller,
)
from anon_transformers.parameters import is_whole
from anon_transformers.release._anonymizer import extremes_of, make_anonymizer
from anon_transformers.release._build import installed
from anon_transformers.release._cells import canonical
from anon_transformers.release._config import ReleaseConfig, Target
from anon_transformers.release._faults import suppressed_rows
from anon_transformers.release._files import schema_of
from anon_transformers.release._forms import form_of
from anon_transformers.release._log import share_done, stage, tell, tell_numbers
from anon_transformers.release._run import (
    CANDIDATE,
    Run,
    make_private,
    remove_run,
    remove_tree,
    sha256,
    write_json,
)
from anon_transformers.release._spreadsheets import guard_texts
from anon_transformers.release._steps import Location, discreet
from anon_transformers.release._streamed import StreamedTable
from anon_transformers.release._under_way import held

DRAFT = ".candidate.draft"
"""What the candidate is called until all of it is written."""


@discreet
def anonymize(location: Location) -> str:
    """Anonymize the loaded table, shuffle its rows, write the candidate.

    If the table cannot be anonymized as the release asks, the run is over, and the
    loaded data are removed; where the file states a ladder (``on_refusal``), its rungs
    are tried before that.

    Row order comes from fresh entropy that is drawn here once; publishing moves these
    bytes unchanged. A candidate that is already there is left as it is.

    Parameters
    ----------
    location : str
        The run's private folder.

    Returns
    -------
    str
        The same folder.
    """
    run = Run(location)
    with held(run.folder):
        if run.path(CANDIDATE).is_dir():
            tell(run=run.id, again="was anonymized before")
            return str(run.folder)
        try:
            with run.refused_if_gone():
                write_candidate(run)
        except AnonymizationError:
            run.journal.abandon(run.id, refused=True)
            remove_run(run.folder)
            tell(private_data="removed")
            raise
    return str(run.folder)


def write_candidate(run: Run) -> None:
    """Write what is to be published, what was noted of it, and private evidence."""
    tell(run.config.title)
    stage("checking that nothing changed")
    run.refuse_changed_inputs()
    run.refuse_changed_files()
    if run.config.on_refusal.back_off:
        # It judges what it tries, and only such a release needs that here.
        from anon_transformers.release._back_off import write_first_that_passes

        write_first_that_passes(run)
    else:
        write_draft(run, run.config)
    run.path(DRAFT).rename(run.path(CANDIDATE))


def write_draft(run: Run, config: ReleaseConfig, **of_try: int) -> None:
    """Anonymize as a configuration states it, and write the draft of a candidate."""
    anonymizer = make_anonymizer(config, run.thresholds)
    # Before it sees the table: what it says afterwards could be about persons.
    said = {
        "suppression_label": getattr(anonymizer, "suppression_label", SUPPRESSED),
        "publishes": anonymizer.publishes,
        "extremes": extremes_of(anonymizer),
    }
    if said["extremes"]:
        message = f"anonymizer {config.anonymizer.name}: {said['extremes']}"
        warnings.warn(message, ExtremesWarning, stacklevel=level_of_caller())
    draft = run.path(DRAFT)
    remove_tree(draft)
    make_private(draft)
    rung = f" on rung {of_try['rung']}" if of_try.get("rung") else ""
    stage(f"{config.anonymizer.name} at work{rung}")
    with progress_heard_by(lambda share, found: share_done(share)):
        tables, noted, report = form_of(config).write(run, anonymizer, draft)
    stage("writing the candidate")
    files = write_tables(tables, draft, config.target)
    note = {
        **files,
        "format": config.target.format,
        "report": asdict(report),
        **said,
        **noted,
        **of_try,
    }
    write_json(draft / "candidate.json", run.sealed(note))
    tell(anonymizer=config.anonymizer.name)
    _, many = form_of(config).counted
    counts = {many: report.rows}
    if many == "rows":
        (table,) = tables.values()
        if isinstance(table, StreamedTable):
            n_hidden = anonymizer.n_suppressed_
        else:
            hidden = suppressed_rows(
                table,
                config.roles.quasi_identifiers,
                said["suppression_label"],
                missing=said["publishes"] == "centers",
            )
            n_hidden = int(hidden.sum())
        counts = rows_of(report, len(table), n_hidden)
    tell_numbers({**counts, **facts_of(report)})
    tell(counted_in=form_of(config).counted_in)


def rows_of(report: Report, n_written: int, n_suppressed: int) -> dict[str, int]:
    """Rows that are written, and of the others what became of them.

    The words are those of the manifest: a suppressed row is written, with the mark in
    every quasi-identifier, for whatever reason; a dropped one is not.
    """
    written = {"rows": n_written, "suppressed": n_suppressed}
    if not is_whole(report.rows) or report.rows <= n_written:  # or a stranger's
        return written
    return {"rows": n_written, "dropped": int(report.rows) - n_written, **written}


def facts_of(report: Report) -> dict[str, Any]:
    """What a log says of the classes that an anonymizer made: numbers alone."""
    classes, risk = report.classes, report.risk
    return {
        "classes": classes.get("count"),
        "smallest": classes.get("smallest"),
        "average_risk": risk.get("average-risk"),
        "highest_risk": risk.get("highest-risk"),
        "method_loss": report.loss,  # by its own domains; the gate says the loss
    }


def write_tables(
    tables: Mapping[str, pd.DataFrame | StreamedTable], draft: Path, target: Target
) -> dict[str, Any]:
    """Write one file per table; a second one is noted beside the first, by its name."""
    noted = {}
    for name, table in tables.items():
        data = draft / f"{name}.{target.format}"
        if isinstance(table, StreamedTable):
            table.write(data)
            schema = schema_of(table.sample)
            noted[name] = {"data": data.name, "schema": schema, "sha256": sha256(data)}
            continue
        # Whoever writes the file: nothing that no check compares gets into it.
        cells, schema = canonical(table), schema_of(table)
        if target.guards_texts:
            cells, schema = guard_texts(cells, schema)
        installed().writers[target.format](cells, data)
        noted[name] = {"data": data.name, "schema": schema, "sha256": sha256(data)}
    first = next(iter(noted))
    return {**noted.pop(first), **noted}

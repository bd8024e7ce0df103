"""Second step: make the candidate."""

import warnings
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import (
    AnonymizationError,
    ExtremesWarning,
    level_of_caller,
)
from anon_transformers.release._anonymizer import extremes_of, make_anonymizer
from anon_transformers.release._build import installed
from anon_transformers.release._cells import canonical
from anon_transformers.release._config import Target
from anon_transformers.release._files import schema_of
from anon_transformers.release._forms import form_of
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
from anon_transformers.release._under_way import held


@discreet
def anonymize(location: Location) -> str:
    """Anonymize the loaded table, shuffle its rows, write the candidate.

    If the table cannot be anonymized as the release asks, the run is over, and the
    loaded data are removed.

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
            return str(run.folder)
        try:
            with run.refused_if_gone():
                write_candidate(run)
        except AnonymizationError:
            run.ledger.abandon(run.id)
            remove_run(run.folder)
            raise
    return str(run.folder)


def write_candidate(run: Run) -> None:
    """Write what is to be published, what was noted of it, and private evidence."""
    config = run.config
    run.refuse_changed_inputs()
    run.refuse_changed_files()
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
    draft = run.path(".candidate.draft")
    remove_tree(draft)
    make_private(draft)
    tables, noted = form_of(config).write(run, anonymizer, draft)
    files = write_tables(tables, draft, config.target)
    note = {
        **files,
        "format": config.target.format,
        "report": asdict(anonymizer.report_),
        **said,
        **noted,
    }
    write_json(draft / "candidate.json", run.sealed(note))
    draft.rename(run.path(CANDIDATE))


def write_tables(
    tables: Mapping[str, pd.DataFrame], draft: Path, target: Target
) -> dict[str, Any]:
    """Write one file per table; a second one is noted beside the first, by its name."""
    noted = {}
    for name, table in tables.items():
        data = draft / f"{name}.{target.format}"
        # Whoever writes the file: nothing that no check compares gets into it.
        cells, schema = canonical(table), schema_of(table)
        if target.guards_texts:
            cells, schema = guard_texts(cells, schema)
        installed().writers[target.format](cells, data)
        noted[name] = {"data": data.name, "schema": schema, "sha256": sha256(data)}
    first = next(iter(noted))
    return {**noted.pop(first), **noted}

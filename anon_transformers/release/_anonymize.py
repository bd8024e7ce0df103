"""Second step: make the candidate."""

import warnings
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.dates import looks_like_dates
from anon_transformers.evidence import SUPPRESSED, distribution
from anon_transformers.exceptions import (
    AnonymizationError,
    ExtremesWarning,
    ReleaseError,
    RepeatedIdentifierWarning,
    level_of_caller,
)
from anon_transformers.release._build import (
    evidence_kinds,
    extremes_of,
    installed,
    make_anonymizer,
)
from anon_transformers.release._config import DeclaredRoles, ReleaseConfig, Target
from anon_transformers.release._discretion import discreet
from anon_transformers.release._files import (
    canonical,
    guess_again,
    kind_of_file,
    read_parquet,
    schema_of,
)
from anon_transformers.release._graph import (
    NODES,
    graph_tables,
    published_weight_shares,
    write_functions,
)
from anon_transformers.release._links import kept_rows, write_links
from anon_transformers.release._load import refuse_telling
from anon_transformers.release._memberships import write_memberships
from anon_transformers.release._run import (
    Run,
    make_private,
    remove_tree,
    sha256,
    write_json,
)
from anon_transformers.release._seals import sealed
from anon_transformers.release._spreadsheets import guard_texts
from anon_transformers.release._ties import tie_key

REFERENCES = "references.json"
"""Private evidence: how often the input has each sensitive value."""


@discreet
def anonymize(location: str) -> str:
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
    if run.path("candidate").is_dir():
        return location
    try:
        write_candidate(run)
    except AnonymizationError:
        run.ledger.abandon(run.id)
        remove_tree(run.folder)
        raise
    return location


def write_candidate(run: Run) -> None:
    """Write what is to be published, what was noted of it, and private evidence."""
    config = run.config
    run.refuse_changed_files()
    anonymizer = make_anonymizer(config, run.thresholds)
    # Before it sees the table: what it says afterwards could be told of persons.
    said = {
        "suppression_label": getattr(anonymizer, "suppression_label", SUPPRESSED),
        "publishes": anonymizer.publishes,
        "extremes": extremes_of(anonymizer),
    }
    if said["extremes"]:
        told = f"anonymizer {config.anonymizer.name}: {said['extremes']}"
        warnings.warn(told, ExtremesWarning, stacklevel=level_of_caller())
    draft = run.path(".candidate.draft")
    remove_tree(draft)
    make_private(draft)
    if config.is_graph:
        tables = graph_tables(run, anonymizer)
        refuse_telling(published_weight_shares(tables, config), config.roles)
        noted = write_functions(draft, anonymizer)
    else:
        tables, noted = protected_table(run, anonymizer, draft)
    files = write_tables(tables, draft, config.target)
    note = {
        **files,
        "format": config.target.format,
        "report": asdict(anonymizer.report_),
        **said,
        **noted,
    }
    write_json(draft / "candidate.json", sealed(run, note))
    draft.rename(run.path("candidate"))


def write_tables(
    tables: Mapping[str, pd.DataFrame], draft: Path, target: Target
) -> dict[str, Any]:
    """Write one file a table; the second one, of nodes, is noted beside the first."""
    noted = []
    for name, table in tables.items():
        data = draft / f"{name}.{target.format}"
        # Whoever writes the file: nothing that no check compares gets into it.
        cells, schema = canonical(table), schema_of(table)
        if target.guards_texts:
            cells, schema = guard_texts(cells, schema)
        installed().writers[target.format](cells, data)
        noted.append({"data": data.name, "schema": schema, "sha256": sha256(data)})
    first, *second = noted
    return {**first, NODES: second[0]} if second else first


def protected_table(
    run: Run, anonymizer: Any, draft: Path
) -> tuple[dict[str, pd.DataFrame], dict[str, Any]]:
    """The protected table, its rows in random order, and what is noted of it."""
    config = run.config
    anonymizer.set_output(transform="default")
    given = read_parquet(run.path("input.parquet"))
    if config.roles.subject is not None:
        anonymizer._tie_key = tie_key(config.home)
    with warnings.catch_warnings():
        # Loading has refused identifiers that repeat, or was told that they may.
        warnings.simplefilter("ignore", RepeatedIdentifierWarning)
        table = anonymizer.fit_transform(with_stated_texts(given, config))
    # Read again: whoever was given a table may have written into it.
    source = read_parquet(run.path("input.parquet"))
    rows = kept_rows(anonymizer, len(source))
    refuse_other_rows(table, source, rows)
    # A lost column is the gate's to refuse.
    kept = [name for name in unstated_columns(config) if name in table.columns]
    table = guess_again(table, kept)
    order = np.random.default_rng().permutation(len(table))
    table = table.iloc[order].reset_index(drop=True)
    noted = write_links(draft, anonymizer, rows[order])
    if "memberships" in evidence_kinds(run.thresholds):
        noted |= write_memberships(draft, anonymizer, rows[order])
    write_json(draft / REFERENCES, references(source, config.roles))
    noted["references_sha256"] = sha256(draft / REFERENCES)
    return {"data": table}, noted


def with_stated_texts(source: pd.DataFrame, config: ReleaseConfig) -> pd.DataFrame:
    """The source with a type that says so where texts are stated to be no dates."""
    stated = config.stated_columns
    return source.assign(
        **{
            name: source[name].astype("category")
            for name in config.roles.quasi_identifiers
            if stated.get(name) == "text" and looks_like_dates(source[name])
        }
    )


def unstated_columns(config: ReleaseConfig) -> list[str]:
    """Columns that are published as they are, and whose kind was guessed."""
    path, kind = config.source.path, config.source.kind
    if path is None or (kind or kind_of_file(path, ())) != "csv":
        return []
    kept = (*config.roles.sensitive, *config.roles.insensitive)
    known = {*config.stated_columns, *config.roles.quasi_identifiers}
    return [name for name in kept if name not in known]


def refuse_other_rows(
    table: pd.DataFrame, source: pd.DataFrame, rows: np.ndarray
) -> None:
    """Refuse a table of which nobody knows what row of the source each row is."""
    if len(table) != len(rows):
        raise ReleaseError(
            f"the anonymizer made {len(table)} rows of {len(source)}, and says that "
            f"it kept {len(rows)}."
        )


def references(source: pd.DataFrame, roles: DeclaredRoles) -> dict[str, Any]:
    """How often the source has each sensitive value, in rows or in persons.

    As pairs: a missing value is no key in JSON, nor are several values of a person.
    """
    subject = None if roles.subject is None else source[roles.subject]
    return {
        "persons": None if subject is None else int(subject.nunique()),
        "columns": {
            name: list(distribution(source[name], subject, together=True).items())
            for name in roles.sensitive
        },
    }

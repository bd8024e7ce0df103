"""Second step: make the candidate."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._tables import identify
from anon_transformers.evidence import SUPPRESSED, distribution
from anon_transformers.exceptions import AnonymizationError
from anon_transformers.release._build import (
    evidence_kinds,
    installed,
    make_anonymizer,
)
from anon_transformers.release._config import Target
from anon_transformers.release._files import read_parquet, schema_of, write_parquet
from anon_transformers.release._graph import NODES, graph_tables, write_functions
from anon_transformers.release._links import kept_rows, write_links
from anon_transformers.release._load import refuse_telling
from anon_transformers.release._memberships import write_memberships
from anon_transformers.release._run import (
    Run,
    discreet,
    make_private,
    remove_tree,
    sha256,
    write_json,
)
from anon_transformers.release._spreadsheets import guard_texts

PERSONS = "persons.parquet"
"""Private evidence: which rows of the candidate belong to one person."""

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
    anonymizer = make_anonymizer(config, run.thresholds)
    draft = run.path(".candidate.draft")
    remove_tree(draft)
    make_private(draft)
    if config.is_graph:
        tables = graph_tables(run, anonymizer)
        share = anonymizer.report_.details.get("telling_weights", 0.0)
        refuse_telling(dict.fromkeys(config.roles.insensitive, share), config.roles)
        noted = write_functions(draft, anonymizer)
    else:
        tables, noted = protected_table(run, anonymizer, draft)
    files = write_tables(tables, draft, config.target)
    write_json(
        draft / "candidate.json",
        {
            **files,
            "format": config.target.format,
            "suppression_label": getattr(anonymizer, "suppression_label", SUPPRESSED),
            "report": asdict(anonymizer.report_),
            **noted,
        },
    )
    draft.rename(run.path("candidate"))


def write_tables(
    tables: Mapping[str, pd.DataFrame], draft: Path, target: Target
) -> dict[str, Any]:
    """Write one file a table; the second one, of nodes, is noted beside the first."""
    noted = []
    for name, table in tables.items():
        data = draft / f"{name}.{target.format}"
        cells, schema = table, schema_of(table)
        if target.guards_texts:
            cells, schema = guard_texts(table, schema)
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
    source = read_parquet(run.path("input.parquet"))
    table = anonymizer.fit_transform(source)
    order = np.random.default_rng().permutation(len(table))
    table = table.iloc[order].reset_index(drop=True)
    noted: dict[str, Any] = {}
    if config.roles.subject is not None:
        persons = published_persons(source[config.roles.subject], anonymizer)[order]
        table_of = pd.DataFrame({config.roles.subject: persons})
        write_parquet(table_of, draft / PERSONS)
        noted["persons_sha256"] = sha256(draft / PERSONS)
    needed = evidence_kinds(run.thresholds)
    if "linkage" in needed:
        noted |= write_links(draft, anonymizer, order)
    if "memberships" in needed:
        noted |= write_memberships(draft, anonymizer, order)
    write_json(draft / REFERENCES, distributions(source, config.roles.sensitive))
    noted["references_sha256"] = sha256(draft / REFERENCES)
    return {"data": table}, noted


def distributions(
    source: pd.DataFrame, sensitive: Sequence[str]
) -> dict[str, list[tuple[str | None, int]]]:
    """Rows by sensitive value, as pairs: a missing value is no key in JSON."""
    return {name: list(distribution(source[name]).items()) for name in sensitive}


def published_persons(subject: pd.Series, anonymizer: Any) -> np.ndarray:
    """A number for the person of each published row, -1 where unknown."""
    column = identify(subject)
    numbers = np.where(column.codes == column.missing_code, -1, column.codes)
    return numbers[kept_rows(anonymizer, len(numbers))]

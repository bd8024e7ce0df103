"""Third step: judge the candidate as its readers will see it."""

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.columns import identify, to_text
from anon_transformers.evidence import Report
from anon_transformers.evidence._references import by_single
from anon_transformers.exceptions import (
    GateError,
    ReleaseError,
    TellingColumnsWarning,
)
from anon_transformers.gx._judging import PrivateEvidence
from anon_transformers.gx.gate import GateResult, read_suite, run_gate
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.release._anonymize import REFERENCES
from anon_transformers.release._build import (
    evidence_kinds,
    installed,
    make_hierarchies,
)
from anon_transformers.release._candidate import (
    files_of,
    hash_of,
    read_candidate,
    write_verdict,
)
from anon_transformers.release._discretion import discreet
from anon_transformers.release._faults import (
    INSENSITIVE_LIMIT,
    swap_faults,
    table_faults,
    telling_faults,
)
from anon_transformers.release._files import read_data, read_parquet
from anon_transformers.release._graph import (
    FUNCTIONS,
    NODES,
    read_functions,
)
from anon_transformers.release._graph_faults import graph_faults
from anon_transformers.release._links import LINKS, read_links, read_rows
from anon_transformers.release._measured import measured_numbers
from anon_transformers.release._memberships import MEMBERSHIPS, read_memberships
from anon_transformers.release._report import write_report
from anon_transformers.release._run import (
    QUARANTINE,
    Run,
    make_private,
    refuse_links,
    remove_tree,
    sha256,
)
from anon_transformers.release._seals import KEY


@discreet
def validate(location: str) -> str:
    """Judge the candidate by every threshold; quarantine it if one is broken.

    Parameters
    ----------
    location : str
        The run's private folder.

    Returns
    -------
    str
        The same folder, now with a verdict.

    Raises
    ------
    GateError
        If a threshold is broken or could not be evaluated. The candidate then lies in
        quarantine, and the loaded data are gone.
    """
    run = Run(location)
    candidate = read_candidate(run)
    run.refuse_changed_inputs()
    run.refuse_changed_files()
    tables = [read_file(run, candidate, file) for file in files_of(candidate)]
    # What is published is measured first, while no judge has seen private evidence.
    numbers = measured_numbers(
        tables, run.config, run.thresholds, candidate["suppression_label"]
    )
    result = judge_candidate(run, candidate, tables)
    verdict = {"sha256": hash_of(candidate), **public_verdict(result, numbers)}
    write_report(run.path("validation.html"), run, candidate, verdict)
    write_verdict(run, verdict)
    if not result.passed:
        place = quarantine(run)
        told = "; ".join(result.reasons) or "a threshold is broken"
        raise GateError(f"{run.config.name}: {told}. The candidate lies in {place}.")
    return location


def public_verdict(result: GateResult, numbers: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict as it is published: of its numbers those that anybody can check."""
    levels = numbers["levels"]
    rest = {key: number for key, number in numbers.items() if key != "levels"}
    told = ("id", "kind", "name", "params", "sentence", "passed", "reason")
    checks = [
        {**{key: check.to_dict()[key] for key in told}, **levels.get(check.id, {})}
        for check in result.checks
    ]
    reasons = [] if result.passed else list(result.reasons)
    return {"passed": result.passed, "checks": checks, "reasons": reasons, **rest}


def judge_candidate(
    run: Run, candidate: dict[str, Any], tables: Sequence[pd.DataFrame]
) -> GateResult:
    """Put the candidate through the gate, and beside its source."""
    if run.config.is_graph:
        return judge_graph(run, candidate, tables)
    config, (frame,) = run.config, tables
    source = read_parquet(run.path("input.parquet"))
    # Cells, labels and persons are all those of the same rows of the source.
    rows = read_rows(run, candidate)
    faults = source_faults(run, candidate, source, frame, rows)
    frame = as_compared(frame, source, config.roles.sensitive)
    subject = config.roles.subject
    if subject is not None:
        frame = frame.assign(**{subject: persons_of(source[subject], rows)})
    result = run_gate(
        frame,
        quasi_identifiers=list(config.roles.quasi_identifiers),
        sensitive=list(config.roles.sensitive),
        subject=subject,
        evidence=private_evidence(run, candidate),
        **asked_of_gate(run, candidate),
    )
    return with_faults(result, faults)


def as_compared(
    frame: pd.DataFrame, source: pd.DataFrame, sensitive: Sequence[str]
) -> pd.DataFrame:
    """The candidate with texts where the source has texts.

    A column whose only text was dropped is published as numbers, and its reference is
    that of texts.
    """
    texts = {
        name: to_text(frame[name])
        for name in sensitive
        if name in frame.columns and pd.api.types.is_string_dtype(source[name].dtype)
    }
    return frame.assign(**texts)


def source_faults(
    run: Run,
    candidate: dict[str, Any],
    source: pd.DataFrame,
    frame: pd.DataFrame,
    rows: np.ndarray,
) -> list[str]:
    """What is wrong with a candidate beside its source; what tells persons apart."""
    roles, publishes = run.config.roles, candidate["publishes"]
    kind = installed().anonymizers[run.config.anonymizer.name].kind
    if (publishes == "swaps") != (kind == "linked"):
        return ["the anonymizer says that it swaps cells, or not, against its kind"]
    faults = table_faults(
        source,
        frame,
        rows,
        roles,
        make_hierarchies(run.config, roles.quasi_identifiers),
        publishes,
        candidate["suppression_label"],
    )
    if faults:
        return faults
    named = roles.subject
    subject = None if named is None else persons_of(source[named], rows)

    def warn(share: float) -> None:
        if share > INSENSITIVE_LIMIT:
            counted = "rows" if subject is None else "persons"
            warnings.warn(
                f"{run.config.name}: all insensitive columns together tell {share:.0%} "
                f"of the {counted} apart; whoever knows them finds these.",
                TellingColumnsWarning,
                stacklevel=2,
            )

    moved = {name for columns in candidate["moved"] for name in columns}
    faults = telling_faults(frame, roles, subject, exempt=moved, told=warn)
    if publishes == "swaps":
        before = source.iloc[rows].reset_index(drop=True)
        faults += swap_faults(before, roles, moved, subject)
    return faults


def persons_of(subject: pd.Series, rows: np.ndarray) -> pd.Series:
    """A number for the person of each row of the candidate; missing where unknown."""
    column = identify(subject)
    persons = pd.Series(column.codes[rows], dtype="Int64")
    return persons.mask(persons == column.missing_code)


def judge_graph(
    run: Run, candidate: dict[str, Any], tables: Sequence[pd.DataFrame]
) -> GateResult:
    """Put the two tables of a graph through the gate, and beside their source."""
    edges, nodes = tables
    strays = graph_faults(run, edges, nodes)
    result = run_gate(
        edges,
        quasi_identifiers=list(edges.columns[:2]),
        evidence=PrivateEvidence(nodes=nodes, functions=read_functions(run, candidate)),
        **asked_of_gate(run, candidate),
    )
    return with_faults(result, strays)


def read_file(
    run: Run, candidate: dict[str, Any], file: dict[str, Any]
) -> pd.DataFrame:
    """A table of the candidate as its readers will see it."""
    path = run.path("candidate") / file["data"]
    return read_data(path, candidate["format"], file["schema"])


def asked_of_gate(run: Run, candidate: dict[str, Any]) -> dict[str, Any]:
    """What every candidate is judged by."""
    config = run.config
    return {
        "thresholds": run.thresholds,
        "suppression_label": candidate["suppression_label"],
        "report": {f.name: candidate["report"][f.name] for f in fields(Report)},
        "suite": None
        if config.suite is None
        else read_suite(config.path(config.suite)),
    }


def with_faults(result: GateResult, faults: Sequence[str]) -> GateResult:
    """The verdict on a candidate that has other columns than it may have."""
    if not faults:
        return result
    return replace(result, passed=False, reasons=(*faults, *result.reasons))


def private_evidence(run: Run, candidate: dict[str, Any]) -> PrivateEvidence:
    """Input distributions, hierarchies of the sensitive columns, links, memberships."""
    file = run.path("candidate") / REFERENCES
    if sha256(file) != candidate["references_sha256"]:
        raise ReleaseError(f"run {run.id}: its evidence of the input changed.")
    stored = json.loads(file.read_text(encoding="utf-8"))
    references = {
        name: {tuple(key) if isinstance(key, list) else key: n for key, n in pairs}
        for name, pairs in stored["columns"].items()
    }
    trees: dict[str, Hierarchy] = {}
    for name, tree in make_hierarchies(run.config, run.config.roles.sensitive).items():
        if isinstance(tree, Hierarchy):
            trees[name] = tree
        else:
            single = by_single(references[name])
            trees[name] = tree.build([text for text in single if text is not None])
    return PrivateEvidence(
        references,
        trees,
        stored["persons"],
        **(read_links(run, candidate) if needs_links(run) else {}),
        **read_memberships(run, candidate),
    )


def needs_links(run: Run) -> bool:
    """Whether a threshold judges rows beside their originals."""
    return "linkage" in evidence_kinds(run.thresholds)


def quarantine(run: Run) -> str:
    """Put the candidate and its verdict away, and remove the personal data."""
    home = run.folder.parent.parent
    refuse_links(home)  # one may have come since the run was loaded
    place = make_private(home / QUARANTINE) / run.id
    remove_tree(place)
    for private in (
        KEY,
        "input.parquet",
        f"candidate/{REFERENCES}",
        f"candidate/{LINKS}",
        f"candidate/{MEMBERSHIPS}",
        f"{NODES}.parquet",
        f"candidate/{FUNCTIONS}",
    ):
        run.path(private).unlink(missing_ok=True)
    run.folder.rename(place)
    run.ledger.write(run.id, "quarantined")
    return str(place)

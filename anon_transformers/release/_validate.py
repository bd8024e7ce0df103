"""Third step: judge the candidate as its readers will see it."""

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import pandas as pd

from anon_transformers.evidence import Report
from anon_transformers.exceptions import GateError, ReleaseError
from anon_transformers.graphs._names import new_names
from anon_transformers.gx._judging import PrivateEvidence
from anon_transformers.gx.gate import GateResult, read_suite, run_gate
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.release._anonymize import PERSONS, REFERENCES
from anon_transformers.release._build import (
    installed,
    make_hierarchies,
    named,
    requirements_for,
)
from anon_transformers.release._candidate import files_of, hash_of, read_candidate
from anon_transformers.release._config import DeclaredRoles
from anon_transformers.release._files import read_data, read_parquet
from anon_transformers.release._graph import (
    FUNCTIONS,
    NODES,
    carries_weights,
    read_functions,
)
from anon_transformers.release._links import LINKS, read_links
from anon_transformers.release._manifest import coarse
from anon_transformers.release._memberships import MEMBERSHIPS, read_memberships
from anon_transformers.release._report import write_report
from anon_transformers.release._run import (
    Run,
    discreet,
    make_private,
    remove_tree,
    sha256,
    write_json,
)
from anon_transformers.release._thresholds import Threshold

PRIVATE = ("linkage", "memberships", "report")
"""Kinds of evidence that tell of the input, and not of the published table alone."""


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
    result = judge_candidate(run, candidate)
    verdict = {"sha256": hash_of(candidate), **public_verdict(result, run.thresholds)}
    write_report(run.path("validation.html"), run, candidate, verdict)
    write_json(run.path("verdict.json"), verdict)
    if not result.passed:
        place = quarantine(run)
        told = "; ".join(result.reasons) or "a threshold is broken"
        raise GateError(f"{run.config.name}: {told}. The candidate lies in {place}.")
    return location


def public_verdict(
    result: GateResult, thresholds: Sequence[Threshold]
) -> dict[str, Any]:
    """The verdict as it is published: coarse where private evidence was judged."""
    verdict = result.to_dict()
    kinds = {threshold.id: named(threshold).evidence for threshold in thresholds}
    verdict["checks"] = [
        coarse(check) if kinds[check["id"]] in PRIVATE else check
        for check in verdict["checks"]
    ]
    return verdict


def judge_candidate(run: Run, candidate: dict[str, Any]) -> GateResult:
    """Put the candidate through the gate."""
    if run.config.is_graph:
        return judge_graph(run, candidate)
    config = run.config
    frame = read_file(run, candidate)
    strays = column_faults(frame, config.roles)
    subject = config.roles.subject
    if subject is not None:
        evidence = run.path("candidate") / PERSONS
        if sha256(evidence) != candidate["persons_sha256"]:
            raise ReleaseError(f"run {run.id}: its evidence of persons changed.")
        persons = read_parquet(evidence)[subject]
        frame = frame.assign(**{subject: persons.mask(persons < 0).astype("Int64")})
    result = run_gate(
        frame,
        quasi_identifiers=list(config.roles.quasi_identifiers),
        sensitive=list(config.roles.sensitive),
        subject=subject,
        evidence=private_evidence(run, candidate),
        **asked_of_gate(run, candidate),
    )
    return with_faults(result, strays)


def judge_graph(run: Run, candidate: dict[str, Any]) -> GateResult:
    """Put the two tables of a graph through the gate; it sees no original."""
    edges, nodes = (read_file(run, candidate, of) for of in files_of(candidate))
    strays = graph_faults(run, edges, nodes)
    result = run_gate(
        edges,
        quasi_identifiers=list(edges.columns[:2]),
        evidence=PrivateEvidence(nodes=nodes, functions=read_functions(run, candidate)),
        **asked_of_gate(run, candidate),
    )
    return with_faults(result, strays)


def read_file(
    run: Run, candidate: dict[str, Any], file: dict[str, Any] | None = None
) -> pd.DataFrame:
    """A table of the candidate as its readers will see it."""
    file = file or candidate
    path = run.path("candidate") / file["data"]
    return read_data(path, candidate["format"], file["schema"])


def asked_of_gate(run: Run, candidate: dict[str, Any]) -> dict[str, Any]:
    """What every candidate is judged by."""
    config = run.config
    return {
        "requirements": requirements_for(run.thresholds),
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
    references = {name: dict(map(tuple, pairs)) for name, pairs in stored.items()}
    trees = make_hierarchies(run.config, run.config.roles.sensitive)
    for name, tree in trees.items():
        if not isinstance(tree, Hierarchy):
            known = [text for text in references[name] if text is not None]
            trees[name] = tree.build(known)
    return PrivateEvidence(
        references,
        trees,
        **read_links(run, candidate),
        **read_memberships(run, candidate),
    )


def column_faults(frame: pd.DataFrame, roles: DeclaredRoles) -> list[str]:
    """Columns that an anonymizer published unasked, or lost."""
    wanted = {*roles.quasi_identifiers, *roles.sensitive, *roles.insensitive}
    return told_faults({str(name) for name in frame.columns}, wanted)


def graph_faults(run: Run, edges: pd.DataFrame, nodes: pd.DataFrame) -> list[str]:
    """Columns of a graph that were published unasked, or lost; old names of nodes."""
    config = run.config
    made = installed().anonymizers[config.anonymizer.name].columns_made
    wanted = {*map(str, edges.columns[:2]), str(nodes.columns[0])}
    wanted |= {*config.roles.quasi_identifiers, *config.roles.insensitive}
    if not carries_weights(config):
        wanted -= {*map(str, config.roles.insensitive)}
    held = {str(name) for name in (*edges.columns, *nodes.columns)}
    faults = told_faults(held - set(made), wanted - set(made))
    # The rule that chose the names is asked again: what it gives nobody had before.
    old = read_parquet(run.path(f"{NODES}.parquet")).iloc[:, 0]
    new = new_names(len(nodes), old)
    if nodes.iloc[:, 0].tolist() != new.tolist():
        faults.append("the nodes of the candidate have other names than n0, n1, n2, …")
    return faults


def told_faults(held: set[str], wanted: set[str]) -> list[str]:
    """Columns that are there and should not, and the other way round, in words."""
    faults = [
        ("the candidate holds columns that may not be published", held - wanted),
        ("the candidate lacks columns", wanted - held),
    ]
    return [
        f"{what}: {', '.join(sorted(columns))}" for what, columns in faults if columns
    ]


def quarantine(run: Run) -> str:
    """Put the candidate and its verdict away, and remove the personal data."""
    place = make_private(run.folder.parent.parent / "quarantine") / run.id
    remove_tree(place)
    for private in (
        "input.parquet",
        f"candidate/{PERSONS}",
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

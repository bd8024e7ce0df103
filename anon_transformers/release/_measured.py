"""What a release tells of itself: numbers that every reader can compute again.

A number that was taken of the input, of dropped rows or of persons whose names are not
published tells of them, however it is rounded: whoever knows all rows but one can try
the values of the last until the number fits. So each number here is a function of the
published tables, the configuration and its hierarchies, and of nothing else. What else
was judged is told by its verdict alone.

Models that are asked for numbers here are built anew, and before any is asked to judge
with private evidence. A plugin that keeps what it saw elsewhere, in its module or in a
file, could still write it into a number: install only plugins that you trust.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.gx._judging import (
    PrivateEvidence,
    Scope,
    judge_table,
    measure_table,
    private_evidence,
)
from anon_transformers.gx._threshold import Threshold
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics import (
    AverageRisk,
    HighestRisk,
    class_statistics,
    domain_share_loss,
    released_losses,
)
from anon_transformers.release._build import installed, make_hierarchies
from anon_transformers.release._config import ReleaseConfig, read_config
from anon_transformers.release._files import read_published


def measure_published(
    folder: str | os.PathLike[str], config_path: str | os.PathLike[str]
) -> dict[str, Any]:
    """Compute the numbers of a published release again, from what is published.

    Parameters
    ----------
    folder : path
        The release's target folder, or the folder of one version.
    config_path : path
        The release file; its hierarchies are read, its source is not.

    Returns
    -------
    dict
        What the manifest has under ``measured``, without the verdicts.
    """
    place = Path(folder)
    if (place / "current").exists():
        place = place / "current"
    manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
    tables = read_published(place)
    in_force = [Threshold.read(t) for t in manifest["promised"]["in_force"]]
    return measured_numbers(
        tables if isinstance(tables, tuple) else (tables,),
        read_config(config_path),
        in_force,
        manifest["suppression_label"],
    )


def measured_numbers(
    tables: Sequence[pd.DataFrame],
    config: ReleaseConfig,
    thresholds: Sequence[Threshold],
    suppression_label: str,
) -> dict[str, Any]:
    """The numbers of a table, or of the edges and nodes of a graph."""
    if config.is_graph:
        edges, nodes = tables
        scope = Scope(list(edges.columns[:2]), suppression_label=suppression_label)
        known = PrivateEvidence(nodes=nodes)
        return {
            "nodes": len(nodes),
            "edges": int(edges.iloc[:, 1].notna().sum()),
            "levels": _levels(edges, scope, known, thresholds),
        }
    (table,) = tables
    roles = config.roles
    scope = Scope(
        roles.quasi_identifiers, roles.sensitive, suppression_label=suppression_label
    )
    numbers: dict[str, Any] = {"rows": len(table)}
    swaps = installed().anonymizers[config.anonymizer.name].kind == "linked"
    if not swaps:
        numbers |= _of_classes(scope.classes(table), roles.subject is None)
        numbers |= _losses(table, config, suppression_label)
    if swaps or roles.subject is not None:
        # Rows are not what was promised; persons and links are not published.
        return {**numbers, "levels": {}}
    files = make_hierarchies(config, roles.sensitive)
    trees = {name: t for name, t in files.items() if isinstance(t, Hierarchy)}
    known = PrivateEvidence(hierarchies=trees)
    return {**numbers, "levels": _levels(table, scope, known, thresholds)}


def _of_classes(classes: Classes, rows_count: bool) -> dict[str, Any]:
    """Suppressed rows and classes; sizes and risks where rows are what is counted."""
    statistics = asdict(class_statistics(classes))
    suppressed = statistics.pop("suppressed_rows")
    numbers: dict[str, Any] = {"suppressed_rows": suppressed}
    if not rows_count:
        return {**numbers, "classes": {"count": statistics["count"]}}
    numbers["classes"] = statistics
    if statistics["count"]:
        metrics = (AverageRisk(), HighestRisk())
        numbers["risk"] = {metric.name: metric.measure(classes) for metric in metrics}
    return numbers


def _losses(
    table: pd.DataFrame, config: ReleaseConfig, suppression_label: str
) -> dict[str, Any]:
    """How much of its hierarchy each column covers, where a file has the hierarchy."""
    known = config.roles.quasi_identifiers
    trees = {
        name: tree
        for name, tree in make_hierarchies(config, known).items()
        if isinstance(tree, Hierarchy)
    }
    losses = released_losses(table, trees, suppression_label) if trees else {}
    if len(losses) < len(known):
        return {"column_losses": losses}
    return {"column_losses": losses, "loss": domain_share_loss(losses.values())}


def _levels(
    table: pd.DataFrame,
    scope: Scope,
    known: PrivateEvidence,
    thresholds: Sequence[Threshold],
) -> dict[str, dict[str, Any]]:
    """By id, what each threshold reaches; none where the table alone does not tell."""
    found: dict[str, dict[str, Any]] = {}
    with private_evidence(known):
        for threshold in thresholds:
            ask: Any = judge_table if threshold.kind == "model" else measure_table
            try:
                answer: Mapping[str, Any] = ask(
                    table, threshold.name, threshold.own_params, scope
                )
            except NotEvaluable:
                continue
            told = ("observed", "unit", "units", "failing", "details")
            found[threshold.id] = {key: answer[key] for key in told if key in answer}
    return found

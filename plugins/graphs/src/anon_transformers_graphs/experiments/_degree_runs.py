"""k-degree anonymity of the three graphs: what changes, and what is kept."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from anon_transformers.exceptions import InfeasibleError
from anon_transformers.graphs import Graph
from anon_transformers_graphs.degrees import KDegreeAnonymizer, exact_sequence
from anon_transformers_graphs.experiments._findings import (
    INFEASIBLE,
    UNDEFINED,
    Key,
    RunValues,
)
from anon_transformers_graphs.experiments._measures import ERROR, JACCARD
from anon_transformers_graphs.experiments._sweep import ABOUT, Measure, sweep
from anon_transformers_graphs.metrics import edge_change

METHOD = "k-degree"
WAYS: dict[str, Literal["relaxed", "endpoint-moves"]] = {
    METHOD: "relaxed",
    f"{METHOD}, endpoint moves": "endpoint-moves",
}
"""The construction of the source, and one that starts from the graph itself."""
STARTS = 40
"""Graphs of which the best is taken; ten are too few for football, k=10: one run in
twenty then changes an edge more than the recomputed 4."""
SHARED = ("average distance", "diameter")
"""Measures of random graphs that are asked for here, too."""


def degree_runs(
    graph: Graph,
    measures: Mapping[str, Measure],
    ks: list[int],
    n_runs: int,
    random_state: int,
) -> pd.DataFrame:
    """One row per run, degrees being the nearest of the same sum.

    Runs differ in which of several nodes of one degree change.
    """
    asked: dict[str, Measure] = {
        "edges modified": lambda e: edge_change(graph, e.published).deleted,
        "% of the edges": lambda e: edge_change(graph, e.published).modified_percent,
    }
    for name, measure in measures.items():
        if name in SHARED or name.startswith((JACCARD, ERROR)):
            asked[name] = measure
    frames = []
    for method, construction in WAYS.items():
        runs = sweep(
            graph,
            source_method(construction),
            "k",
            ks,
            n_runs=n_runs,
            random_state=random_state,
            measures=asked,
        )
        frames.append(runs.assign(method=method))
    return pd.concat(frames, ignore_index=True)


def source_method(
    construction: Literal["relaxed", "endpoint-moves"] = WAYS[METHOD],
) -> KDegreeAnonymizer:
    """The method of the source, or the same with another construction."""
    return KDegreeAnonymizer(
        sequence="exact", construction=construction, n_starts=STARTS
    )


def degree_numbers(name: str, runs: pd.DataFrame) -> dict[Key, Any]:
    """Our numbers of the construction that the source uses, over all runs."""
    ours: dict[Key, Any] = {}
    of_source = runs[runs["method"] == METHOD]
    for k in of_source["k"].unique().tolist():
        part = of_source[of_source["k"] == k]
        failed = part["error"].ne("").any()
        joined = "yes" if part["connected"].eq(True).all() else "no"
        ours[name, METHOD, k, "connected"] = INFEASIBLE if failed else joined
        for measure in part.columns.drop(["k", "method", *ABOUT]):
            ours[name, METHOD, k, measure] = _all_values(part[measure], failed)
    return ours


def _all_values(values: pd.Series, failed: bool) -> RunValues | str:
    """The numbers of all runs; one that has none makes the whole undefined."""
    if failed:
        return INFEASIBLE
    return UNDEFINED if values.isna().any() else RunValues(tuple(values))


def least_changes(name: str, graph: Graph, ks: list[int]) -> dict[Key, Any]:
    """Least sum of changes of degrees for each k, their sum being kept."""
    return {
        (name, METHOD, k, "least change of degrees"): _least_change(graph, k)
        for k in ks
    }


def _least_change(graph: Graph, k: int) -> int | str:
    try:
        found = exact_sequence(graph.degrees, k)
    except InfeasibleError:
        return INFEASIBLE
    return int(np.abs(np.sort(found) - np.sort(graph.degrees)).sum())

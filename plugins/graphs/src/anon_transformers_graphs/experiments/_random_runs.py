"""Random perturbation and random switch over shares of edges, many runs per share."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.evidence import GraphEvidence
from anon_transformers.experiments import Progress
from anon_transformers.graphs import Graph
from anon_transformers_graphs._graph_arrays import smallest_degree_class
from anon_transformers_graphs.experiments._findings import (
    INFEASIBLE,
    GraphCount,
    Key,
    finding,
)
from anon_transformers_graphs.experiments._measures import (
    CENTRALITIES,
    ERROR,
    JACCARD,
    ClusteringTasks,
    cached_report,
    centrality_change,
)
from anon_transformers_graphs.experiments._sweep import (
    Measure,
    largest_value,
    sweep,
    sweep_means,
)
from anon_transformers_graphs.randomization import RandomPerturbation, RandomSwitch

METHODS = {"random-perturbation": RandomPerturbation, "random-switch": RandomSwitch}
SHARE = "p %"
"""Column of the share of the edges, in percent."""
STATISTICS: Mapping[str, Callable[[pd.Series, float], float]] = {
    "mean": lambda found, _: found.mean(),
    "lowest": lambda found, _: found.min(),
    "change %": lambda found, before: 100 * (found.mean() / before - 1),
}


def graph_measures(
    graph: Graph, tasks: ClusteringTasks, groups: Mapping[str, Any]
) -> dict[str, Measure]:
    """What is measured of each published graph."""
    found: dict[str, Measure] = {
        "average distance": lambda e: cached_report(e.published).average_distance,
        "diameter": lambda e: cached_report(e.published).diameter,
        "k reached": lambda e: smallest_degree_class(e.published),
        "raised k": lambda e: (
            smallest_degree_class(e.published) > smallest_degree_class(graph)
        ),
        "degrees kept": lambda e: np.array_equal(e.published.degrees, graph.degrees),
        "most frequent degree": lambda e: int(e.published.degree_histogram.argmax()),
    }
    for name in CENTRALITIES:
        found[f"{ERROR} {name}"] = centrality_change(name, graph)
    for name, (low, high) in groups.items():
        found[name] = partial(_nodes_between, low=low, high=high)
    for name in tasks.clusterings:
        found[f"{JACCARD} {name}"] = tasks.similarity_to(name, graph)
    return found


def random_runs(
    graph: Graph,
    measures: Mapping[str, Measure],
    n_runs: int,
    shares: list[int],
    random_state: int,
    progress: Progress,
) -> pd.DataFrame:
    """One row per run of either method."""
    frames = []
    each = n_runs * len(shares)
    for at, (method, make) in enumerate(METHODS.items()):

        def report(
            done: int, _: int, what: str, at: int = at, by: str = method
        ) -> None:
            progress(at * each + done, len(METHODS) * each, f"{by} {what}")

        runs = sweep(
            graph,
            make(),
            "p",
            [share / 100 for share in shares],
            n_runs=n_runs,
            random_state=random_state,
            measures=measures,
            progress=report,
        )
        runs.insert(0, "method", method)
        runs.insert(1, SHARE, np.repeat(shares, n_runs))
        frames.append(runs.drop(columns="p"))
    return pd.concat(frames, ignore_index=True)


def means_of(runs: pd.DataFrame, parameter: str) -> pd.DataFrame:
    """Averages of each value of a parameter, by method."""
    return pd.concat(
        [
            sweep_means(part.drop(columns="method"), parameter).assign(method=method)
            for method, part in runs.groupby("method", sort=False)
        ],
        ignore_index=True,
    )


def count_numbers(
    name: str, runs: pd.DataFrame, counts: list[dict[str, Any]]
) -> dict[Key, Any]:
    """How many graphs came to which k, as the source counts them."""
    ours: dict[Key, Any] = {}
    for counted in counts:
        low, high = counted["p"]
        part = runs[
            runs[SHARE].between(low, high) & runs["method"].eq(counted["method"])
        ]
        wanted = (
            part["k reached"].eq(counted["k"])
            if counted["k"]
            else part["raised k"].eq(1)
        )
        count: Any = GraphCount(int(wanted.sum()), len(part))
        if counted["method"] == "random-switch":
            # Not a matter of chance: a switch keeps every degree, by its definition.
            count = len(part) - int(part["degrees kept"].sum())
        ours[name, counted["method"], None, counted["measure"]] = count
    return ours


def claim_findings(
    known: Mapping[str, Any],
    means: Mapping[str, pd.DataFrame],
    before: Mapping[str, Mapping[str, float]],
    judged: bool,
) -> Iterator[dict[str, Any]]:
    """Statements of the text about averages, beside ours."""
    for claim in known["claims"]:
        name, column = claim["data_set"], claim["column"]
        low, high = claim["p"]
        range_text = f"{low}" if low == high else f"{low}-{high}"
        kind = "" if claim["statistic"] == "mean" else f", {claim['statistic']}"
        against = f" less {claim['against']}" if "against" in claim else ""
        ours: Any = None
        if judged and name in means and column in means[name]:
            ours = _statistic(claim, means[name], before[name].get(column, np.nan))
        number = {
            "published": None,
            "recomputed": None,
            **claim,
            "method": claim["method"] + against,
            "measure": f"{column}{kind}, p {range_text} %",
        }
        yield finding(known, number, ours)


def guidance_findings(
    known: Mapping[str, Any], means: Mapping[str, pd.DataFrame], judged: bool
) -> Iterator[dict[str, Any]]:
    """Largest share that keeps an index, beside what the source advises."""
    for advice in known["guidance"]:
        name, column = advice["data_set"], advice["column"]
        ours: Any = None
        if judged and name in means and column in means[name]:
            ours = _largest_share(advice, means[name])
        measure = f"largest p % with {column} of {advice['at_least']}"
        number = {"k": None, "recomputed": None, **advice, "measure": measure}
        yield finding(known, number, ours)


def _nodes_between(evidence: GraphEvidence, low: int, high: int) -> int:
    return int(evidence.published.degree_histogram[low : high + 1].sum())


def _statistic(
    claim: Mapping[str, Any], means: pd.DataFrame, before: float
) -> float | str:
    """Of the averages in a range of shares; or the mean difference of two methods."""
    asked = [claim["method"], *([claim["against"]] if "against" in claim else [])]
    part = means[means[SHARE].between(*claim["p"]) & means["method"].isin(asked)]
    if part["infeasible"].any():
        return INFEASIBLE
    found, *other = (
        part.loc[part["method"].eq(method), claim["column"]] for method in asked
    )
    if other:
        return float(found.mean() - other[0].mean())
    return float(STATISTICS[claim["statistic"]](found, before))


def _largest_share(advice: Mapping[str, Any], means: pd.DataFrame) -> int | str:
    of = means[means["method"] == advice["method"]]
    if of["infeasible"].any():
        return INFEASIBLE
    return largest_value(of, SHARE, advice["column"], advice["at_least"]) or 0

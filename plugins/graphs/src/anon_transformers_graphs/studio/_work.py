"""What the page of networks computes: a protected network, and what each k costs."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict
from inspect import signature
from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import (
    DataError,
    InfeasibleError,
    WeightsLeftOutWarning,
)
from anon_transformers.registry import registry

if TYPE_CHECKING:
    import pandas as pd

    from anon_transformers.graphs import Graph

PROTECT, CURVE = "graph", "graph-curve"
"""Kinds of the jobs, and of their results."""
METHODS = {
    "k-degree": "k-degree",
    "k-neighborhood": "k-neighborhood",
    "k-automorphism": "k-automorphism",
}
"""Methods that keep the nodes, and the model that each promises."""
CURVE_KS = (2, 3, 5, 8, 12, 20)
DEPTH = 2
MEASURES = {
    "n_nodes": "nodes",
    "n_edges": "edges",
    "average_degree": "average degree",
    "max_degree": "largest degree",
    "average_distance": "average distance",
    "diameter": "diameter",
    "transitivity": "transitivity",
    "n_components": "components",
}
ENDS = 2

Progress = Callable[[int, int, str], None]


def read_edges(project: Any) -> "pd.DataFrame":
    """The edges, by the reader that the release file names, without what it drops."""
    config = project.config
    options = config.source.options
    for key, stated in config.source.templates.items():
        if len(stated) > 1 or any(one.holds_period for one in stated):
            raise DataError(f"source.{key}: this page shows networks of one file.")
        if stated:
            options[key] = config.path(stated[0].fill(None))
    edges, _ = registry().readers[config.source.kind](**options)
    return edges.iloc[:, :ENDS]


def protect(
    project: Any, params: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Anonymize the network as the release file says, and measure both (a job)."""
    from anon_transformers.graphs import open_same_nodes  # noqa: PLC0415

    progress(0, 4, "reading the edges")
    edges, config = read_edges(project), project.config
    name = config.anonymizer.name
    progress(1, 4, name)
    published, method = _publish(name, config.anonymizer.params, _k_of(config), edges)
    before, after, _ = open_same_nodes(edges, published, method.mapping_)
    progress(2, 4, "measuring")
    found = {
        "method": name,
        "measures": _measures(before, after),
        "intruders": _intruders(before, after),
        "degrees": [graph.degree_histogram.tolist() for graph in (before, after)],
    }
    progress(3, 4, "drawing")
    from anon_transformers_graphs.studio._drawing import draw  # noqa: PLC0415

    first, second, said = draw(before, after)
    progress(4, 4, "done")
    return {**found, "drawings": [asdict(first), asdict(second)], "sample": said}


def curve(
    project: Any, params: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Count the edges that k-degree anonymity changes, for several k (a job)."""
    from anon_transformers.graphs import (  # noqa: PLC0415
        open_graph,
        open_same_nodes,
    )

    edges = read_edges(project)
    graph, _ = open_graph(edges)
    ks = [k for k in CURVE_KS if k <= graph.n_nodes]
    points: list[tuple[int, int | None]] = []
    for done, k in enumerate(ks):
        progress(done, len(ks), f"k = {k}")
        try:
            published, method = _publish("k-degree", {}, k, edges)
        except InfeasibleError:
            points.append((k, None))
            continue
        before, after, _ = open_same_nodes(edges, published, method.mapping_)
        gone = int((~after.has_edges(before.edges)).sum())
        new = int((~before.has_edges(after.edges)).sum())
        points.append((k, gone + new))
    progress(len(ks), len(ks), "done")
    return {"points": points}


def _k_of(config: Any) -> int | None:
    """The largest k that the thresholds ask for."""
    asked = [t.params["k"] for t in config.thresholds if "k" in t.params]
    return max(asked, default=None)


def _publish(
    name: str, params: Mapping[str, Any], k: int | None, edges: "pd.DataFrame"
) -> tuple[Any, Any]:
    takes = signature(registry().anonymizers[name]).parameters
    asked = {"k": k} if k is not None and "k" in takes else {}
    given = {**asked, **params, "keep_mapping": True}
    method = registry().anonymizers.build(name, given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WeightsLeftOutWarning)
        return method.fit_transform(edges), method


def _measures(before: "Graph", after: "Graph") -> list[tuple[str, Any, Any]]:
    from anon_transformers_graphs.metrics import structural_report  # noqa: PLC0415

    first, second = (structural_report(g).to_dict() for g in (before, after))
    return [(words, first[key], second[key]) for key, words in MEASURES.items()]


def _intruders(before: "Graph", after: "Graph") -> list[tuple[str, Any, Any]]:
    """Shares of nodes that an intruder finds, who knows neighbors to a depth."""
    from anon_transformers_graphs.risk import candidate_report  # noqa: PLC0415

    first, second = (candidate_report(g, DEPTH).to_dict() for g in (before, after))
    words = ("its degree", "the degrees of its neighbors, too")
    return [
        (said, first[query]["reidentified"], second[query]["reidentified"])
        for said, query in zip(words, first, strict=True)
    ]

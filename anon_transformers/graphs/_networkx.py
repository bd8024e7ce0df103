"""Graphs of networkx."""

import math
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError
from anon_transformers.graphs._form import GraphForm, joined
from anon_transformers.graphs._graph import Graph
from anon_transformers.parameters import is_number


def open_networkx(given: Any, reduce: bool) -> tuple[Graph, GraphForm]:
    """Open a graph of networkx."""
    attributes = {key for *_, data in given.edges(data=True) for key in data}
    if not reduce:
        _refuse_rich(given, attributes)
    names = list(given)
    places = {name: place for place, name in enumerate(names)}
    pairs = list(given.edges(data="weight"))
    edges = np.array([(places[u], places[v]) for u, v, _ in pairs], dtype=np.int64)
    edges = edges.reshape(-1, 2)
    weights = None
    if "weight" in attributes:
        weights = _weights([1 if weight is None else weight for *_, weight in pairs])
    labels = None
    if any(data for _, data in given.nodes(data=True)):
        labels = pd.DataFrame([data for _, data in given.nodes(data=True)])
    make = joined if reduce else Graph
    graph = make(len(names), edges, weights, labels)
    return graph, GraphForm("networkx", _object_array(names), _write)


def _weights(given: list[Any]) -> np.ndarray:
    """Numbers, or an error that quotes none of what was found instead."""
    strange = sum(not is_number(w) or math.isnan(w) for w in given)
    if strange:
        raise DataError(f"the weights of {strange} edges are no numbers.")
    return np.array(given, dtype=float)


def _refuse_rich(given: Any, attributes: set[str]) -> None:
    rich = given.is_directed() or given.is_multigraph()
    strange = sorted(map(str, attributes - {"weight"}))
    if rich or strange:
        kind = "directed" if given.is_directed() else "a multigraph"
        what = kind if rich else f"with edge attributes {', '.join(strange)}"
        raise DataError(
            f"the graph is {what}; reduce=True drops what a simple graph has not."
        )


def _write(graph: Graph, names: np.ndarray) -> nx.Graph:
    result = nx.Graph()
    called = np.asarray(names).tolist()
    result.add_nodes_from(called)
    if graph.labels is not None:
        rows = graph.labels.to_dict("records")
        result.add_nodes_from(zip(called, rows, strict=True))
    pairs = [(called[u], called[v]) for u, v in graph.edges.tolist()]
    if graph.weights is None:
        result.add_edges_from(pairs)
    else:
        held = zip(pairs, graph.weights.tolist(), strict=True)
        result.add_weighted_edges_from((u, v, w) for (u, v), w in held)
    return result


def _object_array(names: list[Any]) -> np.ndarray:
    array = np.empty(len(names), dtype=object)
    array[:] = names
    return array

"""How a graph with planted nodes is published, and followed into what is published."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np

from anon_transformers.base import GraphAnonymizer
from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.graphs import Graph

Publish = Callable[[Graph], Graph]


def publish_by(how: GraphAnonymizer | Publish | None, graph: Graph) -> Graph:
    """What is published of a graph, its nodes in their old order.

    The order is certain for an anonymizer, which is asked for its mapping; a function
    must be believed.
    """
    if how is None:
        return graph
    method = anonymizer_of(how)
    if method is not None:
        return _publish_in_source_order(method, graph)
    if not callable(how) or isinstance(how, type):
        raise ParameterError(
            "publish must be an anonymizer of graphs, made and not its class, or a "
            f"function from a Graph to a Graph, got {_type_name(how)}."
        )
    published = how(graph)
    if not isinstance(published, Graph):
        raise ParameterError(
            f"publish must make a Graph of a Graph, it made {_type_name(published)}."
        )
    if published.naming != graph.naming:
        raise renaming_error()
    return published


def renaming_error() -> ParameterError:
    """What to do where a function gives nodes new names."""
    return ParameterError(
        "publish: the function gives nodes new names, or other places, so that it is "
        "unknown who was found rightly; give the anonymizer itself, not a function "
        "that calls it."
    )


def anonymizer_of(how: Any) -> GraphAnonymizer | None:
    """The anonymizer that was given, maybe by its ``fit_transform``, if it is one."""
    if getattr(how, "__name__", "") == "fit_transform":
        how = getattr(how, "__self__", how)
    return how if isinstance(how, GraphAnonymizer) else None


def _publish_in_source_order(method: GraphAnonymizer, graph: Graph) -> Graph:
    # A copy: the caller's own must neither keep the mapping, which undoes the
    # anonymization, nor draw from its generator.
    params = deepcopy(method.get_params(deep=False))
    traced = type(method)(**{**params, "keep_mapping": True})
    published = traced.fit_transform(graph)
    # The nodes of a Graph are its numbers, and a mapping lists them in their order.
    new = np.fromiter(traced.mapping_.values(), dtype=np.int64, count=graph.n_nodes)
    if len(np.unique(new)) < graph.n_nodes:
        raise DataError(
            "nodes are published in groups, in which no single node can be followed."
        )
    # Noise nodes, which stand for no person, come last.
    noise = np.setdiff1d(np.arange(published.n_nodes), new)
    return published.relabeled(np.argsort(np.concatenate([new, noise])))


def _type_name(given: object) -> str:
    name = type(given).__name__
    return f"the class {given.__name__}" if isinstance(given, type) else name

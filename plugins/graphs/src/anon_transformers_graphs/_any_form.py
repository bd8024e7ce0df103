"""Functions of graphs that take a graph in whatever form users hold it."""

from collections.abc import Callable, Mapping
from functools import partial, wraps
from inspect import signature
from typing import Any, TypeVar, overload

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError
from anon_transformers.graphs import Graph, GraphForm, open_graph

Result = TypeVar("Result")
Function = Callable[..., Result]


@overload
def any_form(function: Function[Result], /) -> Function[Result]: ...
@overload
def any_form(*, same_nodes: bool) -> Callable[[Function[Result]], Function[Result]]: ...
def any_form(
    function: Function[Result] | None = None, /, *, same_nodes: bool = False
) -> Any:
    """Open each argument whose parameter is annotated ``Graph``.

    Nodes are numbered as :func:`anon_transformers.graphs.open_graph` numbers them:
    where a result has a number for each node, ``open_graph(given)[1].names`` has the
    names in the same order.

    Parameters
    ----------
    function : callable
        What takes graphs as arrays.
    same_nodes : bool, default=False
        All graphs that it takes have the same nodes. Then nodes of one name are one
        node, and those of the first graph give the order; but a ``Graph`` has no
        names, and beside it only the order counts.

    Examples
    --------
    >>> @any_form(same_nodes=True)
    ... def kept(before: Graph, after: Graph) -> int:
    ...     return before.common_edges(after)
    >>> one = pd.DataFrame({"a": ["Ann", "Bob"], "b": ["Bob", "Eve"]})
    >>> other = pd.DataFrame({"a": ["Eve", "Eve"], "b": ["Ann", "Bob"]})
    >>> kept(one, other)
    1
    """
    if function is None:
        return partial(_opening, same_nodes=same_nodes)
    return _opening(function, same_nodes=same_nodes)


def places_by_name(of: GraphForm, among: GraphForm) -> np.ndarray:
    """For each node of one graph the node of the same name in another, or -1."""
    names = pd.Index(among.names, tupleize_cols=False)
    return names.get_indexer(pd.Index(of.names, tupleize_cols=False))


def has_names(given: Any) -> bool:
    """Whether nodes have names; those of a ``Graph`` are places in a list only."""
    return not isinstance(given, Graph)


def _opening(function: Function[Result], *, same_nodes: bool) -> Function[Result]:
    takes = signature(function)
    graphs = [
        name
        for name, parameter in takes.parameters.items()
        if parameter.annotation in (Graph, Graph | None)
    ]

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Result:
        bound = takes.bind(*args, **kwargs)
        given = {
            name: bound.arguments[name]
            for name in graphs
            if bound.arguments.get(name) is not None
        }
        if any(map(has_names, given.values())):
            bound.arguments.update(_opened(given, same_nodes))
        return function(*bound.args, **bound.kwargs)

    return run


def _opened(given: Mapping[str, Any], same_nodes: bool) -> dict[str, Graph]:
    opened = {name: open_graph(graph) for name, graph in given.items()}
    graphs = {name: graph for name, (graph, _) in opened.items()}
    if same_nodes and all(map(has_names, given.values())):
        first, *others = opened
        for name in others:
            graphs[name] = _in_order_of(first, name, *opened[first], *opened[name])
    return graphs


def _in_order_of(
    first: str, name: str, one: Graph, like: GraphForm, other: Graph, form: GraphForm
) -> Graph:
    """``other``, its nodes numbered as nodes of the same name are in ``one``."""
    if one.n_nodes != other.n_nodes:
        return other  # what compares the two refuses them, and says why
    places = places_by_name(form, like)
    strange = int((places < 0).sum())
    if strange:
        raise DataError(
            f"{strange} of {other.n_nodes} nodes of {name} are not named in {first}: "
            "node by node only graphs with the same names can be compared; in Python, "
            "relabel=False keeps them."
        )
    return other.relabelled(places)

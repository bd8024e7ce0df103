"""Functions of graphs that take a graph in whatever form users hold it."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

from anon_transformers.graphs import Graph, open_graph

Result = TypeVar("Result")
Function = Callable[..., Result]


def any_form(function: Function[Result]) -> Function[Result]:
    """Open each argument whose parameter is annotated ``Graph``.

    Nodes are numbered as :func:`anon_transformers.graphs.open_graph` numbers them:
    where a result has a number for each node, ``open_graph(given)[1].names`` has the
    names in the same order. Graphs of the same nodes are opened together instead, by
    :func:`anon_transformers.graphs.open_same_nodes`.

    Examples
    --------
    >>> import pandas as pd
    >>> @any_form
    ... def count(graph: Graph) -> int:
    ...     return graph.n_edges
    >>> count(pd.DataFrame({"a": ["Ann", "Bob"], "b": ["Bob", "Eve"]}))
    2
    """
    takes = signature(function)
    graphs = [
        name
        for name, parameter in takes.parameters.items()
        if parameter.annotation in (Graph, Graph | None)
    ]

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Result:
        bound = takes.bind(*args, **kwargs)
        for name in graphs:
            if bound.arguments.get(name) is not None:
                bound.arguments[name] = open_graph(bound.arguments[name])[0]
        return function(*bound.args, **bound.kwargs)

    return run

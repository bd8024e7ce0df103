"""The one door for graphs, in whatever form users hold them."""

import sys
from typing import Any

import numpy as np
from scipy import sparse

from anon_transformers._data.frames import is_frame
from anon_transformers.exceptions import DataError
from anon_transformers.graphs._form import GraphForm
from anon_transformers.graphs._graph import Graph
from anon_transformers.graphs._matrices import open_matrix
from anon_transformers.graphs._tables import open_tables

PAIR = 2


def open_graph(given: Any, *, reduce: bool = False) -> tuple[Graph, GraphForm]:
    """Open a graph of any form.

    Parameters
    ----------
    given : data frame, pair of data frames, networkx graph, sparse matrix or Graph
        An edge table has two columns of node names and maybe one of weights; a row
        without a second name is a node without edges. With a node table beside it, as
        ``(edges, nodes)``, the first column of that names all nodes, and the others are
        labels. A matrix is symmetric; values other than 1 are weights.
    reduce : bool, default=False
        Turn a richer graph into a simple one: drop directions, loops, and attributes
        of edges other than the weight, and join parallel edges (adding up weights).
        Without it such a graph is refused.

    Returns
    -------
    graph : Graph
        The graph as arrays.
    form : GraphForm
        How it was given.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"a": ["Ann", "Bob", "Eve"], "b": ["Bob", "Cid", None]})
    >>> graph, form = open_graph(table)
    >>> graph.n_nodes, graph.n_edges, form.kind
    (4, 2, 'edge table')
    >>> form.write(graph)
       a     b
    0  0     1
    1  1     2
    2  3  <NA>
    """
    if isinstance(given, Graph):
        return given, GraphForm("graph", np.arange(given.n_nodes), lambda g, _: g)
    if sparse.issparse(given):
        return open_matrix(given, reduce)
    if _is_networkx(given):
        from anon_transformers.graphs._networkx import open_networkx

        return open_networkx(given, reduce)
    if isinstance(given, tuple) and len(given) == PAIR and all(map(is_frame, given)):
        edges, nodes = given
        return open_tables(edges, nodes, reduce)
    if is_frame(given):
        return open_tables(given, None, reduce)
    raise DataError(
        "a graph is an edge table, a pair (edges, nodes) of tables, a networkx graph "
        f"or a scipy sparse matrix, got {type(given).__name__}."
    )


def _is_networkx(given: Any) -> bool:
    networkx = sys.modules.get("networkx")
    return networkx is not None and isinstance(given, networkx.Graph)

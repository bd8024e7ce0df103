"""A graph as its readers see it, and what its maker knows beside it."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError
from anon_transformers.graphs._forms import open_graph
from anon_transformers.graphs._graph import Graph


@dataclass(frozen=True, eq=False)
class GraphEvidence:
    """What a model or metric of graphs judges.

    Parameters
    ----------
    published : Graph, or a graph in any form
        What readers get; protection is judged on this alone.
    original : Graph, or a graph in any form, optional
        What it was made from, with the same names of nodes, or else its nodes in the
        same order. Only what compares the two looks at it.
    functions : int array of shape (n_functions, n_nodes), optional
        Maps from nodes to nodes that are claimed to be automorphisms of ``published``.

    Examples
    --------
    >>> import pandas as pd
    >>> square = pd.DataFrame({"a": [0, 1, 2, 3], "b": [1, 2, 3, 0]})
    >>> GraphEvidence(square).published.degrees
    array([2, 2, 2, 2])
    """

    published: Graph
    original: Graph | None = None
    functions: np.ndarray | None = field(default=None, repr=False)

    kind = "graph"

    def __post_init__(self) -> None:
        published, names = _opened(self.published)
        object.__setattr__(self, "published", published)
        if self.original is not None:
            original = _in_order(names, *_opened(self.original))
            if original.n_nodes != published.n_nodes:
                raise DataError(
                    f"the original has {original.n_nodes} nodes and what is published "
                    f"{published.n_nodes}: they cannot be compared node by node."
                )
            object.__setattr__(self, "original", original)
        if self.functions is not None:
            functions = np.asarray(self.functions)
            shape = (len(functions), published.n_nodes)
            if functions.shape != shape or functions.dtype.kind not in "iu":
                raise DataError(
                    f"functions must give a node for each of {published.n_nodes} nodes."
                )
            object.__setattr__(self, "functions", functions)

    def relabelled(self, places: np.ndarray) -> "GraphEvidence":
        """The same, where node ``i`` is now called ``places[i]``."""
        functions = self.functions
        if functions is not None:
            moved = np.empty_like(functions)
            moved[:, places] = np.asarray(places)[functions]
            functions = moved
        original = None if self.original is None else self.original.relabelled(places)
        return GraphEvidence(self.published.relabelled(places), original, functions)


def _opened(given: Any) -> tuple[Graph, np.ndarray | None]:
    """A graph and the names of its nodes, if they have any."""
    graph, form = open_graph(given)
    return graph, None if form.kind in {"graph", "sparse"} else form.names


def _in_order(
    names: np.ndarray | None, original: Graph, others: np.ndarray | None
) -> Graph:
    """The original with its nodes as the published graph lists them.

    Where both have names these decide, for tables list nodes in any order.
    """
    if names is None or others is None or len(names) != len(others):
        return original
    places = pd.Index(names).get_indexer(pd.Index(others))
    if (places < 0).any():
        raise DataError(
            f"{int((places < 0).sum())} nodes of the original are not named in what is "
            "published: they cannot be compared node by node."
        )
    return original.relabelled(places)

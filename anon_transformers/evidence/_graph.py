"""A graph as its readers see it, and what its maker knows beside it."""

from dataclasses import dataclass, field

import numpy as np

from anon_transformers.exceptions import DataError
from anon_transformers.graphs._graph import Graph
from anon_transformers.graphs._opening import open_graph
from anon_transformers.graphs._same_nodes import same_nodes


@dataclass(frozen=True, eq=False)
class GraphEvidence:
    """What a model or metric of graphs judges.

    Parameters
    ----------
    published : Graph, or a graph in any form
        What readers get; protection is judged on this alone.
    original : Graph, or a graph in any form, optional
        What it was made from, with the same names of nodes, or else its nodes in the
        same order; one whose nodes have other names is refused, as is one beside
        which noise nodes were published. Only what compares the two looks at it.
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
        published, form = open_graph(self.published)
        object.__setattr__(self, "published", published)
        if self.original is not None:
            original, old_form = open_graph(self.original)
            places = same_nodes((original, old_form), (published, form))
            # The order is that of what is published: functions are given in it.
            moved = original.relabeled(np.argsort(places), published.naming)
            object.__setattr__(self, "original", moved)
        if self.functions is not None:
            functions = np.asarray(self.functions)
            shape = (len(functions), published.n_nodes)
            if functions.shape != shape or functions.dtype.kind not in "iu":
                raise DataError(
                    f"functions must give a node for each of {published.n_nodes} nodes."
                )
            object.__setattr__(self, "functions", functions)

    def relabeled(
        self, places: np.ndarray, naming: str | None = None
    ) -> "GraphEvidence":
        """The same, where node ``i`` is now called ``places[i]``.

        ``naming`` marks the new order, of the original too.
        """
        functions = self.functions
        if functions is not None:
            moved = np.empty_like(functions)
            moved[:, places] = np.asarray(places)[functions]
            functions = moved
        original = self.original
        if original is not None:
            original = original.relabeled(places, naming)
        published = self.published.relabeled(places, naming)
        return GraphEvidence(published, original, functions)

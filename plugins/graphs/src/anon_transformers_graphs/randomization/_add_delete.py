"""Random false edges are added, and random original ones deleted."""

from typing import Any, ClassVar

import numpy as np

from anon_transformers.base import GraphAnonymizer
from anon_transformers.graphs import Graph
from anon_transformers.parameters import real, whole
from anon_transformers_graphs.randomization._edge_changes import (
    replace_edges,
    share_of_edges,
)


class RandomAddDelete(GraphAnonymizer):
    """Add random false edges, then delete as many original ones.

    Nodes and the number of edges stay, degrees do not. Nothing is promised. One step
    replaces one edge; `RandomPerturbation` counts two at a time and can search for a
    graph that is k-degree anonymous.

    Parameters
    ----------
    p : float, default=0.1
        Share of the edges, from 0 to 1; ``round(p * edges)`` are replaced.
    n_edges : int, optional
        Edges to replace, in place of ``p``.
    relabel, reduce, weights, keep_mapping, random_state
        As for every anonymizer of graphs.

    Attributes
    ----------
    n_steps_ : int
        Edges that were replaced.
    n_added_, n_removed_ : int
        Edges that are new, and those that were removed.
    evidence_ : GraphEvidence
        The published graph.
    report_ : Report
        Nodes by degree, loss, risk and time, in numbers.

    References
    ----------
    .. [1] X. Ying and X. Wu, "Randomizing social networks: a spectrum preserving
       approach", SDM, 2008.

    Examples
    --------
    >>> import networkx as nx
    >>> anonymizer = RandomAddDelete(n_edges=3, random_state=0)
    >>> anonymizer.fit_transform(nx.cycle_graph(20)).number_of_edges()
    20
    >>> anonymizer.n_added_, anonymizer.n_removed_
    (3, 3)
    """

    not_promised: ClassVar[tuple[str, ...]] = (
        "It promises nothing: most edges stay, and who knows enough of them may "
        "find a person.",
    )

    def __init__(
        self,
        p: float = 0.1,
        *,
        n_edges: int | None = None,
        relabel: bool = True,
        reduce: bool = False,
        weights: str | None = None,
        keep_mapping: bool = False,
        random_state: int | np.random.Generator | None = None,
    ):
        super().__init__(
            relabel=relabel,
            reduce=reduce,
            weights=weights,
            keep_mapping=keep_mapping,
            random_state=random_state,
        )
        self.p = p
        self.n_edges = n_edges

    @classmethod
    def test_instances(cls) -> list["RandomAddDelete"]:
        """Configurations that the contract checks run on."""
        return [cls(), cls(n_edges=20)]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        real("p", self.p, 0, 1)
        if self.n_edges is not None:
            whole("n_edges", self.n_edges, 0)

    def _alter(self, graph: Graph, rng: np.random.Generator) -> Graph:
        share = share_of_edges(graph, self.p)
        self.n_steps_ = share if self.n_edges is None else int(self.n_edges)
        return replace_edges(graph, self.n_steps_, rng)

    def _details(self) -> dict[str, Any]:
        return {"steps": self.n_steps_}

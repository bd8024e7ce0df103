"""Random perturbation (Hay and others 2007)."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from anon_transformers.base import GraphAnonymizer
from anon_transformers.exceptions import InfeasibleError, check_choice
from anon_transformers.graphs import Graph
from anon_transformers.parameters import real, whole
from anon_transformers_graphs._graph_arrays import smallest_degree_class
from anon_transformers_graphs.privacy import KDegree
from anon_transformers_graphs.randomization._edge_changes import (
    replace_edges,
    share_of_edges,
)


class RandomPerturbation(GraphAnonymizer):
    """Replace a share of the edges by random ones.

    Edges to remove are drawn without replacement; as many new ones are drawn among the
    pairs of nodes that are no edge of the original. Nodes and the number of edges stay,
    degrees do not. By itself this promises nothing: with ``k`` it is repeated until
    the graph is k-degree anonymous, which succeeds for small ``k`` only.

    Parameters
    ----------
    p : float, default=0.1
        Share of the edges, from 0 to 1; ``round(p * edges)`` steps, where a half is
        rounded to the even number. By default a step replaces two edges.
    pairwise : bool, default=True
        A step replaces two edges, as a step of `RandomSwitch` does, so that equal
        shares mean equal change: ``p=0.1`` replaces a fifth of the edges, and with
        ``p`` above 0.5 all are replaced. False: one edge.
    k : int, optional
        Repeat, from the original each time, until ``k`` nodes or more share each
        degree. None: once, and nothing is promised.
    max_tries : int, default=1000
        Repetitions before `InfeasibleError`.
    relabel, reduce, weights, keep_mapping, random_state
        As for every anonymizer of graphs.

    Attributes
    ----------
    n_steps_ : int
        Edges that were replaced.
    n_tries_ : int
        Graphs that were made.
    k_ : int
        Nodes that share the rarest degree.
    n_added_, n_removed_ : int
        Edges that are new, and those that were removed.
    evidence_ : GraphEvidence
        The published graph.
    report_ : Report
        Nodes by degree, loss, risk and time, in numbers.

    References
    ----------
    .. [1] M. Hay, G. Miklau, D. Jensen, P. Weis and S. Srivastava, "Anonymizing social
       networks", University of Massachusetts, 2007.

    Examples
    --------
    >>> import networkx as nx
    >>> ring = nx.cycle_graph(20)
    >>> anonymizer = RandomPerturbation(p=0.1, random_state=0)
    >>> anonymizer.fit_transform(ring).number_of_edges()
    20
    >>> anonymizer.n_removed_, anonymizer.n_added_
    (4, 4)
    >>> searched = RandomPerturbation(p=0.1, k=2, random_state=0).fit(ring)
    >>> searched.k_ >= 2
    True
    """

    not_promised: ClassVar[tuple[str, ...]] = (
        "Without k it promises nothing: most edges stay, and who knows enough of "
        "them may find a person.",
    )

    def __init__(
        self,
        p: float = 0.1,
        *,
        pairwise: bool = True,
        k: int | None = None,
        max_tries: int = 1000,
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
        self.pairwise = pairwise
        self.k = k
        self.max_tries = max_tries

    @classmethod
    def test_instances(cls) -> list["RandomPerturbation"]:
        """Configurations that the contract checks run on."""
        return [cls(), cls(p=0.3, pairwise=False, k=1)]

    def _promises(self) -> Sequence[KDegree]:
        return () if self.k is None else (KDegree(self.k),)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        real("p", self.p, 0, 1)
        check_choice("pairwise", self.pairwise, (False, True))
        if self.k is not None:
            whole("k", self.k)
        whole("max_tries", self.max_tries)

    def _alter(self, graph: Graph, rng: np.random.Generator) -> Graph:
        wanted = 1 if self.k is None else self.k
        if wanted > graph.n_nodes:
            raise InfeasibleError(
                f"k={self.k} is more than the {graph.n_nodes} nodes of the graph."
            )
        steps = share_of_edges(graph, self.p) * (2 if self.pairwise else 1)
        self.n_steps_ = min(steps, graph.n_edges)
        best = 0
        for tried in range(self.max_tries):
            altered = replace_edges(graph, self.n_steps_, rng)
            self.n_tries_ = tried + 1
            self.k_ = smallest_degree_class(altered)
            if self.k_ >= wanted:
                return altered
            best = max(best, self.k_)
        raise InfeasibleError(
            f"no graph of {self.max_tries} has {wanted} nodes or more of each degree; "
            f"the best one has {best}. Set a lower k or a higher max_tries."
        )

    def _details(self) -> dict[str, Any]:
        return {
            "steps": self.n_steps_,
            "tries": self.n_tries_,
            "k_reached": self.k_,
        }

"""Random switches: pairs of edges exchange ends."""

from typing import Any, ClassVar

import numpy as np

from anon_transformers.base import GraphAnonymizer
from anon_transformers.exceptions import InfeasibleError
from anon_transformers.graphs import Graph
from anon_transformers.parameters import real, whole
from anon_transformers_graphs.randomization._edge_changes import (
    check_kept,
    share_of_edges,
)
from anon_transformers_graphs.randomization._kernels.switch import switch_edges

MAX_FAILURES = 1_000_000


class RandomSwitch(GraphAnonymizer):
    """Exchange ends of random pairs of edges; all degrees stay.

    A switch makes (a, c) and (b, d) of two edges (a, b) and (c, d). The four nodes are
    different, and neither new pair is an edge. Which end of the second edge is c is
    left to chance. Degrees stay, and so does whatever an intruder learns from them:
    nothing is promised.

    Parameters
    ----------
    p : float, default=0.1
        Share of the edges, from 0 to 1: ``round(p * edges)`` switches, each of which
        changes two edges. A half is rounded to the even number; for a graph of few
        edges that may be 0, and the graph is returned unchanged, with ``n_steps_`` 0.
    max_failures : int, default=1_000_000
        Pairs of edges in a row that cannot be switched before `InfeasibleError`. No
        pair of a star or of a complete graph can.
    relabel, reduce, weights, keep_mapping, random_state
        As for every anonymizer of graphs.

    Attributes
    ----------
    n_steps_ : int
        Switches done.
    n_failures_ : int
        Pairs of edges that were drawn and could not be switched.
    n_added_, n_removed_ : int
        Edges that are new, and those that were removed: up to two per switch, since a
        later switch may restore an edge.
    evidence_ : GraphEvidence
        The published graph.
    report_ : Report
        Nodes by degree, loss, risk and time, in numbers.

    See Also
    --------
    FeatureChain : Switches until the graph is random among all of its degrees.

    Examples
    --------
    >>> import networkx as nx
    >>> ladder = nx.circular_ladder_graph(10)
    >>> anonymizer = RandomSwitch(p=0.5, random_state=0)
    >>> {degree for _, degree in anonymizer.fit_transform(ladder).degree}
    {3}
    >>> anonymizer.n_steps_
    15
    """

    not_promised: ClassVar[tuple[str, ...]] = (
        "It promises nothing: degrees stay, and a person with a rare number of "
        "friends is found by it.",
    )

    def __init__(
        self,
        p: float = 0.1,
        *,
        max_failures: int = MAX_FAILURES,
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
        self.max_failures = max_failures

    @classmethod
    def test_instances(cls) -> list["RandomSwitch"]:
        """Configurations that the contract checks run on."""
        return [cls(), cls(p=0.5)]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        real("p", self.p, 0, 1)
        whole("max_failures", self.max_failures)

    def _alter(self, graph: Graph, rng: np.random.Generator) -> Graph:
        wanted = share_of_edges(graph, self.p)
        edges = graph.edges.copy()
        self.n_steps_, self.n_failures_ = 0, 0
        if wanted:
            self.n_steps_, self.n_failures_ = switch_edges(
                edges, graph.n_nodes, wanted, int(self.max_failures), rng
            )
        if self.n_steps_ < wanted:
            raise InfeasibleError(
                f"after {self.n_steps_} of {wanted} switches no pair of edges that can "
                f"be switched was found in {self.max_failures} draws."
            )
        altered = graph.with_edges(edges, rng)
        check_kept(graph, altered, degrees=True)
        return altered

    def _details(self) -> dict[str, Any]:
        return {"steps": self.n_steps_, "failures": self.n_failures_}

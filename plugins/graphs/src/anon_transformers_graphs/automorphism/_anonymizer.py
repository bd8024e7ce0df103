"""k-automorphism (Zou et al. 2009)."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from anon_transformers.base import GraphAnonymizer
from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import InfeasibleError, check_choice
from anon_transformers.graphs import Graph
from anon_transformers.parameters import whole
from anon_transformers.privacy import PrivacyModel
from anon_transformers_graphs.automorphism._match import match, orbits
from anon_transformers_graphs.privacy import KAutomorphism


class KAutomorphismAnonymizer(GraphAnonymizer):
    """Make every node one of ``k`` that look the same in the whole structure.

    K-Match: nodes are put into a table of ``k`` columns (the blocks) such that the
    columns are much alike; then edges are added until moving every node some columns
    on, round and round, is an automorphism. That makes the blocks isomorphic (block
    alignment) and copies the edges between them (edge copy). Every edge is kept.

    The table is grown from the hubs, all columns in step, and improved by exchanging
    nodes.

    Parameters
    ----------
    k : int, default=5
        Nodes that cannot be distinguished. Each more costs much: of a random graph of
        500 nodes and 1,491 edges, 2,366 edges are published for 2, and 4,855 for 5.
    padding : {"nodes", "twins"}, default="nodes"
        What to do where ``k`` does not divide the number of nodes. "nodes": publish up
        to ``k - 1`` noise nodes more, as K-Match does. "twins": publish none; fewer
        than ``2 k`` nodes, those with the fewest edges, get all the same neighbors.
        It needs more edges in small graphs.
    max_iter : int, default=50
        Exchanges to try for each edge.
    relabel : bool, default=True
        Give nodes new names, such as ``nkwqz0``, in random order.
    reduce : bool, default=False
        Take richer graphs too, without their directions, loops, parallel edges and
        labels of nodes.
    weights : {"drop", "carry"}, default=None
        Whether edges keep their weights, which are not protected. None leaves them out
        with a ``WeightsLeftOutWarning``, "drop" without it.
    keep_mapping : bool, default=False
        Keep which node became which: this undoes the anonymization.
    random_state : int or Generator, default=None
        It is secret, for it undoes the new names. None: fresh entropy.

    Attributes
    ----------
    n_noise_nodes_ : int
        Noise nodes, which stand for no person.
    n_added_, n_removed_ : int
        Edges that are new in the published graph; none is removed.
    evidence_ : GraphEvidence
        The published graph with its ``k - 1`` automorphisms.
    mapping_ : dict
        New name by old name; only with ``keep_mapping=True``.
    report_ : Report
        Loss, risk and time, in numbers; classes and risk are for who knows the whole
        structure.

    Notes
    -----
    Time is proportional to ``max_iter`` times the sum of squared degrees; memory to the
    edges of the published graph, of which there are at most ``k`` for each edge.

    References
    ----------
    .. [1] L. Zou, L. Chen and M. T. Özsu, "K-automorphism: a general framework for
       privacy preserving network publication", PVLDB 2(1), 2009.

    Examples
    --------
    >>> import networkx as nx
    >>> path = nx.path_graph(5)
    >>> method = KAutomorphismAnonymizer(k=2, random_state=0)
    >>> published = method.fit_transform(path)
    >>> published.number_of_nodes(), published.number_of_edges()
    (6, 5)
    >>> method.n_noise_nodes_, method.n_added_
    (1, 1)
    """

    k_model: ClassVar[str] = "k-automorphism"

    not_promised: ClassVar[tuple[str, ...]] = (
        "Every edge is kept: that two persons are friends may be certain, though "
        "neither is found.",
    )

    def __init__(
        self,
        k: int = 5,
        *,
        padding: str = "nodes",
        max_iter: int = 50,
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
        self.k = k
        self.padding = padding
        self.max_iter = max_iter

    @classmethod
    def test_instances(cls) -> list["KAutomorphismAnonymizer"]:
        """Configurations that the contract checks run on."""
        return [cls(k=2, max_iter=5), cls(k=4, padding="twins", max_iter=5)]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        whole("k", self.k)
        whole("max_iter", self.max_iter, 0)
        check_choice("padding", self.padding, ("nodes", "twins"))

    def _promises(self) -> Sequence[PrivacyModel]:
        return (KAutomorphism(k=self.k),)

    def _alter(self, graph: Graph, rng: np.random.Generator) -> Graph:
        if graph.n_nodes < self.k:
            raise InfeasibleError(
                f"k={self.k} nodes cannot look alike in a graph of {graph.n_nodes}."
            )
        self.n_noise_nodes_ = -graph.n_nodes % self.k if self.padding == "nodes" else 0
        n_nodes = graph.n_nodes + self.n_noise_nodes_
        padded = Graph(n_nodes, graph.edges, graph.weights)
        found = match(padded, self.k, rng, self.max_iter)
        self._functions = found.functions
        return padded.with_edges(found.edges, rng)

    def _evidence(self, published: Graph) -> GraphEvidence:
        # The maps are published with the evidence, under the new names.
        return GraphEvidence(published, functions=self.__dict__.pop("_functions"))

    def _alike(self, published: Graph) -> np.ndarray:
        # Even an intruder who knows the whole structure cannot distinguish these.
        return orbits(np.asarray(self.evidence_.functions))

    def _details(self) -> dict[str, Any]:
        return {"noise_nodes": self.n_noise_nodes_}

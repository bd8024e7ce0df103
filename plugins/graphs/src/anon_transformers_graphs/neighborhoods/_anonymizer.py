"""k-neighborhood anonymity (Zhou and Pei 2008)."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from anon_transformers.base import GraphAnonymizer
from anon_transformers.exceptions import (
    InfeasibleError,
    ParameterError,
    unknown_choice,
)
from anon_transformers.graphs import Graph
from anon_transformers.parameters import real, whole
from anon_transformers.privacy import PrivacyModel
from anon_transformers_graphs._labels import open_labels
from anon_transformers_graphs.neighborhoods._equalization import equalize_neighborhoods
from anon_transformers_graphs.neighborhoods._node_labels import NodeLabels
from anon_transformers_graphs.privacy import KNeighborhood
from anon_transformers_graphs.queries import neighborhood_classes


class KNeighborhoodAnonymizer(GraphAnonymizer):
    """Give every node a neighborhood like that of ``k - 1`` other nodes.

    Edges are added and labels generalized; every edge is kept and no node made up.
    Nodes whose neighborhood is rare are put into groups of ``k``, together with those
    that are in triangles with them, the largest neighborhoods first; each group is
    made alike. Nodes whose neighborhood is rare after that are put into groups too,
    until there are none. Nodes with a common neighborhood stay as they are, but for a
    new neighbor now and then.

    Parameters
    ----------
    k : int, default=5
        Nodes that have neighborhoods alike.
    labels : list, default=None
        Labels of nodes to publish; the others are left out. None: all.
    hierarchies : dict of label to Hierarchy or builder, default=None
        How labels are made less exact. A label without one is published as it is, or as
        ``*``.
    max_iter : int, default=20
        Exchanges of nodes between groups to try for each edge, each time.
    time_limit : float, default=60.0
        Seconds for one comparison of all neighborhoods, of which there are 27 at most.
    relabel : bool, default=True
        Give nodes new names, such as ``nkwqz0``, in random order.
    reduce : bool, default=False
        Take richer graphs too, without their directions, loops and parallel edges.
    weights : {"drop", "carry"}, default=None
        Whether edges keep their weights, which are not protected. None leaves them out
        with a ``WeightsLeftOutWarning``, "drop" without it.
    keep_mapping : bool, default=False
        Keep which node became which: this undoes the anonymization.
    random_state : int or Generator, default=None
        It is secret, for it undoes the new names. None: fresh entropy.

    Attributes
    ----------
    n_grouped_ : int
        Nodes that were put into groups; if all were, the published graph has ``k - 1``
        automorphisms.
    label_loss_ : float
        How far labels were generalized, as a share of the height of their hierarchies.
    n_added_, n_removed_ : int
        Edges that are new in the published graph; none is removed.
    evidence_ : GraphEvidence
        The published graph as it was judged.
    mapping_ : dict
        New name by old name; only with ``keep_mapping=True``.
    report_ : Report
        Loss, risk and time, in numbers; classes and risk are those of neighborhoods.

    Notes
    -----
    To make groups alike one by one, as the paper does, seldom ends: an edge that one
    group needs changes the neighborhoods of others. Here all groups are made alike at
    once, by K-Match [2]_ on the nodes that are in groups. Where they are few, few edges
    are added; where nearly every node is in a triangle with one of them, the cost is
    that of k-automorphism.

    References
    ----------
    .. [1] B. Zhou and J. Pei, "Preserving privacy in social networks against
       neighborhood attacks", ICDE, 2008.
    .. [2] L. Zou, L. Chen and M. T. Özsu, "K-automorphism: a general framework for
       privacy preserving network publication", PVLDB 2(1), 2009.

    Examples
    --------
    >>> import networkx as nx
    >>> method = KNeighborhoodAnonymizer(k=2, random_state=0)
    >>> published = method.fit_transform(nx.lollipop_graph(3, 3))
    >>> published.number_of_nodes(), method.report_.models[0]["level"] >= 2
    (6, True)
    """

    uses_labels: ClassVar[bool] = True
    k_model: ClassVar[str] = "k-neighborhood"

    not_promised: ClassVar[tuple[str, ...]] = (
        "It protects from who knows neighborhoods: who knows more of the graph may "
        "find a node.",
    )

    def __init__(
        self,
        k: int = 5,
        *,
        labels: Sequence[Hashable] | None = None,
        hierarchies: Mapping[Any, Any] | None = None,
        max_iter: int = 20,
        time_limit: float = 60.0,
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
        self.labels = labels
        self.hierarchies = hierarchies
        self.max_iter = max_iter
        self.time_limit = time_limit

    @classmethod
    def test_instances(cls) -> list["KNeighborhoodAnonymizer"]:
        """Configurations that the contract checks run on."""
        return [cls(k=2, max_iter=5), cls(k=5, max_iter=5)]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        whole("k", self.k)
        whole("max_iter", self.max_iter, 0)
        real("time_limit", self.time_limit, 0)
        if isinstance(self.labels, str):
            raise ParameterError(
                f"labels must be a list of labels, got the text {self.labels!r}."
            )

    def _promises(self) -> Sequence[PrivacyModel]:
        return (KNeighborhood(k=self.k, time_limit=self.time_limit),)

    def _alter(self, graph: Graph, rng: np.random.Generator) -> Graph:
        if graph.n_nodes < self.k:
            raise InfeasibleError(
                f"k={self.k} nodes cannot be alike in a graph of {graph.n_nodes}."
            )
        columns = open_labels(self._published(graph), self.hierarchies)
        labels = NodeLabels(columns, graph.n_nodes)
        found = equalize_neighborhoods(
            graph, labels, self.k, rng, self.max_iter, self.time_limit
        )
        self.n_grouped_ = found.n_core
        self.label_loss_ = found.labels.loss()
        wired = graph.with_edges(found.edges, rng)
        named = found.labels.published()
        return Graph(wired.n_nodes, wired.edges, wired.weights, named)

    def _published(self, graph: Graph) -> Any:
        """The labels that are to be published."""
        if self.labels is None:
            return graph.labels
        there = pd.DataFrame() if graph.labels is None else graph.labels
        held = list(there.columns)
        for name in self.labels:
            if name not in held:
                raise ParameterError(f"labels: {unknown_choice('label', name, held)}")
        return there[list(self.labels)] if len(self.labels) else None

    def _alike(self, published: Graph) -> np.ndarray:
        return neighborhood_classes(published, 1, self.time_limit)

    def _details(self) -> dict[str, Any]:
        return {"grouped_nodes": self.n_grouped_, "label_loss": self.label_loss_}

"""Clusters of nodes with generalized labels (Campan and Truta 2008)."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.graphs import Graph
from anon_transformers.parameters import real
from anon_transformers_graphs._graph_arrays import neighbor_lists
from anon_transformers_graphs._labels import LabelColumn, open_labels
from anon_transformers_graphs.generalization._generalized_graphs import (
    NODES,
    SUPER_NODE,
    generalized_graph,
    structure_losses,
    super_node_labels,
)
from anon_transformers_graphs.generalization._kernels.label_clusters import (
    cluster_nodes,
)
from anon_transformers_graphs.generalization._super_node_anonymizer import (
    SuperNodeAnonymizer,
    number_by_first_node,
)


class LabelGeneralizer(SuperNodeAnonymizer):
    """Publish clusters of at least ``k`` nodes that share their generalized labels.

    Clusters are grown one by one, each from the node with most edges that is left; it
    takes the node that makes its labels and the neighbors of its nodes the least
    different. Of a cluster is published how many nodes and edges it holds, the labels
    that all its nodes have in common, and how many edges lead to each other cluster. Of
    a graph without labels the structure alone counts.

    Parameters
    ----------
    k : int, default=5
        Fewest nodes of a cluster.
    hierarchies : dict of label to Hierarchy or builder, default=None
        How labels are made less exact. A label without one is published as it is where
        a cluster agrees, and as ``*`` elsewhere.
    alpha, beta : float, default=0.5
        Weights of the labels and of the structure.
    relabel : bool, default=True
        Number clusters in random order. False numbers them by their first nodes.
    reduce : bool, default=False
        Take richer graphs too, without their directions, loops and parallel edges.
    keep_mapping : bool, default=False
        Keep which node is in which cluster, which is private.
    random_state : int or Generator, default=None
        Chance of the numbers, and between nodes alike. None: fresh entropy.

    Attributes
    ----------
    label_loss_ : float
        How far labels were generalized, as a share of the height of their hierarchies:
        0 if they are as they were, 1 if nothing is left of them.
    label_losses_ : dict
        The same for each label.
    structure_loss_ : float
        Share of the edges that a consistent graph, drawn at random, is likely to lack;
        the sum of ``intra_loss_``, for edges inside clusters, and ``inter_loss_``.
    n_supernodes_, log_w_ : int, float
        Clusters, and the logarithm of the number of graphs consistent with them.
    evidence_ : GraphEvidence
        The published graph as it was judged.
    mapping_ : dict
        Cluster by name of the node; only with ``keep_mapping=True``.
    report_ : Report
        ``loss`` is the mean of both losses, weighed by ``alpha`` and ``beta``.

    Notes
    -----
    The losses are those of the paper [1]_, but for their scale: the structural one is
    measured against the edges and not against all pairs of nodes, which would make it
    vanish for every sparse graph. Distances of neighbors are likewise shares of the
    neighbors that two nodes have.

    Time is proportional to the square of the number of nodes.

    References
    ----------
    .. [1] A. Campan and T. M. Truta, "A clustering approach for data and structural
       anonymity in social networks", PinKDD, 2008.

    Examples
    --------
    >>> import pandas as pd
    >>> edges = pd.DataFrame({"one": ["a", "b", "c"], "other": ["b", "c", "d"]})
    >>> towns = ["Rome", "Rome", "Bonn", "Ulm"]
    >>> nodes = pd.DataFrame({"name": list("abcd"), "town": towns})
    >>> method = LabelGeneralizer(k=2, relabel=False, random_state=0)
    >>> between, clusters = method.fit_transform((edges, nodes))
    >>> clusters[["nodes", "edges_inside", "town"]]
       nodes  edges_inside  town
    0      2             1  Rome
    1      2             1     *
    >>> method.label_loss_, round(method.structure_loss_, 4)
    (0.5, 0.25)
    """

    uses_labels: ClassVar[bool] = True
    loss_means: ClassVar[str] = "of labels and edges, in their weights, is lost"

    not_promised: ClassVar[tuple[str, ...]] = (
        "Where all possible edges of a cluster are there, each two of its persons "
        "are known to be friends.",
    )

    def __init__(
        self,
        k: int = 5,
        *,
        hierarchies: Mapping[Any, Any] | None = None,
        alpha: float = 0.5,
        beta: float = 0.5,
        relabel: bool = True,
        reduce: bool = False,
        keep_mapping: bool = False,
        random_state: int | np.random.Generator | None = None,
    ):
        super().__init__(
            relabel=relabel,
            reduce=reduce,
            keep_mapping=keep_mapping,
            random_state=random_state,
        )
        self.k = k
        self.hierarchies = hierarchies
        self.alpha = alpha
        self.beta = beta

    @classmethod
    def test_instances(cls) -> list["LabelGeneralizer"]:
        """Configurations that the contract checks run on."""
        return [cls(k=5), cls(k=2, alpha=0.0)]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if real("alpha", self.alpha, 0) + real("beta", self.beta, 0) == 0:
            raise ParameterError("alpha and beta must not both be 0.")

    def _alter(self, graph: Graph, rng: np.random.Generator) -> Graph:
        columns = open_labels(graph.labels, self.hierarchies)
        if any(column.column.name == SUPER_NODE for column in columns):
            raise DataError(
                f"label {SUPER_NODE!r}: sample_graph makes such a label; give yours "
                "another name."
            )
        self._check_size(graph)
        block, levels = self._clusters(graph, columns)
        partition = number_by_first_node(block)
        firsts = np.unique(partition, return_index=True)[1]
        levels = levels[block[firsts]]
        published = generalized_graph(graph, partition)
        named = [
            column.published(firsts, levels[:, i]) for i, column in enumerate(columns)
        ]
        labels = pd.concat([published.labels, *named], axis=1)
        self._remember(partition, published)
        self._set_losses(columns, levels, published)
        return Graph(published.n_nodes, published.edges, published.weights, labels)

    def _clusters(
        self, graph: Graph, columns: list[LabelColumn]
    ) -> tuple[np.ndarray, np.ndarray]:
        lists = neighbor_lists(graph)
        rows = np.cumsum([0] + [len(column.groups) for column in columns])
        none = np.empty((0, graph.n_nodes), dtype=np.int64)
        groups = np.concatenate([none, *(column.groups for column in columns)])
        order = np.argsort(-graph.degrees, kind="stable")
        weights = float(self.alpha), float(self.beta)
        return cluster_nodes(lists, groups, rows, order, self.k, *weights)

    def _set_losses(
        self, columns: list[LabelColumn], levels: np.ndarray, published: Graph
    ) -> None:
        sizes = super_node_labels(published)[NODES].to_numpy()
        heights = np.array([max(column.height, 1) for column in columns])
        losses = sizes @ (levels / heights) / sizes.sum()
        names = [column.column.name for column in columns]
        self.label_losses_ = dict(zip(names, losses.tolist(), strict=True))
        self.label_loss_ = float(losses.mean()) if names else 0.0
        self.intra_loss_, self.inter_loss_ = structure_losses(published)
        self.structure_loss_ = self.intra_loss_ + self.inter_loss_

    def _loss(self, graph: Graph, published: Graph) -> float:
        both = self.alpha * self.label_loss_ + self.beta * self.structure_loss_
        return both / (self.alpha + self.beta)

    def _details(self) -> dict[str, Any]:
        return {
            **super()._details(),
            "label_loss": self.label_loss_,
            "intra_loss": self.intra_loss_,
            "inter_loss": self.inter_loss_,
        }

"""Base of the methods that publish super-nodes."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from anon_transformers.base import GraphAnonymizer
from anon_transformers.evidence import Classes, GraphEvidence
from anon_transformers.exceptions import InfeasibleError
from anon_transformers.graphs import Graph
from anon_transformers.parameters import whole
from anon_transformers.privacy import PrivacyModel, Verdict
from anon_transformers_graphs.generalization._generalized_graphs import (
    EDGES_INSIDE,
    NODES,
    log_graph_count,
    structure_losses,
    super_node_labels,
)
from anon_transformers_graphs.privacy import SuperNodeSize


class SuperNodeAnonymizer(GraphAnonymizer):
    """Anonymizer that publishes groups of nodes instead of nodes.

    A subclass implements ``_alter``, which calls :meth:`_remember`.
    """

    k_model: ClassVar[str] = "super-node-size"
    columns_made: ClassVar[tuple[str, ...]] = (NODES, EDGES_INSIDE, "weight")
    loss_means: ClassVar[str] = "of the edges are likely missing in a consistent graph"
    _hooks: ClassVar[frozenset[str]] = frozenset({"_keep_promises"})
    k: int

    def _check_parameters(self) -> None:
        super()._check_parameters()
        whole("k", self.k)

    def _promises(self) -> Sequence[PrivacyModel]:
        return (SuperNodeSize(k=self.k),)

    def _check_size(self, graph: Graph) -> None:
        if graph.n_nodes < self.k:
            raise InfeasibleError(
                f"a super-node of k={self.k} nodes needs as many; the graph has "
                f"{graph.n_nodes}."
            )

    def _remember(self, partition: np.ndarray, published: Graph) -> None:
        """Keep counts; the partition itself until names are known, and no longer."""
        self._partition = partition
        self.n_supernodes_ = published.n_nodes
        self.log_w_ = log_graph_count(published)

    def _keep_promises(self, evidence: GraphEvidence) -> list[Verdict]:
        try:
            return super()._keep_promises(evidence)
        except Exception:
            # Which node is in which super-node is private: it must not stay on an
            # estimator whose fit has failed.
            del self._partition
            raise

    def _landed(self, n_nodes: int) -> np.ndarray:
        # Taken off the estimator: whoever gets a fitted one must not get the partition.
        return self.__dict__.pop("_partition")

    def _classes(self, published: Graph) -> Classes:
        sizes = super_node_labels(published)[NODES].to_numpy()
        return Classes.from_labels(np.repeat(np.arange(len(sizes)), sizes), len(sizes))

    def _edge_changes(self, graph: Graph, published: Graph) -> tuple[int, int]:
        # No edge is made up and none is left out: their ends are less exact.
        return 0, 0

    def _loss(self, graph: Graph, published: Graph) -> float:
        return sum(structure_losses(published))

    def _combined_k(self, graph: Graph, published: Graph) -> None:
        # Degrees of super-nodes are not those of persons.
        return None

    def _details(self) -> dict[str, Any]:
        return {"supernodes": self.n_supernodes_, "log_w": self.log_w_}


def number_by_first_node(partition: np.ndarray) -> np.ndarray:
    """Number super-nodes by their first nodes."""
    firsts = np.unique(partition, return_index=True, return_inverse=True)[1:]
    ranks = np.empty(len(firsts[0]), dtype=np.int64)
    ranks[np.argsort(firsts[0])] = np.arange(len(ranks))
    return ranks[firsts[1]]

"""Super-nodes of the greatest likelihood (Hay et al. 2008)."""

from typing import ClassVar

import numpy as np

from anon_transformers.base import part_of_progress, tell_progress
from anon_transformers.graphs import Graph
from anon_transformers.parameters import whole
from anon_transformers_graphs._graph_arrays import neighbor_lists
from anon_transformers_graphs._kernels.random_numbers import new_state
from anon_transformers_graphs.generalization._generalized_graphs import (
    generalized_graph,
    log_graph_count,
)
from anon_transformers_graphs.generalization._kernels.supernodes import (
    close_gaps,
    dissolve_nodes,
    new_division,
    refine_nodes,
    split_nodes,
)
from anon_transformers_graphs.generalization._super_node_anonymizer import (
    SuperNodeAnonymizer,
    number_by_first_node,
)

ENOUGH = 1e-4
"""A round that gains less than this for each edge is the last one."""
FEWEST_PAIRS = 20
ENOUGH_NODES, MAX_STARTS = 1000, 20
"""A small graph is searched several times, until this many nodes were searched."""
LOGS = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, 100_000)))])


class NodeClusterGeneralizer(SuperNodeAnonymizer):
    """Publish super-nodes of at least ``k`` nodes, and numbers of edges.

    Readers learn how many nodes each super-node stands for, how many edges are inside
    it, and how many lie between any two. Of all divisions into super-nodes that one is
    sought with which the fewest graphs are consistent: the true graph is then the most
    likely. The search begins with a single super-node and splits those that can be
    split. Then it merges two near ones and splits them anew, moving single nodes, and
    dissolves some into others, until nothing is gained. Small graphs are searched
    several times.

    Parameters
    ----------
    k : int, default=5
        Fewest nodes of a super-node.
    max_iter : int, default=50
        Rounds of merging, dissolving and splitting; a round tries as many pairs as
        there are super-nodes.
    relabel : bool, default=True
        Number super-nodes in random order. False numbers them by their first nodes.
    reduce : bool, default=False
        Take richer graphs too, without their directions, loops, parallel edges and
        labels of nodes.
    keep_mapping : bool, default=False
        Keep which node is in which super-node, which is private.
    random_state : int or Generator, default=None
        Chance of the search and of the numbers. None: fresh entropy.

    Attributes
    ----------
    n_supernodes_ : int
        Super-nodes that are published.
    log_w_ : float
        Logarithm of the number of graphs that are consistent with them.
    evidence_ : GraphEvidence
        The published graph as it was judged.
    mapping_ : dict
        Super-node by name of the node; only with ``keep_mapping=True``.
    report_ : Report
        ``classes`` describes super-nodes, and ``loss`` is the share of the edges that a
        consistent graph, drawn at random, is likely to lack.

    See Also
    --------
    sample_graph : Draws a consistent graph.

    Notes
    -----
    The published graph has the labels "nodes" and "edges_inside", and the weight of an
    edge is the number of edges between two super-nodes; weights of the input are left
    out. For an edge table or a matrix, which have no room for labels, a pair of tables
    (edges, nodes) is returned.

    To split a super-node never leaves more graphs possible, so that all end with fewer
    than ``2 k`` nodes; to merge two never gains by itself, only with a better split
    after it. Nothing says that the best division is found, and another seed may find a
    better one. Of 60 random graphs of 8 nodes, where all divisions can be tried, the
    best one was found for 51 (k=2).

    References
    ----------
    .. [1] M. Hay, G. Miklau, D. Jensen, D. Towsley and P. Weis, "Resisting structural
       re-identification in anonymized social networks", PVLDB, 2008.

    Examples
    --------
    >>> import networkx as nx
    >>> method = NodeClusterGeneralizer(k=3, random_state=0)
    >>> published = method.fit_transform(nx.barbell_graph(3, 0))
    >>> [inside for _, inside in published.nodes(data="edges_inside")]
    [3, 3]
    >>> [weight for *_, weight in published.edges(data="weight")]
    [1]
    >>> round(method.log_w_, 4)  # one of nine pairs is joined
    2.1972
    """

    not_promised: ClassVar[tuple[str, ...]] = (
        "Where all possible edges of a super-node are there, each two of its "
        "persons are known to be friends.",
    )

    def __init__(
        self,
        k: int = 5,
        *,
        max_iter: int = 50,
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
        self.max_iter = max_iter

    @classmethod
    def test_instances(cls) -> list["NodeClusterGeneralizer"]:
        """Configurations that the contract checks run on."""
        return [cls(k=5), cls(k=2, max_iter=1)]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        whole("max_iter", self.max_iter, 0)

    def _alter(self, graph: Graph, rng: np.random.Generator) -> Graph:
        self._check_size(graph)
        partition = self._search(graph, rng)
        published = generalized_graph(graph, partition)
        self._remember(partition, published)
        return published

    def _search(self, graph: Graph, rng: np.random.Generator) -> np.ndarray:
        if self.k == 1:
            # Every node by itself discloses the whole graph; no division is better.
            return np.arange(graph.n_nodes)
        n_starts = min(max(ENOUGH_NODES // graph.n_nodes, 1), MAX_STARTS)
        found = []
        for number in range(n_starts):
            with part_of_progress(number, n_starts):
                found.append(self._division(graph, rng))
        return min(
            found, key=lambda block: log_graph_count(generalized_graph(graph, block))
        )

    def _division(self, graph: Graph, rng: np.random.Generator) -> np.ndarray:
        """One division, from a single super-node on; numbered by first nodes."""
        lists = neighbor_lists(graph)
        division = new_division(lists, LOGS, self.k)
        state = new_state(rng)
        n_blocks = split_nodes(division, 1, state)
        for number in range(self.max_iter if n_blocks > 1 else 0):
            tell_progress(number / self.max_iter)
            trials = max(n_blocks, FEWEST_PAIRS)
            gain = refine_nodes(division, trials, state)
            gain += dissolve_nodes(division, max(trials // 4, FEWEST_PAIRS), state)
            n_blocks = close_gaps(division)
            n_blocks = split_nodes(division, n_blocks, state)
            if gain <= ENOUGH * graph.n_edges:
                break
        return number_by_first_node(division.block)

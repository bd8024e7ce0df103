"""Metrics of the published graph alone, which gates can judge.

None of them proves that a graph is good: they show whether it is still useful.
``better`` is what most uses ask for; a threshold may be set on either side.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from anon_transformers.evidence import GraphEvidence
from anon_transformers.graphs import Graph
from anon_transformers.parameters import real, whole
from anon_transformers_graphs._evidence_checks import finite
from anon_transformers_graphs.metrics._cluster_indices import group_modularity
from anon_transformers_graphs.metrics._distances import distances
from anon_transformers_graphs.metrics._markov import markov_groups
from anon_transformers_graphs.metrics._spectrum import (
    lambda1,
    log_subgraph_centrality,
    mu2,
)
from anon_transformers_graphs.metrics._structure import components, transitivity


class PublishedMetric:
    """A number of the published graph; what has none fails."""

    name: ClassVar[str]
    evidence: ClassVar[str] = "graph"
    better: ClassVar[str] = "higher"

    def measure(self, evidence: GraphEvidence) -> float:
        """Take the number of the published graph."""
        return finite(self.name, self._measure_graph(evidence.published))

    def _measure_graph(self, graph: Graph) -> float:
        raise NotImplementedError


@dataclass(frozen=True)
class _DistanceMetric(PublishedMetric):
    """A number of the distances between nodes.

    Parameters
    ----------
    n_sources : int, optional
        Measure from so many random nodes instead of all; always the same ones.
    """

    n_sources: int | None = None
    better: ClassVar[str] = "lower"

    def __post_init__(self) -> None:
        if self.n_sources is not None:
            object.__setattr__(self, "n_sources", whole("n_sources", self.n_sources))

    @classmethod
    def test_instances(cls) -> list["_DistanceMetric"]:
        """Configurations that the contract checks run on."""
        return [cls(), cls(n_sources=3)]


@dataclass(frozen=True)
class AverageDistance(_DistanceMetric):
    """Mean distance of pairs of nodes; not defined on disconnected graphs.

    Parameters
    ----------
    n_sources : int, optional
        Measure from so many random nodes instead of all; always the same ones.

    Examples
    --------
    >>> AverageDistance().measure(GraphEvidence(Graph(3, [[0, 1], [1, 2]])))
    1.3333333333333333
    """

    name: ClassVar[str] = "average-distance"

    def _measure_graph(self, graph: Graph) -> float:
        connected = components(graph)[0] == 1
        return distances(graph, self.n_sources).average if connected else math.nan


@dataclass(frozen=True)
class Diameter(PublishedMetric):
    """Largest distance of two nodes; not defined on disconnected graphs.

    It is exact and takes a search from every node: distances from some nodes alone give
    a lower bound, and no threshold may rest on that.

    Examples
    --------
    >>> Diameter().measure(GraphEvidence(Graph(3, [[0, 1], [1, 2]])))
    2.0
    """

    name: ClassVar[str] = "diameter"
    better: ClassVar[str] = "lower"

    def _measure_graph(self, graph: Graph) -> float:
        connected = components(graph)[0] == 1
        return distances(graph).diameter if connected else math.nan


@dataclass(frozen=True)
class HarmonicDistance(_DistanceMetric):
    """Harmonic mean of the distances; defined if the graph has an edge.

    Parameters
    ----------
    n_sources : int, optional
        Measure from so many random nodes instead of all; always the same ones.

    Examples
    --------
    >>> HarmonicDistance().measure(GraphEvidence(Graph(4, [[0, 1], [2, 3]])))
    3.0
    """

    name: ClassVar[str] = "harmonic-distance"

    def _measure_graph(self, graph: Graph) -> float:
        return distances(graph, self.n_sources).harmonic_mean


@dataclass(frozen=True)
class Transitivity(PublishedMetric):
    """Share of the paths of two edges whose ends are joined; 0 if there is no path.

    Examples
    --------
    >>> triangle = GraphEvidence(Graph(3, [[0, 1], [1, 2], [0, 2]]))
    >>> Transitivity().measure(triangle)
    1.0
    """

    name: ClassVar[str] = "transitivity"

    def _measure_graph(self, graph: Graph) -> float:
        return transitivity(graph) if graph.n_nodes else math.nan


@dataclass(frozen=True)
class LargestComponentShare(PublishedMetric):
    """Share of the nodes in the largest component; 1 if the graph is connected.

    Examples
    --------
    >>> LargestComponentShare().measure(GraphEvidence(Graph(4, [[0, 1], [1, 2]])))
    0.75
    """

    name: ClassVar[str] = "largest-component-share"

    def _measure_graph(self, graph: Graph) -> float:
        return components(graph)[1]


@dataclass(frozen=True)
class AverageDegree(PublishedMetric):
    """Twice the edges by the nodes.

    Examples
    --------
    >>> AverageDegree().measure(GraphEvidence(Graph(4, [[0, 1], [1, 2]])))
    1.0
    """

    name: ClassVar[str] = "average-degree"

    def _measure_graph(self, graph: Graph) -> float:
        return 2 * graph.n_edges / graph.n_nodes if graph.n_nodes else math.nan


@dataclass(frozen=True)
class Lambda1(PublishedMetric):
    """Largest eigenvalue of the adjacency matrix.

    Examples
    --------
    >>> round(Lambda1().measure(GraphEvidence(Graph(2, [[0, 1]]))), 6)
    1.0
    """

    name: ClassVar[str] = "lambda1"

    def _measure_graph(self, graph: Graph) -> float:
        return lambda1(graph)


@dataclass(frozen=True)
class Mu2(PublishedMetric):
    """Second lowest eigenvalue of the Laplacian; 0 if the graph is disconnected.

    Examples
    --------
    >>> Mu2().measure(GraphEvidence(Graph(3, [[0, 1]])))
    0.0
    """

    name: ClassVar[str] = "mu2"

    def _measure_graph(self, graph: Graph) -> float:
        return mu2(graph)


@dataclass(frozen=True)
class LogSubgraphCentrality(PublishedMetric):
    """Logarithm of the mean number of closed walks, weighed by their length.

    See :func:`log_subgraph_centrality`.

    Examples
    --------
    >>> LogSubgraphCentrality().measure(GraphEvidence(Graph(3, [])))
    0.0
    """

    name: ClassVar[str] = "log-subgraph-centrality"

    def _measure_graph(self, graph: Graph) -> float:
        return log_subgraph_centrality(graph)


@dataclass(frozen=True)
class ClusterModularity(PublishedMetric):
    """Modularity of the Markov clusters of the graph; defined if it has an edge.

    Parameters
    ----------
    inflation : float, default=2.0
        Of :func:`markov_clusters`.

    Examples
    --------
    >>> two = Graph(6, [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]])
    >>> ClusterModularity().measure(GraphEvidence(two))
    0.5
    """

    inflation: float = 2.0
    name: ClassVar[str] = "cluster-modularity"

    def __post_init__(self) -> None:
        inflation = real("inflation", self.inflation, 1, above=True)
        object.__setattr__(self, "inflation", inflation)

    def _measure_graph(self, graph: Graph) -> float:
        if not graph.n_edges:
            return math.nan
        return group_modularity(graph, markov_groups(graph, self.inflation))

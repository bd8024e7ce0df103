"""Metrics that compare the published graph with its original.

A gate judges what readers get, and that alone: there they cannot be evaluated.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import check_choice
from anon_transformers.parameters import real
from anon_transformers_graphs._evidence_checks import both_graphs, finite
from anon_transformers_graphs.metrics._centrality import (
    betweenness,
    closeness,
    degree_centrality,
)
from anon_transformers_graphs.metrics._clustering_change import clustering_change
from anon_transformers_graphs.metrics._comparison import EdgeChange, edge_change, rms
from anon_transformers_graphs.metrics._published_metrics import (
    AverageDegree,
    AverageDistance,
    Diameter,
    HarmonicDistance,
    Lambda1,
    LargestComponentShare,
    LogSubgraphCentrality,
    Mu2,
    PublishedMetric,
    Transitivity,
)

MEASURES: dict[str, type[PublishedMetric]] = {
    measure.name: measure
    for measure in (
        AverageDegree,
        AverageDistance,
        Diameter,
        HarmonicDistance,
        Lambda1,
        LargestComponentShare,
        LogSubgraphCentrality,
        Mu2,
        Transitivity,
    )
}
CENTRALITIES: dict[str, Callable] = {
    "betweenness": betweenness,
    "closeness": closeness,
    "degree": degree_centrality,
}


def _edges(name: str, evidence: GraphEvidence) -> EdgeChange:
    return edge_change(*both_graphs(name, evidence))


@dataclass(frozen=True)
class EdgeCost:
    """Edges that only one of original and published graph has.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> one, other = Graph(3, [[0, 1], [1, 2]]), Graph(3, [[0, 1], [0, 2]])
    >>> EdgeCost().measure(GraphEvidence(one, other))
    2
    """

    name: ClassVar[str] = "edge-cost"
    evidence: ClassVar[str] = "graph"
    better: ClassVar[str] = "lower"
    needs_original: ClassVar[bool] = True

    def measure(self, evidence: GraphEvidence) -> int:
        """Deleted and added edges."""
        return _edges(self.name, evidence).cost


@dataclass(frozen=True)
class ModifiedEdges:
    """Share of the original's edges that are gone.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> one, other = Graph(3, [[0, 1], [1, 2]]), Graph(3, [[0, 1], [0, 2]])
    >>> ModifiedEdges().measure(GraphEvidence(one, other))
    0.5
    """

    name: ClassVar[str] = "modified-edges"
    evidence: ClassVar[str] = "graph"
    better: ClassVar[str] = "lower"
    needs_original: ClassVar[bool] = True

    def measure(self, evidence: GraphEvidence) -> float:
        """Deleted edges among all; 0 if there were none."""
        return _edges(self.name, evidence).modified_percent / 100


@dataclass(frozen=True)
class StructuralChange:
    """How far a measure of the published graph is from the original's.

    Parameters
    ----------
    of : str, default="average-distance"
        Name of a metric of the published graph: average-degree, average-distance,
        diameter, harmonic-distance, lambda1, largest-component-share,
        log-subgraph-centrality, mu2 or transitivity.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> square = Graph(4, [[0, 1], [1, 2], [2, 3], [0, 3]])
    >>> path = Graph(4, [[0, 1], [1, 2], [2, 3]])
    >>> StructuralChange("diameter").measure(GraphEvidence(path, square))
    1.0
    """

    of: str = "average-distance"
    name: ClassVar[str] = "structural-change"
    evidence: ClassVar[str] = "graph"
    better: ClassVar[str] = "lower"
    needs_original: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_choice("of", self.of, MEASURES)

    @classmethod
    def test_instances(cls) -> list["StructuralChange"]:
        """Configurations that the contract checks run on."""
        return [cls(of) for of in ("diameter", "harmonic-distance", "mu2")]

    def measure(self, evidence: GraphEvidence) -> float:
        """Take the absolute difference; both graphs must have the number."""
        metric = MEASURES[self.of]()
        values = [
            metric.measure(GraphEvidence(graph))
            for graph in both_graphs(self.name, evidence)
        ]
        return abs(values[1] - values[0])


@dataclass(frozen=True)
class CentralityError:
    """Root of the mean squared change of a centrality over the nodes.

    Parameters
    ----------
    of : {"betweenness", "closeness", "degree"}, default="betweenness"
        Which centrality.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> square = Graph(4, [[0, 1], [1, 2], [2, 3], [0, 3]])
    >>> path = Graph(4, [[0, 1], [1, 2], [2, 3]])
    >>> round(CentralityError("degree").measure(GraphEvidence(path, square)), 4)
    0.2357
    """

    of: str = "betweenness"
    name: ClassVar[str] = "centrality-error"
    evidence: ClassVar[str] = "graph"
    better: ClassVar[str] = "lower"
    needs_original: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_choice("of", self.of, CENTRALITIES)

    @classmethod
    def test_instances(cls) -> list["CentralityError"]:
        """Configurations that the contract checks run on."""
        return [cls(of) for of in CENTRALITIES]

    def measure(self, evidence: GraphEvidence) -> float:
        """Take the error of all nodes."""
        taken = CENTRALITIES[self.of]
        before, after = map(taken, both_graphs(self.name, evidence))
        return finite(self.name, rms(after - before))


@dataclass(frozen=True)
class ClusteringSimilarity:
    """Jaccard index of the Markov clusters of original and published graph.

    Compare it with the baseline of :func:`clustering_change`.

    Parameters
    ----------
    inflation : float, default=2.0
        Of :func:`markov_clusters`.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> two = Graph(6, [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]])
    >>> ClusteringSimilarity().measure(GraphEvidence(two, two))
    1.0
    """

    inflation: float = 2.0
    name: ClassVar[str] = "clustering-similarity"
    evidence: ClassVar[str] = "graph"
    better: ClassVar[str] = "higher"
    needs_original: ClassVar[bool] = True

    def __post_init__(self) -> None:
        inflation = real("inflation", self.inflation, 1, above=True)
        object.__setattr__(self, "inflation", inflation)

    def measure(self, evidence: GraphEvidence) -> float:
        """Cluster both graphs and compare."""
        graphs = both_graphs(self.name, evidence)
        return clustering_change(*graphs, inflation=self.inflation).jaccard

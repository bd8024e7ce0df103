"""What is measured of every graph: distances, and clusters that two tasks find."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from anon_transformers.graphs import Graph
from anon_transformers_graphs.experiments._sweep import Measure
from anon_transformers_graphs.metrics import (
    Centralities,
    StructuralReport,
    centralities,
    clustering_jaccard,
    markov_clusters,
    random_walk_clusters,
    single_cluster_baseline,
    spectral_report,
    structural_report,
)
from anon_transformers_graphs.metrics._comparison import rms

Clusters = list[set[int]]
Clustering = Callable[[Graph], Clusters]
WALKS = "RRW"
JACCARD = "Jaccard"


@dataclass(frozen=True)
class ClusteringTasks:
    """Ways to cluster a graph, with the parameters that the source gives.

    Attributes
    ----------
    clusterings : mapping
        The tasks by a short name.
    names : mapping
        The same names with the parameter in which tasks differ.
    """

    clusterings: Mapping[str, Clustering]
    names: Mapping[str, str]

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "ClusteringTasks":
        """Clustering tasks of a data set; without sizes there are no random walks."""
        powers = given["inflation"]
        tasks: dict[str, Clustering] = {
            name: partial(markov_clusters, inflation=power)
            for name, power in powers.items()
        }
        names = {name: f"MCL I={power:g}" for name, power in powers.items()}
        if given["walks"] is not None:
            least, most = given["walks"]
            tasks[WALKS] = partial(random_walk_clusters, min_size=least, max_size=most)
            names[WALKS] = WALKS
        return cls(tasks, names)

    def similarity_to(self, name: str, original: Graph) -> Measure:
        """Jaccard index of the clusters of a published graph with the original's."""
        task = self.clusterings[name]
        before = task(original)
        return lambda evidence: clustering_jaccard(before, task(evidence.published))

    def base_lines(self, original: Graph) -> dict[str, float]:
        """What one cluster of all nodes would score, by the name of the index."""
        return {
            f"{JACCARD} {name}": single_cluster_baseline(
                task(original), original.n_nodes
            )
            for name, task in self.clusterings.items()
        }


CENTRALITIES = {
    "betweenness": "betweenness",
    "closeness": "closeness",
    "degree centrality": "degree",
}
"""What the source draws of each node, and what :class:`Centralities` calls it."""
ERROR = "error of"


def centrality_change(centrality: str, original: Graph) -> Measure:
    """How far a centrality has moved: root of the mean square over the nodes."""
    field = CENTRALITIES[centrality]
    before = getattr(centralities(original), field)
    return lambda e: rms(getattr(cached_centralities(e.published), field) - before)


@lru_cache(maxsize=1)
def cached_centralities(graph: Graph) -> Centralities:
    """Centralities of a graph; several measures in a row ask for the same ones."""
    return centralities(graph)


@lru_cache(maxsize=1)
def cached_report(graph: Graph) -> StructuralReport:
    """Structure of a graph; several measures in a row ask for the same one."""
    return structural_report(graph)


def distance_numbers(graph: Graph) -> dict[str, float]:
    """Distances and transitivity, as the numbers of the source are called."""
    found = cached_report(graph)
    return {
        "average distance": found.average_distance,
        "diameter": found.diameter,
        "harmonic mean distance": found.harmonic_distance,
        "transitivity": found.transitivity,
    }


def spectral_numbers(graph: Graph) -> dict[str, float]:
    """Eigenvalues and subgraph centrality."""
    found = spectral_report(graph)
    return {
        "largest eigenvalue": found.lambda1,
        "second Laplacian eigenvalue": found.mu2,
        "subgraph centrality": found.subgraph_centrality,
    }

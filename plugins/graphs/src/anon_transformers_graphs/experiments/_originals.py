"""Properties of the three graphs as they are, and their clusters."""

from typing import Any

from anon_transformers.graphs import Graph
from anon_transformers_graphs._graph_arrays import smallest_degree_class
from anon_transformers_graphs.experiments._findings import Key
from anon_transformers_graphs.experiments._measures import (
    ClusteringTasks,
    distance_numbers,
    spectral_numbers,
)
from anon_transformers_graphs.experiments._worked_examples import joined_text
from anon_transformers_graphs.metrics import single_cluster_baseline


def original_numbers(name: str, graph: Graph) -> dict[Key, Any]:
    """Nodes, edges, degrees, distances and spectrum."""
    distances = distance_numbers(graph)
    found = {
        "nodes": graph.n_nodes,
        "edges": graph.n_edges,
        "average degree": 2 * graph.n_edges / graph.n_nodes,
        "degree histogram": joined_text(graph.degree_histogram),
        "k": smallest_degree_class(graph),
        "nodes of unique degree": int((graph.degree_histogram == 1).sum()),
        **distances,
        **{f"{what} of the original": number for what, number in distances.items()},
        **spectral_numbers(graph),
    }
    return {(name, "", None, measure): number for measure, number in found.items()}


def cluster_numbers(name: str, graph: Graph, tasks: ClusteringTasks) -> dict[Key, Any]:
    """Sizes of the clusters, and what a single cluster of all nodes would score."""
    ours: dict[Key, Any] = {}
    for task, clusters in tasks.clusterings.items():
        families = clusters(graph)
        sizes = [len(cluster) for cluster in families]
        found = {
            "cluster sizes": joined_text(sizes),
            "single-cluster Jaccard": single_cluster_baseline(families, graph.n_nodes),
            "% of the nodes in clusters": 100 * sum(sizes) / graph.n_nodes,
            "clusters, largest, smallest": joined_text(
                [len(sizes), *sizes[:1], *sizes[-1:]]
            ),
        }
        called = tasks.names[task]
        ours |= {(name, called, None, measure): n for measure, n in found.items()}
    return ours

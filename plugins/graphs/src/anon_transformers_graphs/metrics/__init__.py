"""What is left of a graph: structure, spectrum and clusters, alone and compared.

Functions take a graph in any form. Clusters go by the names of nodes, which are numbers
in a ``Graph`` or a matrix. Where functions answer node by node, the names in the same
order are ``anon_transformers.graphs.open_graph(graph)[1].names``.
"""

from anon_transformers_graphs.metrics._centrality import (
    Centralities,
    betweenness,
    centralities,
    closeness,
    degree_centrality,
)
from anon_transformers_graphs.metrics._change_metrics import (
    CentralityError,
    ClusteringSimilarity,
    EdgeCost,
    ModifiedEdges,
    StructuralChange,
)
from anon_transformers_graphs.metrics._cluster_indices import (
    clustering_jaccard,
    clustering_precision,
    modularity,
    normalized_mutual_information,
    single_cluster_baseline,
)
from anon_transformers_graphs.metrics._clustering_change import (
    ClusteringChange,
    clustering_change,
)
from anon_transformers_graphs.metrics._comparison import (
    EdgeChange,
    GraphComparison,
    compare_graphs,
    edge_change,
)
from anon_transformers_graphs.metrics._markov import markov_clusters
from anon_transformers_graphs.metrics._published_metrics import (
    AverageDegree,
    AverageDistance,
    ClusterModularity,
    Diameter,
    HarmonicDistance,
    Lambda1,
    LargestComponentShare,
    LogSubgraphCentrality,
    Mu2,
    Transitivity,
)
from anon_transformers_graphs.metrics._random_walk import random_walk_clusters
from anon_transformers_graphs.metrics._spectrum import (
    SpectralReport,
    lambda1,
    log_subgraph_centrality,
    mu2,
    spectral_report,
    subgraph_centrality,
)
from anon_transformers_graphs.metrics._structure import (
    StructuralReport,
    structural_report,
    transitivity,
)

__all__ = [
    "AverageDegree",
    "AverageDistance",
    "Centralities",
    "CentralityError",
    "ClusterModularity",
    "ClusteringChange",
    "ClusteringSimilarity",
    "Diameter",
    "EdgeChange",
    "EdgeCost",
    "GraphComparison",
    "HarmonicDistance",
    "Lambda1",
    "LargestComponentShare",
    "LogSubgraphCentrality",
    "ModifiedEdges",
    "Mu2",
    "SpectralReport",
    "StructuralChange",
    "StructuralReport",
    "Transitivity",
    "betweenness",
    "centralities",
    "closeness",
    "clustering_change",
    "clustering_jaccard",
    "clustering_precision",
    "compare_graphs",
    "degree_centrality",
    "edge_change",
    "lambda1",
    "log_subgraph_centrality",
    "markov_clusters",
    "modularity",
    "mu2",
    "normalized_mutual_information",
    "random_walk_clusters",
    "single_cluster_baseline",
    "spectral_report",
    "structural_report",
    "subgraph_centrality",
    "transitivity",
]

"""Graphs published as groups of nodes."""

from anon_transformers_graphs.generalization._generalized_graphs import (
    count_consistent_graphs,
    log_consistent_graphs,
)
from anon_transformers_graphs.generalization._label_generalizer import LabelGeneralizer
from anon_transformers_graphs.generalization._node_clusters import (
    NodeClusterGeneralizer,
)
from anon_transformers_graphs.generalization._sampler import sample_graph

__all__ = [
    "LabelGeneralizer",
    "NodeClusterGeneralizer",
    "count_consistent_graphs",
    "log_consistent_graphs",
    "sample_graph",
]

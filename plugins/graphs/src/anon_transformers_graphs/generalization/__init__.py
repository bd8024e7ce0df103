"""Graphs published as groups of nodes."""

from anon_transformers_graphs.generalization._label_generalizer import LabelGeneralizer
from anon_transformers_graphs.generalization._node_clusters import (
    NodeClusterGeneralizer,
)
from anon_transformers_graphs.generalization._sampler import sample_graph
from anon_transformers_graphs.generalization._worlds import (
    count_consistent_graphs,
    log_consistent_graphs,
)

__all__ = [
    "LabelGeneralizer",
    "NodeClusterGeneralizer",
    "count_consistent_graphs",
    "log_consistent_graphs",
    "sample_graph",
]

"""What intruders may know of a node, and which nodes fit it.

Functions take a graph in any form. Hubs and targets go by the names of nodes, which are
numbers in a ``Graph`` or a matrix. Where functions answer node by node, the names in
the same order are ``anon_transformers.graphs.open_graph(graph)[1].names``.
"""

from anon_transformers_graphs.queries._candidates import candidate_sizes
from anon_transformers_graphs.queries._hubs import (
    hub_candidates,
    hub_fingerprints,
    top_hubs,
)
from anon_transformers_graphs.queries._neighborhoods import neighborhood_classes
from anon_transformers_graphs.queries._refinement import refinement_classes
from anon_transformers_graphs.queries._subgraphs import subgraph_candidates

__all__ = [
    "candidate_sizes",
    "hub_candidates",
    "hub_fingerprints",
    "neighborhood_classes",
    "refinement_classes",
    "subgraph_candidates",
    "top_hubs",
]

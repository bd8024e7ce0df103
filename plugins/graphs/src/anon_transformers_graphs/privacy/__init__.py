"""Privacy models of graphs, judged on the published graph; one model per file."""

from anon_transformers_graphs.privacy._k_automorphism import KAutomorphism
from anon_transformers_graphs.privacy._k_candidate import KCandidate
from anon_transformers_graphs.privacy._k_degree import KDegree
from anon_transformers_graphs.privacy._k_neighborhood import KNeighborhood
from anon_transformers_graphs.privacy._super_node_size import SuperNodeSize

__all__ = ["KAutomorphism", "KCandidate", "KDegree", "KNeighborhood", "SuperNodeSize"]

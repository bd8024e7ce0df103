"""Graphs: anonymizers, privacy models, metrics and attacks.

Everything public is here; it is imported when it is first used (PEP 562).
"""

from importlib import import_module
from typing import Any

_NAMES = {
    "attacks": """
        ActiveAttack CutAttack DegreeAttack NeighborhoodAttack RefinementAttack
        Reidentification SeedPropagation SeedPropagationAttack WalkAttack cut_attack
        degree_attack neighborhood_attack refinement_attack seed_propagation
        walk_attack
    """,
    "automorphism": """
        KAutomorphismAnonymizer
    """,
    "degrees": """
        KDegreeAnonymizer exact_sequence genetic_sequence greedy_sequence
        is_graphical liu_terzi_sequence
    """,
    "experiments": """
        largest_value sweep sweep_means
    """,
    "generalization": """
        LabelGeneralizer NodeClusterGeneralizer count_consistent_graphs
        log_consistent_graphs sample_graph
    """,
    "metrics": """
        AverageDegree AverageDistance Centralities CentralityError
        ClusterModularity ClusteringChange ClusteringSimilarity Diameter
        EdgeChange EdgeCost GraphComparison HarmonicDistance Lambda1
        LargestComponentShare LogSubgraphCentrality ModifiedEdges Mu2
        SpectralReport StructuralChange StructuralReport Transitivity
        betweenness centralities closeness clustering_change
        clustering_jaccard clustering_precision compare_graphs
        degree_centrality edge_change lambda1 log_subgraph_centrality
        markov_clusters modularity mu2 normalized_mutual_information
        random_walk_clusters single_cluster_baseline spectral_report
        structural_report subgraph_centrality transitivity
    """,
    "neighborhoods": """
        KNeighborhoodAnonymizer
    """,
    "plots": """
        draw_before_after
    """,
    "privacy": """
        KAutomorphism KCandidate KDegree KNeighborhood SuperNodeSize
    """,
    "queries": """
        candidate_sizes hub_candidates hub_fingerprints neighborhood_classes
        refinement_classes subgraph_candidates top_hubs
    """,
    "randomization": """
        FeatureChain NaiveAnonymizer RandomAddDelete RandomPerturbation
        RandomSwitch SpectralRandomizer
    """,
    "risk": """
        CandidateReport DisclosedLinks LinkDisclosure NodesAtRisk
        ReidentifiedNodes RiskComparison WorstGroupRisk candidate_report
        compare_risk link_disclosure risk_levels
    """,
}
_HOMES = {
    name: f"{__name__}.{folder}"
    for folder, names in _NAMES.items()
    for name in names.split()
}

__all__ = sorted(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__

"""What this distribution offers, by name; nothing else happens on import."""

from anon_transformers.hookspecs import hookimpl

ANONYMIZERS = {
    "k-degree": (
        "anon_transformers_graphs.degrees:KDegreeAnonymizer",
        "Change few edges so that ``k`` nodes or more share each degree.",
    ),
    "naive": (
        "anon_transformers_graphs.randomization:NaiveAnonymizer",
        "Give nodes new names in random order, and change nothing else.",
    ),
    "random-perturbation": (
        "anon_transformers_graphs.randomization:RandomPerturbation",
        "Replace a share of the edges by random ones.",
    ),
    "random-add-delete": (
        "anon_transformers_graphs.randomization:RandomAddDelete",
        "Add random false edges, then delete as many original ones.",
    ),
    "random-switch": (
        "anon_transformers_graphs.randomization:RandomSwitch",
        "Exchange ends of random pairs of edges; all degrees stay.",
    ),
    "spectral": (
        "anon_transformers_graphs.randomization:SpectralRandomizer",
        "Replace or switch edges so that two eigenvalues stay near their values.",
    ),
    "feature-chain": (
        "anon_transformers_graphs.randomization:FeatureChain",
        "A random graph with the same degrees and nearly the same features.",
    ),
    "k-neighborhood": (
        "anon_transformers_graphs.neighborhoods:KNeighborhoodAnonymizer",
        "Give every node a neighborhood like that of ``k - 1`` other nodes.",
    ),
    "k-automorphism": (
        "anon_transformers_graphs.automorphism:KAutomorphismAnonymizer",
        "Make every node one of ``k`` that look the same in the whole structure.",
    ),
    "node-clusters": (
        "anon_transformers_graphs.generalization:NodeClusterGeneralizer",
        "Publish super-nodes of at least ``k`` nodes, and numbers of edges.",
    ),
    "label-generalizer": (
        "anon_transformers_graphs.generalization:LabelGeneralizer",
        "Publish clusters of at least ``k`` nodes that share their generalized labels.",
    ),
}

PRIVACY_MODELS = {
    "k-automorphism": (
        "KAutomorphism",
        "``k - 1`` automorphisms take every node to ``k - 1`` other nodes.",
    ),
    "k-candidate": (
        "KCandidate",
        "For every node at least ``k`` nodes fit what an intruder knows of it.",
    ),
    "k-degree": (
        "KDegree",
        "Every node shares its degree with at least ``k - 1`` other nodes.",
    ),
    "k-neighborhood": (
        "KNeighborhood",
        "Every node has a neighborhood like that of at least ``k - 1`` other nodes.",
    ),
    "super-node-size": (
        "SuperNodeSize",
        "Every super-node of a generalized graph stands for at least ``k`` nodes.",
    ),
}

METRICS = {
    "average-degree": (
        "anon_transformers_graphs.metrics:AverageDegree",
        "Twice the edges by the nodes.",
    ),
    "average-distance": (
        "anon_transformers_graphs.metrics:AverageDistance",
        "Mean distance of pairs of nodes; not defined on disconnected graphs.",
    ),
    "centrality-error": (
        "anon_transformers_graphs.metrics:CentralityError",
        "Root of the mean squared change of a centrality over the nodes.",
    ),
    "cluster-modularity": (
        "anon_transformers_graphs.metrics:ClusterModularity",
        "Modularity of the Markov clusters of the graph; defined if it has an edge.",
    ),
    "clustering-similarity": (
        "anon_transformers_graphs.metrics:ClusteringSimilarity",
        "Jaccard index of the Markov clusters of original and published graph.",
    ),
    "diameter": (
        "anon_transformers_graphs.metrics:Diameter",
        "Largest distance of two nodes; not defined on disconnected graphs.",
    ),
    "edge-cost": (
        "anon_transformers_graphs.metrics:EdgeCost",
        "Edges that only one of original and published graph has.",
    ),
    "harmonic-distance": (
        "anon_transformers_graphs.metrics:HarmonicDistance",
        "Harmonic mean of the distances; defined if the graph has an edge.",
    ),
    "lambda1": (
        "anon_transformers_graphs.metrics:Lambda1",
        "Largest eigenvalue of the adjacency matrix.",
    ),
    "largest-component-share": (
        "anon_transformers_graphs.metrics:LargestComponentShare",
        "Share of the nodes in the largest component; 1 if the graph is connected.",
    ),
    "log-subgraph-centrality": (
        "anon_transformers_graphs.metrics:LogSubgraphCentrality",
        "Logarithm of the mean number of closed walks, weighed by their length.",
    ),
    "modified-edges": (
        "anon_transformers_graphs.metrics:ModifiedEdges",
        "Share of the original's edges that are gone.",
    ),
    "mu2": (
        "anon_transformers_graphs.metrics:Mu2",
        "Second lowest eigenvalue of the Laplacian; 0 if the graph is disconnected.",
    ),
    "structural-change": (
        "anon_transformers_graphs.metrics:StructuralChange",
        "How far a measure of the published graph is from the original's.",
    ),
    "transitivity": (
        "anon_transformers_graphs.metrics:Transitivity",
        "Share of the paths of two edges whose ends are joined; 0 if there is no path.",
    ),
    "disclosed-links": (
        "anon_transformers_graphs.risk:DisclosedLinks",
        "Share of edges that are certain for whoever knows the degrees of their ends.",
    ),
    "nodes-at-risk": (
        "anon_transformers_graphs.risk:NodesAtRisk",
        "Share of nodes that fewer than ``below`` nodes fit.",
    ),
    "reidentified-nodes": (
        "anon_transformers_graphs.risk:ReidentifiedNodes",
        "Share of nodes that are the only ones to fit what is known of them.",
    ),
    "worst-group-risk": (
        "anon_transformers_graphs.risk:WorstGroupRisk",
        "Highest mean chance of the nodes of one degree to be found.",
    ),
}

ATTACKS = {
    "cut": (
        "CutAttack",
        "Plant a random graph that is attached by few edges, and find it again.",
    ),
    "degree": ("DegreeAttack", "Look for every node by its degree alone."),
    "neighborhood": (
        "NeighborhoodAttack",
        "Look for every node by the edges between its neighbors.",
    ),
    "refinement": (
        "RefinementAttack",
        "Look for every node by vertex refinement up to a depth.",
    ),
    "seed-propagation": (
        "SeedPropagationAttack",
        "Find nodes of an auxiliary graph in a published one, from a few known ones.",
    ),
    "walk": (
        "WalkAttack",
        "Plant a path with random edges between its nodes, and find it again.",
    ),
}

EXPERIMENTS = {
    "graphs": (
        "GraphExperiment",
        "Random edges and k-degree anonymity on three graphs (master's thesis, 2011).",
    ),
}

COMMANDS = {
    "graph": ("graph_commands", "Describe, anonymize, attack and compare networks."),
}

PAGES = {
    "graphs": ("PAGE", "See a network before and after, its degrees and what k costs."),
}


@hookimpl
def register_anonymizers(register):
    for name, (target, summary) in ANONYMIZERS.items():
        register(name, target, summary=summary)


@hookimpl
def register_privacy_models(register):
    for name, (cls, summary) in PRIVACY_MODELS.items():
        register(name, f"anon_transformers_graphs.privacy:{cls}", summary=summary)


@hookimpl
def register_metrics(register):
    for name, (target, summary) in METRICS.items():
        register(name, target, summary=summary)


@hookimpl
def register_attacks(register):
    for name, (cls, summary) in ATTACKS.items():
        register(name, f"anon_transformers_graphs.attacks:{cls}", summary=summary)


@hookimpl
def register_experiments(register):
    for name, (cls, summary) in EXPERIMENTS.items():
        register(name, f"anon_transformers_graphs.experiments:{cls}", summary=summary)


@hookimpl
def register_commands(register):
    for name, (cls, summary) in COMMANDS.items():
        register(name, f"anon_transformers_graphs.cli:{cls}", summary=summary)


@hookimpl
def register_pages(register):
    for name, (page, summary) in PAGES.items():
        register(name, f"anon_transformers_graphs.studio:{page}", summary=summary)

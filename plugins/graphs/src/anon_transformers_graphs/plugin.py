"""What this distribution offers, by name; nothing else happens on import."""

from anon_transformers.hookspecs import hookimpl
from anon_transformers_graphs.automorphism import KAutomorphismAnonymizer
from anon_transformers_graphs.cli import graph_commands
from anon_transformers_graphs.degrees import KDegreeAnonymizer
from anon_transformers_graphs.experiments import Graphs
from anon_transformers_graphs.generalization import (
    LabelGeneralizer,
    NodeClusterGeneralizer,
)
from anon_transformers_graphs.metrics import (
    AverageDegree,
    AverageDistance,
    CentralityError,
    ClusteringSimilarity,
    ClusterModularity,
    Diameter,
    EdgeCost,
    HarmonicDistance,
    Lambda1,
    LargestComponentShare,
    LogSubgraphCentrality,
    ModifiedEdges,
    Mu2,
    StructuralChange,
    Transitivity,
)
from anon_transformers_graphs.neighborhoods import KNeighborhoodAnonymizer
from anon_transformers_graphs.privacy import (
    KAutomorphism,
    KCandidate,
    KDegree,
    KNeighborhood,
    SuperNodeSize,
)
from anon_transformers_graphs.randomization import (
    FeatureChain,
    NaiveAnonymizer,
    RandomAddDelete,
    RandomPerturbation,
    RandomSwitch,
    SpectralRandomizer,
)
from anon_transformers_graphs.risk import (
    DisclosedLinks,
    NodesAtRisk,
    ReidentifiedNodes,
    WorstGroupRisk,
)


@hookimpl
def register_anonymizers(register):
    register("k-degree", KDegreeAnonymizer)
    register("naive", NaiveAnonymizer)
    register("random-perturbation", RandomPerturbation)
    register("random-add-delete", RandomAddDelete)
    register("random-switch", RandomSwitch)
    register("spectral", SpectralRandomizer)
    register("feature-chain", FeatureChain)
    register("k-neighborhood", KNeighborhoodAnonymizer)
    register("k-automorphism", KAutomorphismAnonymizer)
    register("node-clusters", NodeClusterGeneralizer)
    register("label-generalizer", LabelGeneralizer)


@hookimpl
def register_privacy_models(register):
    for model in (KAutomorphism, KCandidate, KDegree, KNeighborhood, SuperNodeSize):
        register(model.name, model)


@hookimpl
def register_metrics(register):
    for metric in (
        AverageDegree,
        AverageDistance,
        CentralityError,
        ClusterModularity,
        ClusteringSimilarity,
        Diameter,
        DisclosedLinks,
        EdgeCost,
        HarmonicDistance,
        Lambda1,
        LargestComponentShare,
        LogSubgraphCentrality,
        ModifiedEdges,
        Mu2,
        NodesAtRisk,
        ReidentifiedNodes,
        StructuralChange,
        Transitivity,
        WorstGroupRisk,
    ):
        register(metric.name, metric)


@hookimpl
def register_experiments(register):
    register("graphs", Graphs)


@hookimpl
def register_commands(register):
    register("graph", graph_commands)

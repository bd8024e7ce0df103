"""How much a published graph discloses about its nodes and their links.

Functions take a graph in any form; where they answer node by node, the names are
``anon_transformers.graphs.open_graph(graph)[1].names``.
"""

from anon_transformers_graphs.risk._candidate_report import (
    CandidateReport,
    candidate_report,
    risk_levels,
)
from anon_transformers_graphs.risk._compare_risk import RiskComparison, compare_risk
from anon_transformers_graphs.risk._link_disclosure import (
    LinkDisclosure,
    link_disclosure,
)
from anon_transformers_graphs.risk._metrics import (
    DisclosedLinks,
    NodesAtRisk,
    ReidentifiedNodes,
    WorstGroupRisk,
)

__all__ = [
    "CandidateReport",
    "DisclosedLinks",
    "LinkDisclosure",
    "NodesAtRisk",
    "ReidentifiedNodes",
    "RiskComparison",
    "WorstGroupRisk",
    "candidate_report",
    "compare_risk",
    "link_disclosure",
    "risk_levels",
]

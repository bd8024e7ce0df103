"""Metrics of re-identification in graphs."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anon_transformers.evidence import GraphEvidence
from anon_transformers.parameters import whole
from anon_transformers_graphs._evidence_checks import check_nodes
from anon_transformers_graphs.queries import candidate_sizes
from anon_transformers_graphs.queries._candidates import check_query
from anon_transformers_graphs.risk._compare_risk import compare_risk
from anon_transformers_graphs.risk._link_disclosure import link_disclosure


@dataclass(frozen=True)
class ReidentifiedNodes:
    """Share of nodes that are the only ones to fit what is known of them.

    Parameters
    ----------
    query : str, default="h1"
        What is known, as in :class:`KCandidate`; "h1" is the degree.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> star = GraphEvidence(Graph(4, [[0, 1], [0, 2], [0, 3]]))
    >>> ReidentifiedNodes().measure(star)
    0.25
    """

    query: str = "h1"
    name: ClassVar[str] = "reidentified-nodes"
    evidence: ClassVar[str] = "graph"
    better: ClassVar[str] = "lower"

    def __post_init__(self) -> None:
        check_query(self.query)

    @classmethod
    def test_instances(cls) -> list["ReidentifiedNodes"]:
        """Configurations that the contract checks run on."""
        return [cls(), cls(query="h2"), cls(query="neighborhood")]

    def measure(self, evidence: GraphEvidence) -> float:
        """Candidate sets of one among all."""
        return float((_sizes(self, evidence) == 1).mean())


@dataclass(frozen=True)
class NodesAtRisk:
    """Share of nodes that fewer than ``below`` nodes fit.

    Parameters
    ----------
    below : int, default=5
        A node that so many fit is not at risk.
    query : str, default="h1"
        What is known, as in :class:`KCandidate`; "h1" is the degree.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> star = GraphEvidence(Graph(7, [[0, 1], [0, 2], [0, 3], [0, 4], [0, 5]]))
    >>> round(NodesAtRisk().measure(star), 3)
    0.286
    """

    below: int = 5
    query: str = "h1"
    name: ClassVar[str] = "nodes-at-risk"
    evidence: ClassVar[str] = "graph"
    better: ClassVar[str] = "lower"

    def __post_init__(self) -> None:
        object.__setattr__(self, "below", whole("below", self.below))
        check_query(self.query)

    @classmethod
    def test_instances(cls) -> list["NodesAtRisk"]:
        """Configurations that the contract checks run on."""
        return [cls(), cls(below=20, query="h2"), cls(query="neighborhood")]

    def measure(self, evidence: GraphEvidence) -> float:
        """Small candidate sets among all."""
        return float((_sizes(self, evidence) < self.below).mean())


@dataclass(frozen=True)
class WorstGroupRisk:
    """Highest mean chance of the nodes of one degree to be found.

    See :func:`compare_risk`: the intruder knows the degrees of the original. Without
    the original the published graph is taken for it.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> star = GraphEvidence(Graph(4, [[0, 1], [0, 2], [0, 3]]))
    >>> WorstGroupRisk().measure(star)
    1.0
    """

    name: ClassVar[str] = "worst-group-risk"
    evidence: ClassVar[str] = "graph"
    better: ClassVar[str] = "lower"

    def measure(self, evidence: GraphEvidence) -> float:
        """Take the highest group risk."""
        check_nodes(self.name, evidence.published.n_nodes)
        original = evidence.original
        if original is None:
            original = evidence.published
        return compare_risk(original, evidence.published).worst_group_risk


@dataclass(frozen=True)
class DisclosedLinks:
    """Share of edges that are certain for whoever knows the degrees of their ends.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> star = GraphEvidence(Graph(4, [[0, 1], [0, 2], [0, 3]]))
    >>> DisclosedLinks().measure(star)
    1.0
    """

    name: ClassVar[str] = "disclosed-links"
    evidence: ClassVar[str] = "graph"
    better: ClassVar[str] = "lower"

    def measure(self, evidence: GraphEvidence) -> float:
        """Certain edges among all; 0 where there is none."""
        check_nodes(self.name, evidence.published.n_nodes)
        found = link_disclosure(evidence.published)
        return found.disclosed_edges / max(found.n_edges, 1)


def _sizes(
    metric: ReidentifiedNodes | NodesAtRisk, evidence: GraphEvidence
) -> np.ndarray:
    check_nodes(metric.name, evidence.published.n_nodes)
    return candidate_sizes(evidence.published, metric.query)

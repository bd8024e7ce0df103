"""k-degree anonymity (Liu and Terzi 2008)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from anon_transformers.evidence import GraphEvidence
from anon_transformers.parameters import whole
from anon_transformers_graphs._evidence_checks import check_nodes
from anon_transformers_graphs._graph_arrays import smallest_degree_class


@dataclass(frozen=True)
class KDegree:
    """Every node shares its degree with at least ``k - 1`` other nodes.

    An intruder who knows how many neighbors a person has finds at least ``k`` nodes.

    Parameters
    ----------
    k : int
        At least 1; 1 asks for nothing.

    References
    ----------
    .. [1] K. Liu and E. Terzi, "Towards identity anonymization on graphs", SIGMOD,
       2008.

    Examples
    --------
    >>> from anon_transformers.evidence import GraphEvidence
    >>> from anon_transformers.graphs import Graph
    >>> path = GraphEvidence(Graph(4, [[0, 1], [1, 2], [2, 3]]))
    >>> KDegree(k=2).satisfied(path)
    array([ True,  True,  True,  True])
    >>> KDegree(k=3).level(path)
    2
    """

    k: int
    name: ClassVar[str] = "k-degree"
    evidence: ClassVar[str] = "graph"
    unit: ClassVar[str] = "nodes"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    merging: ClassVar[Literal["any", "satisfying", "none"]] = "none"
    tighter: ClassVar[Mapping[str, Literal["higher", "lower"]]] = {"k": "higher"}

    not_promised: ClassVar[tuple[str, ...]] = (
        "Who knows more than the number of a person's friends, such as how many "
        "friends these have, may find the node.",
        "Where all nodes of two degrees are joined, it is certain that two persons "
        "are friends, though neither is found.",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k))

    @classmethod
    def test_instances(cls) -> list["KDegree"]:
        """Configurations that the contract checks run on."""
        return [cls(k=1), cls(k=2), cls(k=5)]

    def satisfied(self, evidence: GraphEvidence) -> np.ndarray:
        """Which nodes have a degree that enough nodes have."""
        graph = evidence.published
        return graph.degree_histogram[graph.degrees] >= self.k

    def level(self, evidence: GraphEvidence) -> int:
        """Nodes of the rarest degree."""
        check_nodes(self.name, evidence.published.n_nodes)
        return smallest_degree_class(evidence.published)

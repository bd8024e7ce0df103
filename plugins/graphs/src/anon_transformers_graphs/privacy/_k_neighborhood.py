"""k-neighborhood anonymity (Zhou and Pei 2008)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from anon_transformers.evidence import GraphEvidence
from anon_transformers.parameters import real, whole
from anon_transformers_graphs._evidence_checks import check_nodes
from anon_transformers_graphs._graph_arrays import class_sizes
from anon_transformers_graphs.queries import neighborhood_classes


@dataclass(frozen=True)
class KNeighborhood:
    """Every node has a neighborhood like that of at least ``k - 1`` other nodes.

    An intruder who knows all neighbors of a person, and the edges between them, finds
    at least ``k`` nodes. Neighborhoods are alike if they are isomorphic as graphs, and
    equal labels fall on each other where nodes have labels.

    Parameters
    ----------
    k : int
        At least 1; 1 asks for nothing.
    radius : int, default=1
        How far neighborhoods reach.
    time_limit : float, default=60.0
        Seconds. A graph that cannot be judged in that time is not judged.

    References
    ----------
    .. [1] B. Zhou and J. Pei, "Preserving privacy in social networks against
       neighborhood attacks", ICDE, 2008.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> bow_tie = Graph(5, [[0, 1], [0, 2], [1, 2], [2, 3], [2, 4], [3, 4]])
    >>> KNeighborhood(k=2).satisfied(GraphEvidence(bow_tie))
    array([ True,  True, False,  True,  True])
    """

    k: int
    radius: int = 1
    time_limit: float = 60.0
    name: ClassVar[str] = "k-neighborhood"
    evidence: ClassVar[str] = "graph"
    unit: ClassVar[str] = "nodes"
    details: ClassVar[tuple[str, ...]] = ("neighborhoods", "found", "below_k")
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    merging: ClassVar[Literal["any", "satisfying", "none"]] = "none"
    tighter: ClassVar[Mapping[str, Literal["higher", "lower"]]] = {
        "k": "higher",
        "radius": "higher",
    }

    not_promised: ClassVar[tuple[str, ...]] = (
        "Who knows more of the graph than the neighborhood may find the node.",
        "That two persons are friends may be certain, though neither is found.",
    )

    def __post_init__(self) -> None:
        for key in ("k", "radius"):
            object.__setattr__(self, key, whole(key, getattr(self, key)))
        limit = real("time_limit", self.time_limit, 0)
        object.__setattr__(self, "time_limit", limit)

    @classmethod
    def test_instances(cls) -> list["KNeighborhood"]:
        """Configurations that the contract checks run on."""
        return [cls(k=1), cls(k=2), cls(k=2, radius=2)]

    def satisfied(self, evidence: GraphEvidence) -> np.ndarray:
        """Which nodes have a neighborhood that enough nodes have."""
        return class_sizes(self._classes(evidence)) >= self.k

    def level(self, evidence: GraphEvidence) -> int:
        """Nodes that have the rarest neighborhood."""
        check_nodes(self.name, evidence.published.n_nodes)
        return int(np.bincount(self._classes(evidence)).min())

    def report(self, evidence: GraphEvidence) -> dict[str, Any]:
        """How many neighborhoods there are, and how many nodes have too rare a one."""
        counts = np.bincount(self._classes(evidence))
        return {
            "neighborhoods": len(counts),
            "found": int((counts == 1).sum()),
            "below_k": int(counts[counts < self.k].sum()),
        }

    def _classes(self, evidence: GraphEvidence) -> np.ndarray:
        return neighborhood_classes(evidence.published, self.radius, self.time_limit)

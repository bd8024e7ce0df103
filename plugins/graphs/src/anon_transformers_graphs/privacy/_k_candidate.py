"""k-candidate anonymity (Hay et al. 2008)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import NotEvaluable, check_choice
from anon_transformers.parameters import real, whole
from anon_transformers_graphs._evidence_checks import check_nodes
from anon_transformers_graphs.queries import candidate_sizes
from anon_transformers_graphs.queries._candidates import check_query
from anon_transformers_graphs.queries._hubs import WORLDS


@dataclass(frozen=True)
class KCandidate:
    """For every node at least ``k`` nodes fit what an intruder knows of it.

    Parameters
    ----------
    k : int
        At least 1; 1 asks for nothing.
    query : str, default="h1"
        What is known of a node: "h1" its degree, "h2" the degrees of its neighbors,
        and so on; "neighborhood" how its neighbors are joined; "hub-fingerprint" how
        far it is from hubs. Labels of nodes, where they are published, are known too.
    hubs : int, default=3
        Nodes of highest degree that count as hubs, and those tied with the last.
    radius : int, default=1
        How far neighborhoods and fingerprints reach.
    world : {"closed", "open"}, default="closed"
        Whether a hub that is not in a fingerprint is known to be farther away, or may
        be so.
    time_limit : float, default=60.0
        Seconds to refine classes or to compare neighborhoods. A graph that cannot be
        judged in that time is not judged.

    Notes
    -----
    Hubs are found by assumption; with "hub-fingerprint" they are no candidates for
    other nodes, and the model promises nothing about them.

    References
    ----------
    .. [1] M. Hay, G. Miklau, D. Jensen, D. Towsley and P. Weis, "Resisting structural
       re-identification in anonymized social networks", PVLDB, 2008.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> path = GraphEvidence(Graph(5, [[0, 1], [1, 2], [2, 3], [3, 4]]))
    >>> KCandidate(k=2, query="h1").level(path)
    2
    >>> KCandidate(k=2, query="h2").satisfied(path)
    array([ True,  True, False,  True,  True])
    """

    k: int
    query: str = "h1"
    hubs: int = 3
    radius: int = 1
    world: Literal["closed", "open"] = "closed"
    time_limit: float = 60.0
    name: ClassVar[str] = "k-candidate"
    evidence: ClassVar[str] = "graph"
    unit: ClassVar[str] = "nodes"
    details: ClassVar[tuple[str, ...]] = ("found", "below_k", "mean_candidates")
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    merging: ClassVar[Literal["any", "satisfying", "none"]] = "none"
    tighter: ClassVar[Mapping[str, Literal["higher", "lower"]]] = {"k": "higher"}

    not_promised: ClassVar[tuple[str, ...]] = (
        "It holds for the knowledge that was stated: who knows more of the graph "
        "may find the node.",
        "That two persons are friends may be certain, though neither is found.",
    )

    def __post_init__(self) -> None:
        for key in ("k", "hubs", "radius"):
            object.__setattr__(self, key, whole(key, getattr(self, key)))
        limit = real("time_limit", self.time_limit, 0)
        object.__setattr__(self, "time_limit", limit)
        check_query(self.query)
        check_choice("world", self.world, WORLDS)

    @classmethod
    def test_instances(cls) -> list["KCandidate"]:
        """Configurations that the contract checks run on."""
        return [
            cls(k=2),
            cls(k=3, query="h2"),
            cls(k=2, query="neighborhood"),
            cls(k=2, query="hub-fingerprint", radius=2),
            cls(k=2, query="hub-fingerprint", hubs=2, world="open"),
        ]

    @property
    def stands_alone(self) -> bool:
        """Whether a release may rest on it alone: not where only labels are asked for.

        With "h0" every edge may be published as it is.
        """
        return self.k > 1 and self.query != "h0"

    def satisfied(self, evidence: GraphEvidence) -> np.ndarray:
        """Which nodes have enough candidates."""
        return self._sizes(evidence) >= self.k

    def level(self, evidence: GraphEvidence) -> int:
        """Size of the smallest candidate set."""
        check_nodes(self.name, evidence.published.n_nodes)
        return int(self._sizes(evidence).min())

    def report(self, evidence: GraphEvidence) -> dict[str, Any]:
        """How many nodes are found at once, and how many have fewer candidates."""
        sizes = self._sizes(evidence)
        return {
            "found": int((sizes == 1).sum()),
            "below_k": int((sizes < self.k).sum()),
            "mean_candidates": float(sizes.mean()) if len(sizes) else 0.0,
        }

    def _sizes(self, evidence: GraphEvidence) -> np.ndarray:
        if self.query == "h0" and evidence.published.labels is None:
            # Without labels all nodes are alike: h0, a typing error for h1, would pass.
            raise NotEvaluable("h0 looks at labels of nodes, and there are none.")
        return candidate_sizes(
            evidence.published,
            self.query,
            hubs=self.hubs,
            radius=self.radius,
            world=self.world,
            time_limit=self.time_limit,
        )

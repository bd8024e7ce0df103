"""Sizes of super-nodes (Hay et al. 2008)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.parameters import whole
from anon_transformers_graphs._evidence_checks import check_nodes


@dataclass(frozen=True)
class SuperNodeSize:
    """Every super-node of a generalized graph stands for at least ``k`` nodes.

    Parameters
    ----------
    k : int
        At least 1; 1 asks for nothing.

    Notes
    -----
    A super-node says how many nodes it stands for in the label "nodes".

    References
    ----------
    .. [1] M. Hay, G. Miklau, D. Jensen, D. Towsley and P. Weis, "Resisting structural
       re-identification in anonymized social networks", PVLDB, 2008.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.graphs import Graph
    >>> labels = pd.DataFrame({"nodes": [3, 5]})
    >>> grouped = GraphEvidence(Graph(2, [[0, 1]], labels=labels))
    >>> SuperNodeSize(k=4).satisfied(grouped)
    array([False,  True])
    """

    k: int
    name: ClassVar[str] = "super-node-size"
    evidence: ClassVar[str] = "graph"
    needs_columns: ClassVar[tuple[str, ...]] = ("nodes",)
    unit: ClassVar[str] = "super-nodes"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    merging: ClassVar[Literal["any", "satisfying", "none"]] = "none"
    tighter: ClassVar[Mapping[str, Literal["higher", "lower"]]] = {"k": "higher"}

    not_promised: ClassVar[tuple[str, ...]] = (
        "Where all possible edges of a super-node are there, each two of its "
        "persons are known to be friends.",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k))

    @classmethod
    def test_instances(cls) -> list["SuperNodeSize"]:
        """Configurations that the contract checks run on."""
        return [cls(k=1), cls(k=2), cls(k=5)]

    def satisfied(self, evidence: GraphEvidence) -> np.ndarray:
        """Which super-nodes are large enough."""
        return self._sizes(evidence) >= self.k

    def level(self, evidence: GraphEvidence) -> int:
        """Nodes of the smallest super-node."""
        sizes = self._sizes(evidence)
        check_nodes(self.name, len(sizes))
        return int(sizes.min())

    def _sizes(self, evidence: GraphEvidence) -> np.ndarray:
        labels = evidence.published.labels
        if labels is None or "nodes" not in labels.columns:
            raise NotEvaluable(f"{self.name} needs a label 'nodes' at each super-node.")
        sizes = labels["nodes"].to_numpy()
        if sizes.dtype.kind not in "iu" or (sizes < 1).any():
            raise NotEvaluable(
                f"{self.name} needs whole numbers of at least 1 in the label 'nodes'."
            )
        return sizes

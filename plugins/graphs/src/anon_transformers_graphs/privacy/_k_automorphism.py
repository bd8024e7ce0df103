"""k-automorphism (Zou, Chen and Özsu 2009)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.graphs import Graph
from anon_transformers.parameters import whole
from anon_transformers_graphs._evidence_checks import check_nodes
from anon_transformers_graphs._graph_arrays import label_colors


@dataclass(frozen=True)
class KAutomorphism:
    """``k - 1`` automorphisms take every node to ``k - 1`` other nodes.

    Whatever an intruder knows of the graph around a person, ``k`` nodes fit. To find
    automorphisms is hard, so they come with the evidence, and are verified: each is a
    bijection that takes edges to edges and labels to equal labels, no two of them
    take any node to the same node, and none of them has a fixed point. One that fails
    makes the whole claim false.

    Parameters
    ----------
    k : int
        At least 1; 1 asks for nothing.

    Notes
    -----
    The definition in the paper does not exclude the identity, and would hold for ``k =
    2`` with every graph.

    References
    ----------
    .. [1] L. Zou, L. Chen and M. T. Özsu, "K-automorphism: a general framework for
       privacy preserving network publication", PVLDB, 2009.

    Examples
    --------
    >>> square = Graph(4, [[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> turned = GraphEvidence(square, functions=[[1, 2, 3, 0], [2, 3, 0, 1]])
    >>> KAutomorphism(k=3).level(turned)
    3
    >>> mirrored = GraphEvidence(square, functions=[[0, 3, 2, 1]])
    >>> KAutomorphism(k=2).level(mirrored)
    1
    """

    k: int
    name: ClassVar[str] = "k-automorphism"
    evidence: ClassVar[str] = "graph"
    unit: ClassVar[str] = "nodes"
    details: ClassVar[tuple[str, ...]] = (
        "functions",
        "no_bijections",
        "no_automorphisms",
        "nodes_with_equal_images",
    )
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    merging: ClassVar[Literal["any", "satisfying", "none"]] = "none"
    tighter: ClassVar[Mapping[str, Literal["higher", "lower"]]] = {"k": "higher"}

    not_promised: ClassVar[tuple[str, ...]] = (
        "That two persons are friends may be certain, though neither is found.",
        "What is published of nodes beside the structure is hidden only as far as "
        "labels are equal.",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k))

    @classmethod
    def test_instances(cls) -> list["KAutomorphism"]:
        """Configurations that the contract checks run on."""
        return [cls(k=1), cls(k=2), cls(k=4)]

    def satisfied(self, evidence: GraphEvidence) -> np.ndarray:
        """Whether nodes have enough images: all of them, or none."""
        return np.full(evidence.published.n_nodes, self.level(evidence) >= self.k)

    def level(self, evidence: GraphEvidence) -> int:
        """Automorphisms that were verified, and one for the identity."""
        faults = self.report(evidence)
        sound = not any(value for key, value in faults.items() if key != "functions")
        return faults["functions"] + 1 if sound else 1

    def report(self, evidence: GraphEvidence) -> dict[str, Any]:
        """How many functions were given, and how many of them fail."""
        graph = evidence.published
        if evidence.functions is None:
            raise NotEvaluable(f"{self.name} needs the functions, which are not given.")
        check_nodes(self.name, graph.n_nodes)
        functions = evidence.functions.astype(np.int64)
        nodes = np.arange(graph.n_nodes)
        bijections = (np.sort(functions, axis=1) == nodes).all(axis=1)
        kept = [_keeps(graph, function) for function in functions[bijections]]
        images = np.sort(np.vstack([nodes, functions]), axis=0)
        return {
            "functions": len(functions),
            "no_bijections": int((~bijections).sum()),
            "no_automorphisms": len(kept) - sum(kept),
            "nodes_with_equal_images": int(
                (np.diff(images, axis=0) == 0).any(axis=0).sum()
            ),
        }


def _keeps(graph: Graph, function: np.ndarray) -> bool:
    """Whether a bijection takes edges to edges, and labels to equal ones."""
    # Edges are finitely many and stay distinct: if all fall on edges, all are hit.
    edges = bool(graph.has_edges(function[graph.edges]).all())
    colors = label_colors(graph)
    return edges and np.array_equal(colors[function], colors)

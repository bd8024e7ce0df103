"""What a graph looks like, in numbers."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from anon_transformers.exceptions import DataError, check_choice
from anon_transformers.graphs import Graph
from anon_transformers_graphs._any_form import any_form
from anon_transformers_graphs._graph_arrays import neighbor_lists
from anon_transformers_graphs._kernels.triangles import count_triangles
from anon_transformers_graphs.metrics._distances import DistanceSummary, Seed, distances


@dataclass(frozen=True)
class StructuralReport:
    """Numbers that describe a graph.

    Attributes
    ----------
    n_nodes, n_edges, max_degree, min_degree : int
        Degrees are 0 where there are no nodes.
    average_degree : float
        Twice the edges by the nodes.
    average_distance, diameter : float
        Mean and maximum over all pairs of nodes; NaN if the graph is disconnected, for
        they are not defined then.
    harmonic_distance : float
        Harmonic mean over all pairs, where a pair that no path joins adds nothing; so
        it is defined on disconnected graphs. Infinite without edges.
    transitivity : float
        Share of the paths of two edges whose ends are joined; 0 if there is no path.
    n_components : int
        Parts that no path joins.
    largest_component_share : float
        Share of the nodes in the largest of them.
    n_sources : int
        Nodes that distances were measured from. If it is less than ``n_nodes``, then
        means are estimates, and the diameter is a lower bound.
    degree_sequence : int array of shape (n_nodes,)
        Degree of each node, in the order of the nodes.
    degree_histogram : int array
        Position g holds the number of nodes of degree g.
    path_lengths : float array
        Position d holds the share of pairs at distance d, among pairs that a path
        joins.
    """

    n_nodes: int
    n_edges: int
    max_degree: int
    min_degree: int
    average_degree: float
    average_distance: float
    diameter: float
    harmonic_distance: float
    transitivity: float
    n_components: int
    largest_component_share: float
    n_sources: int
    degree_sequence: np.ndarray = field(repr=False)
    degree_histogram: np.ndarray = field(repr=False)
    path_lengths: np.ndarray = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Everything but what belongs to single nodes; None for what is not defined."""
        return {
            **finite_numbers(self.numbers()),
            "n_sources": self.n_sources,
            "degree_histogram": self.degree_histogram.tolist(),
            "path_lengths": self.path_lengths.tolist(),
        }

    def numbers(self) -> dict[str, float]:
        """Every single number that describes the graph."""
        return {name: getattr(self, name) for name in NUMBERS}


NUMBERS = (
    "n_nodes",
    "n_edges",
    "max_degree",
    "min_degree",
    "average_degree",
    "average_distance",
    "diameter",
    "harmonic_distance",
    "transitivity",
    "n_components",
    "largest_component_share",
)


def finite_numbers(numbers: Mapping[Any, float]) -> dict[str, float | None]:
    """Numbers that can be written as JSON, which has neither NaN nor infinity."""
    return {
        str(name): value if math.isfinite(value) else None
        for name, value in numbers.items()
    }


@any_form
def structural_report(
    graph: Graph,
    *,
    disconnected: str = "nan",
    n_sources: int | None = None,
    random_state: Seed = 0,
) -> StructuralReport:
    """Describe a graph by its degrees, distances and triangles.

    Parameters
    ----------
    graph : Graph, or a graph in any form
        What to describe.
    disconnected : {"nan", "raise"}, default="nan"
        What the average distance and the diameter of a disconnected graph are: NaN, or
        an error.
    n_sources : int, optional
        Measure distances from so many random nodes instead of all. The time grows as
        ``n_sources`` times the edges, and no table of all pairs is ever held.
    random_state : seed or generator, default=0
        For the sample.

    Raises
    ------
    DataError
        If the graph is disconnected and ``disconnected="raise"``.

    Examples
    --------
    >>> path = Graph(4, [[0, 1], [1, 2], [2, 3]])
    >>> report = structural_report(path)
    >>> report.average_degree, report.average_distance, report.diameter
    (1.5, 1.6666666666666667, 3.0)
    >>> report.degree_histogram
    array([0, 2, 2])
    """
    check_choice("disconnected", disconnected, ("nan", "raise"))
    n_parts, _ = components(graph)
    if n_parts > 1 and disconnected == "raise":
        raise DataError(
            f"the graph has {n_parts} components: its average distance and diameter "
            'are not defined. disconnected="nan" makes them NaN.'
        )
    return report_from_distances(graph, distances(graph, n_sources, random_state))


def report_from_distances(graph: Graph, found: DistanceSummary) -> StructuralReport:
    """Describe a graph whose distances are known."""
    n_parts, share = components(graph)
    degrees, n_nodes = graph.degrees, graph.n_nodes
    return StructuralReport(
        n_nodes,
        graph.n_edges,
        int(degrees.max(initial=0)),
        int(degrees.min()) if n_nodes else 0,
        2 * graph.n_edges / n_nodes if n_nodes else np.nan,
        found.average if n_parts == 1 else np.nan,
        float(found.diameter) if n_parts == 1 else np.nan,
        found.harmonic_mean,
        transitivity(graph),
        n_parts,
        share,
        found.n_sources,
        degrees,
        graph.degree_histogram,
        found.counts / max(int(found.counts.sum()), 1),
    )


def components(graph: Graph) -> tuple[int, float]:
    """How many components there are, and the share of nodes in the largest."""
    if not graph.n_nodes:
        return 0, np.nan
    n_parts, parts = connected_components(graph.adjacency, directed=False)
    return int(n_parts), int(np.bincount(parts).max()) / graph.n_nodes


@any_form
def transitivity(graph: Graph) -> float:
    """Three times the triangles by the paths of two edges; 0 if there is no path.

    Examples
    --------
    >>> transitivity(Graph(4, [[0, 1], [1, 2], [0, 2], [2, 3]]))
    0.6
    """
    degrees = graph.degrees.astype(np.int64)
    paths = int((degrees * (degrees - 1)).sum()) // 2
    if not paths:
        return 0.0
    return 3 * int(count_triangles(*neighbor_lists(graph))) / paths

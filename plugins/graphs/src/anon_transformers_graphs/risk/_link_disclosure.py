"""Links that are certain although nobody is found."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.graphs import Graph
from anon_transformers_graphs._any_form import any_form


@dataclass(frozen=True)
class LinkDisclosure:
    """How certain a link is for an intruder who knows two degrees.

    Attributes
    ----------
    groups : data frame
        A row for each pair of degrees: ``degree``, ``other_degree``, ``adjacent`` pairs
        of nodes, ``possible`` ones, and the ``share`` of the first in the second.
    n_edges : int
        Edges of the graph.
    """

    groups: pd.DataFrame = field(repr=False)
    n_edges: int

    @property
    def certain_links(self) -> pd.DataFrame:
        """Pairs of degrees of which all nodes are adjacent."""
        return self.groups[self.groups["share"] == 1]

    @property
    def certain_absences(self) -> pd.DataFrame:
        """Pairs of degrees of which no nodes are adjacent."""
        return self.groups[self.groups["share"] == 0]

    @property
    def disclosed_edges(self) -> int:
        """Edges between nodes whose degrees disclose the link."""
        return int(self.certain_links["adjacent"].sum())

    def to_dict(self) -> dict[str, Any]:
        """Counts as plain values."""
        return {
            "pairs_of_degrees": len(self.groups),
            "certain_links": len(self.certain_links),
            "certain_absences": len(self.certain_absences),
            "edges": self.n_edges,
            "disclosed_edges": self.disclosed_edges,
        }


@any_form
def link_disclosure(graph: Graph) -> LinkDisclosure:
    """What degrees disclose about links.

    If all nodes of one degree are adjacent to all nodes of another one, whoever knows
    the degrees of two persons knows that they are linked, without finding either; and
    if none are, that they are not.

    Parameters
    ----------
    graph : Graph, or a graph in any form
        What is published.

    Returns
    -------
    LinkDisclosure
        The share of adjacent pairs for each pair of degrees; a degree that only one
        node has makes no pair with itself.

    Notes
    -----
    There are never more than twice the root of the edges of different degrees, because
    each needs as many ends; so pairs of degrees are no more than edges, up to a factor.

    Examples
    --------
    >>> all_to_all = Graph(5, [[0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4]])
    >>> found = link_disclosure(all_to_all)
    >>> found.groups.values.tolist()  # doctest: +NORMALIZE_WHITESPACE
    [[2.0, 2.0, 0.0, 3.0, 0.0], [2.0, 3.0, 6.0, 6.0, 1.0], [3.0, 3.0, 0.0, 1.0, 0.0]]
    >>> found.disclosed_edges
    6
    """
    degrees, groups = np.unique(graph.degrees, return_inverse=True)
    sizes = np.bincount(groups, minlength=len(degrees)).astype(np.int64)
    ends = np.sort(groups[graph.edges], axis=1).reshape(-1, 2)
    one, other = np.triu_indices(len(degrees))
    # Where a pair of groups stands in the upper triangle, row after row.
    row, column = ends.T
    place = row * len(degrees) - row * (row - 1) // 2 + (column - row)
    adjacent = np.bincount(place, minlength=len(one))
    inside = sizes[one] * (sizes[one] - 1) // 2
    possible = np.where(one == other, inside, sizes[one] * sizes[other])
    some = possible > 0
    table = pd.DataFrame(
        {
            "degree": degrees[one[some]],
            "other_degree": degrees[other[some]],
            "adjacent": adjacent[some],
            "possible": possible[some],
        }
    )
    table["share"] = table["adjacent"] / table["possible"]
    return LinkDisclosure(table, graph.n_edges)

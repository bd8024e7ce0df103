"""What anonymization did to a graph."""

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.graphs import Graph, open_same_nodes
from anon_transformers.parameters import generator
from anon_transformers_graphs.metrics._centrality import (
    Centralities,
    centralities_from,
)
from anon_transformers_graphs.metrics._distances import (
    Seed,
    chosen_sources,
    distances_from,
)
from anon_transformers_graphs.metrics._spectrum import SpectralReport, spectral_report
from anon_transformers_graphs.metrics._structure import (
    StructuralReport,
    finite_numbers,
    report_from_distances,
)

CENTRALITIES = ("betweenness", "closeness", "degree", "mean_distance")


@dataclass(frozen=True)
class EdgeChange:
    """Edges that were deleted, added and kept.

    Attributes
    ----------
    kept, deleted, added : int
        Edges of both graphs, of the original only, of the published one only.
    """

    kept: int
    deleted: int
    added: int

    @property
    def cost(self) -> int:
        """Edges that only one of the graphs has."""
        return self.deleted + self.added

    @property
    def modified_percent(self) -> float:
        """Deleted edges in percent of the original ones; 0 if there were none."""
        return 100 * self.deleted / max(self.kept + self.deleted, 1)

    def to_dict(self) -> dict[str, float]:
        """The numbers by name."""
        more = {"cost": self.cost, "modified_percent": self.modified_percent}
        return {**vars(self), **more}


@dataclass(frozen=True)
class GraphComparison:
    """A graph before and after it was anonymized.

    Attributes
    ----------
    original, published : StructuralReport
        Degrees, distances and triangles of both.
    original_spectrum, published_spectrum : SpectralReport
        Eigenvalues of both.
    edges : EdgeChange
        Edges that were deleted, added and kept.
    errors : mapping of str to float
        For each centrality, the root of the mean squared difference over the nodes of
        the original. The mean distance looks at nodes that have edges in both graphs.
    distribution_changes : mapping of str to float
        For degrees and path lengths, the share of nodes or pairs that would have to
        take another value to get from one distribution to the other.
    """

    original: StructuralReport
    published: StructuralReport
    original_spectrum: SpectralReport
    published_spectrum: SpectralReport
    edges: EdgeChange
    errors: Mapping[str, float] = field(repr=False)
    distribution_changes: Mapping[str, float] = field(repr=False)

    def measures(self) -> pd.DataFrame:
        """Each single number on both sides, and what it has grown by."""
        before = {**self.original.numbers(), **vars(self.original_spectrum)}
        after = {**self.published.numbers(), **vars(self.published_spectrum)}
        table = pd.DataFrame({"original": before, "published": after}, dtype=float)
        with np.errstate(invalid="ignore"):  # infinity less infinity is not a number
            table["difference"] = table["published"] - table["original"]
        return table

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; None where a number is not defined."""
        rows = self.measures().to_dict("index")
        return {
            "measures": {str(name): finite_numbers(row) for name, row in rows.items()},
            "edges": self.edges.to_dict(),
            "errors": finite_numbers(self.errors),
            "distribution_changes": finite_numbers(self.distribution_changes),
        }


def compare_graphs(
    original: Any,
    published: Any,
    *,
    mapping: Mapping[Any, Hashable] | None = None,
    n_sources: int | None = None,
    random_state: Seed = 0,
) -> GraphComparison:
    """Every structural and spectral measure of two graphs, and their differences.

    Parameters
    ----------
    original, published : Graph, or a graph in any form
        The same nodes: they go by name, or by order where one has no names. A graph
        that was anonymized with ``relabel=False`` has the names of its original.
        Nodes that the original lacks are noise: they and their edges count as added.
    mapping : mapping, optional
        New name by old name, for a published graph whose nodes were renamed; see
        :func:`anon_transformers.graphs.open_same_nodes`.
    n_sources : int, optional
        Measure distances and betweenness from so many random nodes, the same ones in
        both graphs, instead of all.
    random_state : seed, default=0
        For the sample, and for spectra of more than 1,000 nodes.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> square = Graph(4, [[0, 1], [1, 2], [2, 3], [0, 3]])
    >>> path = Graph(4, [[0, 1], [1, 2], [2, 3]])
    >>> found = compare_graphs(square, path)
    >>> found.edges.cost, found.edges.modified_percent
    (1, 25.0)
    >>> found.measures().loc["diameter"].tolist()
    [2.0, 3.0, 1.0]
    """
    original, published, _ = open_same_nodes(original, published, mapping)
    seed = int(generator(random_state).integers(2**63))
    graphs = (original, published)
    if n_sources is None:
        sources = [chosen_sources(graph, None, seed) for graph in graphs]
    else:  # those of the original, which are in both
        sources = [chosen_sources(original, n_sources, seed)] * 2
    both = [
        distances_from(graph, starts)
        for graph, starts in zip(graphs, sources, strict=True)
    ]
    reports = [
        report_from_distances(graph, found)
        for graph, found in zip(graphs, both, strict=True)
    ]
    nodes = [
        centralities_from(graph, found, starts)
        for graph, found, starts in zip(graphs, both, sources, strict=True)
    ]
    return GraphComparison(
        reports[0],
        reports[1],
        spectral_report(original, random_state=seed),
        spectral_report(published, random_state=seed),
        _edge_change(original, published),
        centrality_errors(*nodes),
        {
            "degrees": _total_variation(
                *(report.degree_histogram for report in reports)
            ),
            "path_lengths": _total_variation(*(found.counts for found in both)),
        },
    )


def edge_change(
    original: Any,
    published: Any,
    *,
    mapping: Mapping[Any, Hashable] | None = None,
) -> EdgeChange:
    """Edges that were deleted, added and kept.

    Parameters
    ----------
    original, published : Graph, or a graph in any form
        The same nodes: they go by name, or by order where one has no names.
    mapping : mapping, optional
        New name by old name, for a published graph whose nodes were renamed; see
        :func:`anon_transformers.graphs.open_same_nodes`.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> change = edge_change(Graph(3, [[0, 1], [1, 2]]), Graph(3, [[0, 1], [0, 2]]))
    >>> change
    EdgeChange(kept=1, deleted=1, added=1)
    >>> change.cost
    2
    """
    original, published, _ = open_same_nodes(original, published, mapping)
    return _edge_change(original, published)


def _edge_change(original: Graph, published: Graph) -> EdgeChange:
    kept = original.common_edges(published)
    return EdgeChange(kept, original.n_edges - kept, published.n_edges - kept)


def centrality_errors(before: Centralities, after: Centralities) -> dict[str, float]:
    """Root of the mean squared difference of each centrality."""
    n_nodes = len(before.degree)  # noise nodes come after them
    return {
        name: rms(getattr(after, name)[:n_nodes] - getattr(before, name))
        for name in CENTRALITIES
    }


def rms(moves: np.ndarray) -> float:
    """Root of the mean square of the numbers there are; NaN if there are none."""
    moves = moves[~np.isnan(moves)]
    return math.sqrt(float((moves**2).mean())) if len(moves) else math.nan


def _total_variation(before: np.ndarray, after: np.ndarray) -> float:
    """Half the absolute difference of two distributions; NaN if one is empty."""
    if not before.sum() or not after.sum():
        return math.nan
    length = max(len(before), len(after))
    shares = [
        np.pad(counts / counts.sum(), (0, length - len(counts)))
        for counts in (before, after)
    ]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)

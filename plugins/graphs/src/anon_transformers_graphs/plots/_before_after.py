"""A graph before and after it was anonymized, side by side."""

from collections.abc import Hashable, Mapping
from io import BytesIO
from typing import Any

import networkx as nx
import numpy as np

from anon_transformers.exceptions import ConfigurationError
from anon_transformers.graphs import Graph, open_same_nodes

KEPT, GONE, NEW = "0.75", "tab:red", "tab:green"
"""Colors of edges."""
NODES = "tab:blue"
LARGEST, SMALLEST = 120, 4
"""Areas of the dots of nodes: of one alone, and where there are very many."""


def draw_before_after(
    original: Any,
    published: Any,
    *,
    mapping: Mapping[Any, Hashable] | None = None,
) -> bytes:
    """Draw a graph and what was published of it, and the degrees of both.

    Every node is at the same place in both drawings. Edges that are gone are red in the
    first, and new ones green in the second, as are noise nodes, which the original
    lacks. No name is drawn, but places show which node is which: the picture is for
    those who hold both graphs.

    Parameters
    ----------
    original, published : graph in any form
        The same nodes: they go by name, or by order where one has no names.
    mapping : mapping, optional
        New name by old name, for a published graph whose nodes were renamed; see
        :func:`anon_transformers.graphs.open_same_nodes`.

    Returns
    -------
    bytes
        A PNG picture, the same for the same graphs.

    Raises
    ------
    ConfigurationError
        If matplotlib is not installed.
    DataError
        If it is unknown which node is which.

    Examples
    --------
    >>> import networkx as nx
    >>> from anon_transformers_graphs import RandomSwitch
    >>> club = nx.karate_club_graph()
    >>> method = RandomSwitch(p=0.1, reduce=True, keep_mapping=True, random_state=0)
    >>> published = method.fit_transform(club)
    >>> picture = draw_before_after(club, published, mapping=method.mapping_)
    >>> picture[1:4]
    b'PNG'
    """
    before, after, _ = open_same_nodes(original, published, mapping)
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ModuleNotFoundError:
        raise ConfigurationError(
            "plots need matplotlib: pip install 'anon-transformers[plots]'"
        ) from None
    # Without pyplot there is no window system and nothing that stays behind.
    figure = Figure(figsize=(14, 4.6), layout="constrained")
    left, right, degrees = figure.subplots(1, 3, width_ratios=(2, 2, 1.4))
    places = _layout(before, after)
    gone, new = ~after.has_edges(before.edges), ~before.has_edges(after.edges)
    _draw(left, before, places, gone, GONE)
    _draw(right, after, places, new, NEW)
    noise = after.n_nodes - before.n_nodes
    right.scatter(*places[before.n_nodes :].T, s=_area(after), color=NEW, zorder=3)
    more = f", {noise:,} new nodes" if noise else ""
    left.set_title(f"original: {before.n_edges:,} edges, {gone.sum():,} of them gone")
    right.set_title(
        f"published: {after.n_edges:,} edges, {new.sum():,} of them new{more}"
    )
    _draw_degrees(degrees, before, after)
    file = BytesIO()
    figure.savefig(file, format="png", dpi=110, metadata={"Software": None})
    return file.getvalue()


def _layout(before: Graph, after: Graph) -> np.ndarray:
    """A place for each node, neighbors near each other; always the same.

    Edges of the original decide, and for noise nodes their own.
    """
    drawn = nx.empty_graph(after.n_nodes)
    drawn.add_edges_from(before.edges.tolist())
    of_noise = after.edges.max(axis=1, initial=0) >= before.n_nodes
    drawn.add_edges_from(after.edges[of_noise].tolist())
    places = nx.spring_layout(drawn, seed=0)
    return np.array([places[node] for node in range(after.n_nodes)]).reshape(-1, 2)


def _draw(
    axis: Any, graph: Graph, places: np.ndarray, marked: np.ndarray, color: str
) -> None:
    """Nodes, edges of both graphs, and those of this one only."""
    from matplotlib.collections import LineCollection  # noqa: PLC0415

    lines = places[graph.edges]
    axis.add_collection(LineCollection(list(lines[~marked]), colors=KEPT, lw=0.7))
    axis.add_collection(LineCollection(list(lines[marked]), colors=color, lw=1.4))
    own = places[: graph.n_nodes]
    axis.scatter(*own.T, s=_area(graph), color=NODES, zorder=2)
    axis.set_axis_off()


def _area(graph: Graph) -> float:
    """Area of the dot of a node."""
    return float(np.clip(LARGEST * 10 / max(graph.n_nodes, 1), SMALLEST, LARGEST))


def _draw_degrees(axis: Any, before: Graph, after: Graph) -> None:
    """How many nodes have each degree, in both."""
    for graph, shift, name in ((before, -0.2, "original"), (after, 0.2, "published")):
        counts = graph.degree_histogram
        axis.bar(np.arange(len(counts)) + shift, counts, width=0.4, label=name)
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.set_xlabel("degree")
    axis.set_ylabel("nodes")
    axis.set_title("degrees")
    axis.legend()

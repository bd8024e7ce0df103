"""A network and what would be published of it, as two drawings in SVG."""

import networkx as nx
import numpy as np

from anon_transformers.figures import Chart
from anon_transformers.graphs import Graph

MOST_DRAWN = 300
"""Nodes of a drawing; of a larger network, those nearest to its center are drawn."""
SIDE, BORDER = 420, 10
NODE, KEPT, GONE, NEW = "#1d4f73", "#b8c1cb", "#a31621", "#11683a"
STROKES = {
    KEPT: 'stroke-width="1"',
    GONE: 'stroke-width="2" stroke-dasharray="5 3"',
    NEW: 'stroke-width="3"',
}
"""Lines of each colour, told apart by those who see no colours, too."""


def draw(before: Graph, after: Graph) -> tuple[Chart, Chart, str]:
    """Both networks, every node at the same place, and what a sample leaves out.

    Edges that are gone are red and dashed in the first, new ones green and thick in the
    second. No name is drawn.
    """
    drawn = _sample(before, after)
    places = _layout(before, after, drawn)
    gone, new = ~after.has_edges(before.edges), ~before.has_edges(after.edges)
    first = _drawing("The network as it is", before, places, gone, GONE, "gone")
    second = _drawing("As it would be published", after, places, new, NEW, "new")
    said = ""
    if len(drawn) < after.n_nodes:
        said = (
            f"Drawn are {len(drawn):,} of {after.n_nodes:,} nodes: those nearest to "
            "the one with most edges."
        )
    return first, second, said


def _sample(before: Graph, after: Graph) -> list[int]:
    if after.n_nodes <= MOST_DRAWN:
        return list(range(after.n_nodes))
    network = nx.empty_graph(before.n_nodes)
    network.add_edges_from(before.edges.tolist())
    start = int(np.argmax(before.degrees))
    near = [start, *(node for _, node in nx.bfs_edges(network, start))]
    return sorted(near[:MOST_DRAWN])


def _layout(before: Graph, after: Graph, drawn: list[int]) -> dict[int, np.ndarray]:
    """A place for each drawn node, by the original's edges; always the same."""
    network = nx.empty_graph(after.n_nodes)
    network.add_edges_from(before.edges.tolist())
    of_noise = after.edges.max(axis=1, initial=0) >= before.n_nodes
    network.add_edges_from(after.edges[of_noise].tolist())
    found = nx.spring_layout(network.subgraph(drawn), seed=0)
    spread = np.array(list(found.values())).reshape(-1, 2)
    low, high = spread.min(axis=0), spread.max(axis=0)
    scale = (SIDE - 2 * BORDER) / np.maximum(high - low, 1e-9)
    return {node: BORDER + (place - low) * scale for node, place in found.items()}


def _drawing(
    title: str,
    graph: Graph,
    places: dict[int, np.ndarray],
    marked: np.ndarray,
    color: str,
    word: str,
) -> Chart:
    lines = [
        _line(places[first], places[second], color if mark else KEPT)
        for (first, second), mark in zip(graph.edges.tolist(), marked, strict=True)
        if first in places and second in places
    ]
    size = 5 if len(places) <= MOST_DRAWN // 3 else 3
    dots = [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" fill="{NODE}"/>'
        for node, (x, y) in places.items()
        if node < graph.n_nodes
    ]
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE} {SIDE}" '
        f'width="{SIDE}" height="{SIDE}" role="img"><title>{title}</title>'
        f"{''.join(lines)}{''.join(dots)}</svg>"
    )
    numbers = (("nodes", graph.n_nodes), ("edges", graph.n_edges))
    rows = (*numbers, (f"edges that are {word}", int(marked.sum())))
    return Chart(svg, title, ("what", "how many"), rows)


def _line(start: np.ndarray, end: np.ndarray, color: str) -> str:
    (x1, y1), (x2, y2) = start, end
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{color}" {STROKES[color]}/>'
    )

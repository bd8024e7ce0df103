"""Graphs as arrays, and the one door between them and the forms users hold."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.graphs._form import GraphForm
    from anon_transformers.graphs._graph import Graph, label_codes
    from anon_transformers.graphs._names import places_of
    from anon_transformers.graphs._opening import open_graph
    from anon_transformers.graphs._same_nodes import open_same_nodes
    from anon_transformers.graphs._weights import telling_weights
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "Graph",
    "GraphForm",
    "label_codes",
    "open_graph",
    "open_same_nodes",
    "places_of",
    "telling_weights",
]

"""Graphs as arrays, and the one door between them and the forms users hold."""

from anon_transformers._lazy import lazy_names

__all__ = [
    "Graph",
    "GraphForm",
    "label_codes",
    "open_graph",
    "open_same_nodes",
    "places_of",
    "telling_weights",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Graph": "anon_transformers.graphs._graph",
        "GraphForm": "anon_transformers.graphs._forms",
        "label_codes": "anon_transformers.graphs._labels",
        "open_graph": "anon_transformers.graphs._forms",
        "open_same_nodes": "anon_transformers.graphs._same_nodes",
        "places_of": "anon_transformers.graphs._names",
        "telling_weights": "anon_transformers.graphs._weights",
    },
)

"""Graphs as arrays, and the one door between them and the forms users hold."""

from anon_transformers._lazy import lazy_names

__all__ = ["Graph", "GraphForm", "label_codes", "open_graph", "telling_weights"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Graph": "anon_transformers.graphs._graph",
        "GraphForm": "anon_transformers.graphs._forms",
        "label_codes": "anon_transformers.graphs._labels",
        "open_graph": "anon_transformers.graphs._forms",
        "telling_weights": "anon_transformers.graphs._weights",
    },
)

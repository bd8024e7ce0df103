"""Pictures of graphs; they need matplotlib, the ``plots`` extra."""

from anon_transformers_graphs.plots._before_after import draw_before_after

__all__ = ["draw_before_after"]

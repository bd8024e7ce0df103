"""A page of Studio: a network before and after it was anonymized."""

from anon_transformers_graphs.studio._page import PAGE

__all__ = ["PAGE"]

"""Graphs that look the same from k places."""

from anon_transformers_graphs.automorphism._anonymizer import KAutomorphismAnonymizer

__all__ = ["KAutomorphismAnonymizer"]

"""Graphs in which every neighborhood occurs k times."""

from anon_transformers_graphs.neighborhoods._anonymizer import KNeighborhoodAnonymizer

__all__ = ["KNeighborhoodAnonymizer"]

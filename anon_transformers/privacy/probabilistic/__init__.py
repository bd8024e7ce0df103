"""Probabilistic k-anonymity, and what intruders learn from cells that moved."""

"""Graphs: anonymizers, privacy models, metrics and attacks."""

"""Offers the hierarchy builders."""

from anon_transformers.hierarchies import ByDataType, DateParts, Intervals, Masking
from anon_transformers.hookspecs import hookimpl


@hookimpl
def register_hierarchy_builders(register):
    register("intervals", Intervals)
    register("masking", Masking)
    register("dates", DateParts)
    register("by-data-type", ByDataType)

"""Offers the partitioning anonymizers."""

from anon_transformers.hookspecs import hookimpl
from anon_transformers.partitioning import MondrianAnonymizer


@hookimpl
def register_anonymizers(register):
    register("mondrian", MondrianAnonymizer)

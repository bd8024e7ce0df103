"""Offers the microaggregating anonymizers."""

from anon_transformers.hookspecs import hookimpl
from anon_transformers.microaggregation import GroupSwapper, MDAVAnonymizer


@hookimpl
def register_anonymizers(register):
    register("mdav", MDAVAnonymizer)
    register("group-swap", GroupSwapper)

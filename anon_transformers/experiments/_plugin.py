"""Offers the built-in experiments."""

from anon_transformers.experiments._mondrian_datafly import MondrianDatafly
from anon_transformers.hookspecs import hookimpl


@hookimpl
def register_experiments(register):
    register("mondrian-datafly", MondrianDatafly)

"""Offers the built-in experiments."""

from anon_transformers.experiments._fuzzy import Fuzzy
from anon_transformers.experiments._mondrian_datafly import MondrianDatafly
from anon_transformers.experiments._probabilistic import Probabilistic
from anon_transformers.experiments._tabular_k_l_t import TabularKLT
from anon_transformers.hookspecs import hookimpl


@hookimpl
def register_experiments(register):
    register("fuzzy", Fuzzy)
    register("mondrian-datafly", MondrianDatafly)
    register("probabilistic", Probabilistic)
    register("tabular-k-l-t", TabularKLT)

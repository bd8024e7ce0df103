"""Offers the generalizing anonymizers."""

from anon_transformers.generalization import DataflyAnonymizer
from anon_transformers.hookspecs import hookimpl


@hookimpl
def register_anonymizers(register):
    register("datafly", DataflyAnonymizer)

"""Offers the generalizing anonymizers."""

from anon_transformers.generalization import DataflyAnonymizer, FullDomainAnonymizer
from anon_transformers.hookspecs import hookimpl


@hookimpl
def register_anonymizers(register):
    register("datafly", DataflyAnonymizer)
    register("full-domain", FullDomainAnonymizer)

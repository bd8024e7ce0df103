"""Offers the built-in privacy models."""

from anon_transformers.hookspecs import hookimpl
from anon_transformers.privacy import KAnonymity


@hookimpl
def register_privacy_models(register):
    register("k-anonymity", KAnonymity)

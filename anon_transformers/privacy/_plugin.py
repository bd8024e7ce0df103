"""Offers the built-in privacy models."""

from anon_transformers import privacy
from anon_transformers.hookspecs import hookimpl


@hookimpl
def register_privacy_models(register):
    for model in (
        privacy.KAnonymity,
        privacy.DistinctLDiversity,
        privacy.EntropyLDiversity,
        privacy.RecursiveCLDiversity,
        privacy.TCloseness,
        privacy.AlphaKAnonymity,
        privacy.BeliefBound,
        privacy.BetaLikeness,
        privacy.DeltaPresence,
        privacy.KMap,
        privacy.ProbabilisticKAnonymity,
        privacy.LikelihoodKAnonymity,
    ):
        register(model.name, model)

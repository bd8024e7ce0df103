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
        privacy.QAnonymity,
        privacy.FuzzyLDiversity,
        privacy.FuzzyTCloseness,
    ):
        register(model.name, model)

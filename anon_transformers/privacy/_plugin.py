"""Offers the built-in privacy models."""

from anon_transformers.hookspecs import hookimpl

PRIVACY_MODELS = {
    "k-anonymity": (
        "KAnonymity",
        "Every class holds at least ``k`` rows, or persons where a subject is given.",
    ),
    "distinct-l-diversity": (
        "DistinctLDiversity",
        "Every class holds at least ``l`` distinct known values.",
    ),
    "entropy-l-diversity": (
        "EntropyLDiversity",
        "The values of every class are as mixed as ``l`` equally frequent ones.",
    ),
    "recursive-cl-diversity": (
        "RecursiveCLDiversity",
        "The most frequent value of a class is not too frequent, the others "
        "not too rare.",
    ),
    "t-closeness": (
        "TCloseness",
        "The values of every class are spread almost as in the whole table.",
    ),
    "alpha-k-anonymity": (
        "AlphaKAnonymity",
        "Classes of ``k``, in which no value takes more than a share of ``alpha``.",
    ),
    "belief-bound": (
        "BeliefBound",
        "No class makes a value almost certain, and none rules a likely one out.",
    ),
    "beta-likeness": (
        "BetaLikeness",
        "No value is much more frequent in a class than in the whole table.",
    ),
    "delta-presence": (
        "DeltaPresence",
        "Whether a person of the population is in the table stays uncertain.",
    ),
    "k-map": (
        "KMap",
        "At least ``k`` persons of the population stand behind every class.",
    ),
    "probabilistic-k-anonymity": (
        "ProbabilisticKAnonymity",
        "A cell is traced to the right person with a probability of at most 1/k.",
    ),
    "likelihood-k-anonymity": (
        "LikelihoodKAnonymity",
        "No published record is anybody's with a probability above 1/k.",
    ),
    "q-anonymity": (
        "QAnonymity",
        "It is possible enough that every set holds at least ``q`` rows.",
    ),
    "fuzzy-l-diversity": (
        "FuzzyLDiversity",
        "In every set at least ``l`` known values are represented.",
    ),
    "fuzzy-t-closeness": (
        "FuzzyTCloseness",
        "The values that each row may have are spread almost as in the whole table.",
    ),
}


@hookimpl
def register_privacy_models(register):
    for name, (cls, summary) in PRIVACY_MODELS.items():
        register(name, f"anon_transformers.privacy:{cls}", summary=summary)

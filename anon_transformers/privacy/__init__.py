"""Privacy models: one promise a file, judged on evidence."""

from anon_transformers._lazy import lazy_names

__all__ = [
    "AllOf",
    "AlphaKAnonymity",
    "BeliefBound",
    "BetaLikeness",
    "DeltaPresence",
    "Disclosures",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "FuzzyBeliefs",
    "FuzzyLDiversity",
    "FuzzyTCloseness",
    "KAnonymity",
    "KMap",
    "LikelihoodKAnonymity",
    "PrivacyModel",
    "ProbabilisticKAnonymity",
    "QAnonymity",
    "RecursiveCLDiversity",
    "TCloseness",
    "Verdict",
    "class_belief",
    "fuzzy_beliefs",
    "judge",
    "posterior_belief",
    "prior_belief",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "AllOf": "anon_transformers.privacy._all_of",
        "AlphaKAnonymity": "anon_transformers.privacy._alpha_k_anonymity",
        "BeliefBound": "anon_transformers.privacy._belief_bound",
        "BetaLikeness": "anon_transformers.privacy._beta_likeness",
        "DeltaPresence": "anon_transformers.privacy._delta_presence",
        "Disclosures": "anon_transformers.privacy._fuzzy_beliefs",
        "DistinctLDiversity": "anon_transformers.privacy._distinct_l_diversity",
        "EntropyLDiversity": "anon_transformers.privacy._entropy_l_diversity",
        "FuzzyBeliefs": "anon_transformers.privacy._fuzzy_beliefs",
        "FuzzyLDiversity": "anon_transformers.privacy._fuzzy_l_diversity",
        "FuzzyTCloseness": "anon_transformers.privacy._fuzzy_t_closeness",
        "KAnonymity": "anon_transformers.privacy._k_anonymity",
        "KMap": "anon_transformers.privacy._k_map",
        "LikelihoodKAnonymity": "anon_transformers.privacy._likelihood_k_anonymity",
        "PrivacyModel": "anon_transformers.privacy._judge",
        "ProbabilisticKAnonymity": (
            "anon_transformers.privacy._probabilistic_k_anonymity"
        ),
        "QAnonymity": "anon_transformers.privacy._q_anonymity",
        "RecursiveCLDiversity": "anon_transformers.privacy._recursive_cl_diversity",
        "TCloseness": "anon_transformers.privacy._t_closeness",
        "Verdict": "anon_transformers.privacy._judge",
        "class_belief": "anon_transformers.privacy._beliefs",
        "fuzzy_beliefs": "anon_transformers.privacy._fuzzy_beliefs",
        "judge": "anon_transformers.privacy._judge",
        "posterior_belief": "anon_transformers.privacy._beliefs",
        "prior_belief": "anon_transformers.privacy._beliefs",
    },
)

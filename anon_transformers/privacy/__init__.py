"""Privacy models: one promise a file, judged on evidence."""

from anon_transformers._lazy import lazy_names

__all__ = [
    "AllOf",
    "AlphaKAnonymity",
    "BeliefBound",
    "BetaLikeness",
    "DeltaPresence",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "KAnonymity",
    "KMap",
    "LikelihoodKAnonymity",
    "PrivacyModel",
    "ProbabilisticKAnonymity",
    "RecursiveCLDiversity",
    "TCloseness",
    "Verdict",
    "class_belief",
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
        "DistinctLDiversity": "anon_transformers.privacy._distinct_l_diversity",
        "EntropyLDiversity": "anon_transformers.privacy._entropy_l_diversity",
        "KAnonymity": "anon_transformers.privacy._k_anonymity",
        "KMap": "anon_transformers.privacy._k_map",
        "LikelihoodKAnonymity": "anon_transformers.privacy._likelihood_k_anonymity",
        "PrivacyModel": "anon_transformers.privacy._judge",
        "ProbabilisticKAnonymity": (
            "anon_transformers.privacy._probabilistic_k_anonymity"
        ),
        "RecursiveCLDiversity": "anon_transformers.privacy._recursive_cl_diversity",
        "TCloseness": "anon_transformers.privacy._t_closeness",
        "Verdict": "anon_transformers.privacy._judge",
        "class_belief": "anon_transformers.privacy._beliefs",
        "judge": "anon_transformers.privacy._judge",
        "posterior_belief": "anon_transformers.privacy._beliefs",
        "prior_belief": "anon_transformers.privacy._beliefs",
    },
)

"""Privacy models: one per file, judged on evidence."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.privacy._all_of import AllOf
    from anon_transformers.privacy._alpha_k_anonymity import AlphaKAnonymity
    from anon_transformers.privacy._belief_bound import BeliefBound
    from anon_transformers.privacy._beliefs import (
        class_belief,
        posterior_belief,
        prior_belief,
    )
    from anon_transformers.privacy._beta_likeness import BetaLikeness
    from anon_transformers.privacy._delta_presence import DeltaPresence
    from anon_transformers.privacy._distinct_l_diversity import DistinctLDiversity
    from anon_transformers.privacy._entropy_l_diversity import EntropyLDiversity
    from anon_transformers.privacy._fuzzy_beliefs import (
        Disclosures,
        FuzzyBeliefs,
        fuzzy_beliefs,
    )
    from anon_transformers.privacy._fuzzy_l_diversity import FuzzyLDiversity
    from anon_transformers.privacy._fuzzy_t_closeness import FuzzyTCloseness
    from anon_transformers.privacy._judge import (
        PrivacyModel,
        Verdict,
        describe_exposed,
        describe_level,
        describe_model,
        describe_verdict,
        judge,
        judge_both,
        judge_each,
        judges_values,
        level_of,
        may_judge_values,
        report_of,
        stands_alone,
    )
    from anon_transformers.privacy._k_anonymity import KAnonymity
    from anon_transformers.privacy._k_map import KMap
    from anon_transformers.privacy._q_anonymity import QAnonymity
    from anon_transformers.privacy._recursive_cl_diversity import RecursiveCLDiversity
    from anon_transformers.privacy._t_closeness import TCloseness
    from anon_transformers.privacy.probabilistic._likelihood_k_anonymity import (
        LikelihoodKAnonymity,
    )
    from anon_transformers.privacy.probabilistic._model import ProbabilisticKAnonymity
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

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
    "describe_exposed",
    "describe_level",
    "describe_model",
    "describe_verdict",
    "fuzzy_beliefs",
    "judge",
    "judge_both",
    "judge_each",
    "judges_values",
    "level_of",
    "may_judge_values",
    "posterior_belief",
    "prior_belief",
    "report_of",
    "stands_alone",
]

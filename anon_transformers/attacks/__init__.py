"""What an intruder can do with a release: one attack per file.

Attacks on tables are subclasses of :class:`Attack`, those on graphs of
:class:`GraphAttack`; both are registered as attacks.
"""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.attacks._attack import Attack, AttackResult
    from anon_transformers.attacks._attack_input import AttackInput
    from anon_transformers.attacks._background_knowledge import BackgroundKnowledge
    from anon_transformers.attacks._base_attack import AttackReport, BaseAttack
    from anon_transformers.attacks._complementary_release import ComplementaryRelease
    from anon_transformers.attacks._coverage import covers
    from anon_transformers.attacks._differencing import Differencing
    from anon_transformers.attacks._diversity_limits import DiversityLimits
    from anon_transformers.attacks._downcoding import Downcoding
    from anon_transformers.attacks._generalized_table import (
        distance_vector,
        is_generalization,
    )
    from anon_transformers.attacks._graph_attack import (
        GraphAttack,
        GraphAttackInput,
        GraphAttackResult,
    )
    from anon_transformers.attacks._homogeneity import Homogeneity
    from anon_transformers.attacks._inference import Inference
    from anon_transformers.attacks._linkability import Linkability
    from anon_transformers.attacks._linkage import LinkageAttack
    from anon_transformers.attacks._minimality import Minimality
    from anon_transformers.attacks._probabilistic_inference import (
        ProbabilisticInference,
    )
    from anon_transformers.attacks._record_intruder import RecordIntruder
    from anon_transformers.attacks._record_linkage import RecordLinkage
    from anon_transformers.attacks._similarity import Similarity
    from anon_transformers.attacks._singling_out import SinglingOut
    from anon_transformers.attacks._skewness import Skewness
    from anon_transformers.attacks._small_classes import SmallClasses
    from anon_transformers.attacks._tight_boxes import TightBoxes
    from anon_transformers.attacks._tuple_order import TupleOrder
    from anon_transformers.attacks._unique_combinations import UniqueCombinations
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "Attack",
    "AttackInput",
    "AttackReport",
    "AttackResult",
    "BackgroundKnowledge",
    "BaseAttack",
    "ComplementaryRelease",
    "Differencing",
    "DiversityLimits",
    "Downcoding",
    "GraphAttack",
    "GraphAttackInput",
    "GraphAttackResult",
    "Homogeneity",
    "Inference",
    "Linkability",
    "LinkageAttack",
    "Minimality",
    "ProbabilisticInference",
    "RecordIntruder",
    "RecordLinkage",
    "Similarity",
    "SinglingOut",
    "Skewness",
    "SmallClasses",
    "TightBoxes",
    "TupleOrder",
    "UniqueCombinations",
    "covers",
    "distance_vector",
    "is_generalization",
]

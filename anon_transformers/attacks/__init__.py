"""What an intruder can do with a release: one attack a file."""

from anon_transformers._lazy import lazy_names

__all__ = [
    "Attack",
    "AttackReport",
    "BackgroundKnowledge",
    "ComplementaryRelease",
    "DiversityLimits",
    "Homogeneity",
    "Linkage",
    "Material",
    "ProbabilisticInference",
    "RecordIntruder",
    "Similarity",
    "Skewness",
    "SmallClasses",
    "TupleOrder",
    "UniqueCombinations",
    "covers",
    "distance_vector",
    "is_generalization",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Attack": "anon_transformers.attacks._attack",
        "AttackReport": "anon_transformers.attacks._attack",
        "BackgroundKnowledge": "anon_transformers.attacks._background_knowledge",
        "ComplementaryRelease": "anon_transformers.attacks._complementary_release",
        "DiversityLimits": "anon_transformers.attacks._diversity_limits",
        "Homogeneity": "anon_transformers.attacks._homogeneity",
        "Linkage": "anon_transformers.attacks._linkage",
        "Material": "anon_transformers.attacks._material",
        "ProbabilisticInference": "anon_transformers.attacks._probabilistic_inference",
        "RecordIntruder": "anon_transformers.attacks._record_intruder",
        "Similarity": "anon_transformers.attacks._similarity",
        "Skewness": "anon_transformers.attacks._skewness",
        "SmallClasses": "anon_transformers.attacks._small_classes",
        "TupleOrder": "anon_transformers.attacks._tuple_order",
        "UniqueCombinations": "anon_transformers.attacks._unique_combinations",
        "covers": "anon_transformers.attacks._coverage",
        "distance_vector": "anon_transformers.attacks._generalized_table",
        "is_generalization": "anon_transformers.attacks._generalized_table",
    },
)

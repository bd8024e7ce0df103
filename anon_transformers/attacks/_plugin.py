"""Offers the built-in attacks."""

from anon_transformers.attacks import (
    BackgroundKnowledge,
    ComplementaryRelease,
    DiversityLimits,
    Homogeneity,
    Linkage,
    ProbabilisticInference,
    RecordIntruder,
    Similarity,
    Skewness,
    SmallClasses,
    TupleOrder,
    UniqueCombinations,
)
from anon_transformers.hookspecs import hookimpl


@hookimpl
def register_attacks(register):
    for attack in (
        BackgroundKnowledge,
        ComplementaryRelease,
        DiversityLimits,
        Homogeneity,
        Linkage,
        ProbabilisticInference,
        RecordIntruder,
        Similarity,
        Skewness,
        SmallClasses,
        TupleOrder,
        UniqueCombinations,
    ):
        register(attack.name, attack)

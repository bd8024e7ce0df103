"""Offers the built-in attacks."""

from anon_transformers.hookspecs import hookimpl

ATTACKS = {
    "background-knowledge": (
        "BackgroundKnowledge",
        "Find classes in which a little knowledge leaves one sensitive value.",
    ),
    "complementary-release": (
        "ComplementaryRelease",
        "Find records that a second release of the same persons puts in "
        "smaller classes.",
    ),
    "differencing": (
        "Differencing",
        "Find small groups that the class sizes of two releases leave over.",
    ),
    "diversity-limits": (
        "DiversityLimits",
        "Tell how much l-diversity the sensitive values allow; exposes nobody.",
    ),
    "downcoding": (
        "Downcoding",
        "Find the persons because of whom a value must have been generalized.",
    ),
    "homogeneity": (
        "Homogeneity",
        "Find classes in which only one sensitive value is known.",
    ),
    "inference": (
        "Inference",
        "Find the persons whose sensitive value is guessed better than a stranger's.",
    ),
    "linkability": (
        "Linkability",
        "Find the persons whose two parts the release brings together.",
    ),
    "linkage": (
        "LinkageAttack",
        "Find records that one person of an external table, and nobody else, can be.",
    ),
    "minimality": (
        "Minimality",
        "Find the persons whom the reason for generalizing gives away.",
    ),
    "probabilistic-inference": (
        "ProbabilisticInference",
        "Find values that an intruder can guess with confidence.",
    ),
    "record-intruder": (
        "RecordIntruder",
        "Find the persons whom an intruder with the original table links rightly.",
    ),
    "record-linkage": (
        "RecordLinkage",
        "Find records that a probabilistic linkage gives to one person of a register.",
    ),
    "similarity": (
        "Similarity",
        "Find classes whose different sensitive values lie close together.",
    ),
    "singling-out": (
        "SinglingOut",
        "Find published rows that describe exactly one person of the original.",
    ),
    "skewness": (
        "Skewness",
        "Find values that are much more frequent in a class than in the whole table.",
    ),
    "small-classes": (
        "SmallClasses",
        "Find classes that satisfy t-closeness but are smaller than ``k``.",
    ),
    "tight-boxes": (
        "TightBoxes",
        "Find the persons who alone can have the value at the end of a range.",
    ),
    "tuple-order": (
        "TupleOrder",
        "Find records that two releases in the same order make more exact than either.",
    ),
    "unique-combinations": (
        "UniqueCombinations",
        "Find records whose combination of quasi-identifiers nobody shares.",
    ),
}


@hookimpl
def register_attacks(register):
    for name, (cls, summary) in ATTACKS.items():
        register(name, f"anon_transformers.attacks:{cls}", summary=summary)

"""Offers the anonymizers that publish sets."""

from anon_transformers.hookspecs import hookimpl

ANONYMIZERS = {
    "k-means": (
        "KMeansRecoder",
        "Replace numbers and dates by the cluster they lie in.",
    ),
    "global-recode": (
        "GlobalRecoder",
        "Replace numbers and dates by intervals, one column at a time.",
    ),
    "fuzzy-c-means": (
        "FuzzyCMeansRecoder",
        "Replace numbers and dates by fuzzy sets about centers.",
    ),
    "gustafson-kessel": (
        "GustafsonKesselRecoder",
        "Replace numbers and dates by fuzzy sets of different shapes.",
    ),
    "fuzzy-partition": (
        "FuzzyPartitionRecoder",
        "Replace values by the names of fuzzy sets: Low, Medium, High.",
    ),
}


@hookimpl
def register_anonymizers(register):
    for name, (cls, summary) in ANONYMIZERS.items():
        register(name, f"anon_transformers.fuzzy:{cls}", summary=summary)

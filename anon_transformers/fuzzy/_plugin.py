"""Offers the anonymizers that publish sets."""

from anon_transformers.fuzzy import (
    FuzzyCMeansRecoder,
    FuzzyPartitionRecoder,
    GlobalRecoder,
    GustafsonKesselRecoder,
    KMeansRecoder,
)
from anon_transformers.hookspecs import hookimpl


@hookimpl
def register_anonymizers(register):
    register("k-means", KMeansRecoder)
    register("global-recode", GlobalRecoder)
    register("fuzzy-c-means", FuzzyCMeansRecoder)
    register("gustafson-kessel", GustafsonKesselRecoder)
    register("fuzzy-partition", FuzzyPartitionRecoder)

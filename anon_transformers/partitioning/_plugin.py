"""Offers the partitioning anonymizers."""

from anon_transformers.hookspecs import hookimpl

ANONYMIZERS = {
    "mondrian": (
        "MondrianAnonymizer",
        "Cut the table at medians into boxes of ``k`` rows or more.",
    ),
}


@hookimpl
def register_anonymizers(register):
    for name, (cls, summary) in ANONYMIZERS.items():
        register(name, f"anon_transformers.partitioning:{cls}", summary=summary)

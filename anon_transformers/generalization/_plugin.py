"""Offers the generalizing anonymizers."""

from anon_transformers.hookspecs import hookimpl

ANONYMIZERS = {
    "datafly": (
        "DataflyAnonymizer",
        "Generalize the column with most values until few rows violate; "
        "suppress those.",
    ),
    "full-domain": (
        "FullDomainAnonymizer",
        "Generalize every column to the level at which least is lost, "
        "and suppress rows.",
    ),
}


@hookimpl
def register_anonymizers(register):
    for name, (cls, summary) in ANONYMIZERS.items():
        register(name, f"anon_transformers.generalization:{cls}", summary=summary)

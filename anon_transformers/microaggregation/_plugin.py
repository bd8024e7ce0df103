"""Offers the microaggregating anonymizers."""

from anon_transformers.hookspecs import hookimpl

ANONYMIZERS = {
    "mdav": (
        "MDAVAnonymizer",
        "Gather near rows into groups of ``k`` or more, and publish their centers.",
    ),
    "group-swap": (
        "GroupSwapper",
        "Swap cells at random between the rows of groups of ``k`` or more.",
    ),
}


@hookimpl
def register_anonymizers(register):
    for name, (cls, summary) in ANONYMIZERS.items():
        register(name, f"anon_transformers.microaggregation:{cls}", summary=summary)

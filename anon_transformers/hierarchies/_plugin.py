"""Offers the hierarchy builders."""

from anon_transformers.hookspecs import hookimpl

HIERARCHY_BUILDERS = {
    "intervals": (
        "Intervals",
        "Generalize numbers to ranges; exactly one of the three ways is given.",
    ),
    "masking": ("Masking", "Hide one more character at each level."),
    "dates": (
        "DateParts",
        "Generalize dates to months, quarters, years, decades and centuries.",
    ),
    "by-data-type": ("ByDataType", "Generalize by what the values look like."),
}


@hookimpl
def register_hierarchy_builders(register):
    for name, (cls, summary) in HIERARCHY_BUILDERS.items():
        register(name, f"anon_transformers.hierarchies:{cls}", summary=summary)

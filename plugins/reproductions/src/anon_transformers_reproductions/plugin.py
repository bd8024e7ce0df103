"""What this distribution offers, by name; nothing else happens on import."""

from anon_transformers.hookspecs import hookimpl

EXPERIMENTS = {
    "fuzzy": (
        "FuzzyExperiment",
        "Six codings of 55 pairs of attributes, k, Q, l, t and risk (master's thesis).",
    ),
    "mondrian-datafly": (
        "MondrianDataflyExperiment",
        "Mondrian and Datafly on 26 synthetic tables and on Adult (thesis, 2017).",
    ),
    "probabilistic": (
        "ProbabilisticExperiment",
        "MDAV-ID, MDAV-SWAP and IR-SWAP on Census and EIA (conference paper).",
    ),
    "tabular-k-l-t": (
        "TabularExperiment",
        "Optimal full-domain k, (c,l) and t on Adult, and its whole grid "
        "(thesis, 2018).",
    ),
}


@hookimpl
def register_experiments(register):
    for name, (cls, summary) in EXPERIMENTS.items():
        register(name, f"anon_transformers_reproductions:{cls}", summary=summary)

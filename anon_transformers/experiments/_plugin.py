"""Offers the built-in experiments."""

from anon_transformers.hookspecs import hookimpl

EXPERIMENTS = {
    "fuzzy": (
        "anon_transformers.experiments._fuzzy:FuzzyExperiment",
        "Six codings of 55 pairs of attributes, k, Q, l, t and risk (master's thesis).",
    ),
    "mondrian-datafly": (
        "anon_transformers.experiments._mondrian_datafly:MondrianDataflyExperiment",
        "Mondrian and Datafly on 26 synthetic tables and on Adult (thesis, 2017).",
    ),
    "probabilistic": (
        "anon_transformers.experiments._probabilistic:ProbabilisticExperiment",
        "MDAV-ID, MDAV-SWAP and IR-SWAP on Census and EIA (conference paper).",
    ),
    "tabular-k-l-t": (
        "anon_transformers.experiments._tabular_k_l_t:TabularExperiment",
        "Optimal full-domain k, (c,l) and t on Adult, and its whole grid "
        "(thesis, 2018).",
    ),
}


@hookimpl
def register_experiments(register):
    for name, (target, summary) in EXPERIMENTS.items():
        register(name, target, summary=summary)

"""How one privacy model led to the next."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Milestone:
    """A model, or several of one paper.

    Attributes
    ----------
    year : int
        Of the source.
    title : str
        What the literature calls it.
    models : tuple of str
        Registered names; those of a plugin that is not installed have no page.
    promise : str
        What it says of a table or graph that keeps it.
    weakness : str
        What it leaves open, and so led to others.
    source : str
        Who published it, and where.
    """

    year: int
    title: str
    models: tuple[str, ...]
    promise: str
    weakness: str
    source: str


TIMELINE: Sequence[Milestone] = (
    Milestone(
        1998,
        "k-anonymity",
        ("k-anonymity",),
        "Every person shares the quasi-identifiers with at least k - 1 others, so that "
        "whoever links the table with a register has k candidates or more.",
        "The k candidates may all have the same illness: to find the class is then "
        "enough. This led to l-diversity.",
        "P. Samarati and L. Sweeney, SRI International, 1998",
    ),
    Milestone(
        2002,
        "k-map",
        ("k-map",),
        "Of a sample: at least k persons of the population, not of the table, stand "
        "behind every class. Less is lost.",
        "Who knows that somebody is in the sample gets past it. This led to "
        "δ-presence.",
        "L. Sweeney, IJUFKS 10(5), 2002",
    ),
    Milestone(
        2006,
        "l-diversity: distinct, entropy, recursive (c, l)",
        (
            "distinct-l-diversity",
            "entropy-l-diversity",
            "recursive-cl-diversity",
            "belief-bound",
        ),
        "Every class holds l well represented sensitive values: l different ones; "
        "values as mixed as l equally frequent ones; or a most frequent one that "
        "does not outweigh the others. One has to rule out l - 1 values to know the "
        "last.",
        "Values may differ in their words and not in their meaning (similarity), and a "
        "class may be far from the whole table (skewness). This led to t-closeness.",
        "A. Machanavajjhala, J. Gehrke, D. Kifer and M. Venkitasubramaniam, ICDE, 2006",
    ),
    Milestone(
        2006,
        "(α, k)-anonymity",
        ("alpha-k-anonymity",),
        "Classes of k in which no sensitive value takes more than a share of α: one "
        "number that is easy to explain.",
        "A share of α may be much for a value that is rare in the whole table.",
        "R. Wong, J. Li, A. Fu and K. Wang, KDD, 2006",
    ),
    Milestone(
        2007,
        "t-closeness",
        ("t-closeness",),
        "The sensitive values of every class are spread nearly as in the whole "
        "table: the earth mover's distance is at most t, which knows that some "
        "values are near each other.",
        "One number for a whole distribution lets a rare value become several times as "
        "likely. This led to β-likeness.",
        "N. Li, T. Li and S. Venkatasubramanian, ICDE, 2007",
    ),
    Milestone(
        2007,
        "δ-presence",
        ("delta-presence",),
        "Whether somebody of the population is in the table at all stays uncertain, "
        "between two bounds.",
        "It needs the population that intruders have, and says nothing of sensitive "
        "values.",
        "M. Nergiz, M. Atzori and C. Clifton, SIGMOD, 2007",
    ),
    Milestone(
        2008,
        "Graphs: k-degree, k-neighborhood, k-candidate anonymity",
        ("k-degree", "k-neighborhood", "k-candidate", "super-node-size"),
        "New names do not hide a person whose friends are known. k nodes share each "
        "number of friends; or each neighborhood; or each answer to what an intruder "
        "may ask; or only super-nodes of k are published.",
        "Each holds for one kind of knowledge, and who knows more of the graph gets "
        "past it. This led to k-automorphism.",
        "K. Liu and E. Terzi, SIGMOD, 2008; B. Zhou and J. Pei, ICDE, 2008; M. Hay et "
        "al., PVLDB, 2008",
    ),
    Milestone(
        2009,
        "k-automorphism",
        ("k-automorphism",),
        "Every node has k - 1 others that look the same in the whole structure, "
        "whatever is known of it.",
        "Many edges are added, and that two persons are friends may still be certain.",
        "L. Zou, L. Chen and M. T. Özsu, PVLDB 2(1), 2009",
    ),
    Milestone(
        2012,
        "β-likeness",
        ("beta-likeness",),
        "No sensitive value is much more frequent in a class than in the whole "
        "table, a rare one as little as a frequent one.",
        "That a value is absent from a class is not bounded.",
        "J. Cao and P. Karras, PVLDB 5(11), 2012",
    ),
    Milestone(
        2012,
        "Probabilistic k-anonymity",
        ("probabilistic-k-anonymity", "likelihood-k-anonymity"),
        "Values stay exact, and are swapped among k persons: a cell is traced to the "
        "right one with a probability of at most 1/k.",
        "It holds for records and not for values, and for intruders who do not predict "
        "one column from another.",
        "J. Soria-Comas and J. Domingo-Ferrer, FUZZ-IEEE, 2012",
    ),
    Milestone(
        2013,
        "Fuzzy sets: Q-anonymity, fuzzy l and t",
        ("q-anonymity", "fuzzy-l-diversity", "fuzzy-t-closeness"),
        "Rows belong to several sets by degrees, such as Young and Old; k, l and t are "
        "asked of these degrees.",
        "What is published are names, which make classes of their own: a release "
        "judges these, too.",
        "Master's thesis, Universidad de Oviedo, 2013",
    ),
)
"""In the order of their years."""

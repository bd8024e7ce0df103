"""
How far do random changes protect?
==================================

Edges are dropped, added or switched at random. An intruder knows how many friends
everybody has, or how many friends those have, too, and picks one of the nodes that fit.
How many people are found?
"""

import matplotlib.pyplot as plt
import networkx as nx

from anon_transformers_graphs import (
    RandomAddDelete,
    RandomPerturbation,
    RandomSwitch,
    refinement_attack,
    sweep,
    sweep_means,
)

club = nx.karate_club_graph()
edges = nx.to_pandas_edgelist(club)[["source", "target"]]

# %%
# A measure of ``sweep`` is a metric, or any function of the evidence.


def knows_degrees(evidence):
    """Share of the nodes that are guessed rightly, in percent."""
    found = refinement_attack(evidence.published, evidence.original, 1)
    return 100 * found.expected_share


def knows_degrees_of_friends(evidence):
    """The same for an intruder who knows the degrees of all friends, too."""
    found = refinement_attack(evidence.published, evidence.original, 2)
    return 100 * found.expected_share


intruders = {
    "knows degrees": knows_degrees,
    "knows degrees of friends, too": knows_degrees_of_friends,
}
methods = {
    "random perturbation": RandomPerturbation(),
    "random add and delete": RandomAddDelete(),
    "random switch": RandomSwitch(),
}
shares = (0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
means = {
    name: sweep_means(
        sweep(edges, method, "p", shares, n_runs=5, measures=intruders), "p"
    )
    for name, method in methods.items()
}

# %%
# Switches keep every degree, so they protect nobody from those who know degrees,
# however many edges change. An intruder who reckons with changed edges finds more than
# is drawn here.

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharey=True)
for axis, intruder in zip(axes, intruders, strict=True):
    for name, found in means.items():
        axis.plot(100 * found["p"], found[intruder], "o-", label=name)
    axis.set(title=intruder, xlabel="edges that change, in %")
axes[0].set(ylabel="nodes found, in %", ylim=(0, None))
axes[1].legend()
plt.show()

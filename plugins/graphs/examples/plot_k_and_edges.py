"""
What does k cost in edges?
==========================

A karate club is made k-degree anonymous for growing ``k``: at least ``k`` members have
each number of friends. How many of the friendships have to change?
"""

import matplotlib.pyplot as plt
import networkx as nx

from anon_transformers_graphs import (
    KDegreeAnonymizer,
    ModifiedEdges,
    RandomPerturbation,
    sweep,
    sweep_means,
)

club = nx.karate_club_graph()
edges = nx.to_pandas_edgelist(club)[["source", "target"]]

# %%
# Two ways to choose the degrees, and random changes that are drawn again until ``k`` is
# reached by chance. ``sweep`` runs each method several times for every ``k``.

methods = {
    "k-degree, exact": KDegreeAnonymizer(sequence="exact"),
    "k-degree, Liu and Terzi": KDegreeAnonymizer(),
    "random, p = 0.25": RandomPerturbation(p=0.25, max_tries=200),
}
measure = ModifiedEdges()
means = {
    name: sweep_means(
        sweep(edges, method, "k", range(2, 11), n_runs=3, measures=[measure]), "k"
    )
    for name, method in methods.items()
}

# %%
# The two ways cost about the same. Random changes cost far more, and for larger ``k``
# nothing is found at all.

figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
for name, found in means.items():
    axes.plot(found["k"], 100 * found[measure.name], "o-", label=name)
axes.set(xlabel="k: members who share each number of friends", ylim=(0, None))
axes.set(ylabel="edges that are gone, in %", title="What k costs in the karate club")
axes.legend()
plt.show()

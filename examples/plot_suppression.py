"""
What does suppression buy?
==========================

A few people with rare combinations force a whole column up a level. If they may be
suppressed, everybody else is published more exactly. How many rows should one give up?
"""

import matplotlib.pyplot as plt

from anon_transformers import FullDomainAnonymizer
from anon_transformers.datasets import load_adult, load_adult_hierarchies

people = load_adult()
columns = ["age", "education", "marital-status", "race", "sex"]
trees = {name: load_adult_hierarchies()[name] for name in columns}

# %%
# The search finds the levels of least loss for each limit. A suppressed row counts as
# a loss of 1 in this number, so that rows are given up only where that pays.

limits = [0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15]
losses, suppressed = [], []
for limit in limits:
    best = FullDomainAnonymizer(
        columns, k=5, hierarchies=trees, suppression_limit=limit, suppression="drop"
    ).fit(people)
    losses.append(100 * best.report_.loss)
    suppressed.append(100 * best.n_suppressed_ / len(people))
    print(f"{limit:.1%} allowed, {suppressed[-1]:.1f} % used:", best.levels_)

# %%
# Most is gained by the first percents. Beyond some point a larger limit changes
# nothing: the search leaves it unused, because suppressing more would cost more than it
# saves.

figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
percent = [100 * limit for limit in limits]
axes.plot(percent, losses, "o-", label="loss")
axes.plot(percent, suppressed, "s--", label="rows suppressed")
axes.set(xlabel="rows that may be suppressed, in %", ylabel="%", ylim=(0, None))
axes.set_title("Full-domain generalization of Adult at k = 5")
axes.legend()
plt.show()

"""
What does k cost on Adult?
==========================

A larger ``k`` hides each person among more people, and publishes less of everybody. How
much less depends on the method: Mondrian cuts each part of the table by itself, while
full-domain generalization publishes one level per column. Here is the loss of both on
the Adult census, for every ``k`` up to 100.
"""

import matplotlib.pyplot as plt

from anon_transformers import FullDomainAnonymizer, MondrianAnonymizer
from anon_transformers.datasets import load_adult, load_adult_hierarchies

people = load_adult()
columns = ["age", "education", "marital-status", "race", "sex"]
trees = load_adult_hierarchies()

# %%
# One pass over the lattice of all levels gives the best full-domain table for every
# ``k``: :meth:`~anon_transformers.generalization.FullDomainAnonymizer.frontier`. Up to
# 5 % of the rows may be suppressed; a suppressed row counts as a loss of 1.

full_domain = FullDomainAnonymizer(
    columns, hierarchies={name: trees[name] for name in columns}, suppression_limit=0.05
)
frontier = full_domain.frontier(people, max_k=100)
print(frontier.table[["k_from", "k_to", "loss", "suppressed_rows"]].to_string())

# %%
# Mondrian is run once for each ``k``.

ks = [2, 5, 10, 20, 35, 50, 75, 100]
losses = []
for k in ks:
    mondrian = MondrianAnonymizer(columns, k=k).fit(people)
    losses.append(mondrian.report_.loss)

# %%
# The step curve shows that one level per column is coarse: the loss stays the same over
# a range of ``k`` and then jumps, because a whole column goes up one level. Mondrian
# grows slowly, because only small neighborhoods are merged.

figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
axes.step(
    frontier.table["k_to"],
    100 * frontier.table["loss"],
    where="pre",
    label="full-domain, the best levels",
)
axes.plot(ks, [100 * loss for loss in losses], "o-", label="Mondrian")
axes.set(xlabel="k", ylabel="loss, in %", ylim=(0, None))
axes.set_title("What k costs on Adult")
axes.legend()
plt.show()

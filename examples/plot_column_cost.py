"""
Which column costs most?
========================

Every quasi-identifier that is published makes the others less exact: with more columns
there are more different people to hide. Here each column of Adult is left out in turn.
How much do the other columns gain?
"""

import matplotlib.pyplot as plt

from anon_transformers import MondrianAnonymizer
from anon_transformers.datasets import load_adult
from anon_transformers.metrics import attribute_losses

people = load_adult()
columns = [
    "age",
    "sex",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
]


def mean_loss(published_columns, measured):
    """Mean loss of some columns in a table that is published with others."""
    mondrian = MondrianAnonymizer(published_columns, k=10)
    published = mondrian.fit_transform(people[published_columns])
    losses = attribute_losses(people, published, quasi_identifiers=measured)
    return sum(losses.values()) / len(losses)


# %%
# For each column: the mean loss of all others, in a table with it and in one without.

gains = {}
for left_out in columns:
    others = [name for name in columns if name != left_out]
    gains[left_out] = (mean_loss(columns, others), mean_loss(others, others))
    print(f"{left_out:15} {gains[left_out][0]:.3f} {gains[left_out][1]:.3f}")

# %%
# The line ends where the others would be without the column. A column with many values
# that are spread evenly costs most. Drop it, or declare it an identifier, if readers do
# not need it: no method gives back as much.

order = sorted(gains, key=lambda name: gains[name][0] - gains[name][1])
figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
for place, name in enumerate(order):
    with_it, without = gains[name]
    axes.plot([100 * with_it, 100 * without], [place, place], color="lightgrey", lw=4)
    axes.plot(100 * with_it, place, "o", color="tab:blue")
    axes.plot(100 * without, place, "o", color="tab:orange")
axes.plot([], [], "o", color="tab:blue", label="with the column")
axes.plot([], [], "o", color="tab:orange", label="without it")
axes.set_yticks(range(len(order)), order)
axes.set(
    xlabel="mean loss of the other columns, in %",
    xlim=(0, None),
    title="What a column costs the others at k = 10",
)
axes.legend(loc="lower left")
plt.show()

"""
How much does a level hide?
===========================

A hierarchy says how a value is made less exact, level by level. Datafly and full-domain
generalization publish one level per column. Before choosing a hierarchy it helps to see
what each level leaves: how many different labels, and how many people share the rarest.
"""

import matplotlib.pyplot as plt

from anon_transformers.datasets import load_adult, load_adult_hierarchies
from anon_transformers.hierarchies import HierarchyBuilder, Intervals

people = load_adult()
trees = load_adult_hierarchies()
columns = {
    "age": Intervals(widths=(5, 10, 20, 40)),
    "education": trees["education"],
    "marital-status": trees["marital-status"],
    "native-country": trees["native-country"],
}

# %%
# A row of a hierarchy holds a value and its generalizations, up to the root. A builder
# such as ``Intervals`` makes the rows from the values of the column.

shown = {}
for name, given in columns.items():
    values = sorted(map(str, people[name].unique()))
    hierarchy = given.build(values) if isinstance(given, HierarchyBuilder) else given
    shown[name] = []
    for level in range(hierarchy.n_levels):
        labels = {row[0]: row[level] for row in hierarchy.rows}
        counts = people[name].astype(str).map(labels).value_counts()
        shown[name].append((len(counts), counts.min()))
        print(f"{name:15} {level}: {len(counts):3} labels, such as {counts.index[0]}")

# %%
# A ``k`` can be reached without suppression only where the rarest label of every column
# has at least ``k`` rows. One country with one person decides about all countries on
# the lowest level; one level higher, the rarest region has about seventy. Where a line
# on the right is flat, a level makes the rarest label no safer.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for name, levels in shown.items():
    labels, rarest = zip(*levels, strict=True)
    left.plot(range(len(levels)), labels, "o-", label=name)
    right.plot(range(len(levels)), rarest, "o-", label=name)
left.set(xlabel="level", ylabel="different labels", yscale="log")
right.set(xlabel="level", ylabel="rows of the rarest label", yscale="log")
left.legend()
figure.suptitle("Hierarchies of Adult, level by level")
plt.show()

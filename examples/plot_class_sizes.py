"""
How large are the classes?
==========================

``k`` is only the smallest class. Methods differ in how far the others are above it, and
every row above ``k`` is exactness that was given away, or protection that was not asked
for. How are the rows of Adult shared out at k = 10?
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from anon_transformers import Classes, FullDomainAnonymizer, MondrianAnonymizer
from anon_transformers.datasets import load_adult, load_adult_hierarchies
from anon_transformers.exceptions import DuplicatesWarning

columns = ["age", "education", "marital-status", "race", "sex"]
people = load_adult()[columns]
trees = {name: load_adult_hierarchies()[name] for name in columns}

# %%
# Relaxed Mondrian warns that it may publish equal rows differently. That is what it is
# for, so the warning is accepted here.

warnings.simplefilter("ignore", DuplicatesWarning)
methods = {
    "Mondrian, strict": MondrianAnonymizer(k=10),
    "Mondrian, relaxed": MondrianAnonymizer(k=10, mode="relaxed", random_state=0),
    "full-domain": FullDomainAnonymizer(
        k=10, hierarchies=trees, suppression_limit=0.05, suppression="drop"
    ),
}
sizes = {
    name: Classes.from_frame(method.fit_transform(people), columns).sizes
    for name, method in methods.items()
}

# %%
# Each line shows the share of rows whose class has at most so many members. Strict
# Mondrian keeps equal rows together, so that frequent combinations are large classes,
# which lose nothing. Relaxed Mondrian shares equal rows out: most classes have 14 or 15
# rows, and the larger ones are boxes that publish the same. Full-domain generalization
# puts most people into classes of hundreds.

figure, axes = plt.subplots(figsize=(7.5, 4.8), layout="constrained")
for name, unsorted in sizes.items():
    size = np.sort(unsorted)
    label = f"{name}: {len(size):,} classes, {size.min()} to {size.max():,} rows"
    axes.step(size, 100 * np.cumsum(size) / size.sum(), where="post", label=label)
axes.axvline(10, color="grey", ls=":")
axes.set_xscale("log")
axes.set(xlabel="size of the class", ylabel="rows in classes up to this size, in %")
axes.set_title("Classes of Adult at k = 10")
figure.legend(loc="outside lower center")
plt.show()

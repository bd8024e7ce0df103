"""
Fuzzy or crisp?
===============

An interval has a border: whoever knows that somebody is 34 knows the class, and whoever
reads "below 35" knows a bound. A fuzzy set has no border that a reader could look up.
What do readers of both see, and how sure can they be?
"""

import matplotlib.pyplot as plt

from anon_transformers.datasets import load_adult
from anon_transformers.evidence import Memberships
from anon_transformers.fuzzy import FuzzyCMeansRecoder, GlobalRecoder
from anon_transformers.privacy import QAnonymity

people = load_adult()[["age"]]

# %%
# Both recoders publish four names in place of 72 ages.

crisp = GlobalRecoder(["age"], n_sets=4, k=100)
fuzzy = FuzzyCMeansRecoder(
    ["age"], n_sets=4, k=100, keep_memberships=True, random_state=0
)
intervals = crisp.fit_transform(people)["age"]
names = fuzzy.fit_transform(people)["age"]
print(intervals.value_counts().to_string(), "\n")
print(names.value_counts().to_string())

# %%
# The degrees in which each person belongs to each set are private, because they give
# the ages back. Here they show what the name of a set leaves open: between two sets a
# person belongs to both. Q-anonymity is judged on these degrees.

evidence = Memberships.from_frame(fuzzy.degrees_, people)
print("every set holds q rows, q =", QAnonymity(q=1).level(evidence))

# %%
# Published are the names only. Above, a name ends at a number that everybody reads off
# the label; below, it fades out, and the label says nothing about where.

one_of_each = people["age"].drop_duplicates().sort_values()
ages, rows = one_of_each.to_numpy(), one_of_each.index
figure, (above, below) = plt.subplots(
    2, 1, figsize=(7.5, 5), layout="constrained", sharex=True
)
for label in intervals[rows].unique():
    belongs = (intervals[rows] == label).astype(float)
    above.fill_between(ages, belongs, step="mid", alpha=0.4, label=label)
for at, name in enumerate(fuzzy.class_names_):
    below.plot(ages, fuzzy.degrees_[rows, at], label=name)
above.set(title="intervals", ylabel="belongs")
below.set(title="fuzzy sets", ylabel="degree", xlabel="age")
for axis in (above, below):
    axis.legend(loc="upper right", fontsize=8)
plt.show()

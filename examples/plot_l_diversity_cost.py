"""
What does l-diversity cost on top of k?
=======================================

With ``k`` alone, all people of a class may share their secret. A model of the sensitive
column asks for more, and classes must be merged until they keep it. How much loss does
each model add to k = 5?
"""

import matplotlib.pyplot as plt

from anon_transformers import MondrianAnonymizer
from anon_transformers.datasets import load_adult
from anon_transformers.privacy import (
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveCLDiversity,
    TCloseness,
)

columns = ["age", "sex", "race", "education"]
people = load_adult()[[*columns, "occupation"]]


def loss(*models):
    """Loss of the table that keeps k = 5 and these models."""
    anonymizer = MondrianAnonymizer(
        columns, k=5, models=models, sensitive=["occupation"]
    )
    return 100 * anonymizer.fit(people).report_.loss


# %%
# The three kinds of l-diversity count differently. *Distinct* counts values,
# *recursive* bounds the most frequent one, *entropy* asks that values are mixed evenly.

plain = loss()
numbers = [2, 3, 4, 5, 6, 7, 8]
curves = {
    "distinct": [loss(DistinctLDiversity(n)) for n in numbers],
    "recursive, c = 4": [loss(RecursiveCLDiversity(c=4, l=n)) for n in numbers],
    "entropy": [loss(EntropyLDiversity(n)) for n in numbers],
}
ts = [0.2, 0.25, 0.3, 0.4, 0.5, 0.6]
closeness = [loss(TCloseness(t)) for t in ts]

# %%
# A small distinct ``l`` is nearly free here, because a class of five people has several
# occupations anyway. t-closeness compares each class with the whole table and costs
# most: a class of five cannot be spread like fourteen occupations.

figure, (left, right) = plt.subplots(
    1, 2, figsize=(9, 4), layout="constrained", sharey=True
)
for name, losses in curves.items():
    left.plot(numbers, losses, "o-", label=name)
right.plot(ts, closeness, "o-", color="tab:red", label="t-closeness")
for axis in (left, right):
    axis.axhline(plain, color="grey", ls="--", label="k = 5 alone")
    axis.legend()
left.set(xlabel="l", ylabel="loss, in %", title="l-diversity", ylim=(0, None))
right.set(xlabel="t (smaller asks for more)", title="t-closeness")
right.invert_xaxis()
plt.show()

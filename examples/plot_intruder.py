"""
What does an intruder still learn?
==================================

k-anonymity keeps an intruder from singling a person out. It says nothing about what the
``k`` people of a class have in common. Here the same attacks run on the raw Adult
table, on a k-anonymous one, and on one that is l-diverse as well.
"""

import matplotlib.pyplot as plt
import numpy as np

from anon_transformers import MondrianAnonymizer
from anon_transformers.attacks import (
    BackgroundKnowledge,
    Homogeneity,
    ProbabilisticInference,
    UniqueCombinations,
)
from anon_transformers.datasets import load_adult
from anon_transformers.privacy import DistinctLDiversity, EntropyLDiversity

columns = ["age", "sex", "race", "education"]
people = load_adult()[[*columns, "occupation"]]


def publish(**promise):
    """The table that keeps a promise, by Mondrian."""
    anonymizer = MondrianAnonymizer(columns, sensitive=["occupation"], **promise)
    return anonymizer.fit_transform(people)


tables = {
    "raw": people,
    "k = 5": publish(k=5),
    "k = 5, distinct l = 3": publish(k=5, models=[DistinctLDiversity(3)]),
    "k = 5, entropy l = 5": publish(k=5, models=[EntropyLDiversity(5)]),
}

# %%
# Each attack counts the records that it exposes and never shows them, unless it is
# asked with ``show_values=True``.

attacks = {
    "is the only one\nin a class": UniqueCombinations(),
    "class has\none occupation": Homogeneity(),
    "one occupation left\nafter ruling out one": BackgroundKnowledge(),
    "guessed with\nconfidence": ProbabilisticInference(),
}
shares = {
    name: [
        attack.run(table, quasi_identifiers=columns, sensitive=["occupation"]).share
        for attack in attacks.values()
    ]
    for name, table in tables.items()
}

# %%
# The first attack fails once the table is k-anonymous. The others need a promise about
# the sensitive column.

figure, axes = plt.subplots(figsize=(8.5, 4.2), layout="constrained")
places = np.arange(len(attacks))
for at, (name, share) in enumerate(shares.items()):
    bars = axes.bar(places + 0.2 * at - 0.3, 100 * np.array(share), 0.2, label=name)
    axes.bar_label(bars, fmt="%.1f", fontsize=7)
axes.set_xticks(places, list(attacks))
axes.set(ylabel="records exposed, in %", title="What attacks find in Adult")
axes.legend()
plt.show()

"""
What does Mondrian cut?
=======================

Mondrian cuts the table at medians, along the widest column, as long as both sides keep
the promise. What is published in place of a person is the box. Here are the boxes of
600 people in two columns.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.patches import Rectangle

from anon_transformers import MondrianAnonymizer
from anon_transformers.metrics import parse_interval

rng = np.random.default_rng(0)
age = np.clip(rng.normal(42, 14, 600), 18, 90).round()
income = (800 * age + rng.gamma(2, 9000, 600)).round(-2) / 1000
people = pd.DataFrame({"age": age, "income": income})

# %%
# A label such as ``[31.0, 38.0]`` is one side of a box.
# :func:`~anon_transformers.metrics.parse_interval` reads it.


def box(age, income):
    """The rectangle of two labels."""
    x, y = parse_interval(age), parse_interval(income)
    return Rectangle((x.low, y.low), x.high - x.low, y.high - y.low)


def draw(axes, k):
    """People, and the boxes that are published in place of them."""
    mondrian = MondrianAnonymizer(k=k)
    boxes = mondrian.fit_transform(people).drop_duplicates()
    axes.scatter(people["age"], people["income"], s=5, color="tab:blue")
    for labels in boxes.itertuples(index=False):
        shape = box(*labels)
        shape.set(facecolor=("tab:orange", 0.25), edgecolor="tab:red", lw=0.8)
        axes.add_patch(shape)
    axes.set(xlabel="age", title=f"k = {k}: {len(boxes)} boxes")


# %%
# Boxes are small where people are many and large where they are few. Tight boxes end at
# the smallest and the largest value of their members, which shows an extreme that a
# person has; ``boxes="cuts"`` publishes the cuts instead, as every release does.

figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained", sharey=True)
draw(axes[0], k=5)
draw(axes[1], k=40)
axes[0].set_ylabel("income, in thousands")
plt.show()

"""
Do classes follow the people?
=============================

Crisp classes of two columns, side by side: intervals of each column with about equally
many people, crossed; and k-means on both columns together. Which people share a class?
"""

import matplotlib.pyplot as plt
import numpy as np
from _impacts import make_impacts

from anon_transformers.fuzzy import GlobalRecoder, KMeansRecoder

table = make_impacts()

# %%
# The table holds made-up impacts: acceleration is flat at first, dips, and rebounds.

recoders = {
    "global recoding": GlobalRecoder(n_sets=4, k=1),
    "k-means": KMeansRecoder(n_sets=4, coding="joint", k=1, random_state=0),
}

# %%
# Crossed intervals make a grid that does not see how the columns hang together: some
# cells hold a single row, and no ``k`` above 1 holds. The clusters follow the rows.

figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained", sharey=True)
for axis, (name, recoder) in zip(axes, recoders.items(), strict=True):
    published = recoder.fit_transform(table)
    classes = published.groupby(list(published), sort=False).ngroup().to_numpy()
    sizes = np.bincount(classes)
    for number in range(len(sizes)):
        of_class = table[classes == number]
        marker = "osD^vPX*<>"[number % 10]
        axis.scatter(of_class["time"], of_class["acceleration"], s=18, marker=marker)
    axis.set(title=f"{name}: {len(sizes)} classes, k = {sizes.min()}", xlabel="time")
axes[0].set_ylabel("acceleration")
plt.show()

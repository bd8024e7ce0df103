"""
How far does a person belong to each fuzzy set?
===============================================

Degrees of fuzzy c-means and of Gustafson-Kessel in two columns: lines of equal degree
in each set, the centers, and the largest degree everywhere. Where that is low, nobody
can say which set a person belongs to.
"""

import matplotlib.pyplot as plt
import numpy as np
from _impacts import make_impacts

from anon_transformers.fuzzy import FuzzyCMeansRecoder, GustafsonKesselRecoder

table = make_impacts()
low, high = table.min().to_numpy(), table.max().to_numpy()

# %%
# Degrees at any point follow from the centers, by the formula for a fuzziness of 2.
# Gustafson-Kessel has a norm per set besides, which stretches it along the rows.


def degrees_at(recoder, points):
    """Degrees of points in the unit square, as the recoder sees the table."""
    centers = np.stack([recoder.centers_[name] for name in table], axis=1)
    away = points[..., None, :] - (centers - low) / (high - low)
    norms = getattr(recoder, "norms_", [np.eye(2)[None]])[0]
    squares = (away[..., None, :] @ norms @ away[..., None])[..., 0, 0]
    closeness = 1 / np.maximum(squares, 1e-10)
    return closeness / closeness.sum(axis=-1, keepdims=True)


side = np.linspace(0, 1, 120)
square = np.stack(np.meshgrid(side, side), axis=-1)
grid = low + square * (high - low)

# %%
# ``keep_memberships=True`` keeps the centers. They would give the values back, and no
# release publishes them.

methods = {
    "fuzzy c-means": FuzzyCMeansRecoder,
    "Gustafson-Kessel": GustafsonKesselRecoder,
}
fitted = {
    name: method(
        n_sets=4, coding="joint", k=1, keep_memberships=True, random_state=0
    ).fit(table)
    for name, method in methods.items()
}

# %%
# Sets of fuzzy c-means are round; those of Gustafson-Kessel stretch along the rows.

figure, axes = plt.subplots(1, 2, figsize=(9, 4.4), layout="constrained", sharey=True)
for axis, (name, recoder) in zip(axes, fitted.items(), strict=True):
    degrees = degrees_at(recoder, square)
    shade = axis.pcolormesh(
        *grid.transpose(2, 0, 1), degrees.max(axis=-1), cmap="Blues", vmin=0.25, vmax=1
    )
    for number in range(4):
        axis.contour(
            *grid.transpose(2, 0, 1),
            degrees[..., number],
            [0.5, 0.7, 0.9],
            colors=f"C{number + 1}",
            linewidths=1,
        )
    axis.scatter(table["time"], table["acceleration"], s=6, color="black")
    axis.plot(*recoder.centers_.values(), "r+", markersize=12, mew=2)
    axis.set(title=name, xlabel="time")
axes[0].set_ylabel("acceleration")
figure.colorbar(shade, ax=axes, label="largest degree")
plt.show()

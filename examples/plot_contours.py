"""See how far a person belongs to each fuzzy set.

Degrees of fuzzy c-means and of Gustafson-Kessel in two dimensions: lines of equal
degree in each set, with the centers, and the largest degree as a surface. Where it is
low nobody can say which set a person belongs to. Sets of fuzzy c-means are round;
those of Gustafson-Kessel stretch along the people. Degrees, centers and norms would
give the values back, so that a release never holds them.
"""

import numpy as np
from _common import COLORS, make_impacts, options, read
from matplotlib.figure import Figure

from anon_transformers.fuzzy import FuzzyCMeansRecoder, GustafsonKesselRecoder

FINE = 120
LEVELS = (0.5, 0.7, 0.9)
METHODS = {
    "fuzzy c-means": FuzzyCMeansRecoder,
    "Gustafson-Kessel": GustafsonKesselRecoder,
}


def degrees_at(table, recoder):
    """Degrees on a grid over the table, by the formula for a fuzziness of 2."""
    low, high = table.min().to_numpy(), table.max().to_numpy()
    side = np.linspace(0, 1, FINE)
    grid = np.stack(np.meshgrid(side, side), axis=-1)  # scaled, as the recoder sees it
    centers = np.stack([recoder.centers_[name] for name in table], axis=1)
    away = grid[..., None, :] - (centers - low) / (high - low)
    norms = getattr(recoder, "norms_", [np.eye(2)[None]])[0]
    squares = (away[..., None, :] @ norms @ away[..., None])[..., 0, 0]
    closeness = 1 / np.maximum(squares, 1e-10)
    return low + grid * (high - low), closeness / closeness.sum(axis=-1, keepdims=True)


def draw_contours(axis, table, recoder, title):
    """Lines of equal degree, one color a set."""
    (x, y), (grid, degrees) = table, degrees_at(table, recoder)
    for number in range(degrees.shape[-1]):
        color = COLORS[number % len(COLORS)]
        lines = axis.contour(
            grid[..., 0], grid[..., 1], degrees[..., number], LEVELS, colors=color
        )
        axis.clabel(lines, fontsize=7)
    axis.scatter(table[x], table[y], s=6, color="grey")
    axis.plot(recoder.centers_[x], recoder.centers_[y], "k+", markersize=12, mew=2)
    axis.set(title=title, xlabel=x, ylabel=y)


def draw_surface(axis, table, recoder):
    """The largest degree everywhere."""
    (x, y), (grid, degrees) = table, degrees_at(table, recoder)
    axis.plot_surface(grid[..., 0], grid[..., 1], degrees.max(axis=-1), cmap="viridis")
    axis.set(xlabel=x, ylabel=y, zlabel="largest degree", zlim=(0, 1))


def main():
    """Write the picture."""
    given = options(__doc__.splitlines()[0], columns=2).parse_args()
    table = read(given, make_impacts())
    figure = Figure(figsize=(11, 9), layout="constrained")
    for row, (title, method) in enumerate(METHODS.items()):
        recoder = method(
            list(table),
            n_sets=given.sets,
            coding="joint",
            k=1,
            keep_memberships=True,
            random_state=0,
        ).fit(table)
        flat = figure.add_subplot(2, 2, 2 * row + 1)
        draw_contours(flat, table, recoder, title)
        raised = figure.add_subplot(2, 2, 2 * row + 2, projection="3d")
        draw_surface(raised, table, recoder)
    figure.savefig(given.out, dpi=110)


if __name__ == "__main__":
    main()

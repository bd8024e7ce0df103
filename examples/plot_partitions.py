"""See which people share a crisp class.

Crisp classes of two attributes, side by side: intervals of each attribute with about
equally many people, crossed, and k-means on both together. The first make a grid that
does not see how the attributes hang together; the second follow the people.
"""

import numpy as np
from _common import COLORS, make_impacts, options, read
from matplotlib.figure import Figure

from anon_transformers.fuzzy import GlobalRecoder, KMeansRecoder


def classes(published):
    """Number of each row's class, and how many there are."""
    return published.groupby(list(published), sort=False).ngroup().to_numpy()


def draw(axis, table, labels, title):
    """One color and marker a class."""
    x, y = table
    for number in range(labels.max() + 1):
        chosen = labels == number
        axis.scatter(
            table[x][chosen],
            table[y][chosen],
            s=18,
            color=COLORS[number % len(COLORS)],
            marker="osD^vPX*<>"[number % 10],
        )
    smallest = np.bincount(labels).min()
    axis.set(title=f"{title}: {labels.max() + 1} classes, k = {smallest}")
    axis.set(xlabel=x, ylabel=y)


def main():
    """Write the picture."""
    given = options(__doc__.splitlines()[0], columns=2).parse_args()
    table = read(given, make_impacts())
    known = list(table)
    recoders = {
        "global recode": GlobalRecoder(known, n_sets=given.sets, k=1),
        "k-means": KMeansRecoder(
            known, n_sets=given.sets, coding="joint", k=1, random_state=0
        ),
    }
    figure = Figure(figsize=(11, 4.5), layout="constrained")
    axes = figure.subplots(1, 2)
    for axis, (title, recoder) in zip(axes, recoders.items(), strict=True):
        draw(axis, table, classes(recoder.fit_transform(table)), title)
    figure.savefig(given.out, dpi=110)


if __name__ == "__main__":
    main()

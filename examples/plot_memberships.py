"""See what Low, Medium and High mean.

A partition made by hand: a shoulder, triangles and another shoulder, each at its full
height over one number. A person between two of them belongs to both. Below stands how
many people there are, and how many of them a release would show under each name.
"""

import numpy as np
from _common import COLORS, options, read
from matplotlib.figure import Figure

from anon_transformers.datasets import load_adult
from anon_transformers.fuzzy import FuzzyPartition, FuzzyPartitionRecoder


def main():
    """Write the picture."""
    parser = options(__doc__.splitlines()[0], columns=1)
    parser.set_defaults(sets=3)
    parser.add_argument("--peaks", nargs="+", type=float, help="where sets are full")
    given = parser.parse_args()
    column = read(given, load_adult()).iloc[:, 0]
    peaks = given.peaks or np.quantile(column, np.linspace(0.1, 0.9, given.sets))
    partition = FuzzyPartition.from_peaks(peaks)
    recoder = FuzzyPartitionRecoder(
        [column.name], partitions={column.name: partition}, k=1
    )
    shown = recoder.fit_transform(column.to_frame())[column.name].value_counts()

    figure = Figure(figsize=(8, 6), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    numbers = np.linspace(column.min(), column.max(), 500)
    for at, (name, degrees) in enumerate(
        zip(partition.names, partition.degrees(numbers).T, strict=True)
    ):
        label = f"{name}: {shown.get(name, 0):,} people"
        above.plot(numbers, degrees, color=COLORS[at % len(COLORS)], label=label)
    above.set(ylabel="degree")
    above.legend(loc="center right")
    # Bars of a whole width, or whole numbers would fall into them unevenly.
    width = max(1, round(np.ptp(column) / 50))
    bars = np.arange(column.min(), column.max() + 2 * width, width)
    below.hist(column, bins=bars, color="lightgrey")
    below.set(xlabel=str(column.name), ylabel="people")
    figure.savefig(given.out, dpi=110)


if __name__ == "__main__":
    main()

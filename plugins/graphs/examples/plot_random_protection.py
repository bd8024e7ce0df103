"""See how far random changes protect.

The intruder knows how many friends everybody has, or how many those have, too, and
picks one of the nodes that fit. Switches keep every degree, so they protect nobody from
those who know degrees, however many edges change. An intruder who reckons with changed
edges finds more than is drawn here.
"""

from _common import options, read
from matplotlib.figure import Figure

from anon_transformers_graphs import (
    RandomAddDelete,
    RandomPerturbation,
    RandomSwitch,
    refinement_attack,
    sweep,
    sweep_means,
)

METHODS = {
    "random perturbation": RandomPerturbation(),
    "random add and delete": RandomAddDelete(),
    "random switch": RandomSwitch(),
}
DEPTHS = {1: "who knows degrees", 2: "who knows degrees of friends, too"}
SHARES = (0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


def guessed(depth):
    """What share of the nodes the intruder guesses rightly, in percent."""

    def measure(evidence):
        found = refinement_attack(evidence.published, evidence.original, depth)
        return 100 * found.expected_share

    return measure


def main():
    """Write the picture."""
    given = options(__doc__.splitlines()[0]).parse_args()
    edges = read(given)
    measures = {name: guessed(depth) for depth, name in DEPTHS.items()}

    figure = Figure(figsize=(9, 4.5), layout="constrained")
    sides = figure.subplots(1, 2, sharey=True)
    for name, method in METHODS.items():
        runs = sweep(edges, method, "p", SHARES, n_runs=given.runs, measures=measures)
        means = sweep_means(runs, "p")
        for axes, intruder in zip(sides, measures, strict=True):
            axes.plot(100 * means["p"], means[intruder], marker="o", label=name)
            axes.set(title=intruder, xlabel="edges that change, in %")
    sides[0].set(ylabel="nodes found, in %")
    sides[0].set_ylim(bottom=0)
    sides[1].legend()
    figure.savefig(given.out, dpi=110)


if __name__ == "__main__":
    main()

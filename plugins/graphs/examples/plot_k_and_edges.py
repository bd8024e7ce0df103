"""See what k costs in changed edges.

The same network is made k-degree anonymous for growing k. Two ways to choose degrees
cost about the same. Random changes, drawn again until k is reached by chance, cost far
more, and for larger k nothing is found at all.
"""

from _common import options, read
from matplotlib.figure import Figure

from anon_transformers_graphs import (
    KDegreeAnonymizer,
    ModifiedEdges,
    RandomPerturbation,
    sweep,
    sweep_means,
)

METHODS = {
    "k-degree, exact": KDegreeAnonymizer(sequence="exact"),
    "k-degree, Liu and Terzi": KDegreeAnonymizer(),
    "random, p = 0.25": RandomPerturbation(p=0.25, max_tries=200),
}


def main():
    """Write the picture."""
    parser = options(__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=10, help="largest k")
    given = parser.parse_args()
    edges = read(given)
    ks = range(2, given.largest + 1)

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    measure = ModifiedEdges()
    for name, method in METHODS.items():
        runs = sweep(edges, method, "k", ks, n_runs=given.runs, measures=[measure])
        means = sweep_means(runs, "k")
        axes.plot(means["k"], 100 * means[measure.name], marker="o", label=name)
    axes.set(xlabel="k: nodes that share each degree", ylabel="edges that went, in %")
    axes.set_ylim(bottom=0)
    axes.legend()
    figure.savefig(given.out, dpi=110)


if __name__ == "__main__":
    main()

"""The curve of loss against k, drawn."""

from io import BytesIO
from typing import Any

from anon_transformers.experiments._plots import need_matplotlib


def plot_frontier(curve: Any) -> bytes:
    """Draw what every k costs, as a PNG file.

    Parameters
    ----------
    curve : Frontier
        As ``FullDomainAnonymizer.frontier`` gives it.
    """
    need_matplotlib()
    from matplotlib.figure import Figure

    table = curve.table
    figure = Figure(figsize=(7, 5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    above.step(table["k_to"], table["loss"], where="pre")
    above.set(ylabel=f"loss ({curve.loss})", title="What every k costs")
    below.step(table["k_to"], table["suppressed_rows"], where="pre", color="tab:red")
    below.set(xlabel="k", ylabel="rows suppressed", xscale="log")
    for axes in (above, below):
        axes.grid(visible=True, alpha=0.3)
    file = BytesIO()
    figure.savefig(file, format="png", dpi=150)
    return file.getvalue()

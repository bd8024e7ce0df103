"""Lines in panels, drawn off screen; matplotlib is needed here only."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pandas as pd

from anon_transformers.experiments._grid import line_name
from anon_transformers.figures import need_matplotlib

PLOTS = {
    "classes": "Classes",
    "smallest": "Smallest class",
    "largest": "Largest class",
    "mean": "Mean class size",
    "variance": "Variance of class sizes",
    "loss": "Loss",
    "average_risk": "Average risk",
    "kept_rows": "Kept rows",
    "suppressed_rows": "Suppressed rows",
    "seconds": "Seconds",
}
MARKERS = "osD^vPX*<>"
SIDE_BY_SIDE = 3
FINE = 3
"""Size of markers where there are many."""
WIDE = 50
"""From this ratio of the largest to the smallest number on, an axis is logarithmic."""


@dataclass(frozen=True)
class Panels:
    """A figure: one panel per measure, all with the same lines.

    Attributes
    ----------
    name, title : str
        File name without suffix; heading.
    data : pandas.DataFrame
        With the columns ``x`` and ``line`` beside the measures.
    measures : mapping of str to str
        Columns to draw, and what to write beside them.
    x_label : str
        What to write below.
    every_x : bool
        Whether each x has its tick; otherwise x only counts and a few will do.
    """

    name: str
    title: str
    data: pd.DataFrame
    measures: Mapping[str, str]
    x_label: str = "k"
    every_x: bool = True


def comparison_panels(results: pd.DataFrame) -> list[Panels]:
    """One figure per measure of a comparison, one line per method.

    They are drawn against k and against every threshold of a model that varies, or
    against such thresholds alone where all runs have the same k.
    """
    found = []
    for axis in _axes(results):
        x = results["k"]
        if axis != "k":
            x = results["parameters"].map(lambda given, axis=axis: given.get(axis))
        lines = [
            line_name(method, given, axis)
            for method, given in zip(
                results["method"], results["parameters"], strict=True
            )
        ]
        data = results.assign(x=x, line=lines)
        below = axis.rpartition(".")[2]
        end = "" if axis == "k" else f"-{axis.replace('.', '-')}"
        for name, label in {**_further(results), **PLOTS}.items():
            file = re.sub(r"[^\w-]+", "-", name)
            found.append(Panels(file + end, label, data, {name: label}, below))
    return found


def _further(results: pd.DataFrame) -> dict[str, str]:
    """Metrics that were asked for, of which at least one run has a number."""
    names = [str(name) for name in results.attrs.get("metrics", ())]
    return {name: name for name in names if results[name].notna().any()}


def _axes(results: pd.DataFrame) -> list[str]:
    """Parameters that a comparison can be drawn against."""
    values: dict[str, set[float]] = {}
    for given in results["parameters"]:
        for name, value in given.items():
            if "." in name and isinstance(value, int | float):
                values.setdefault(name, set()).add(value)
    thresholds = [name for name, seen in values.items() if len(seen) > 1]
    if thresholds and results["k"].nunique() <= 1:
        return thresholds
    return ["k", *thresholds]


def draw(panels: Panels) -> bytes:
    """Draw a figure as PNG."""
    need_matplotlib()
    from matplotlib.figure import Figure

    n_columns = min(len(panels.measures), SIDE_BY_SIDE)
    n_rows = -(-len(panels.measures) // n_columns)
    # Without pyplot there is no window system and nothing that stays behind.
    figure = Figure(figsize=(2.2 + 4.4 * n_columns, 4.2 * n_rows), layout="constrained")
    axes = [
        figure.add_subplot(n_rows, n_columns, number)
        for number in range(1, len(panels.measures) + 1)
    ]
    for axis, (measure, label) in zip(axes, panels.measures.items(), strict=True):
        _draw_lines(axis, panels.data, measure, panels.every_x)
        axis.set_xlabel(panels.x_label)
        axis.set_ylabel(label)
        axis.grid(alpha=0.3)
    figure.suptitle(panels.title)
    handles, labels = axes[0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
    file = BytesIO()
    figure.savefig(file, format="png", dpi=110, metadata={"Software": None})
    return file.getvalue()


def _draw_lines(axis: Any, data: pd.DataFrame, measure: str, every_x: bool) -> None:
    known = data[data[measure].notna() & data["x"].notna()]
    numeric = pd.api.types.is_numeric_dtype(pd.Series(data["x"].tolist()))
    places = {x: x if numeric else at for at, x in enumerate(dict.fromkeys(data["x"]))}
    for at, line in enumerate(dict.fromkeys(data["line"])):
        points = known[known["line"] == line]
        if numeric:
            points = points.sort_values("x", key=lambda xs: xs.astype(float))
        axis.plot(
            [places[x] for x in points["x"]],
            points[measure].astype(float).tolist(),
            marker=MARKERS[at % len(MARKERS)],
            markersize=None if every_x else FINE,
            # A line that lies under another one still shows.
            alpha=0.8,
            label=line,
        )
    ticks = list(places.values()) if every_x else []
    # A share, such as t, is read as it is.
    if numeric and _is_wide(ticks, 10) and max(ticks) > 1:
        axis.set_xscale("log")
    if ticks:
        axis.set_xticks(ticks, [str(x) for x in places], rotation=0 if numeric else 90)
        axis.minorticks_off()
    _scale(axis, known[measure].astype(float).tolist())


def _scale(axis: Any, numbers: Sequence[float]) -> None:
    """Logarithmic where numbers are far apart, down to a zero if there is one."""
    above = [number for number in numbers if number > 0]
    if _is_wide(above, WIDE):
        if min(numbers) > 0:
            axis.set_yscale("log")
        elif min(numbers) == 0:
            axis.set_yscale("symlog", linthresh=min(above))
            axis.set_ylim(0, 3 * max(above))


def _is_wide(numbers: Sequence[float], ratio: float) -> bool:
    return bool(numbers) and min(numbers) > 0 and max(numbers) >= ratio * min(numbers)


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

"""Charts of a protected table beside its source."""

from collections.abc import Mapping
from typing import Any

from anon_transformers.figures._chart import Chart
from anon_transformers.figures._charts import (
    bar_chart,
    before_after_chart,
    line_chart,
    matrix_chart,
)
from anon_transformers.figures._release_charts import (
    loss_chart,
    risk_chart,
    size_label,
)

MOST_ASSOCIATED = 14
"""Columns of a picture of associations; of more the first."""
SWEPT = {
    "classes": "Number of classes",
    "mean": "Average class",
    "largest": "Largest class",
    "suppressed": "Suppressed rows",
    "loss": "Loss",
    "average_risk": "Average risk",
}
"""What a sweep draws, and what it is called."""


def statistics_charts(found: Mapping[str, Any]) -> dict[str, Chart]:
    """Draw the statistics of a protected table, by name of the chart.

    Parameters
    ----------
    found : mapping
        As ``table_statistics`` of a release gives them; ``column_losses`` and
        ``accuracy`` may be added. Where there are no ``distributions``, no value of a
        column is drawn.
    """
    charts = {
        "class-sizes": _class_sizes(found["class_sizes"], found["unit"]),
        "risk": risk_chart(found["risk"]["after"], found["risk"]["before"]),
    }
    if found.get("column_losses"):
        charts["loss"] = loss_chart(
            found["column_losses"], "Loss of each column against the source"
        )
    if found.get("accuracy"):
        charts["accuracy"] = _accuracy(found["accuracy"])
    if found.get("changes"):
        charts["changes"] = bar_chart(
            "How far the distribution of each column moved",
            list(found["changes"]),
            list(found["changes"].values()),
            label_name="column",
            value_name="share that moved",
        )
    for number, (name, one) in enumerate(found.get("distributions", {}).items(), 1):
        charts[f"distribution-{number}"] = before_after_chart(
            f"{name}: before and after",
            one["values"],
            one["before"],
            one["after"],
            label_name=name,
            value_name=f"share of {found['unit']}",
        )
    charts |= _associations(found.get("associations"))
    return charts


def sweep_charts(over: str, lines: Mapping[str, Any]) -> dict[str, Chart]:
    """Draw what a parameter costs, one chart per measure.

    Parameters
    ----------
    over : str
        The parameter.
    lines : mapping of str to list of dict
        One line per method or second parameter: runs with the value of the parameter
        under ``x`` and the measures of :data:`SWEPT`.
    """
    xs = sorted({run["x"] for runs in lines.values() for run in runs})
    charts = {}
    for measure, title in SWEPT.items():
        heights = {}
        for name, runs in lines.items():
            of_x = {run["x"]: run.get(measure) for run in runs}
            heights[name] = [of_x.get(x) for x in xs]
        if all(y is None for line in heights.values() for y in line):
            continue
        charts[measure.replace("_", "-")] = line_chart(
            f"{title} against {over}", xs, heights, x_name=over, y_name=title.lower()
        )
    return charts


def _class_sizes(sizes: Mapping[str, Any], unit: str) -> Chart:
    steps = {one["from"]: one for side in ("before", "after") for one in sizes[side]}
    ordered = [steps[first] for first in sorted(steps)]
    sides = [
        {one["from"]: one["rows"] for one in sizes[s]} for s in ("before", "after")
    ]
    return before_after_chart(
        f"{unit.capitalize()} by the size of their class",
        [size_label(one) for one in ordered],
        *([side.get(one["from"], 0) for one in ordered] for side in sides),
        label_name=f"{unit} in a class",
        value_name=unit,
    )


def _accuracy(accuracy: Mapping[str, Any]) -> Chart:
    shown = {"baseline": "no model", "raw": "source", "published": "published"}
    return bar_chart(
        f"How well {accuracy['target']} is predicted",
        list(shown.values()),
        [accuracy[name] for name in shown],
        label_name="learned from",
        value_name=accuracy["score"],
    )


def _associations(found: Mapping[str, Any] | None) -> dict[str, Chart]:
    if not found or len(found["names"]) < 2:  # noqa: PLR2004 - a pair
        return {}
    most = MOST_ASSOCIATED
    names = found["names"][:most]
    return {
        f"associations-{side}": matrix_chart(
            f"How strongly columns go together, {word}",
            names,
            [line[:most] for line in found[side][:most]],
        )
        for side, word in (("before", "source"), ("after", "published"))
    }

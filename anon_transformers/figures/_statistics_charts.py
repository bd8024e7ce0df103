"""Charts of a protected table beside its source."""

from collections.abc import Mapping, Sequence
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
    "highest_risk": "Highest risk",
    "records_at_risk": "Share of records at risk",
    "associations": "How far correlations moved",
}
"""What a sweep draws, and what it is called."""
SWEPT_BY_COLUMN = {
    "column_losses": "Loss of each column",
    "changes": "How far the distribution of each column moved",
    "query_errors": "Error of the mean of each column, as a share of it",
}
"""What a sweep draws with one line per column."""
MOST_LINES = 7
"""Columns of one chart; of more those with the highest points."""


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


def sweep_charts(
    over: str, lines: Mapping[str, Any], accuracy: Mapping[str, Any] | None = None
) -> dict[str, Chart]:
    """Draw what a parameter costs, one chart per measure.

    Parameters
    ----------
    over : str
        The parameter.
    lines : mapping of str to list of dict
        One line per method or second parameter: runs with the value of the parameter
        under ``x`` and the measures of :data:`SWEPT`. If there is one line only, its
        runs may have those of :data:`SWEPT_BY_COLUMN`, too: numbers by column.
    accuracy : mapping, optional
        ``target``, ``score``, and the scores ``raw`` and ``baseline``, if the runs of
        the one line have an ``accuracy``.
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
    if len(lines) == 1:
        (runs,) = lines.values()
        runs = sorted(runs, key=lambda run: run["x"])
        charts |= _swept_columns(over, runs)
        if accuracy is not None:
            charts["accuracy"] = _swept_accuracy(over, runs, accuracy)
    return charts


def _swept_columns(over: str, runs: Sequence[Mapping[str, Any]]) -> dict[str, Chart]:
    """What a parameter costs each column; those that stay at 0 are left out."""
    charts = {}
    for measure, title in SWEPT_BY_COLUMN.items():
        names = dict.fromkeys(name for run in runs for name in run.get(measure) or ())
        lines = {
            name: [(run.get(measure) or {}).get(name) for run in runs] for name in names
        }
        tops = {name: max(filter(None, y), default=0) for name, y in lines.items()}
        highest = sorted(filter(tops.get, tops), key=tops.__getitem__, reverse=True)
        shown = {name: y for name, y in lines.items() if name in highest[:MOST_LINES]}
        if not shown:
            continue
        words = f"{title} against {over}"
        if len(highest) > MOST_LINES:
            words += f", the {MOST_LINES} columns with the most"
        charts[measure.replace("_", "-")] = line_chart(
            words, [run["x"] for run in runs], shown, x_name=over, y_name="share"
        )
    return charts


def _swept_accuracy(
    over: str, runs: Sequence[Mapping[str, Any]], accuracy: Mapping[str, Any]
) -> Chart:
    """How well a column is predicted from what each value publishes."""
    lines = {
        "published": [run.get("accuracy") for run in runs],
        "source": [accuracy["raw"]] * len(runs),
        "no model": [accuracy["baseline"]] * len(runs),
    }
    title = f"How well {accuracy['target']} is predicted, against {over}"
    xs = [run["x"] for run in runs]
    return line_chart(title, xs, lines, x_name=over, y_name=accuracy["score"])


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

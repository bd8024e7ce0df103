"""Charts of a release: sizes of classes, risk, loss.

Pages and reports draw them by these functions, so that they look and read the same.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from anon_transformers.figures._chart import Chart
from anon_transformers.figures._charts import bar_chart, before_after_chart

RISKS = {
    "average-risk": "prosecutor, average",
    "highest-risk": "prosecutor, highest",
    "records-at-risk": "records at risk",
    "highest-journalist-risk": "journalist, highest",
    "marketer-risk": "marketer",
}
"""What a chart calls the risks of a release."""


def class_size_chart(bins: Sequence[Mapping[str, int]], unit: str = "rows") -> Chart:
    """Draw how many classes there are of each size.

    Parameters
    ----------
    bins : sequence of mapping
        As :func:`anon_transformers.metrics.size_histogram` gives them.
    unit : str, default="rows"
        What a class has so many of.

    Examples
    --------
    >>> bins = [{"from": 5, "to": 9, "classes": 3, "rows": 20}]
    >>> class_size_chart(bins).rows
    (('5-9', 3),)
    """
    return bar_chart(
        f"Classes by their size in {unit}",
        [size_label(one) for one in bins],
        [one["classes"] for one in bins],
        label_name=f"{unit} in a class",
        value_name="classes",
    )


def size_label(step: Mapping[str, int]) -> str:
    """The sizes that a step of a histogram is about."""
    first, last = step["from"], step["to"]
    return str(first) if first == last else f"{first}-{last}"


def loss_chart(
    losses: Mapping[str, float], title: str = "Information lost in each column"
) -> Chart:
    """Draw the share of each column's detail that is lost, the largest first.

    Parameters
    ----------
    losses : mapping of str to float
        The loss of each column.
    title : str
        What the loss is measured of: there are several.

    Examples
    --------
    >>> loss_chart({"sex": 0.0, "age": 0.25}).rows
    (('age', 0.25), ('sex', 0.0))
    """
    ordered = sorted(losses.items(), key=lambda item: -item[1])
    return bar_chart(
        title,
        [str(name) for name, _ in ordered],
        [loss for _, loss in ordered],
        label_name="column",
        value_name="loss (0: nothing, 1: all)",
    )


def risk_chart(
    after: Mapping[str, float | None], before: Mapping[str, float | None] | None = None
) -> Chart:
    """Draw the risk of the published table, beside that of the source if it is given.

    Examples
    --------
    >>> risk_chart({"average-risk": 0.1}, {"average-risk": 0.9}).rows
    (('prosecutor, average', 0.9, 0.1),)
    """
    labels = [RISKS.get(name, name) for name in after]
    names: dict[str, Any] = {"label_name": "risk", "value_name": "share"}
    if before is None:
        return bar_chart("Risk to be found", labels, list(after.values()), **names)
    return before_after_chart(
        "Risk to be found, before and after",
        labels,
        [before.get(name) for name in after],
        list(after.values()),
        **names,
    )

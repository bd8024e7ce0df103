"""Figures: charts as SVG texts that stand in a page, with the numbers beside them."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.figures._chart import Chart
    from anon_transformers.figures._charts import (
        bar_chart,
        before_after_chart,
        line_chart,
        matrix_chart,
        step_chart,
    )
    from anon_transformers.figures._matplotlib import has_matplotlib, need_matplotlib
    from anon_transformers.figures._pages import make_environment, shown
    from anon_transformers.figures._release_charts import (
        class_size_chart,
        loss_chart,
        risk_chart,
    )
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "Chart",
    "bar_chart",
    "before_after_chart",
    "class_size_chart",
    "has_matplotlib",
    "line_chart",
    "loss_chart",
    "make_environment",
    "matrix_chart",
    "need_matplotlib",
    "risk_chart",
    "shown",
    "step_chart",
]

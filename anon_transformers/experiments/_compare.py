"""Methods side by side on one table."""

import time
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from anon_transformers._data.frames import to_frame
from anon_transformers.base._base import FrameAnonymizer
from anon_transformers.exceptions import AnonymizationError, InfeasibleError
from anon_transformers.experiments._about import about
from anon_transformers.experiments._grid import Cell, Grid, Method, cells
from anon_transformers.experiments._learning import Learner
from anon_transformers.experiments._measures import Measures, Metrics, by_place

Progress = Callable[[int, int, str], None]
"""Told how many runs are done, how many there are, and which one is next."""
OnResult = Callable[[dict[str, Any], FrameAnonymizer, pd.DataFrame], None]
"""Handed the parameters of a run, its anonymizer, and the table."""

COUNTS = ("classes", "smallest", "largest", "kept_rows", "suppressed_rows")
MEASURES = ("mean", "variance", "loss", "average_risk", "highest_risk", "seconds")
COLUMNS = (
    "method",
    "k",
    "parameters",
    "classes",
    "smallest",
    "largest",
    "mean",
    "variance",
    "kept_rows",
    "suppressed_rows",
    "loss",
    "average_risk",
    "highest_risk",
    "seconds",
    "error",
)
WARM_ROWS = 1000


def compare(
    table: Any,
    methods: Sequence[Method] | Mapping[str, Method],
    grid: Grid | None = None,
    *,
    quasi_identifiers: Sequence[Hashable] | None = None,
    sensitive: Sequence[Hashable] | None = None,
    identifiers: Sequence[Hashable] | None = None,
    subject: Hashable | None = None,
    hierarchies: Mapping[Any, Any] | None = None,
    metrics: Metrics | None = None,
    learner: Learner | None = None,
    on_result: OnResult | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Run anonymizers over a grid of parameters and measure what each costs.

    Nothing is published. A run that cannot keep its promise, or whose parameters do not
    go together, has its error in place of numbers.

    Parameters
    ----------
    table : data frame
        The table to be protected.
    methods : list or dict
        Registered names or anonymizers; in a dict, by the name to show.
    grid : dict or list of dict, default=None
        Parameter to list of values, as in scikit-learn's grid search. ``"k"``
        concerns every method, ``"mondrian.mode"`` only the one of that name, and
        ``"t-closeness.t"`` makes that model a further promise of every method.
    quasi_identifiers, sensitive, identifiers, subject, hierarchies : default=None
        As for an anonymizer, set for all of them.
    metrics : list or dict, default=None
        Further numbers of every run: registered names or metrics; in a dict, by the
        name of their column. They are taken of the published table, as the gate of a
        release takes them; one that cannot be taken of a run is left out there.
    learner : Learner, default=None
        Trains a model on each published table and on the raw one; its score is a
        further column, and ``attrs["about"]`` says what is measured.
    on_result : callable, default=None
        Called with the parameters, the anonymizer and the table of every run that kept
        its promise; the index of the table has the place of each row in the raw one.
    progress : callable, default=None
        Called with the number of runs that are done, that of all runs, and the name
        of the next method.

    Returns
    -------
    pandas.DataFrame
        One row per run: method, k, parameters, classes, smallest, largest, mean and
        variance of the class sizes, kept and suppressed rows, loss, average and
        highest risk, seconds, one column per metric, error. Class sizes, k and risk
        count persons where there is a ``subject``. ``attrs["about"]`` says where the
        numbers come from: columns, hierarchies, fixed parameters, versions, date.

    Raises
    ------
    AnonymizationError
        If no run succeeded and it was not for the promise: the first error.
    NotEvaluable
        If a metric can be taken of no run.

    See Also
    --------
    write_comparison : The table with its plots, as one page.

    Examples
    --------
    >>> from anon_transformers import MondrianAnonymizer
    >>> from anon_transformers.datasets import make_independent
    >>> from anon_transformers.experiments import compare
    >>> table = make_independent(100, 2)
    >>> found = compare(table, {"mondrian": MondrianAnonymizer()}, {"k": [2, 5, 101]})
    >>> found[["method", "k", "classes", "smallest", "highest_risk"]]
         method    k  classes  smallest  highest_risk
    0  mondrian    2       36         2      0.500000
    1  mondrian    5       16         6      0.166667
    2  mondrian  101     <NA>      <NA>           NaN
    """
    common = {
        "quasi_identifiers": quasi_identifiers,
        "sensitive": sensitive,
        "identifiers": identifiers,
        "subject": subject,
        "hierarchies": hierarchies,
    }
    frame, measures = to_frame(table), Measures.of(metrics)
    runs = cells(methods, grid, common)
    rows, errors, warm = [], [], set[str]()
    for done, cell in enumerate(runs):
        if progress is not None:
            progress(done, len(runs), cell.method)
        if cell.line not in warm:
            _warm_up(cell, frame)
            warm.add(cell.line)
        measured, error = _attempt(cell, frame, measures, learner, on_result)
        errors.append(error)
        rows.append(_row(cell, measured, error))
    _refuse_if_nothing_ran(errors)
    measures.refuse_never_taken()
    if progress is not None:
        progress(len(runs), len(runs), "")
    names = [*measures.metrics, *([] if learner is None else [learner.name])]
    found = _frame(rows, names)
    found.attrs["about"] = about(frame, runs)
    if learner is not None:
        found.attrs["about"] |= learner.facts()
    found.attrs["metrics"] = names
    return found


def _warm_up(cell: Cell, frame: pd.DataFrame) -> None:
    """Compiling a kernel is no cost of the method: let a few rows pay for it."""
    with warnings.catch_warnings():
        # The run itself tells the same.
        warnings.simplefilter("ignore", UserWarning)
        _attempt(cell, frame.head(WARM_ROWS), Measures({}))


def _attempt(
    cell: Cell,
    frame: pd.DataFrame,
    measures: Measures,
    learner: Learner | None = None,
    on_result: OnResult | None = None,
) -> tuple[dict[str, Any], AnonymizationError | None]:
    """Numbers of one run, or its error."""
    anonymizer = cell.anonymizer
    started = time.perf_counter()
    try:
        output = anonymizer.fit_transform(frame)
    except AnonymizationError as error:
        return {}, error
    seconds = time.perf_counter() - started
    report = anonymizer.report_
    further = measures.take(anonymizer, frame, output) if measures.metrics else {}
    if learner is not None:
        further |= learner.take(anonymizer, frame, output)
    if on_result is not None:
        on_result(dict(cell.parameters), anonymizer, by_place(anonymizer, output))
    return {
        **further,
        "classes": report.classes["count"],
        "smallest": report.classes["smallest"],
        "largest": report.classes["largest"],
        "mean": report.classes["mean"],
        "variance": report.classes["variance"],
        "kept_rows": report.rows - report.suppressed_rows,
        "suppressed_rows": report.suppressed_rows,
        "loss": report.loss,
        "average_risk": report.risk["average-risk"],
        "highest_risk": report.risk["highest-risk"],
        "seconds": seconds,
    }, None


def _row(
    cell: Cell, measured: dict[str, Any], error: AnonymizationError | None
) -> dict[str, Any]:
    k = cell.anonymizer.get_params(deep=False).get("k")
    named = {"method": cell.method, "k": k, "parameters": dict(cell.parameters)}
    return {**named, **measured, "error": None if error is None else str(error)}


def _refuse_if_nothing_ran(errors: Sequence[AnonymizationError | None]) -> None:
    """A fault of the table or of the parameters alone is no result."""
    if None in errors:
        return
    for error in errors:
        if error is not None and not isinstance(error, InfeasibleError):
            raise error


def _frame(rows: list[dict[str, Any]], metrics: Sequence[str]) -> pd.DataFrame:
    further = [name for name in metrics if name not in COLUMNS]
    frame = pd.DataFrame(rows, columns=[*COLUMNS[:-1], *further, COLUMNS[-1]])
    numbers = dict.fromkeys([*MEASURES, *further], "float64")
    types = dict.fromkeys(COUNTS, "Int64") | numbers
    return frame.astype({**types, "error": object})

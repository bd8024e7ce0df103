"""One anonymizer with many values of one parameter, run several times for each."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.base import GraphAnonymizer
from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import (
    InfeasibleError,
    NotEvaluable,
    ParameterError,
    unknown_choice,
)
from anon_transformers.experiments import Progress
from anon_transformers.graphs import Graph, open_graph
from anon_transformers.parameters import real, whole
from anon_transformers_graphs.metrics._structure import components

Measure = Callable[[GraphEvidence], float]
"""A number from the published graph and its original."""
FIXED = ("relabel", "random_state")
"""Parameters that a sweep sets itself."""
ABOUT = ("run", "connected", "error")
"""Columns of a run that are no measure."""


def sweep(
    graph: Any,
    anonymizer: GraphAnonymizer,
    parameter: str,
    values: Iterable[Any],
    *,
    n_runs: int = 10,
    random_state: int = 0,
    measures: Mapping[str, Measure] | Sequence[Any],
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Run an anonymizer several times with each value of a parameter, and measure.

    Nothing is published: nodes keep their names, for they are compared one by one. Each
    run draws from a stream of its own, which its value and its number make: the same
    run comes out the same whatever else is run.

    Parameters
    ----------
    graph : graph in any form
        The original.
    anonymizer : GraphAnonymizer
        With all other parameters set; it stays as it is.
    parameter : str
        Of the anonymizer, such as ``"p"`` or ``"k"``.
    values : iterable
        Of the parameter.
    n_runs : int, default=10
        Runs per value.
    random_state : int, default=0
        Seeds all of them.
    measures : mapping of str to callable, or sequence of metrics
        What to measure: functions of a `GraphEvidence` by name, or metrics of graphs,
        which have a name.
    progress : callable, default=None
        Called with the number of runs that are done, that of all runs, and the name of
        the next one.

    Returns
    -------
    pandas.DataFrame
        One row per run: the parameter, ``run``, ``connected``, the measures, and
        ``error`` where the promise could not be kept. A measure that is not defined,
        such as a distance in a graph that is not connected, is missing.

    See Also
    --------
    sweep_means : Averages of the runs of each value.

    Examples
    --------
    >>> import networkx as nx
    >>> from anon_transformers_graphs.randomization import RandomPerturbation
    >>> kept = {"kept": lambda e: e.original.common_edges(e.published)}
    >>> runs = sweep(nx.cycle_graph(20), RandomPerturbation(), "p", [0, 0.1], n_runs=2,
    ...     measures=kept)
    >>> runs[["p", "run", "kept"]]
         p  run  kept
    0  0.0    0  20.0
    1  0.0    1  20.0
    2  0.1    0  16.0
    3  0.1    1  16.0
    """
    original, _ = open_graph(graph, reduce=anonymizer.reduce)
    # What is not published is left out here, once and without a warning per run.
    labels = original.labels if anonymizer.uses_labels else None
    weights = original.weights if anonymizer.weights == "carry" else None
    original = Graph(original.n_nodes, original.edges, weights, labels, original.naming)
    functions = _functions(measures)
    given = anonymizer.get_params(deep=False)
    _check(parameter, given, functions)
    tried, n_runs = list(values), whole("n_runs", n_runs)
    planned = [(value, run) for value in tried for run in range(n_runs)]
    rows = []
    for done, (value, run) in enumerate(planned):
        if progress is not None:
            progress(done, len(planned), f"{parameter}={value}")
        seed = np.random.SeedSequence([random_state, run, *repr(value).encode()])
        fixed = {"relabel": False, "random_state": np.random.default_rng(seed)}
        made = type(anonymizer)(**{**given, parameter: value, **fixed})
        rows.append(
            {parameter: value, "run": run, **_measured(made, original, functions)}
        )
    if progress is not None:
        progress(len(planned), len(planned), "")
    columns = [parameter, "run", "connected", *functions, "error"]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(functions, float))


def sweep_means(runs: pd.DataFrame, parameter: str) -> pd.DataFrame:
    """Average the runs of each value; what could not be averaged is counted.

    Parameters
    ----------
    runs : pandas.DataFrame
        What :func:`sweep` returned.
    parameter : str
        The parameter that was varied.

    Returns
    -------
    pandas.DataFrame
        One row per value: the parameter, ``runs``, how many of them ended without a
        graph (``infeasible``), with one that is not connected (``disconnected``), or
        with one that is connected and has a measure that is not defined
        (``undefined``); and the mean of each measure over the runs in which it is
        defined.

    Examples
    --------
    >>> runs = pd.DataFrame({"p": [0.1, 0.1], "run": [0, 1], "connected": [True, False],
    ...     "distance": [2.5, None], "error": ["", ""]})
    >>> sweep_means(runs, "p")
         p  runs  infeasible  disconnected  undefined  distance
    0  0.1     2           0             1          0       2.5
    """
    measures = [name for name in runs.columns if name not in {parameter, *ABOUT}]
    grouped = runs.assign(
        infeasible=runs["error"].ne(""),
        disconnected=runs["connected"].eq(False),
        undefined=runs["connected"].eq(True) & runs[measures].isna().any(axis=1),
    ).groupby(parameter, sort=False)
    counts = grouped.agg(
        runs=("run", "size"),
        infeasible=("infeasible", "sum"),
        disconnected=("disconnected", "sum"),
        undefined=("undefined", "sum"),
    )
    return counts.join(grouped[measures].mean()).reset_index()


def largest_value(
    means: pd.DataFrame, parameter: str, measure: str, at_least: float
) -> Any:
    """Largest value up to which a measure stays at or above what is wanted.

    A value after one that falls short does not count: what rises again by chance is no
    guidance.

    Parameters
    ----------
    means : pandas.DataFrame
        What :func:`sweep_means` returned.
    parameter, measure : str
        The parameter that was varied; a measure that falls as it grows.
    at_least : float
        What the measure must reach.

    Returns
    -------
    value or None
        None if the smallest value falls short already, or nothing was measured.

    Examples
    --------
    >>> means = pd.DataFrame({"p": [0.1, 0.2, 0.3], "jaccard": [0.9, 0.7, 0.8]})
    >>> largest_value(means, "p", "jaccard", 0.75)
    0.1
    """
    real("at_least", at_least, -np.inf)
    for name in (parameter, measure):
        if name not in means:
            raise ParameterError(unknown_choice("column", name, means.columns))
    ordered = means.sort_values(parameter)
    enough = (ordered[measure] >= at_least).cummin()
    return ordered.loc[enough, parameter].tolist()[-1] if enough.any() else None


def _functions(measures: Mapping[str, Measure] | Sequence[Any]) -> dict[str, Measure]:
    if isinstance(measures, Mapping):
        return dict(measures)
    return {metric.name: metric.measure for metric in measures}


def _check(
    parameter: str, given: Mapping[str, Any], measures: Mapping[str, Measure]
) -> None:
    if parameter in FIXED:
        raise ParameterError(f"parameter: a sweep sets {parameter} itself.")
    if parameter not in given:
        raise ParameterError(unknown_choice("parameter", parameter, given))
    taken = sorted({parameter, *ABOUT} & set(measures))
    if taken:
        raise ParameterError(f"measures: {', '.join(taken)} is a column of every run.")


def _measured(
    anonymizer: GraphAnonymizer, original: Graph, measures: Mapping[str, Measure]
) -> dict[str, Any]:
    try:
        published = anonymizer.fit_transform(original)
    except InfeasibleError as error:
        return {"error": str(error)}
    evidence = GraphEvidence(published, original)
    found: dict[str, Any] = {"connected": components(published)[0] <= 1, "error": ""}
    for name, measure in measures.items():
        try:
            found[name] = measure(evidence)
        except NotEvaluable:
            found[name] = np.nan
    return found

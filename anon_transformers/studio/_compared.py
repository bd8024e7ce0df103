"""Methods and parameters side by side, and the one that somebody takes.

The runs are those of ``anon compare`` on the release file: each method with the roles,
hierarchies and thresholds of the file. Nothing is published.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from anon_transformers.exceptions import ParameterError
from anon_transformers.studio._jobs import Progress
from anon_transformers.studio._project import Content, Project

COMPARE = "compare"
"""Kind of the job, and of its result."""
WORK = "anon_transformers.studio._compared:compare_methods"
NUMBERS = {
    "classes": "Classes",
    "smallest": "Smallest class",
    "suppressed_rows": "Suppressed rows",
    "loss": "Loss",
    "average_risk": "Average risk",
    "highest_risk": "Highest risk",
    "seconds": "Seconds",
}
"""Numbers of a run, and what the page calls them."""
BOUNDED = {
    "loss": "loss",
    "average-risk": "average_risk",
    "highest-risk": "highest_risk",
}
"""Metrics that a threshold may bound, and where a run has them."""
MOST_RUNS = 200
"""Of one comparison: more would not fit on a page, or into an evening."""


def read_values(name: str, text: str) -> list[Any]:
    """Read ``2, 5, 10``: numbers where they are numbers.

    Examples
    --------
    >>> read_values("k", "2, 5,10"), read_values("mode", "strict,relaxed")
    ([2, 5, 10], ['strict', 'relaxed'])
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise ParameterError(f"{name}: write values with commas between, as 2, 5, 10.")
    return [_value(part) for part in dict.fromkeys(parts)]


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if math.isfinite(number):
            return number
    return text


def read_grid(lines: str) -> dict[str, list[Any]]:
    """Read one ``NAME=VALUE,…`` per line, as ``anon compare --grid`` does.

    Examples
    --------
    >>> read_grid("mondrian.mode=strict,relaxed")
    {'mondrian.mode': ['strict', 'relaxed']}
    """
    grid: dict[str, list[Any]] = {}
    for line in filter(None, (line.strip() for line in lines.splitlines())):
        name, equals, values = line.partition("=")
        if not equals or not name.strip():
            raise ParameterError(
                "further parameters: write one NAME=VALUE,… per line, as "
                "t-closeness.t=0.1,0.2."
            )
        grid[name.strip()] = read_values(name.strip(), values)
    return grid


def compare_methods(
    project: Project, params: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Run every chosen method with every value (a job).

    Raises
    ------
    ParameterError
        If there is nothing to run, or too much.
    """
    from anon_transformers.experiments import compare, release_methods
    from anon_transformers.experiments._grid import cells

    progress(0, 1, "reading the source")
    given = release_methods(project.file, params["methods"], period=project.period)
    grid = {name: values for name, values in params["grid"].items() if values}
    runs = len(cells(given.methods, grid, {}))
    if runs > MOST_RUNS:
        raise ParameterError(
            f"these are {runs:,} runs; at most {MOST_RUNS} are compared at once."
        )
    found = compare(given.frame, given.methods, grid, progress=progress)
    rows = found.astype(object).where(found.notna(), None).to_dict("records")
    bounds = _bounds(project.content)
    return {
        "rows": len(given.frame),
        "runs": [_run(row, bounds) for row in rows],
        "refused": dict(given.refused),
    }


def _run(row: Mapping[Any, Any], bounds: Mapping[str, Any]) -> dict[str, Any]:
    """One run as JSON holds it, with the bounds of the file that it breaks."""
    kept = {name: _plain(row[name]) for name in ("method", "k", *NUMBERS, "error")}
    parameters = {name: _plain(v) for name, v in dict(row["parameters"]).items()}
    broken = [
        f"{metric} {'above' if end == 'max' else 'below'} {bound:g}"
        for metric, ends in bounds.items()
        for end, bound in ends.items()
        if (number := kept[BOUNDED[metric]]) is not None
        and (number > bound if end == "max" else number < bound)
    ]
    return {**kept, "parameters": parameters, "broken": broken}


def _plain(value: Any) -> Any:
    """A number of numpy's as JSON knows it."""
    return value.item() if hasattr(value, "item") else value


def _bounds(content: Content) -> dict[str, dict[str, float]]:
    """Bounds of the thresholds that a comparison measures."""
    found: dict[str, dict[str, float]] = {}
    for one in content.get("thresholds") or ():
        metric = one.get("metric") if isinstance(one, dict) else None
        if metric in BOUNDED:
            ends = {end: one[end] for end in ("min", "max") if end in one}
            found.setdefault(str(metric), {}).update(ends)
    return found


def best_of(runs: Sequence[Mapping[str, Any]]) -> int | None:
    """The run that loses least of those that break nothing."""
    fit = [
        (run["loss"], at)
        for at, run in enumerate(runs)
        if run["error"] is None and not run["broken"] and run["loss"] is not None
    ]
    return min(fit)[1] if fit else None


def words_of(run: Mapping[str, Any]) -> str:
    """A run in words: its method, and what was set."""
    stated = (f"{name} = {value}" for name, value in run["parameters"].items())
    return ", ".join([run["method"], *stated])


def take(content: Content, run: Mapping[str, Any]) -> None:
    """Change a release file so that it makes what a run made.

    Parameters of the method go to ``anonymizer``, those of models to ``thresholds``,
    which are the only source of what is promised.
    """
    stated = content.get("anonymizer")
    own = dict(stated) if isinstance(stated, dict) else {}
    if own.get("name") != run["method"]:
        own = {"name": run["method"]}
    thresholds = [dict(one) for one in content.get("thresholds") or ()]
    for name, value in run["parameters"].items():
        model, dot, parameter = name.rpartition(".")
        if name == "k":
            own.pop("k", None)
            _state_k(thresholds, value)
        elif dot:
            _state_model(thresholds, model, parameter, value)
        else:
            own[name] = value
    content["anonymizer"], content["thresholds"] = own, thresholds


def _state_k(thresholds: list[dict[str, Any]], k: Any) -> None:
    """Set the k of the models that have one: a method has one k for all of them."""
    found = [one for one in thresholds if "model" in one and "k" in one]
    for one in found:
        one["k"] = k
    if not found:
        thresholds.insert(0, {"model": "k-anonymity", "k": k})


def _state_model(
    thresholds: list[dict[str, Any]], model: str, parameter: str, value: Any
) -> None:
    found = [one for one in thresholds if one.get("model") == model]
    for one in found:
        one[parameter] = value
    if not found:
        thresholds.append({"model": model, parameter: value})

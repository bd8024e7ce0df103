"""Jobs of the Statistics page: the protected table beside its source, and sweeps."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import combinations
from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.figures import Chart, statistics_charts, sweep_charts
from anon_transformers.studio._downloads import noted_charts
from anon_transformers.studio._forms import Field
from anon_transformers.studio._jobs import Progress
from anon_transformers.studio._project import Project
from anon_transformers.studio._protected import Protected, make_protected

if TYPE_CHECKING:
    import pandas as pd

    from anon_transformers.release import ReleaseConfig

STATISTICS, SWEEP = "statistics", "sweep"
"""Kinds of the jobs, and of their results."""
MEASURE_WORK = "anon_transformers.studio._statistics:measure"
SWEEP_WORK = "anon_transformers.studio._statistics:sweep"
SWEPT = {
    "k": "k",
    "l": "distinct-l-diversity.l",
    "t": "t-closeness.t",
}
"""What can be swept, and what a comparison calls it."""
MEAN = "mean middle"
"""The query whose error a sweep draws."""
QUERY_WORDS = {
    "minimum": "Smallest",
    "maximum": "Largest",
    "mean_lower": "Mean of the lower bounds",
    "mean_middle": "Mean of the middles",
    "mode": "Most frequent",
    "mode_count": "Rows that have it",
}
"""Aggregate queries, in words."""
MOST_RUNS = 30
ADULT = "bundled:adult/adult.csv.gz"
GRID = {
    "k": ("k-anonymity", None),
    "l": ("recursive-cl-diversity", "c"),
    "t": ("t-closeness", None),
}
"""Of the grid that ships: against what it is drawn, of which model, one line per what.
"""


def measure(
    project: Project, params: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Take the statistics of the protected table (a job).

    Parameters
    ----------
    project : Project
        Its table is protected first if that was not done since the last edit.
    params : mapping
        ``target``: a column to predict, or nothing; ``period``.
    progress : callable
        Told how far it is.
    """
    from anon_transformers.release._build import make_hierarchies
    from anon_transformers.release._statistics import table_statistics

    made = make_protected(project, progress)
    config = project.config
    roles = config.roles
    if not set(roles.quasi_identifiers) <= set(made.published.columns):
        raise DataError("statistics are of tables; this release is none.")
    found = table_statistics(
        made.source,
        made.published,
        roles,
        make_hierarchies(config, roles.quasi_identifiers),
        made.result.found["suppression_label"],
        progress,
    )
    if params.get("target"):
        progress(3, 4, "learning")
        found["accuracy"] = _accuracy(config, made, str(params["target"]))
    found["column_losses"] = made.result.found["column_losses"] or {}
    for name in ("loss", "suppressed_rows", "suppressed_persons", "method"):
        found[name] = made.result.found[name]
    progress(3, 4, "drawing")
    found["charts"] = noted_charts(statistics_charts(found))
    return found


def _accuracy(config: "ReleaseConfig", made: Protected, target: str) -> dict[str, Any]:
    from threadpoolctl import threadpool_limits

    from anon_transformers.experiments import Learner

    _refuse_target(config, target)
    learner, subject = Learner(target, splits=1), config.roles.subject
    columns = [name for name in made.published.columns if name != subject]
    # Threads that wait for each other are slow on a machine that has other work.
    with threadpool_limits(1):
        score = learner.score(
            made.source[columns],
            made.published[columns],
            None if subject is None else made.source[subject],
            made.result.found["suppression_label"],
        )
    facts = learner.facts()
    return {
        "target": target,
        "score": learner.name,
        "published": score,
        **learner.of_raw,
        "how": facts["target"],
    }


def _refuse_target(config: "ReleaseConfig", target: str) -> None:
    if target not in (*config.roles.sensitive, *config.roles.insensitive):
        raise ParameterError(
            f"target: {target!r} is no sensitive or insensitive column of this release."
        )


def sweep(
    project: Project, params: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Run the method of the file for several values of k, l or t (a job).

    Parameters
    ----------
    project : Project
        Its file says what is run.
    params : mapping
        ``over``: k, l or t; ``values``: a list of numbers; ``target``: a column to
        predict, or nothing; ``period``.
    progress : callable
        Told how far it is.
    """
    from threadpoolctl import threadpool_limits

    from anon_transformers.experiments import Learner, compare, release_methods

    over, values = params["over"], list(params["values"])
    config, target = project.config, params.get("target")
    own, learner = config.anonymizer.name, None
    if target:
        _refuse_target(config, str(target))
        learner = Learner(str(target), splits=1)
    progress(0, len(values), "reading the table")
    given = release_methods(project.file, [own], period=project.period)
    measured = _Measured(given.frame, config, SWEPT[over])
    # Threads that wait for each other are slow on a machine that has other work.
    with threadpool_limits(1):
        runs = compare(
            given.frame,
            given.methods,
            {SWEPT[over]: values},
            learner=learner,
            on_result=measured.take,
            progress=progress,
        )
    score = None if learner is None else learner.name
    found = _runs(runs, over, measured.by_value, score)
    accuracy = None
    if learner is not None:
        accuracy = {"target": target, "score": score, **learner.of_raw}
    return {
        "over": over,
        "method": own,
        "refused": [[one["x"], one["error"]] for one in found if one["error"]],
        "how": None if learner is None else learner.facts()["target"],
        "sampled": measured.sampled,
        "charts": noted_charts(sweep_charts(over, {own: found}, accuracy)),
    }


class _Measured:
    """Statistics of every table of a sweep, by the value that was swept."""

    def __init__(
        self, source: "pd.DataFrame", config: "ReleaseConfig", parameter: str
    ) -> None:
        from anon_transformers.release._build import make_hierarchies

        self.source, self.roles, self.parameter = source, config.roles, parameter
        self.hierarchies = make_hierarchies(config, config.roles.quasi_identifiers)
        self.by_value: dict[Any, dict[str, Any]] = {}
        self.sampled: int | None = None

    def take(
        self, parameters: Mapping[str, Any], anonymizer: Any, table: "pd.DataFrame"
    ) -> None:
        """Take those of one table; of what is no table of labels there are none."""
        from anon_transformers.evidence import SUPPRESSED
        from anon_transformers.release._statistics import table_statistics

        if not set(self.roles.quasi_identifiers) <= set(table.columns):
            return
        label = getattr(anonymizer, "suppression_label", SUPPRESSED)
        found = table_statistics(
            self.source, table, self.roles, self.hierarchies, label
        )
        self.sampled = found["sampled"]
        losses = anonymizer.report_.column_losses
        self.by_value[parameters[self.parameter]] = {
            "records_at_risk": found["risk"]["after"]["records-at-risk"],
            "associations": _moved(found["associations"]),
            "column_losses": {str(name): loss for name, loss in losses.items()},
            "changes": found["changes"],
            "query_errors": _mean_errors(found["queries"]),
        }


def _moved(associations: Mapping[str, Any]) -> float | None:
    """Mean change of how strongly two columns go together; None without a pair."""
    before, after = associations["before"], associations["after"]
    pairs = list(combinations(range(len(before)), 2))
    if not pairs:
        return None
    return sum(abs(before[i][j] - after[i][j]) for i, j in pairs) / len(pairs)


def _mean_errors(queries: Mapping[str, Any]) -> dict[str, float]:
    """By how much the mean of each column of numbers is off, as a share of it."""
    means = {
        name: (original, error)
        for name, rows in queries.items()
        for query, original, _, error in rows
        if query == MEAN
    }
    return {
        name: abs(error / original)
        for name, (original, error) in means.items()
        if original and error is not None
    }


def _runs(
    runs: "pd.DataFrame", over: str, measured: Mapping[Any, Any], score: str | None
) -> list[dict[str, Any]]:
    """Runs as plain values, each with the number that was swept."""
    named = {"suppressed_rows": "suppressed"} | ({score: "accuracy"} if score else {})
    wanted = ["classes", "mean", "largest", "suppressed_rows", "loss"]
    wanted += ["average_risk", "highest_risk", *([score] if score else [])]
    found = []
    for run in runs.to_dict("records"):
        error = run["error"] if isinstance(run["error"], str) else None
        x = run["parameters"][SWEPT[over]]
        one = {"x": x, "error": error, **measured.get(x, {})}
        for name in wanted:
            value = None if error is not None else _number(run[name])
            one[named.get(name, name)] = value
        found.append(one)
    return found


def _number(value: Any) -> int | float:
    return int(value) if float(value).is_integer() else float(value)


def read_values(over: str, text: str) -> list[int | float]:
    """Numbers that were typed, apart by commas or blanks.

    Examples
    --------
    >>> read_values("k", "2, 5 10"), read_values("t", "0.1 0.2")
    ([2, 5, 10], [0.1, 0.2])
    """
    field = Field(over, over, "number" if over == "t" else "whole")
    values = [field.read(word) for word in text.replace(",", " ").split()]
    if not 1 <= len(values) <= MOST_RUNS:
        raise DataError(f"values of {over}: give 1 to {MOST_RUNS} numbers.")
    return list(dict.fromkeys(values))


def is_adult(content: Mapping[str, Any]) -> bool:
    """Whether the source of a release file is the bundled census."""
    source = content.get("source")
    path = source.get("path") if isinstance(source, Mapping) else None
    return path == ADULT


@lru_cache(maxsize=1)
def read_grid() -> dict[str, Any]:
    """The grid of k, (c,l) and t on Adult, as it ships."""
    file = files("anon_transformers.studio") / "data" / "adult-grid.json"
    return json.loads(file.read_text(encoding="utf-8"))


@lru_cache(maxsize=len(GRID))
def grid_charts(over: str) -> dict[str, Chart]:
    """The charts of the grid against k, l or t."""
    model, beside = GRID[over]
    lines: dict[str, list[dict[str, Any]]] = {}
    for run in read_grid()["runs"]:
        if run["method"] != model or over not in run:
            continue
        name = model if beside is None else f"{beside} = {run[beside]}"
        lines.setdefault(name, []).append(_shares(run) | {"x": run[over]})
    return sweep_charts(over, dict(sorted(lines.items(), key=_by_number)))


def _by_number(line: tuple[str, Sequence[Any]]) -> tuple[int, str]:
    last = line[0].rpartition(" ")[2]
    return (int(last) if last.isdigit() else 0, line[0])


def _shares(run: Mapping[str, Any]) -> dict[str, Any]:
    """A run of the grid, which counts loss and risk in percent, in shares."""
    percent = ("loss", "average_risk", "highest_risk", "records_at_risk")
    return {k: v / 100 if k in percent else v for k, v in run.items()}

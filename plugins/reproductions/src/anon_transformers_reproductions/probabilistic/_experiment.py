"""Published runs of microaggregation and swapping on Census and EIA, made again.

What was published and recomputed, which tables, methods and parameters there are, and
why a number differs stands in ``data/probabilistic.json``.
"""

import math
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import ParameterError
from anon_transformers.experiments import NUMBER_COLUMNS, Findings, Panels, Progress
from anon_transformers.metrics import correlation_differences
from anon_transformers.parameters import whole
from anon_transformers.registry import registry
from anon_transformers_reproductions._sources import read_source, read_table
from anon_transformers_reproductions.probabilistic._limits import limit_findings
from anon_transformers_reproductions.probabilistic._numbers import (
    FEWEST_RUNS,
    claim_findings,
    column_findings,
)


@dataclass(frozen=True)
class ProbabilisticExperiment:
    """MDAV-ID, MDAV-SWAP and IR-SWAP on Census and EIA (conference paper).

    Parameters
    ----------
    census, eia : path, default=None
        The CASC reference tables as CSV with a header: Census of 1,080 rows and EIA of
        4,092. What is not given is not run; give at least one.
    quick : bool, default=False
        Few repetitions, and no judgment of how close they come.
    repetitions : int, default=None
        Random runs a number; None: as many as the source made.
    random_state : int, default=0
        Seeds all of them.
    """

    census: str | os.PathLike[str] | None = None
    eia: str | os.PathLike[str] | None = None
    quick: bool = False
    repetitions: int | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.census is None and self.eia is None:
            raise ParameterError(
                "give census=FILE or eia=FILE (--census FILE, --eia FILE): the CASC "
                "tables are not part of this library. The R package sdcMicro has them "
                "as CASCrefmicrodata and EIA; write them as CSV with a header."
            )
        if self.repetitions is not None:
            whole("repetitions", self.repetitions)

    def run(self, progress: Progress | None = None) -> Findings:
        """Run every method with every k on the tables that were given."""
        reported = read_source("probabilistic")
        tables = dict(self._tables(reported))
        planned = [
            (name, method, k)
            for name in tables
            for method in _methods_of(reported, name)
            for k in reported["k"]
        ]
        rows: list[dict[str, Any]] = []
        for done, (name, method, k) in enumerate(planned):
            if progress is not None:
                progress(done, len(planned), f"{name} {method} k={k}")
            rows += self._measure(reported, tables[name], name, method, k)
        if progress is not None:
            progress(len(planned), len(planned), "")
        runs = pd.DataFrame(rows)
        numbers = [
            *column_findings(reported, runs, judged=not self.quick),
            *claim_findings(reported, runs),
            *limit_findings(reported, tables, self.random_state),
        ]
        return Findings(
            title=reported["title"],
            numbers=pd.DataFrame(numbers, columns=list(NUMBER_COLUMNS)).astype(
                {"k": "Int64", "published": object, "recomputed": object}
            ),
            runs=runs,
            figures=tuple(_figures(runs)),
            notes=(*reported["notes"], *self._left_out(reported)),
            source=reported["source"],
        )

    def _left_out(self, reported: Mapping[str, Any]) -> Iterator[str]:
        """What was not run, and how to run it."""
        for name, given in reported["data_sets"].items():
            if getattr(self, name) is None:
                yield (
                    f"{name} was not run: give {name}=FILE (--{name} FILE), the CASC "
                    f"table of {given['rows']:,} rows as CSV with a header."
                )
        if self.quick:
            yield (
                f"{reported['quick_repetitions']} repetitions are too few to compare "
                "random methods: leave out quick (--quick) for that."
            )
        elif (self.repetitions or FEWEST_RUNS) < FEWEST_RUNS:
            yield (
                f"{self.repetitions} repetitions are too few to compare random "
                f"methods, which are judged from {FEWEST_RUNS} on (--repetitions)."
            )

    def _tables(
        self, reported: Mapping[str, Any]
    ) -> Iterator[tuple[str, pd.DataFrame]]:
        for name, given in reported["data_sets"].items():
            path = getattr(self, name)
            if path is not None:
                yield name, _read(path, given)

    def _measure(
        self,
        reported: dict[str, Any],
        table: pd.DataFrame,
        name: str,
        method: str,
        k: int,
    ) -> list[dict[str, Any]]:
        """One row per statistic, over all repetitions."""
        roles, spec = reported["data_sets"][name], reported["methods"][method]
        repeated = (
            reported["quick_repetitions"] if self.quick else reported["repetitions"]
        )
        repeated = self.repetitions or repeated
        if spec["anonymizer"] == "mdav":
            repeated = 1
        started = time.perf_counter()
        found: dict[str, list[np.ndarray]] = {}
        # One stream a run, so that none hangs on which others were made.
        seeds = np.random.SeedSequence(
            [self.random_state, k, *f"{name} {method}".encode()]
        ).spawn(repeated)
        for seed in seeds:
            after = _make(spec, roles, k, seed).fit_transform(table)
            for statistic, differences in _statistics(name, roles, table, after):
                found.setdefault(statistic, []).append(differences)
        seconds = time.perf_counter() - started
        about = {"data_set": name, "method": method, "k": k, "repetitions": repeated}
        return [
            {**about, "statistic": statistic, **_summary(statistic, of), "seconds": s}
            for (statistic, of), s in zip(
                found.items(), [seconds] + [math.nan] * len(found), strict=False
            )
        ]


def _read(path: str | os.PathLike[str], given: Mapping[str, Any]) -> pd.DataFrame:
    """A CASC table; any other is refused."""
    columns = [*given["known"], *given["sensitive"]]
    return read_table(path, columns, given["rows"])


def _methods_of(reported: Mapping[str, Any], data_set: str) -> list[str]:
    """Methods that some number of this table was printed or recomputed for."""
    wanted = {c["method"] for c in reported["columns"] if c["data_set"] == data_set}
    return [method for method in reported["methods"] if method in wanted]


def _make(
    spec: Mapping[str, Any],
    roles: Mapping[str, Any],
    k: int,
    seed: np.random.SeedSequence,
) -> Any:
    make = registry().anonymizers[spec["anonymizer"]]
    if spec["anonymizer"] == "mdav":
        every = [*roles["known"], *roles["sensitive"]]
        return make(every, k=k, **spec["parameters"])
    return make(
        roles["known"],
        sensitive=roles["sensitive"],
        k=k,
        random_state=np.random.default_rng(seed),
        **spec["parameters"],
    )


def _statistics(
    data_set: str, roles: Mapping[str, Any], before: pd.DataFrame, after: pd.DataFrame
) -> Iterator[tuple[str, np.ndarray]]:
    """Differences of correlations, over each choice of entries that is asked for."""
    if data_set == "census":
        every = correlation_differences(before, after, zero_among=roles["known"])
        yield "all pairs", every.values
        literal = correlation_differences(before, after, columns=roles["sensitive"])
        yield "sensitive pairs", literal.values
        return
    yield "triangle", correlation_differences(before, after, counted="triangle").values
    yield "pairs", correlation_differences(before, after).values


def _summary(statistic: str, differences: list[np.ndarray]) -> dict[str, float]:
    """Mean and standard deviation, pooled as the printed tables are, or run by run."""
    values = np.array(differences)
    means, spreads = values.mean(axis=1), values.std(axis=1, ddof=1)
    pooled = statistic in {"all pairs", "triangle"}
    return {
        "mean": float(means.mean()),
        "sd": float(values.std() if pooled else spreads.mean()),
        "mean_error": _standard_error(means),
        "sd_error": pooled_error(values) if pooled else _standard_error(spreads),
    }


def _standard_error(runs: np.ndarray) -> float:
    """How far off the average of so many runs is by chance; NaN for a single one."""
    if len(runs) == 1:
        return math.nan
    return float(runs.std(ddof=1) / math.sqrt(len(runs)))


def pooled_error(values: np.ndarray) -> float:
    """How far off the standard deviation of all values is by chance; a row is a run.

    By the jackknife over runs: values of one run hang together, so that each run is
    left out as a whole. NaN for a single one.

    Examples
    --------
    >>> pooled_error(np.array([[0.0, 2.0], [0.0, 2.0], [0.0, 2.0]]))
    0.0
    """
    n_runs, n_values = values.shape
    if n_runs == 1:
        return math.nan
    about = values - values.mean()  # keeps digits in the differences of sums
    others = (n_runs - 1) * n_values
    first, second = about.sum(axis=1), (about**2).sum(axis=1)
    means = (first.sum() - first) / others
    variances = (second.sum() - second) / others - means**2
    spreads = np.sqrt(np.maximum(variances, 0.0))
    return float(np.sqrt((n_runs - 1) * spreads.var()))


def _figures(runs: pd.DataFrame) -> Iterator[Panels]:
    """What the tables of the source show, drawn: one panel per statistic."""
    for (data_set, statistic), part in runs.groupby(
        ["data_set", "statistic"], sort=False
    ):
        data = part.assign(x=part["k"], line=part["method"])
        yield Panels(
            f"{data_set}-{statistic}".replace(" ", "-"),
            f"{data_set}, {statistic}: change of correlations",
            data,
            {"mean": "Mean difference", "sd": "Standard deviation"},
        )

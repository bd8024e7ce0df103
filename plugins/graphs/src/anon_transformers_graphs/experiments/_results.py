"""Results of all runs of an experiment: tables, figures, notes, progress."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from anon_transformers.experiments import Panels, Progress
from anon_transformers_graphs.experiments._findings import Key
from anon_transformers_graphs.experiments._measures import ERROR, JACCARD
from anon_transformers_graphs.experiments._profiles import Profiles, profile_figures
from anon_transformers_graphs.experiments._random_runs import SHARE

RANDOM = ("average distance", "diameter", "disconnected", "raised k")
DEGREES = ("edges modified", "average distance", "diameter")
LEVELS = ("average distance", "diameter")
"""Measures that the original has a number of, to be compared with."""


@dataclass
class ExperimentResults:
    """Our numbers, and everything that was measured for them.

    Attributes
    ----------
    ours : dict
        Numbers by data set, method, k and measure.
    means : dict
        By data set: averages of random methods, one row per method and share.
    before : dict
        By data set: the same measures of the original.
    degrees : dict
        By data set: averages of k-degree anonymity, one row per construction and k.
    base_lines : dict
        By data set: what an index must exceed to be informative.
    profiles : dict
        By data set: degrees and centralities before and after.
    """

    ours: dict[Key, Any] = field(default_factory=dict)
    means: dict[str, pd.DataFrame] = field(default_factory=dict)
    before: dict[str, dict[str, float]] = field(default_factory=dict)
    degrees: dict[str, pd.DataFrame] = field(default_factory=dict)
    base_lines: dict[str, dict[str, float]] = field(default_factory=dict)
    profiles: dict[str, Profiles] = field(default_factory=dict)

    def runs(self) -> pd.DataFrame:
        """All averages, one below the other."""
        tables = [*self.means.items(), *self.degrees.items()]
        named = [means.assign(data_set=name) for name, means in tables]
        whole = pd.concat(named, ignore_index=True)
        first = ["data_set", "method", SHARE, "k"]
        return whole[first + [name for name in whole if name not in first]].astype(
            {SHARE: "Int64", "k": "Int64"}
        )

    def figures(self) -> Iterator[Panels]:
        """Every measure against the share of edges, and against k; then nodes."""
        for name, means in self.means.items():
            drawn = self._with_unchanged_point(name, means)
            yield Panels(
                f"{name}-random",
                f"{name}: averages of random graphs",
                self._with_base_lines(name, drawn, SHARE),
                {column: column for column in _drawn_columns(means, RANDOM)},
                SHARE,
                every_x=False,
            )
        for name, means in self.degrees.items():
            yield Panels(
                f"{name}-k-degree",
                f"{name}: averages of k-degree anonymity",
                self._with_base_lines(name, means, "k"),
                {column: column for column in _drawn_columns(means, DEGREES)},
            )
        for name, found in self.profiles.items():
            yield from profile_figures(name, found)

    def _with_unchanged_point(self, name: str, means: pd.DataFrame) -> pd.DataFrame:
        """Averages from the share 0 on, at which every method leaves the original."""
        methods = means["method"].unique()
        unchanged = {SHARE: 0, "disconnected": 0, **self.before[name]}
        first = pd.DataFrame([{**unchanged, "method": method} for method in methods])
        return pd.concat([first[first.columns.intersection(means.columns)], means])

    def _with_base_lines(self, name: str, means: pd.DataFrame, x: str) -> pd.DataFrame:
        """Averages beside the original's numbers, and beside one cluster of all nodes.

        An index that is not above that of one cluster is no information.
        """
        before = self.before[name]
        levels = {
            "original": {column: before[column] for column in LEVELS},
            "one cluster of all nodes": self.base_lines[name],
        }
        places = means[x].unique()
        lines = [pd.DataFrame({"x": means[x], "line": means["method"], **means})]
        lines += [
            pd.DataFrame({"x": places, "line": line, **numbers})
            for line, numbers in levels.items()
        ]
        return pd.concat(lines, ignore_index=True)

    def notes(self) -> Iterator[str]:
        """How many graphs an average of distances leaves out."""
        for name, means in self.means.items():
            of = means.groupby("method", sort=False)[["disconnected", "runs"]].sum()
            counts = ", ".join(
                f"{row.disconnected:,} of {row.runs:,} by {row.Index}"
                for row in of.itertuples()
            )
            yield (
                f"{name}: graphs that are not connected have no average distance and "
                f"no diameter, and are left out of those averages: {counts}."
            )


class CombinedProgress:
    """Progress of the parts of an experiment, reported as one."""

    def __init__(self, progress: Progress | None, total: int):
        self.progress = progress
        self.total = total
        self.done = 0

    def part(self, name: str, size: int) -> Progress:
        """Progress of the next part, which has so many runs."""
        before = self.done
        self.done += size

        def report(done: int, _: int, what: str) -> None:
            if self.progress is not None:
                self.progress(before + done, self.total, f"{name} {what}".strip())

        return report

    def end(self) -> None:
        """Report that all is done."""
        if self.progress is not None:
            self.progress(self.total, self.total, "")


def _drawn_columns(table: pd.DataFrame, columns: tuple[str, ...]) -> list[str]:
    found = [name for name in map(str, table) if name.startswith((ERROR, JACCARD))]
    return [*columns, *found]

"""Published experiments on karate, football and jazz, repeated.

The published and recomputed numbers, the runs, and the reasons of differences are in
``data/graphs.json``.
"""

import json
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd

from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import DataError
from anon_transformers.experiments import NUMBER_COLUMNS, Findings, Progress
from anon_transformers.graphs import Graph
from anon_transformers.parameters import whole
from anon_transformers_graphs.experiments._data_sets import FILE, read_graphs
from anon_transformers_graphs.experiments._degree_runs import (
    degree_numbers,
    degree_runs,
    least_changes,
)
from anon_transformers_graphs.experiments._findings import number_findings
from anon_transformers_graphs.experiments._measures import ClusteringTasks
from anon_transformers_graphs.experiments._originals import (
    cluster_numbers,
    original_numbers,
)
from anon_transformers_graphs.experiments._profiles import profiles
from anon_transformers_graphs.experiments._random_runs import (
    METHODS,
    SHARE,
    claim_findings,
    count_numbers,
    graph_measures,
    guidance_findings,
    means_of,
    random_runs,
)
from anon_transformers_graphs.experiments._results import (
    CombinedProgress,
    ExperimentResults,
)
from anon_transformers_graphs.experiments._worked_examples import worked_numbers

QUICK_STEP = 5
QUICK_RUNS = 2
DEGREE_RUNS = 10
"""Runs of k-degree anonymity, whose choice among equal nodes is left to chance."""


def read_source_numbers() -> dict[str, Any]:
    """Numbers of the source: printed ones, recomputed ones, and how they are judged."""
    file = files("anon_transformers_graphs.experiments") / "data" / "graphs.json"
    return json.loads(file.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class GraphExperiment:
    """Random edges and k-degree anonymity on three graphs (master's thesis, 2011).

    Parameters
    ----------
    data : path, default=None
        Folder with ``karate.edges.gz``, ``football.edges.gz`` and ``jazz.edges.gz``:
        one edge per line, two names in it, comments after ``#``. A graph that is
        missing is not run; karate also comes with networkx.
    quick : bool, default=False
        Few runs of few shares of edges, whose averages are not judged.
    runs : int, default=None
        Random graphs per share; None: as many as the source made, 100 or 50.
    random_state : int, default=0
        Seeds all of them.
    """

    data: str | os.PathLike[str] | None = None
    quick: bool = False
    runs: int | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.runs is not None:
            whole("runs", self.runs)
        if self.data is not None and not Path(self.data).is_dir():
            raise DataError(f"{os.fspath(self.data)} is no folder.")

    def run(self, progress: Progress | None = None) -> Findings:
        """Run every method on the graphs that are there."""
        known = read_source_numbers()
        graphs = dict(read_graphs(self.data, known["data_sets"]))
        combined = CombinedProgress(
            progress, sum(self._size(known, name) for name in graphs)
        )
        found = ExperimentResults(worked_numbers(known))
        for name, graph in graphs.items():
            part = combined.part(name, self._size(known, name))
            self._run(found, name, graph, known["data_sets"][name], part)
        combined.end()
        judged = not self.quick
        numbers = [
            *number_findings(known, found.ours),
            *claim_findings(known, found.means, found.before, judged),
            *guidance_findings(known, found.means, judged),
        ]
        return Findings(
            title=known["title"],
            numbers=pd.DataFrame(numbers, columns=list(NUMBER_COLUMNS)).astype(
                {"k": "Int64", "published": object, "recomputed": object}
            ),
            runs=found.runs(),
            figures=tuple(found.figures()),
            notes=(*known["notes"], *found.notes(), *self._left_out(known, graphs)),
            source=known["source"],
        )

    def _run(
        self,
        found: ExperimentResults,
        name: str,
        graph: Graph,
        given: Mapping[str, Any],
        progress: Progress,
    ) -> None:
        """Everything on one graph."""
        tasks = ClusteringTasks.of(given)
        found.ours |= original_numbers(name, graph)
        found.ours |= cluster_numbers(name, graph, tasks)
        found.ours |= least_changes(name, graph, given["least changes"])
        measures = graph_measures(graph, tasks, given["degree groups"])
        repeated = QUICK_RUNS if self.quick else DEGREE_RUNS
        runs = degree_runs(graph, measures, given["k"], repeated, self.random_state)
        found.ours |= degree_numbers(name, runs)
        found.degrees[name] = means_of(runs, "k")
        found.base_lines[name] = tasks.base_lines(graph)
        found.profiles[name] = profiles(
            graph, given["drawn"], repeated, self.random_state
        )
        n_runs, shares = self._plan(given)
        runs = random_runs(graph, measures, n_runs, shares, self.random_state, progress)
        found.ours |= count_numbers(name, runs, given["counts"])
        found.means[name] = means_of(runs, SHARE)
        itself = GraphEvidence(graph, graph)
        found.before[name] = {what: of(itself) for what, of in measures.items()}

    def _plan(self, given: Mapping[str, Any]) -> tuple[int, list[int]]:
        """Runs per share, and shares in percent."""
        shares = range(1, given["largest share"] + 1)
        if self.quick:
            few = [share for share in shares if share % QUICK_STEP == 0]
            return self.runs or QUICK_RUNS, few
        return self.runs or given["runs"], list(shares)

    def _size(self, known: Mapping[str, Any], name: str) -> int:
        n_runs, shares = self._plan(known["data_sets"][name])
        return len(METHODS) * n_runs * len(shares)

    def _left_out(
        self, known: Mapping[str, Any], graphs: Collection[str]
    ) -> Iterator[str]:
        """What was not run, and how to run it."""
        for name in known["data_sets"]:
            if name not in graphs:
                yield (
                    f"{name} was not run: give data=FOLDER (--data FOLDER) with "
                    f"{FILE.format(name)}, two names of nodes per line."
                )
        if self.quick:
            yield (
                "these are too few runs to judge averages: leave out quick "
                "(--quick) for that."
            )

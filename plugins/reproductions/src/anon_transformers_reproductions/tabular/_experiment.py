"""Published runs of k-anonymity, l-diversity and t-closeness on Adult, made again.

What was published and recomputed, which runs there are, and why a number differs stands
in ``data/tabular-k-l-t.json``.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from anon_transformers.datasets import load_adult, load_adult_hierarchies
from anon_transformers.evidence import Classes, distribution
from anon_transformers.exceptions import InfeasibleError
from anon_transformers.experiments import NUMBER_COLUMNS, Findings, Panels, Progress
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics import (
    aggregate_answers,
    class_statistics,
    prosecutor_risk,
)
from anon_transformers.privacy import DistinctLDiversity, TCloseness
from anon_transformers.registry import registry
from anon_transformers_reproductions._sources import read_source
from anon_transformers_reproductions.tabular._numbers import (
    claim_findings,
    fact_findings,
    run_findings,
)

TABLE_CHARTS = {
    "loss": "Loss %",
    "average_risk": "Average risk %",
    "records_at_risk": "Records at risk %",
    "classes": "Classes",
    "mean": "Mean class size",
    "largest": "Largest class",
    "smallest": "Smallest class",
    "kept": "Kept rows",
    "suppressed": "Suppressed rows",
}
AGE_CHARTS = {
    "age_middle": "Mean age, middles",
    "age_middle_exact": "The same, nothing cut",
    "age_lower": "Mean age, lower bounds",
    "age_max": "Largest age",
    "age_min": "Smallest age",
    "age_mode_count": "Rows with the most frequent age",
}
PARAMETERS = ("k", "c", "l", "t")


@dataclass(frozen=True)
class TabularExperiment:
    """Optimal full-domain k, (c,l) and t on Adult, and its whole grid (thesis, 2018).

    Parameters
    ----------
    quick : bool, default=False
        Only the runs that look at few nodes.
    """

    quick: bool = False

    def run(self, progress: Progress | None = None) -> Findings:
        """Make every run of the source, and those of its grid that it left out."""
        reported = read_source("tabular-k-l-t")
        planned = self._planned(reported)
        table, hierarchies = load_adult(), load_adult_hierarchies()
        rows = []
        for done, run in enumerate(planned):
            if progress is not None:
                progress(done, len(planned), run["run"])
            named = {name: run.get(name) for name in ("run", "method", *PARAMETERS)}
            rows.append({**named, **_measure(reported, run, table, hierarchies)})
        if progress is not None:
            progress(len(planned), len(planned), "")
        runs = pd.DataFrame(rows)
        numbers = [
            *fact_findings(reported, table, hierarchies),
            *run_findings(reported, rows),
            *claim_findings(reported, runs),
        ]
        notes = list(reported["notes"])
        if self.quick:
            notes.append(
                f"{len(reported['runs']) - len(planned)} runs that look at many nodes "
                "were not made: leave out quick (--quick) for them."
            )
        return Findings(
            title=reported["title"],
            numbers=pd.DataFrame(numbers, columns=list(NUMBER_COLUMNS)).astype(
                {
                    "k": "Int64",
                    "published": object,
                    "recomputed": object,
                    "ours": object,
                }
            ),
            runs=runs,
            figures=tuple(_figures(runs)),
            notes=tuple(notes),
            source=reported["source"],
        )

    def _planned(self, reported: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [run for run in reported["runs"] if run.get("quick") or not self.quick]


def _measure(
    reported: Mapping[str, Any],
    run: Mapping[str, Any],
    table: pd.DataFrame,
    hierarchies: Mapping[str, Hierarchy],
) -> dict[str, Any]:
    """Everything that the source reports of a run, by the table that it publishes."""
    models = []
    if run["method"] != "k-anonymity":
        thresholds = {name: run[name] for name in ("c", "l", "t") if name in run}
        model = registry().privacy_models[run["method"]]
        models = [model(**thresholds, **reported["methods"][run["method"]])]
    anonymizer = registry().anonymizers["full-domain"](
        reported["quasi_identifiers"],
        k=run["k"],
        models=models,
        sensitive=[reported["sensitive"]],
        hierarchies=hierarchies,
        suppression="drop",
        suppression_limit=1.0,
    )
    started = time.perf_counter()
    try:
        released = anonymizer.fit_transform(table)
    except InfeasibleError as error:
        return {"feasible": "no", "error": str(error)}
    seconds = time.perf_counter() - started
    return {
        "feasible": "yes",
        "loss": 100 * anonymizer.loss_,
        "levels": "".join(map(str, anonymizer.levels_.values())),
        **_class_measures(reported, run, table, released, hierarchies),
        **_age_measures(table, released),
        "seconds": seconds,
        "nodes_looked_at": anonymizer.report_.details["looked_at"],
    }


def _class_measures(
    reported: Mapping[str, Any],
    run: Mapping[str, Any],
    table: pd.DataFrame,
    released: pd.DataFrame,
    hierarchies: Mapping[str, Hierarchy],
) -> dict[str, Any]:
    sensitive = reported["sensitive"]
    classes = Classes.from_frame(
        released,
        reported["quasi_identifiers"],
        [sensitive],
        references={sensitive: distribution(table[sensitive])},
        hierarchies={sensitive: hierarchies[sensitive]},
    )
    sizes = class_statistics(classes)
    risk = prosecutor_risk(classes, reported["risk_threshold"])
    alone = ~DistinctLDiversity(2).satisfied(classes)
    again = TCloseness(run.get("t", 1), "hierarchical", reference="released")
    return {
        "classes": sizes.count,
        "mean": sizes.mean,
        "largest": sizes.largest,
        "smallest": sizes.smallest,
        "kept": len(released),
        "suppressed": len(table) - len(released),
        "average_risk": 100 * risk.average,
        "highest_risk": 100 * risk.highest,
        "records_at_risk": 100 * risk.records_at_risk,
        "homogeneous_classes": int(alone.sum()),
        "homogeneous_rows": int(classes.rows[alone].sum()),
        "distance": TCloseness(1, "hierarchical").level(classes),
        "distance_released": again.level(classes),
        "classes_over_t": int((~again.satisfied(classes)).sum()),
    }


def _age_measures(table: pd.DataFrame, released: pd.DataFrame) -> dict[str, Any]:
    """Queries about age in the whole numbers of the source, and its mean without."""
    dropped = len(table) - len(released)
    answers = aggregate_answers(
        released["age"], arithmetic="integer", dropped_rows=dropped
    )
    return {
        "age_min": answers.minimum,
        "age_max": answers.maximum,
        "age_lower": answers.mean_lower,
        "age_middle": answers.mean_middle,
        "age_mode": answers.mode,
        "age_mode_count": answers.mode_count,
        "age_middle_exact": aggregate_answers(released["age"]).mean_middle,
    }


def _figures(runs: pd.DataFrame) -> Iterator[Panels]:
    """The charts of the source, against each parameter that its grid has."""
    by_method = dict(iter(runs.groupby("method", sort=False)))
    for name, method, other in (
        ("k", "k-anonymity", None),
        ("l", "recursive-cl-diversity", "c"),
        ("c", "recursive-cl-diversity", "l"),
        ("t", "t-closeness", None),
    ):
        if method not in by_method:
            continue
        part = by_method[method]
        line: Any = method
        if other is not None:
            part = part.sort_values(other, kind="stable")
            line = f"{other} = " + part[other].astype(int).astype(str)
        data = part.assign(x=part[name].astype(float), line=line)
        if name != "t":
            data["x"] = data["x"].astype(int)
        yield Panels(f"{name}-table", f"Against {name}", data, TABLE_CHARTS, name)
        yield Panels(f"{name}-ages", f"Ages against {name}", data, AGE_CHARTS, name)

"""A published comparison of Mondrian and Datafly, run again.

What was published and recomputed, which tables, methods and parameters there are, and
why a number differs stands in ``data/mondrian-datafly.json``.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from anon_transformers.base import TableAnonymizer
from anon_transformers.datasets import dataset_name, make_dependent, make_independent
from anon_transformers.exceptions import DataError
from anon_transformers.experiments import Findings, Panels, Progress
from anon_transformers.hierarchies import ByDataType, Hierarchy
from anon_transformers.registry import registry
from anon_transformers_reproductions._sources import read_source, read_table
from anon_transformers_reproductions.mondrian_datafly._numbers import (
    number_findings,
    run_findings,
)

MEASURES = {
    "combinations": "Combinations",
    "min": "Smallest",
    "max": "Largest",
    "mean": "Mean size",
    "variance": "Variance of sizes",
}
GENERATORS: dict[str, Callable[..., pd.DataFrame]] = {
    "independent": make_independent,
    "dependent": make_dependent,
}


@dataclass(frozen=True)
class _DataSet:
    """A table that is made when its turn comes."""

    name: str
    kind: str
    make: Callable[[], pd.DataFrame]


@dataclass(frozen=True)
class MondrianDataflyExperiment:
    """Mondrian and Datafly on 26 synthetic tables and on Adult (thesis, 2017).

    Parameters
    ----------
    quick : bool, default=False
        Only the tables with one or two attributes.
    adult : path, default=None
        The training part of Adult (UCI ``adult.data``) as CSV with a header, all 32,561
        rows. The bundled table lacks most of its numbers. Without it those runs are
        left out, and the findings say so.
    """

    quick: bool = False
    adult: str | os.PathLike[str] | None = None

    def run(self, progress: Progress | None = None) -> Findings:
        """Run every method with every k on every table."""
        reported = read_source("mondrian-datafly")
        data_sets = list(self._data_sets(reported))
        per_set = len(reported["k"]) * len(reported["methods"])
        total = len(data_sets) * per_set
        rows: list[dict[str, Any]] = []
        for data_set in data_sets:
            table = data_set.make()
            for anonymizer, method, k in _methods(reported, table):
                if progress is not None:
                    progress(len(rows), total, f"{data_set.name} {method} k={k}")
                named = {"data_set": data_set.name, "kind": data_set.kind}
                rows.append(
                    {**named, "method": method, "k": k, **_measure(anonymizer, table)}
                )
        if progress is not None:
            progress(total, total, "")
        runs = pd.DataFrame(rows).astype({"partitions": "Int64"})
        numbers = [*number_findings(reported, runs), *run_findings(reported, runs)]
        return Findings(
            title=reported["title"],
            numbers=pd.DataFrame(numbers).astype({"k": "Int64"}),
            runs=runs,
            figures=tuple(_figures(runs)),
            notes=(*reported["notes"], *self._left_out(reported)),
            source=reported["source"],
        )

    def _left_out(self, reported: dict[str, Any]) -> Iterator[str]:
        """What was not run, and how to run it."""
        if self.quick:
            yield (
                f"Tables with more than {reported['quick_attributes']} attributes were "
                "not run: leave out quick (--quick) for them."
            )
        if self.adult is None:
            yield (
                "Adult was not run: give adult=FILE (--adult FILE), its training part "
                "(UCI adult.data) as CSV with a header, "
                f"{reported['adult_rows']:,} rows, with the columns "
                f"{', '.join(reported['adult_columns'])}. The bundled Adult has of "
                "these only age."
            )

    def _data_sets(self, reported: dict[str, Any]) -> Iterator[_DataSet]:
        for group in reported["data_sets"]:
            for size in group["sizes"]:
                for n_attributes in group["attributes"]:
                    if self.quick and n_attributes > reported["quick_attributes"]:
                        continue
                    name = dataset_name(size, n_attributes, group["func"])
                    make = GENERATORS[group["kind"]]
                    yield _DataSet(
                        name,
                        group["kind"],
                        partial(make, size, n_attributes, func=group["func"]),
                    )
        if self.adult is not None:
            # Read now: a wrong file is refused before the others are run.
            adult = _read_adult(self.adult, reported)
            yield _DataSet("adult", "adult", lambda: adult)


def _read_adult(path: str | os.PathLike[str], reported: dict[str, Any]) -> pd.DataFrame:
    """The numbers of Adult; any other table is refused."""
    columns, n_rows = reported["adult_columns"], reported["adult_rows"]
    table = read_table(path, columns, n_rows, skipinitialspace=True)
    strange = [n for n in columns if not pd.api.types.is_integer_dtype(table[n])]
    if strange:
        raise DataError(
            f"{os.fspath(path)}: the columns {', '.join(strange)} must hold whole "
            "numbers in all rows."
        )
    return table


def _methods(
    reported: dict[str, Any], table: pd.DataFrame
) -> Iterator[tuple[TableAnonymizer, str, int]]:
    # One hierarchy serves all runs on a table, and all columns with equal values.
    hierarchies = _hierarchies(table)
    for method, spec in reported["methods"].items():
        make = registry().anonymizers[spec["anonymizer"]]
        given = {"hierarchies": hierarchies} if spec["anonymizer"] == "datafly" else {}
        for k in reported["k"]:
            yield make(k=k, **spec["parameters"], **given), method, k


def _hierarchies(table: pd.DataFrame) -> dict[str, Hierarchy]:
    built: dict[tuple[str, ...], Hierarchy] = {}
    hierarchies = {}
    for name in table.columns:
        values = tuple(str(value) for value in sorted(table[name].unique().tolist()))
        if values not in built:
            built[values] = ByDataType("int").build(values)
        hierarchies[name] = built[values]
    return hierarchies


def _measure(anonymizer: TableAnonymizer, table: pd.DataFrame) -> dict[str, Any]:
    """The five measures of a run, over what a reader of its table sees."""
    report = anonymizer.fit(table).report_
    return {
        "rows": report.rows,
        "combinations": report.classes["count"],
        "partitions": report.details.get("boxes"),
        "min": report.classes["smallest"],
        "max": report.classes["largest"],
        "mean": report.classes["mean"],
        "variance": report.classes["variance"],
        "suppressed": report.suppressed_rows,
        "seconds": report.seconds,
    }


def _figures(runs: pd.DataFrame) -> Iterator[Panels]:
    """The figures of the source: five panels, one line per k, or a method for Adult."""
    for (kind, method), part in runs.groupby(["kind", "method"], sort=False):
        if kind != "adult":
            names = part["data_set"].str.removeprefix("dataset")
            data = part.assign(x=names, line="k = " + part["k"].astype(str))
            yield Panels(
                f"{kind}-{method}", f"{method}, {kind} data", data, MEASURES, "data set"
            )
    adult = runs[runs["kind"] == "adult"]
    if len(adult):
        data = adult.assign(x=adult["k"], line=adult["method"])
        yield Panels("adult", "Adult", data, MEASURES)

"""The published comparison of crisp and fuzzy codings on Census, made again.

What was printed and recomputed, and why a number differs, stands in
``data/fuzzy.json``.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import ParameterError
from anon_transformers.experiments import (
    NUMBER_COLUMNS,
    Findings,
    Panels,
    Progress,
    coding_panels,
)
from anon_transformers.parameters import whole
from anon_transformers_reproductions._sources import read_source, read_table
from anon_transformers_reproductions.fuzzy._numbers import (
    comparison_findings,
    definition_findings,
    printed_rows,
    recomputed_rows,
    summary_findings,
    table_findings,
)
from anon_transformers_reproductions.fuzzy._runs import Coder

COUNTED = ("rows", "classes", "k", "measure_risk", "q_mean", "q_min")


@dataclass(frozen=True)
class FuzzyExperiment:
    """Six codings of 55 pairs of attributes, k, Q, l, t and risk (master's thesis).

    Parameters
    ----------
    census : path
        The CASC Census table of 1,080 rows as CSV with a header.
    quick : bool, default=False
        Six pairs of attributes only, and no sums over all.
    starts : int, default=None
        Starts of k-means for each set of attributes; None: 300, or 100 if ``quick``.
        Fewer, or others, may miss the end that the source printed; that is shown as a
        difference without a reason.
    random_state : int, default=0
        Where these starts come from.
    """

    census: str | os.PathLike[str] | None = None
    quick: bool = False
    starts: int | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.census is None:
            raise ParameterError(
                "give census=FILE (--census FILE): the CASC table is not part of this "
                "library. The R package sdcMicro has it as CASCrefmicrodata; write it "
                "as CSV with a header."
            )
        if self.starts is not None:
            whole("starts", self.starts)

    def run(self, progress: Progress | None = None) -> Findings:
        """Code every pair in every way."""
        reported = read_source("fuzzy")
        coder = Coder(
            self._table(reported),
            reported["sensitive"],
            np.array(reported["random"]),
            self.starts or reported["quick_starts" if self.quick else "starts"],
            self.random_state,
        )
        pairs = [tuple(pair) for pair in self._pairs(reported)]
        rows: list[dict[str, Any]] = []
        for done, pair in enumerate(pairs):
            names = [reported["attributes"][number - 1] for number in pair]
            if progress is not None:
                progress(done, len(pairs), ", ".join(names))
            rows += _runs(coder, reported, pair, names)
        if progress is not None:
            progress(len(pairs), len(pairs), "")
        runs = pd.DataFrame(rows).astype(dict.fromkeys(COUNTED, "Int64"))
        numbers = [
            *table_findings(reported, runs),
            *summary_findings(reported, runs),
            *comparison_findings(reported, runs),
            *definition_findings(reported, runs),
        ]
        notes = [*reported["notes"]]
        if self.quick:
            note = f"{len(pairs)} of 55 pairs were run: leave out quick (--quick)."
            notes.append(note)
        return Findings(
            title=reported["title"],
            numbers=pd.DataFrame(numbers, columns=list(NUMBER_COLUMNS)).astype(
                {"k": "Int64", "published": object, "recomputed": object}
            ),
            runs=runs,
            figures=tuple(_figures(runs, reported["sensitive"])),
            notes=tuple(notes),
            source=reported["source"],
        )

    def _pairs(self, reported: Mapping[str, Any]) -> list[list[int]]:
        if self.quick:
            return reported["quick_pairs"]
        return [row[:2] for row in reported["tables"][0]["rows"]]

    def _table(self, reported: Mapping[str, Any]) -> pd.DataFrame:
        """The Census table; any other is refused."""
        assert self.census is not None
        return read_table(self.census, reported["attributes"], reported["rows"])


def _runs(
    coder: Coder, reported: Mapping[str, Any], pair: tuple[int, ...], names: list[str]
) -> Iterator[dict[str, Any]]:
    """All runs of a pair, with its names."""
    printed, again = printed_rows(reported), recomputed_rows(reported)
    kinds = ("independent", "joint")
    about = {"pair": pair, "quasi_identifiers": ", ".join(names)}
    found = coder.runs(
        names,
        {coding: printed[coding, "k-means", pair] for coding in kinds},
        {coding: again[coding, "k-means", pair] for coding in kinds},
    )
    for row in found:
        yield {**about, **row}


def _figures(runs: pd.DataFrame, sensitive: list[str]) -> Iterator[Panels]:
    """Criteria of all pairs by coding: as the source took them, and as defined."""
    criteria = ["k", "measure_risk"]
    criteria += [f"{what} {name}" for name in sensitive for what in ("l", "t")]
    conventions = {
        "source": "as the source took them",
        "definition": "by their definitions",
    }
    for convention, how in conventions.items():
        for panels in coding_panels(runs[runs["convention"] == convention], criteria):
            yield replace(
                panels,
                name=f"{panels.name}-{convention}",
                title=f"{panels.title}, criteria {how}",
            )

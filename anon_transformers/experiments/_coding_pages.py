"""A comparison of codings as files: page, plots, numbers."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from anon_transformers.experiments._coding_summary import is_lower_better
from anon_transformers.experiments._codings import CodingComparison
from anon_transformers.experiments._pages import render, shown, write_page
from anon_transformers.experiments._plots import Panels, draw

NAME = "codings"
WORDS = {"measure_risk": "Rows at higher risk", "q_min": "Q", "q_mean": "Q (mean)"}


def coding_panels(runs: pd.DataFrame, criteria: Sequence[str]) -> Iterator[Panels]:
    """One figure a coding: each criterion over all runs, the worst first.

    Each line has its own order, so that methods are compared by how many runs are how
    bad, and not run by run.
    """
    for coding, part in runs.groupby("coding", sort=False):
        present = [name for name in criteria if part[name].notna().any()]
        lines = [
            _sorted(of_method, present).assign(line=method)
            for method, of_method in part.groupby("method", sort=False)
        ]
        yield Panels(
            str(coding),
            f"{coding} coding",
            pd.concat(lines, ignore_index=True),
            {name: WORDS.get(name, name) for name in present},
            "sets of quasi-identifiers, the worst first",
            every_x=False,
        )


def _sorted(runs: pd.DataFrame, criteria: Sequence[str]) -> pd.DataFrame:
    columns = {
        name: runs[name]
        .astype(float)
        .sort_values(ascending=not is_lower_better(name))
        .to_numpy()
        for name in criteria
    }
    return pd.DataFrame(columns).assign(x=range(1, len(runs) + 1))


def write_codings(
    comparison: CodingComparison,
    folder: str | os.PathLike[str],
    title: str = "Codings",
) -> list[Path]:
    """Write a comparison of codings as a self-contained page, plots and CSV files.

    Parameters
    ----------
    comparison : CodingComparison
        What :func:`compare_codings` returned.
    folder : path
        Made if it is not there; files of the same names are overwritten.
    title : str, default="Codings"
        Heading of the page.

    Returns
    -------
    list of pathlib.Path
        ``codings.html``, ``codings.csv``, ``codings-summary.csv`` and one PNG per kind
        of coding.
    """
    ran = comparison.runs[comparison.runs["error"].isna()]
    figures = {
        f"{NAME}-{panels.name}": (panels.title, draw(panels))
        for panels in coding_panels(ran, comparison.criteria)
    }
    tables = {NAME: comparison.runs, f"{NAME}-summary": comparison.summary()}
    page = render(
        "codings.html",
        figures,
        title=title,
        about=comparison.about,
        convention=comparison.convention,
        tables={
            title: {
                "header": [str(name).replace("_", " ") for name in table.columns],
                "rows": [[shown(cell) for cell in row] for row in table.to_numpy()],
            }
            for title, table in (
                ("Which method is best", tables[f"{NAME}-summary"]),
                ("All runs", comparison.runs),
            )
        },
    )
    return write_page(folder, NAME, page, tables, figures)

"""Results as files: one page that needs nothing else, its plots, its numbers."""

import os
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from anon_transformers.exceptions import ConfigurationError
from anon_transformers.experiments._compare import COLUMNS
from anon_transformers.experiments._experiment import Findings
from anon_transformers.experiments._plots import comparison_panels, draw
from anon_transformers.figures import need_matplotlib


def need_page_tools() -> None:
    """Refuse before a long run what could not be written after it."""
    need_matplotlib()
    _environment()


def write_comparison(
    results: pd.DataFrame, folder: str | os.PathLike[str], title: str = "Comparison"
) -> list[Path]:
    """Write a comparison as a self-contained page, plots and a CSV file.

    Parameters
    ----------
    results : pandas.DataFrame
        What :func:`compare` returned. What stands in its ``attrs["about"]`` heads the
        page.
    folder : path
        Made if it is not there; files of the same names are overwritten.
    title : str, default="Comparison"
        Heading of the page.

    Returns
    -------
    list of pathlib.Path
        ``comparison.html``, ``comparison.csv`` and one PNG per measure.
    """
    readable = results.assign(parameters=results["parameters"].map(_assignments))
    further = [n for n in results.attrs.get("metrics", ()) if n not in COLUMNS]
    columns = [*COLUMNS[:-1], *further, COLUMNS[-1]]
    figures = {p.name: (p.title, draw(p)) for p in comparison_panels(results)}
    page = render(
        "comparison.html",
        figures,
        title=title,
        about=results.attrs.get("about", {}),
        header=[name.replace("_", " ") for name in columns],
        rows=[[shown(cell) for cell in row] for row in readable[columns].to_numpy()],
    )
    return write_page(folder, "comparison", page, {"comparison": readable}, figures)


def write_findings(
    findings: Findings, folder: str | os.PathLike[str], name: str
) -> list[Path]:
    """Write the findings of an experiment: page, figures and two CSV files.

    Parameters
    ----------
    findings : Findings
        What an experiment found.
    folder : path
        Made if it is not there; files of the same names are overwritten.
    name : str
        Of the experiment; the files are called after it.

    Returns
    -------
    list of pathlib.Path
    """
    figures = {p.name: (p.title, draw(p)) for p in findings.figures}
    numbers = findings.numbers
    page = render(
        "findings.html",
        figures,
        title=findings.title,
        source=findings.source,
        summary=findings.summary(),
        notes=findings.notes,
        header=[column.replace("_", " ") for column in numbers.columns],
        rows=[
            {"cells": [shown(cell) for cell in row], "differs": differs}
            for row, differs in zip(
                numbers.to_numpy(), numbers["equal"].eq(False), strict=True
            )
        ],
    )
    tables = {name: numbers, f"{name}-runs": findings.runs}
    return write_page(folder, name, page, tables, figures)


def shown(cell: Any) -> str:
    """A cell for people: five digits, nothing where there is nothing.

    Examples
    --------
    >>> shown(0.123456), shown(12500.0), shown(None), shown(True), shown(float("nan"))
    ('0.12346', '12500', '', 'yes', '')
    """
    if pd.isna(cell):
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.5g}" if abs(cell) < 1 else f"{cell:.4f}".rstrip("0").rstrip(".")
    return str(cell)


def _assignments(parameters: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in parameters.items())


def render(
    template: str, figures: Mapping[str, tuple[str, bytes]], **content: Any
) -> str:
    """Fill a template, figures in it."""
    page = _environment().get_template(template)
    return page.render(figures=_inline(figures), **content)


def _inline(figures: Mapping[str, tuple[str, bytes]]) -> list[dict[str, str]]:
    return [
        {"title": title, "data": b64encode(png).decode("ascii")}
        for title, png in figures.values()
    ]


def _environment() -> Any:
    try:
        from jinja2 import Environment, PackageLoader
    except ModuleNotFoundError:
        raise ConfigurationError(
            "pages need jinja2: pip install 'anon-transformers[plots]'"
        ) from None
    return Environment(
        loader=PackageLoader("anon_transformers.experiments"), autoescape=True
    )


def write_page(
    folder: str | os.PathLike[str],
    name: str,
    page: str,
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, tuple[str, bytes]],
) -> list[Path]:
    """Write a page, the tables and the figures beside it."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    written = [place / f"{name}.html"]
    written[0].write_text(page, encoding="utf-8")
    for stem, table in tables.items():
        written.append(place / f"{stem}.csv")
        table.to_csv(written[-1], index=False)
    for stem, (_, png) in figures.items():
        written.append(place / f"{stem}.png")
        written[-1].write_bytes(png)
    return written


def refuse_existing(folder: str | os.PathLike[str], name: str) -> None:
    """Refuse to overwrite the page of an earlier run."""
    page = Path(folder) / f"{name}.html"
    if page.exists():
        raise ConfigurationError(f"{page} is there already; --force overwrites it.")

"""Charts as files: the picture, or its numbers for a spreadsheet."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from io import StringIO
from typing import Any

from starlette.responses import Response

from anon_transformers.figures import Chart

KINDS = {"svg": "image/svg+xml", "csv": "text/csv"}


def chart_file(chart: Chart, name: str, ending: str) -> Response:
    """Answer with a chart as a file: ``svg`` or ``csv``."""
    content = chart.svg if ending == "svg" else csv_of(chart)
    headers = {"Content-Disposition": f'attachment; filename="{name}.{ending}"'}
    return Response(content, media_type=KINDS[ending], headers=headers)


def csv_of(chart: Chart) -> str:
    """The numbers of a chart as :func:`csv_text` writes them.

    Examples
    --------
    >>> csv_of(Chart("", "Loss", ("column", "loss"), (("=age", 0.5),))).splitlines()
    ['column,loss', "'=age,0.5"]
    """
    return csv_text((chart.columns, *chart.rows))


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV; a text that a spreadsheet would run gets an apostrophe.

    Examples
    --------
    >>> csv_text([["error", "k"], ["=1+2", 5]]).splitlines()
    ['error,k', "'=1+2,5"]
    """
    file = StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for row in rows:
        writer.writerow(map(safe_cell, row))
    return file.getvalue()


def safe_cell(cell: Any) -> Any:
    """A cell of a CSV file that no spreadsheet takes for a formula."""
    from anon_transformers.release._spreadsheets import would_run

    return f"'{cell}" if isinstance(cell, str) and would_run(cell) else cell


def noted_charts(charts: dict[str, Chart]) -> dict[str, Any]:
    """Charts as JSON types, to be kept with the result of a job."""
    return {name: asdict(chart) for name, chart in charts.items()}


def read_charts(noted: dict[str, Any]) -> dict[str, Chart]:
    """Charts that were kept with the result of a job."""
    return {
        name: Chart(
            one["svg"],
            one["title"],
            tuple(one["columns"]),
            tuple(tuple(row) for row in one["rows"]),
        )
        for name, one in noted.items()
    }

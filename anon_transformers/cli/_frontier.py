"""``anon frontier``: what every k costs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anon_transformers.cli._columns import (
    Dates,
    Identifiers,
    Missing,
    QuasiIdentifiers,
    Sensitive,
    Subject,
    read_dates,
)
from anon_transformers.cli._compare import Source
from anon_transformers.cli._dialects import Dialect, Encoding, Separator
from anon_transformers.cli._hierarchy_files import (
    HierarchyFiles,
    UnknownOption,
    UnknownValues,
    read_hierarchies,
)
from anon_transformers.cli._promises import LIMIT_HELP, read_limit
from anon_transformers.cli._tables import TableReader, typed_texts
from anon_transformers.cli.output import (
    JsonFlag,
    format_number,
    handle_errors,
    print_json,
    print_table,
)
from anon_transformers.exceptions import ConfigurationError

if TYPE_CHECKING:
    from anon_transformers.generalization import Frontier

MaxK = Annotated[int | None, typer.Option("--max-k", help="Largest k of the curve.")]
Limit = Annotated[str, typer.Option(metavar="ROWS|SHARE", help=LIMIT_HELP)]
Loss = Annotated[str, typer.Option(help="What is made small, such as precision.")]
Plot = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Draw the curve: PNG.")
]


@handle_errors
def frontier(
    source: Source,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    identifiers: Identifiers = None,
    subject: Subject = None,
    hierarchies: HierarchyFiles = None,
    unknown: UnknownOption = UnknownValues.error,
    suppression_limit: Limit = "0.05",
    max_k: MaxK = None,
    loss: Loss = "domain-share",
    plot: Plot = None,
    separator: Separator = ",",
    encoding: Encoding = "utf-8",
    missing: Missing = None,
    dates: Dates = None,
    json_output: JsonFlag = False,
) -> None:
    """Find the best full-domain generalization for every k, in one go.

    Columns without a hierarchy get a suggested one. Suppressed rows count as dropped.
    Nothing is published. k counts rows, or with [bold]--subject[/bold] persons.
    Without [bold]-q[/bold], every column that is not declared otherwise is a
    quasi-identifier, and is named by its position.

    [bold]anon frontier people.csv -q age -q zip --max-k 100 --plot curve.png[/bold]
    """
    if plot is not None and plot.suffix != ".png":
        raise ConfigurationError(f"--plot: {plot} must end in .png.")
    limit = read_limit(suppression_limit) or 0.0
    by_column = read_hierarchies(hierarchies or [], unknown, encoding)
    written, declared = read_dates(dates), [quasi_identifiers, sensitive, identifiers]
    needed = [*typed_texts(declared, subject, by_column and [*by_column], [*written])]
    reader = TableReader(missing, needed)
    own = Dialect(separator, encoding)
    frame = reader.read(source, own, needed, dates=written)
    from anon_transformers.generalization import FullDomainAnonymizer

    anonymizer = FullDomainAnonymizer(
        quasi_identifiers,
        sensitive=sensitive,
        identifiers=identifiers,
        subject=subject,
        hierarchies=by_column,
        suppression_limit=limit,
        loss=loss,
        verbose=not json_output,
    )
    curve = anonymizer.frontier(frame, max_k=max_k)
    counted = "rows" if subject is None else "persons"
    if plot is not None:
        from anon_transformers.experiments import plot_frontier

        plot.write_bytes(plot_frontier(curve))
    if json_output:
        print_json({"counted": counted, "loss": curve.loss, "ranges": _ranges(curve)})
    else:
        _print_report(source, curve, counted, plot)


def _ranges(curve: "Frontier") -> list[dict[Any, Any]]:
    levels = curve.levels.to_dict("records")
    rows = curve.table.to_dict("records")
    return [row | {"levels": at} for row, at in zip(rows, levels, strict=True)]


def _print_report(
    source: Path, curve: "Frontier", counted: str, plot: Path | None
) -> None:
    both = zip(
        curve.table.itertuples(index=False),
        curve.levels.itertuples(index=False),
        strict=True,
    )
    rows: list[list[Any]] = [
        [
            f"{low}" if low == high else f"{low} to {high}",
            *map(format_number, (*others, *at)),
        ]
        for (low, high, *others), at in both
    ]
    names = [str(name) for name in curve.table.columns[2:]]
    names += [f"level of {name}" for name in curve.levels.columns]
    title = f"{source}: {curve.loss} loss by k, which counts {counted}"
    print_table(title, ["k", *names], rows)
    if plot is not None:
        typer.echo(f"plot  {plot}")

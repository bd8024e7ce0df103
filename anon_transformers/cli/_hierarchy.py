"""``anon hierarchy``: suggest one, show it, check it."""

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.tree import Tree

from anon_transformers.cli._columns import Missing, Separator, read_table
from anon_transformers.cli._output import JsonFlag, print_json, told
from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    unknown_choice,
)

if TYPE_CHECKING:
    import pandas as pd

    from anon_transformers.hierarchies import Hierarchy

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Suggest, show and check generalization hierarchies (semicolon CSV files).",
)
File = Annotated[Path, typer.Argument(metavar="HIERARCHY", help="Semicolon CSV file.")]
ColumnName = Annotated[
    str, typer.Option("--column", "-c", metavar="COLUMN", help="Column of the table.")
]
Most = Annotated[
    int, typer.Option(min=1, help="Show at most so many values below each group.")
]


@app.command()
@told
def suggest(
    table: Annotated[Path, typer.Argument(help="Table: CSV or Parquet.")],
    column: ColumnName,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write it there.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    most: Most = 10,
    separator: Separator = ",",
    missing: Missing = None,
    json_output: JsonFlag = False,
) -> None:
    """Propose a hierarchy from the values of a column.

    It is a start: read it and change what is not meant so.

    [bold]anon hierarchy suggest people.csv -c zip --out zip.csv[/bold]
    """
    if out is not None and out.exists() and not force:
        raise ConfigurationError(f"{out} is there already; --force overwrites it.")
    from anon_transformers.hierarchies import suggest as propose

    values, _ = _texts(read_table(table, separator, missing), column)
    hierarchy = propose(values)
    if out is not None:
        hierarchy.to_csv(out)
    if json_output:
        print_json({**_plain(hierarchy), "file": None if out is None else str(out)})
        return
    _print_tree(column, hierarchy, most)
    if out is not None:
        typer.echo(f"wrote {out}")


@app.command()
@told
def show(file: File, most: Most = 10, json_output: JsonFlag = False) -> None:
    """Print a hierarchy as a tree."""
    hierarchy = read_hierarchy(file)
    if json_output:
        print_json(_plain(hierarchy))
    else:
        _print_tree(file.name, hierarchy, most)


@app.command()
@told
def check(
    file: File,
    table: Annotated[
        Path | None,
        typer.Option("--table", metavar="FILE", help="A table it should cover."),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option("--column", "-c", metavar="COLUMN", help="Column of the table."),
    ] = None,
    separator: Separator = ",",
    missing: Missing = None,
    json_output: JsonFlag = False,
) -> None:
    """Say which row of a hierarchy is wrong, or that a table has values it lacks.

    Exit code 2 if it cannot be used as it is.
    """
    if (table is None) != (column is None):
        raise ConfigurationError("--table and --column go together.")
    hierarchy = read_hierarchy(file)
    found: dict[str, Any] = {**_size(hierarchy), "file": str(file)}
    if table is not None and column is not None:
        values, rows = _texts(read_table(table, separator, missing), column)
        unknown = hierarchy.locate(values) < 0
        if unknown.any():
            n_rows = sum(n for n, gone in zip(rows, unknown, strict=True) if gone)
            raise DataError(
                f"{file}: column {column!r} has {int(unknown.sum())} values in "
                f"{n_rows} rows that are not in the hierarchy."
            )
        found |= {"column": column, "covered_values": len(values)}
    if json_output:
        print_json(found)
        return
    typer.echo(f"{file}: {found['values']} values, {found['levels']} levels; no fault.")
    if "column" in found:
        typer.echo(f"covers all {found['covered_values']} values of {column!r}.")


def read_hierarchy(path: Path) -> "Hierarchy":
    """Read a hierarchy; a file that is none is told without its content."""
    from anon_transformers.hierarchies import Hierarchy

    if not path.is_file():
        raise DataError(f"{path} does not exist.")
    try:
        return Hierarchy.read_csv(path)
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(
            f"{path}: cannot be read as CSV ({type(error).__name__})."
        ) from None


def _texts(frame: "pd.DataFrame", column: str) -> tuple[list[str], list[int]]:
    """Distinct values of a column as they are published, and the rows of each."""
    from anon_transformers._tables import encode

    if column not in frame.columns:
        raise ConfigurationError(unknown_choice("column", column, frame.columns))
    coded = encode(frame[column])
    known = coded.codes[coded.codes < coded.missing_code]
    if not len(known):
        raise DataError(f"column {column!r} has no value in {len(frame)} rows.")
    import numpy as np

    counts = np.bincount(known, minlength=len(coded.values))
    return [str(text) for text in coded.texts()], counts.tolist()


def _size(hierarchy: "Hierarchy") -> dict[str, Any]:
    return {"values": len(hierarchy.leaves), "levels": hierarchy.n_levels}


def _plain(hierarchy: "Hierarchy") -> dict[str, Any]:
    return {**_size(hierarchy), "rows": [list(row) for row in hierarchy.rows]}


def _print_tree(title: str, hierarchy: "Hierarchy", most: int) -> None:
    size = f"{len(hierarchy.leaves)} values, {hierarchy.n_levels} levels"
    tree = Tree(f"[bold]{escape(hierarchy.root)}[/]  {escape(title)}: {size}")
    rows = [tuple(reversed(row[:-1])) for row in hierarchy.rows]
    _grow(tree, rows, most)
    Console().print(tree)


def _grow(tree: Tree, rows: list[tuple[str, ...]], most: int) -> None:
    """Add the values below a group; a value that repeats its group is not shown."""
    below: dict[str, list[tuple[str, ...]]] = {}
    for first, *rest in (row for row in rows if row):
        below.setdefault(first, []).append(tuple(rest))
    for value in list(below)[:most]:
        inside = below[value]
        chain = all(set(row) <= {value} for row in inside)
        branch = tree.add(escape(value))
        if not chain:
            _grow(branch, inside, most)
    if len(below) > most:
        tree.add(f"[dim]… {len(below) - most} more[/]")

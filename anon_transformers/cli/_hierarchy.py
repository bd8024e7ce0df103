"""``anon hierarchy``: suggest one, show it, check it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text
from rich.tree import Tree

from anon_transformers.cli._columns import Missing
from anon_transformers.cli._dialects import Dialect, Encoding, Separator
from anon_transformers.cli._hierarchy_files import read_hierarchy
from anon_transformers.cli._tables import FILES, TableReader
from anon_transformers.cli.output import Console, JsonFlag, handle_errors, print_json
from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
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
@handle_errors
def suggest(
    table: Annotated[Path, typer.Argument(help=f"Table: {FILES}.")],
    column: ColumnName,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write it there.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    most: Most = 10,
    separator: Separator = ",",
    encoding: Encoding = "utf-8",
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

    frame = _read(table, Dialect(separator, encoding), missing, column)
    hierarchy = propose(_series(frame, column))
    if out is not None:
        hierarchy.to_csv(out)
    if json_output:
        print_json({**_plain(hierarchy), "file": None if out is None else str(out)})
        return
    _print_tree(column, hierarchy, most)
    if out is not None:
        typer.echo(f"wrote {out}")


@app.command()
@handle_errors
def show(
    file: File,
    most: Most = 10,
    encoding: Encoding = "utf-8",
    json_output: JsonFlag = False,
) -> None:
    """Print a hierarchy as a tree."""
    hierarchy = read_hierarchy(file, encoding, beside=False)
    if json_output:
        print_json(_plain(hierarchy))
    else:
        _print_tree(file.name, hierarchy, most)


@app.command()
@handle_errors
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
    encoding: Encoding = "utf-8",
    missing: Missing = None,
    json_output: JsonFlag = False,
) -> None:
    """Say which row of a hierarchy is wrong, or that a table has values it lacks.

    Exit code 2 if it cannot be used as it is.
    """
    if (table is None) != (column is None):
        raise ConfigurationError("--table and --column go together.")
    hierarchy = read_hierarchy(file, encoding, beside=table is not None)
    found: dict[str, Any] = {**_size(hierarchy), "file": str(file)}
    if table is not None and column is not None:
        frame = _read(table, Dialect(separator, encoding), missing, column)
        covered = _covered_values(file, hierarchy, _series(frame, column))
        found |= {"column": column, "covered_values": covered}
    if json_output:
        print_json(found)
        return
    typer.echo(f"{file}: {found['values']} values, {found['levels']} levels; no fault.")
    if "column" in found:
        typer.echo(f"covers all {found['covered_values']} values of {column!r}.")


def _read(
    table: Path, dialect: Dialect, missing: list[str] | None, column: str
) -> "pd.DataFrame":
    return TableReader(missing, [column]).read(table, dialect, [column])


def _series(frame: "pd.DataFrame", column: str) -> "pd.Series":
    """A column that has a value."""
    from anon_transformers._data.columns import leaf_texts

    if not leaf_texts(frame[column]):
        raise DataError(f"column {column!r} has no value in {len(frame)} rows.")
    return frame[column]


def _covered_values(file: Path, hierarchy: "Hierarchy", series: "pd.Series") -> int:
    """How many values a column has; refuse those that the hierarchy lacks."""
    from anon_transformers._data.columns import leaf_places

    coded, places = leaf_places(series, hierarchy)
    # The code after the last value is that of missing ones.
    unknown = [*(places < 0).tolist(), False]
    if any(unknown):
        n_rows = sum(unknown[code] for code in coded.codes.tolist())
        raise DataError(
            f"{file}: column {series.name!r} has {sum(unknown)} values in {n_rows} "
            "rows that are not in the hierarchy."
        )
    return len(places)


def _size(hierarchy: "Hierarchy") -> dict[str, Any]:
    return {"values": len(hierarchy.leaves), "levels": hierarchy.n_levels}


def _plain(hierarchy: "Hierarchy") -> dict[str, Any]:
    return {**_size(hierarchy), "rows": [list(row) for row in hierarchy.rows]}


def _print_tree(title: str, hierarchy: "Hierarchy", most: int) -> None:
    size = f"{len(hierarchy.leaves)} values, {hierarchy.n_levels} levels"
    tree = Tree(Text.assemble((hierarchy.root, "bold"), f"  {title}: {size}"))
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
        branch = tree.add(Text(value))
        if not chain:
            _grow(branch, inside, most)
    if len(below) > most:
        tree.add(Text(f"… {len(below) - most} more", style="dim"))

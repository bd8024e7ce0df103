"""``anon dataset``: tables to try methods on, bundled and made."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anon_transformers.cli._dialects import Dialect
from anon_transformers.cli._targets import STDOUT, Force, refuse_target, write_table
from anon_transformers.cli.output import (
    JsonFlag,
    handle_errors,
    print_json,
    print_table,
)
from anon_transformers.exceptions import ConfigurationError, unknown_choice

if TYPE_CHECKING:
    import pandas as pd

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Write tables to try methods on: synthetic ones, and the bundled Adult.",
)
DATASETS = {
    "adult": "the Adult census table: 30,162 rows, 9 columns",
    "independent": "synthetic: every attribute alone tells all rows apart",
    "dependent": "synthetic: all attributes are needed to tell rows apart; as many "
    "rows as some values vary in them",
}
MOST_ROWS = 1_000_000_000
Name = Annotated[
    str, typer.Argument(metavar="NAME", help="Table, as in anon dataset list.")
]
Out = Annotated[
    Path,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="File to write: CSV or Parquet; [bold]-[/bold] is the standard output.",
    ),
]
Rows = Annotated[
    int | None,
    typer.Option(min=1, max=MOST_ROWS, help="Rows of a synthetic table."),
]
Attributes = Annotated[
    int | None,
    typer.Option(min=1, help="Columns of a synthetic table; 2 without it."),
]
Func = Annotated[
    str | None,
    typer.Option(
        help="Numbers of a synthetic table: [bold]linear[/bold] (without it), or "
        "[bold]quadratic[/bold], their squares."
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--random-state",
        "--seed",
        min=0,
        help="Seed of a random synthetic table; without it, nothing in it is random.",
    ),
]


@app.command("list")
@handle_errors
def list_(json_output: JsonFlag = False) -> None:
    """Show the tables that can be written."""
    if json_output:
        print_json([{"name": n, "summary": summary} for n, summary in DATASETS.items()])
    else:
        print_table("Tables", ["name", "what it is"], list(DATASETS.items()))


@app.command()
@handle_errors
def make(
    name: Name,
    out: Out,
    rows: Rows = None,
    attributes: Attributes = None,
    func: Func = None,
    random_state: Seed = None,
    force: Force = False,
    json_output: JsonFlag = False,
) -> None:
    """Write a table.

    [bold]anon dataset make independent --rows 1000 --seed 7 -o table.csv[/bold]
    """
    if name not in DATASETS:
        raise ConfigurationError(unknown_choice("table", name, DATASETS))
    refuse_target(out, force)
    options = {"--rows": rows, "--attributes": attributes, "--func": func}
    options["--random-state"] = random_state
    table = _table(name, {key: x for key, x in options.items() if x is not None})
    write_table(table, out, Dialect())
    made = {"name": name, "rows": len(table), "columns": list(table.columns)}
    if json_output:
        print_json({**made, "file": str(out)}, to_stderr=out == STDOUT)
    else:
        size = f"{len(table):,} rows, {len(table.columns)} columns"
        what = size if out == STDOUT else f"{out}: {size}"
        typer.echo(f"wrote {what}", err=out == STDOUT)


def _table(name: str, options: dict[str, Any]) -> "pd.DataFrame":
    from anon_transformers import datasets

    if name == "adult":
        for key in options:
            raise ConfigurationError(f"{key}: adult is written as it is.")
        return datasets.load_adult()
    if "--rows" not in options:
        raise ConfigurationError(f"--rows: how many should {name} have?")
    rows, attributes = options["--rows"], options.get("--attributes", 2)
    how = {
        "func": options.get("--func", "linear"),
        "random_state": options.get("--random-state"),
    }
    if name == "independent":
        return datasets.make_independent(rows, attributes, **how)
    return datasets.make_dependent(_values(rows, attributes), attributes, **how)


def _values(rows: int, attributes: int) -> int:
    """How many values vary in so many rows.

    Examples
    --------
    >>> _values(900, 2), _values(1000, 3), _values(7, 1)
    (30, 10, 7)
    """
    near = round(rows ** (1 / attributes))
    if near**attributes == rows:
        return near
    below = near if near**attributes < rows else near - 1
    choices = f"{below**attributes:,} or {(below + 1) ** attributes:,}"
    raise ConfigurationError(
        f"--rows: values vary in {attributes} attributes in {choices} rows, not in "
        f"{rows:,}."
    )

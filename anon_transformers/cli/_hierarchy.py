"""``anon hierarchy``: suggest one, show it, check it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.text import Text
from rich.tree import Tree

from anon_transformers.cli._columns import CountedBy, Missing, QuasiIdentifiers
from anon_transformers.cli._dialects import Dialect, Encoding, Separator
from anon_transformers.cli._hierarchy_files import read_hierarchy
from anon_transformers.cli._tables import FILES, TableReader
from anon_transformers.cli.output import (
    Console,
    JsonFlag,
    format_number,
    handle_errors,
    print_json,
    print_table,
    progress_bar,
)
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
Most = Annotated[
    int, typer.Option(min=1, help="Show at most so many values below each group.")
]


@app.command()
@handle_errors
def suggest(
    table: Annotated[Path, typer.Argument(help=f"Table: {FILES}.")],
    column: Annotated[
        str | None,
        typer.Option("--column", "-c", metavar="COLUMN", help="One column."),
    ] = None,
    quasi_identifiers: QuasiIdentifiers = None,
    subject: CountedBy = None,
    kind: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="What the values of the one column are."),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=2, help="k that scores are for.")] = 5,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE|DIR", help="Write it there; several into a folder."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    most: Most = 10,
    separator: Separator = ",",
    encoding: Encoding = "utf-8",
    missing: Missing = None,
    json_output: JsonFlag = False,
) -> None:
    """Propose hierarchies from the values of columns, with reasons and scores.

    One column with [bold]-c[/bold], which is shown as a tree; or several with
    [bold]-q[/bold], all columns without it. A score is the loss that a hierarchy saves
    at k, among these columns, compared with values that are shown whole or not at all.
    A single column has one by itself. It is a start: read it and change what is not
    meant so.

    [bold]anon hierarchy suggest people.csv -c zip --out zip.csv[/bold]
    [bold]anon hierarchy suggest people.csv -q zip -q age --out hierarchies[/bold]
    """
    dialect = Dialect(separator, encoding)
    if column is None:
        if kind is not None:
            raise ConfigurationError("--kind is about one column; name it with -c.")
        _suggest_several(
            table, dialect, missing, quasi_identifiers, subject, k,
            Output(out, force, json_output),
        )  # fmt: skip
        return
    if quasi_identifiers:
        raise ConfigurationError("-c and -q: name one column, or several.")
    _suggest_one(
        table, dialect, missing, column, subject, kind, k, most,
        Output(out, force, json_output),
    )  # fmt: skip


@dataclass(frozen=True)
class Output:
    """Where suggestions go."""

    out: Path | None
    force: bool
    as_json: bool

    def refuse_existing(self, *paths: Path) -> None:
        """Refuse to overwrite what is there, unless that was asked for."""
        there = [str(path) for path in paths if path.exists()]
        if there and not self.force:
            raise ConfigurationError(
                f"{', '.join(there)} is there already; --force overwrites it."
            )


def _suggest_one(
    table: Path,
    dialect: Dialect,
    missing: list[str] | None,
    column: str,
    subject: str | None,
    kind: str | None,
    k: int,
    most: int,
    output: Output,
) -> None:
    from anon_transformers.hierarchies import suggest_hierarchy
    from anon_transformers.proposals import score_hierarchies

    if output.out is not None:
        output.refuse_existing(output.out)
    needed = [column, *([] if subject is None else [subject])]
    frame = TableReader(missing, needed).read(table, dialect, needed)
    persons = None if subject is None else frame[subject]
    found = suggest_hierarchy(_series(frame, column), cast(Any, kind), subject=persons)
    scores = score_hierarchies(frame, {column: found.hierarchy}, k=k, subject=subject)
    if output.out is not None:
        found.hierarchy.to_csv(output.out)
    written = None if output.out is None else str(output.out)
    if output.as_json:
        said = {"kind": found.kind, "reason": found.reason, "stated": found.stated,
                "score": scores.get(column)}  # fmt: skip
        print_json({**_plain(found.hierarchy), **said, "file": written})
        return
    _print_tree(column, found.hierarchy, most)
    typer.echo(f"{found.kind}: {found.reason}.")
    if column in scores:
        typer.echo(f"Loss saved at k = {k}: {format_number(scores[column])}")
    if written is not None:
        typer.echo(f"wrote {written}")


def _suggest_several(
    table: Path,
    dialect: Dialect,
    missing: list[str] | None,
    columns: list[str] | None,
    subject: str | None,
    k: int,
    output: Output,
) -> None:
    from anon_transformers.hierarchies import suggest_hierarchy
    from anon_transformers.proposals import score_hierarchies

    typed = [*(columns or []), *([] if subject is None else [subject])]
    frame = TableReader(missing, typed).read(table, dialect, typed)
    names = columns or [str(c) for c in frame.columns if c != subject]
    folder = output.out
    files = {} if folder is None else {n: folder / f"{n}.csv" for n in names}
    output.refuse_existing(*files.values())
    persons = None if subject is None else frame[subject]
    found = {}
    with progress_bar(hidden=output.as_json, unit="columns") as progress:
        for done, name in enumerate(names):
            progress(done, len(names), name)
            found[name] = suggest_hierarchy(_series(frame, name), subject=persons)
        trees = {name: one.hierarchy for name, one in found.items()}
        scores = score_hierarchies(
            frame, trees, k=k, subject=subject, progress=progress
        )
    for name, file in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        trees[name].to_csv(file)
    rows = [
        {
            "column": name,
            "kind": one.kind,
            **_size(one.hierarchy),
            "score": scores.get(name),
            "reason": one.reason,
            "stated": one.stated,
            "file": str(files[name]) if name in files else None,
        }
        for name, one in found.items()
    ]
    if output.as_json:
        print_json({"k": k, "columns": rows})
        return
    header = ["column", "kind", "values", "levels", "score", "reason"]
    shown = [
        [format_number(row[key]) if key == "score" else row[key] for key in header]
        for row in rows
    ]
    print_table(f"{table}: loss saved at k = {k}", header, shown)
    for name, file in files.items():
        typer.echo(f"wrote {file} ({name})")


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

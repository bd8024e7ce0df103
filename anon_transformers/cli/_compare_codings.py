"""``anon compare-codings``: crisp and fuzzy sets of quasi-identifiers side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from anon_transformers.cli._columns import (
    Missing,
    QuasiIdentifiers,
    Sensitive,
    repeated,
)
from anon_transformers.cli._compare import Force, Out, Source, check_page, plain_rows
from anon_transformers.cli._dialects import Dialect, Encoding, Separator
from anon_transformers.cli._tables import TableReader, typed_texts
from anon_transformers.cli.output import (
    BROKEN_PROMISE,
    JsonFlag,
    format_number,
    handle_errors,
    print_json,
    print_table,
    progress_bar,
)
from anon_transformers.exceptions import ConfigurationError

Subsets = Annotated[
    list[str] | None,
    repeated(
        "--subset",
        metavar="COLUMN,…",
        help="Quasi-identifiers to code together, in place of all pairs",
    ),
]
Codings = Annotated[
    list[str] | None,
    repeated(
        "--coding",
        "-c",
        metavar="KIND:NAME",
        help="[bold]independent:[/bold] or [bold]joint:[/bold] with the name of a "
        "recoder, such as [bold]joint:fuzzy-c-means[/bold]",
    ),
]
Sets = Annotated[
    int, typer.Option("--sets", help="Sets of each column, or of all together.")
]
Scaling = Annotated[
    str,
    typer.Option(
        help="[bold]range[/bold], [bold]standard[/bold] or [bold]none[/bold], for all "
        "methods that measure distances."
    ),
]
Convention = Annotated[
    str,
    typer.Option(
        help="[bold]definition[/bold], or [bold]source[/bold]: t and Q as a published "
        "comparison took them, which promise nothing."
    ),
]
Seed = Annotated[int, typer.Option("--random-state", help="Seed of random starts.")]

SHOWN = {"quasi_identifiers": "quasi-identifiers", "measure_risk": "measure risk"}
LEFT_OUT = ("error", "rows")
NOTHING = "-"


@handle_errors
def compare_codings(
    source: Source,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    subsets: Subsets = None,
    codings: Codings = None,
    sets: Sets = 3,
    scale: Scaling = "range",
    convention: Convention = "definition",
    random_state: Seed = 0,
    out: Out = None,
    force: Force = False,
    separator: Separator = ",",
    encoding: Encoding = "utf-8",
    missing: Missing = None,
    json_output: JsonFlag = False,
) -> None:
    """Code pairs of numeric quasi-identifiers in crisp and fuzzy sets; publish nothing.

    Shows k, unevenness of risk, Q, and l and t of every sensitive column for each pair
    and coding, and which method is best how often. Without [bold]-q[/bold], every
    column that is not sensitive is a quasi-identifier, and is named by its position.
    Exit code 1 if a run failed.

    [bold]anon compare-codings people.csv -q age -q income -s disease[/bold]
    """
    check_page(out, "codings", force)
    together = _read_subsets(subsets)
    needed = [*typed_texts(quasi_identifiers, sensitive, together)]
    reader = TableReader(missing, needed)
    frame = reader.read(source, Dialect(separator, encoding), needed)
    found = _run(
        frame,
        hidden=json_output,
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive or (),
        subsets=together,
        n_sets=sets,
        scale=None if scale == "none" else scale,
        convention=convention,
        random_state=random_state,
        **({"codings": codings} if codings else {}),
    )
    files = [] if out is None else _write(found, out, source.name)
    if json_output:
        print_json(_plain(found, files))
    else:
        _print_report(source, found, files)
    if found.runs["error"].notna().any():
        raise typer.Exit(BROKEN_PROMISE)


def _read_subsets(given: Sequence[str] | None) -> list[list[str]] | None:
    """Read ``COLUMN,…``, one set of columns each.

    Examples
    --------
    >>> _read_subsets(["age,income", "age"])
    [['age', 'income'], ['age']]
    """
    if not given:
        return None
    found = [text.split(",") for text in given]
    for text, names in zip(given, found, strict=True):
        if not all(names):
            raise ConfigurationError(f"--subset: expected COLUMN,…, got {text!r}.")
    return found


def _run(frame: Any, *, hidden: bool, **options: Any) -> Any:
    from anon_transformers import experiments

    with progress_bar(hidden=hidden) as progress:
        return experiments.compare_codings(frame, progress=progress, **options)


def _write(found: Any, out: Path, title: str) -> list[Path]:
    from anon_transformers import experiments

    return experiments.write_codings(found, out, title)


def _plain(found: Any, files: Sequence[Path]) -> dict[str, Any]:
    return {
        "about": dict(found.about),
        "convention": found.convention,
        "runs": plain_rows(found.runs),
        "summary": plain_rows(found.summary()),
        "files": [str(file) for file in files],
    }


def _print_report(source: Path, found: Any, files: Sequence[Path]) -> None:
    runs = found.runs[found.runs["error"].isna()].drop(columns=list(LEFT_OUT))
    _print(f"{source}: {len(runs)} runs", runs, spare=["classes", "q_mean"])
    for coding, part in found.summary().groupby("coding", sort=False):
        _print_summary(str(coding), part)
    failed = found.runs[found.runs["error"].notna()]
    if len(failed):
        rows = failed[["coding", "method", "quasi_identifiers", "error"]]
        _print(f"{len(failed)} runs without a result", rows)
    typer.echo(
        f"A dash ({NOTHING}) stands where nothing is defined: Q of crisp sets, l and t "
        "where the source has none, the distance of a method that is the best. A class "
        "that no row belongs to by half has Q 0 and l 0, and no t."
    )
    if found.convention == "source":
        typer.echo(
            "t is the least distance and Q a mean, as in a published comparison: "
            "these promise nothing."
        )
    for file in files[:1]:
        typer.echo(f"page  {file}")


def _print_summary(coding: str, summary: Any) -> None:
    """One line per criterion, one cell per method."""
    methods = list(dict.fromkeys(summary["method"]))
    rows = []
    for criterion, part in summary.groupby("criterion", sort=False):
        cells = dict.fromkeys(methods, NOTHING)
        for row in plain_rows(part):
            numbers = (row["wins"], row["mean"], row["distance"])
            texts = [format_number(x, NOTHING) for x in numbers]
            cells[row["method"]] = " · ".join(texts)
        rows.append([criterion, part["compared"].iloc[0], *cells.values()])
    print_table(
        f"{coding} coding: wins · mean · mean distance from the best",
        ["criterion", "compared", *methods],
        rows,
        spare=["compared"],
    )


def _print(title: str, table: Any, spare: Sequence[str] = ()) -> None:
    rows = [
        [format_number(cell, NOTHING) for cell in row.values()]
        for row in plain_rows(table)
    ]
    header = [SHOWN.get(name, str(name)) for name in table.columns]
    print_table(title, header, rows, spare=spare)

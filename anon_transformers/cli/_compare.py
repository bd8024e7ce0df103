"""``anon compare``: what each method makes of one table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anon_transformers.cli._columns import (
    Identifiers,
    Known,
    Missing,
    Sensitive,
    Separator,
    Subject,
    read_table,
    repeated,
)
from anon_transformers.cli._output import (
    BROKEN_PROMISE,
    JsonFlag,
    assignments,
    number_or_text,
    print_json,
    print_table,
    shown,
    told,
)
from anon_transformers.cli._progress import run_bar
from anon_transformers.exceptions import ConfigurationError

if TYPE_CHECKING:
    import pandas as pd

Source = Annotated[Path, typer.Argument(help="Table to protect: CSV or Parquet.")]
Methods = Annotated[
    list[str] | None,
    repeated("--method", "-m", metavar="NAME", help="Anonymizer, as in anon list"),
]
Grids = Annotated[
    list[str] | None,
    repeated(
        "--grid",
        "-g",
        metavar="NAME=VALUE,…",
        help="Values of a parameter, such as [bold]k=2,5,10[/bold] for all methods or "
        "[bold]mondrian.mode=strict,relaxed[/bold] for one",
    ),
]
Trees = Annotated[
    list[str] | None,
    repeated("--hierarchy", metavar="COLUMN=FILE", help="Hierarchy of a column"),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Write page, plots and CSV there."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an earlier page.")]
SHOWN = {
    "method": "method",
    "parameters": "parameters",
    "classes": "classes",
    "smallest": "smallest",
    "largest": "largest",
    "mean": "mean",
    "variance": "variance",
    "suppressed_rows": "suppressed",
    "loss": "loss",
    "average_risk": "average risk",
    "highest_risk": "highest risk",
    "seconds": "seconds",
}


@told
def compare(
    source: Source,
    quasi_identifiers: Known = None,
    sensitive: Sensitive = None,
    identifiers: Identifiers = None,
    subject: Subject = None,
    methods: Methods = None,
    grids: Grids = None,
    hierarchies: Trees = None,
    out: Out = None,
    force: Force = False,
    separator: Separator = ",",
    missing: Missing = None,
    json_output: JsonFlag = False,
) -> None:
    """Run methods over a grid of parameters on one table, and publish nothing.

    Shows classes, loss, risk and time of every run; with [bold]--out[/bold] also as a
    page with plots against k. Exit code 1 if no run can keep its promise.

    [bold]anon compare people.csv -q age -m mondrian -m datafly --grid k=2,5,10[/bold]

    Privacy models are swept as [bold]-g MODEL.PARAMETER=VALUE,…[/bold], also in plots:
    [bold]anon compare people.csv -s job -m full-domain -g t-closeness.t=0.1,0.2[/bold]
    """
    if out is not None:
        from anon_transformers.experiments import _pages

        _pages.need_page_tools()
        if not force:
            _pages.refuse_existing(out, "comparison")
    roles = {
        "quasi_identifiers": quasi_identifiers,
        "sensitive": sensitive,
        "identifiers": identifiers,
        "subject": subject,
        "hierarchies": read_hierarchies(hierarchies or []),
    }
    frame = read_table(source, separator, missing)
    chosen, grid = methods or ["mondrian", "datafly"], read_grid(grids or [])
    results = _run(frame, chosen, grid, roles, hidden=json_output)
    files = [] if out is None else _pages.write_comparison(results, out, source.name)
    if json_output:
        print_json({"runs": plain_rows(results), "files": [str(f) for f in files]})
    else:
        _tell(source, results, files)
    if results["error"].notna().all():
        raise typer.Exit(BROKEN_PROMISE)


def read_grid(given: Sequence[str]) -> dict[str, list[Any]]:
    """Read ``NAME=VALUE,…``; a name given twice adds its values.

    Examples
    --------
    >>> read_grid(["k=2,5", "mondrian.mode=strict,relaxed", "k=10"])
    {'k': [2, 5, 10], 'mondrian.mode': ['strict', 'relaxed']}
    """
    grid: dict[str, list[Any]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals or not name or not all(values.split(",")):
            raise ConfigurationError(f"--grid: expected NAME=VALUE,…, got {text!r}.")
        wanted = grid.setdefault(name, [])
        wanted += [number_or_text(value) for value in values.split(",")]
    return grid


def read_hierarchies(given: Sequence[str]) -> dict[str, Any] | None:
    """Read ``COLUMN=FILE``, repeated."""
    from anon_transformers.cli._hierarchy import read_hierarchy

    pairs = assignments("hierarchy", given)
    return {c: read_hierarchy(Path(str(f))) for c, f in pairs.items()} or None


def _run(
    frame: "pd.DataFrame",
    methods: list[str],
    grid: Mapping[str, list[Any]],
    roles: Mapping[str, Any],
    *,
    hidden: bool,
) -> "pd.DataFrame":
    from anon_transformers import experiments

    with run_bar(hidden=hidden) as progress:
        return experiments.compare(frame, methods, grid, **roles, progress=progress)


def plain_rows(results: "pd.DataFrame") -> list[Any]:
    """Rows as JSON knows them: nothing in place of a number that is not there."""
    return results.astype(object).where(results.notna(), None).to_dict("records")


def _tell(source: Path, results: "pd.DataFrame", files: Sequence[Path]) -> None:
    ran = results[results["error"].isna()]
    rows = [
        [_parameters(c) if isinstance(c, dict) else shown(c) for c in row]
        for row in ran[list(SHOWN)].itertuples(index=False)
    ]
    print_table(f"{source}: {len(ran)} runs", list(SHOWN.values()), rows)
    failed = results[results["error"].notna()]
    if len(failed):
        told_of = zip(
            failed["method"], failed["parameters"], failed["error"], strict=True
        )
        print_table(
            f"{len(failed)} runs without a result", ["method", "parameters", "error"],
            [(method, _parameters(given), error) for method, given, error in told_of],
        )  # fmt: skip
    for file in files[:1]:
        typer.echo(f"page  {file}")


def _parameters(given: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in given.items())

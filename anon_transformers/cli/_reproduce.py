"""``anon reproduce``: a published experiment, run again."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from anon_transformers.cli._columns import repeated
from anon_transformers.cli._compare import Force, Out, plain_rows
from anon_transformers.cli._output import (
    BROKEN_PROMISE,
    JsonFlag,
    assignments,
    print_json,
    print_table,
    told,
)
from anon_transformers.cli._progress import run_bar
from anon_transformers.exceptions import ConfigurationError

Name = Annotated[
    str, typer.Argument(help="Experiment, as in anon list: [bold]mondrian-datafly[/].")
]
Quick = Annotated[bool, typer.Option("--quick", help="Leave out what takes long.")]
Adult = Annotated[
    Path | None,
    typer.Option("--adult", metavar="FILE", help="The full Adult file, with a header."),
]
Options = Annotated[
    list[str] | None,
    repeated(
        "--option", "-o", metavar="NAME=VALUE", help="Further option of the experiment"
    ),
]


@told
def reproduce(
    name: Name,
    quick: Quick = False,
    adult: Adult = None,
    options: Options = None,
    out: Out = None,
    force: Force = False,
    json_output: JsonFlag = False,
) -> None:
    """Run a published experiment again: what was published, ours, why they differ.

    Exit code 1 if a number differs and no reason for it is known.
    """
    if out is not None:
        from anon_transformers.experiments import _pages

        _pages.need_page_tools()
        if not force:
            _pages.refuse_existing(out, name)
    if adult is not None and not adult.is_file():
        raise ConfigurationError(f"{adult} does not exist.")
    given: dict[str, Any] = {"quick": True} if quick else {}
    given |= {} if adult is None else {"adult": adult}
    given |= assignments("option", options or [])
    findings = _run(name, given, hidden=json_output)
    files = [] if out is None else _pages.write_findings(findings, out, name)
    if json_output:
        print_json(_plain(findings, files))
    else:
        _tell(findings, files)
    if len(findings.unexplained):
        raise typer.Exit(BROKEN_PROMISE)


def _run(name: str, options: Mapping[str, Any], *, hidden: bool) -> Any:
    from anon_transformers import experiments

    with run_bar(hidden=hidden) as progress:
        return experiments.reproduce(name, progress=progress, **options)


def _plain(findings: Any, files: Sequence[Path]) -> dict[str, Any]:
    return {
        "title": findings.title,
        "summary": findings.summary(),
        "notes": list(findings.notes),
        "numbers": plain_rows(findings.numbers),
        "runs": plain_rows(findings.runs),
        "files": [str(file) for file in files],
    }


def _tell(findings: Any, files: Sequence[Path]) -> None:
    """Every number that was printed, and every difference; equal runs are counted."""
    from anon_transformers.experiments._pages import shown

    numbers = findings.numbers
    printed = numbers["published"].notna()
    told_of = numbers[printed | numbers["equal"].eq(False)]
    columns = [name for name in told_of.columns if name != "where"]
    for where, part in told_of.groupby("where", sort=False):
        rows = [
            [shown(cell) for cell in row]
            for row in part[columns].itertuples(index=False)
        ]
        print_table(str(where), [name.replace("_", " ") for name in columns], rows)
    others = numbers[~printed]
    counted = others.groupby(["measure", "method"], sort=False)["equal"]
    print_table(
        "Recomputed by others, not printed", ["what", "method", "equal", "differ",
                                              "not run"],
        [
            (*of, int(equal.eq(True).sum()), int(equal.eq(False).sum()),
             int(equal.isna().sum()))
            for of, equal in counted
        ],
    )  # fmt: skip
    for note in findings.notes:
        typer.echo(f"- {note}")
    typer.echo(findings.summary())
    for file in files[:1]:
        typer.echo(f"page  {file}")

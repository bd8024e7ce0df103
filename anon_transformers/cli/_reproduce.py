"""``anon reproduce``: a published experiment, run again."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from anon_transformers.cli._assignments import assignments
from anon_transformers.cli._columns import repeated
from anon_transformers.cli._compare import Force, Out, check_page, plain_rows
from anon_transformers.cli._experiment_options import own_options
from anon_transformers.cli.output import (
    BROKEN_PROMISE,
    JsonFlag,
    handle_errors,
    print_json,
    print_table,
    progress_bar,
)

Name = Annotated[
    str,
    typer.Argument(help="Experiment, as in anon list, such as [bold]tabular-k-l-t[/]."),
]
Quick = Annotated[bool, typer.Option("--quick", help="Leave out what takes long.")]
Options = Annotated[
    list[str] | None,
    repeated(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="Option of the experiment; --NAME VALUE is the same",
    ),
]


@handle_errors
def reproduce(
    context: typer.Context,
    name: Name,
    quick: Quick = False,
    options: Options = None,
    out: Out = None,
    force: Force = False,
    json_output: JsonFlag = False,
) -> None:
    """Run a published experiment again: what was published, ours, why they differ.

    Experiments come with plugins: anon-transformers-reproductions has those on tables,
    anon-transformers-graphs those on networks.

    An experiment has options of its own, such as the tables it needs: they follow its
    name. [bold]anon reproduce NAME --help[/bold] lists them.

    Exit code 1 if a number differs and no reason for it is known.
    """
    from anon_transformers.experiments._reproduce import find_experiment

    check_page(out, name, force)
    given: dict[str, Any] = {"quick": True} if quick else {}
    given |= own_options(name, find_experiment(name), context.args)
    given |= assignments("option", options or [])
    findings = _run(name, given, hidden=json_output)
    files = [] if out is None else _write(findings, out, name)
    if json_output:
        print_json(_plain(findings, files))
    else:
        _print_report(findings, files)
    if len(findings.unexplained):
        raise typer.Exit(BROKEN_PROMISE)


def _run(name: str, options: Mapping[str, Any], *, hidden: bool) -> Any:
    from anon_transformers import experiments

    with progress_bar(hidden=hidden) as progress:
        return experiments.reproduce(name, progress=progress, **options)


def _write(findings: Any, out: Path, name: str) -> list[Path]:
    from anon_transformers import experiments

    return experiments.write_findings(findings, out, name)


def _plain(findings: Any, files: Sequence[Path]) -> dict[str, Any]:
    return {
        "title": findings.title,
        "source": findings.source,
        "summary": findings.summary(),
        "notes": list(findings.notes),
        "numbers": plain_rows(findings.numbers),
        "runs": plain_rows(findings.runs),
        "files": [str(file) for file in files],
    }


def _print_report(findings: Any, files: Sequence[Path]) -> None:
    """Every number that was printed, and every difference; equal runs are counted."""
    from anon_transformers.experiments import NOT_RUN

    typer.echo(findings.title)
    if findings.source:
        typer.echo(f"source: {findings.source}")
    numbers = findings.numbers
    printed = numbers["published"].notna()
    run = numbers["reason"].ne(NOT_RUN)  # the others are counted below
    reasons = _print_numbers(numbers[run & (printed | numbers["equal"].eq(False))])
    others = numbers[~printed]
    counted = others.groupby(["measure", "method"], sort=False)["equal"]
    if len(others):
        print_table(
            "Recomputed by others, not printed", ["what", "method", "equal", "differ",
                                                  "not run"],
            [
                (*of, int(equal.eq(True).sum()), int(equal.eq(False).sum()),
                 int(equal.isna().sum()))
                for of, equal in counted
            ],
        )  # fmt: skip
    for number, reason in enumerate(reasons, 1):
        typer.echo(f"({number}) {reason}")
    for note in findings.notes:
        typer.echo(f"- {note}")
    left_out = findings.not_run.groupby("data_set", sort=False).size()
    if len(left_out):
        names = ", ".join(f"{name} ({count})" for name, count in left_out.items())
        typer.echo(f"not run, with how many numbers: {names}")
    typer.echo("recomputed: by others, from the rules of the source")
    typer.echo(findings.summary())
    for file in files[:1]:
        typer.echo(f"page  {file}")


def _print_numbers(numbers: Any) -> list[str]:
    """Print one table per place of the source; returns the reasons they refer to."""
    from anon_transformers.experiments._pages import shown

    reasons = [reason for reason in dict.fromkeys(numbers["reason"]) if reason]
    marks = {reason: f"({at})" for at, reason in enumerate(reasons, 1)}
    noted = numbers.assign(note=[marks.get(r, r) for r in numbers["reason"]])
    columns = [name for name in noted.columns if name not in {"where", "reason"}]
    for where, part in noted.groupby("where", sort=False):
        rows = [
            [shown(cell) for cell in row]
            for row in part[columns].itertuples(index=False)
        ]
        header = [name.replace("_", " ") for name in columns]
        print_table(str(where), header, rows, spare=["recomputed", "equal"])
    return reasons

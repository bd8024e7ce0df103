"""``anon status``: how releases stand."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from anon_transformers.cli.output import (
    BROKEN_PROMISE,
    JsonFlag,
    format_number,
    handle_errors,
    print_json,
    print_table,
)

COLORS = {"published": "green", "refused": "red", "broken": "red", "changed": "red"}
NO_NUMBER = "-"
MOST_GAPS = 5
"""Gaps between periods that are shown; --json has all."""


@handle_errors
def status(
    places: Annotated[
        list[Path] | None,
        typer.Argument(help="Release files, folders of them, or workspaces; by default "
                       "what lies below the current folder."),
    ] = None,
    json_output: JsonFlag = False,
) -> None:  # fmt: skip
    """List releases: periods, last success, next run, thresholds and their margins.

    Read from release files, journals and manifests; no table is opened. The exit code
    is 1 if a file is broken, the last run of a release, or of one of its periods, was
    refused or cut off, or somebody changed a public manifest.

    [bold]anon status releases/[/bold]
    """
    from anon_transformers.release import release_status

    found = release_status(places or [])
    if json_output:
        print_json([one.to_dict() for one in found])
    elif not found:
        typer.echo("There is no release here: name a file, a folder or a workspace.")
    else:
        _print_releases(found)
    if any(one.needs_attention for one in found):
        raise typer.Exit(BROKEN_PROMISE)


def _print_releases(found: list[Any]) -> None:
    header = ["release", "state", "periods", "last success", "next run", "thresholds"]
    rows = [
        (
            one.name,
            Text(one.state, style=COLORS.get(one.state, "")),
            _periods(one),
            one.last_success or "never",
            one.next_run or one.schedule or "when triggered",
            "\n".join(_margin(margin) for margin in one.thresholds),
        )
        for one in found
    ]
    print_table("Releases", header, rows, spare=["next run", "periods"])
    for one in found:
        if one.reason:
            typer.echo(f"- {one.name}: {one.reason}")
        if one.gaps:
            typer.echo(f"- {one.name}: not public in between: {_gaps(one.gaps)}")
        if one.counts == "persons" and one.thresholds:
            typer.echo(
                f"- {one.name}: thresholds are of persons, whose numbers are not "
                "published; what holds is the verdict at release."
            )


def _periods(one: Any) -> str:
    """How many periods are public, and which."""
    names = [public.period for public in one.periods if public.period]
    if not names:
        return NO_NUMBER
    return names[0] if len(names) == 1 else f"{len(names)}: {names[0]} to {names[-1]}"


def _gaps(gaps: Any) -> str:
    """The first few gaps, and how many more there are."""
    named = [
        gap.first
        if gap.n_periods == 1
        else f"{gap.first} to {gap.last} ({gap.n_periods})"
        for gap in gaps[:MOST_GAPS]
    ]
    more = len(gaps) - MOST_GAPS
    return ", ".join([*named, f"and {more} more gaps"] if more > 0 else named)


def _margin(margin: Any) -> str:
    if margin.margin is not None:
        return (
            f"{margin.id}: {format_number(margin.observed)} for "
            f"{format_number(margin.asked)}, margin {format_number(margin.margin)}"
        )
    asked = "" if margin.asked is None else f" for {format_number(margin.asked)}"
    most = ""
    if margin.margin_at_most is not None:
        most = f", margin at most {format_number(margin.margin_at_most)}"
    return f"{margin.id}: holds{asked}{most}"

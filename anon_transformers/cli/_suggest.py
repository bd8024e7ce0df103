"""``anon release --suggest``: what to do about a release that is refused."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from anon_transformers.cli.output import (
    BROKEN_PROMISE,
    Console,
    format_number,
    percent,
    print_error,
    print_json,
    print_table,
)
from anon_transformers.exceptions import AnonymizationError

if TYPE_CHECKING:
    from anon_transformers.release._advice import Advice, OnProgress, Setting
    from anon_transformers.release._gaps import Gap

NO_CANDIDATE = (
    "The method made no candidate that could be judged: the refusal says how near it "
    "came. The numbers below are of the source, before anything is generalized or "
    "suppressed; they show which quasi-identifiers tell rows apart."
)
EVERY = 10.0
"""Seconds between two lines on one try."""
MOST_COLUMNS = 12
"""Quasi-identifiers that are shown per threshold; JSON has them all."""


def print_suggestions(
    config: Path,
    refused: AnonymizationError,
    parameters: Mapping[str, int | float],
    period: str | None,
    *,
    as_json: bool,
    log_json: bool,
    seconds: float | None = None,
) -> None:
    """Print why a release was refused and what would pass; ends with exit code 1."""
    from anon_transformers.release import advise
    from anon_transformers.release._advice import SECONDS

    if not as_json:
        print_error(str(refused))
    with _shown(hidden=as_json and not log_json, as_json=log_json) as on_progress:
        advice = advise(
            config,
            parameters=parameters,
            period=period,
            seconds=SECONDS if seconds is None else seconds,
            on_progress=on_progress,
        )
    if as_json:
        print_json({"error": str(refused), "advice": advice.to_dict()})
    else:
        print_advice(advice)
    raise typer.Exit(BROKEN_PROMISE)


@contextmanager
def _shown(*, hidden: bool, as_json: bool) -> "Iterator[OnProgress]":
    """Show what is tried: in a bar, or in lines where nobody sees a bar move."""
    console = Console(stderr=True)
    if hidden or as_json or not console.is_terminal:
        yield _Lines(as_json).tell if as_json or not hidden else _nothing
        return
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("of the time"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as progress:
        bar = progress.add_task("reading", total=1.0)

        def on_progress(share: float, what: str) -> None:
            progress.update(bar, description=f"try {what}", completed=share)

        yield on_progress


def _nothing(share: float, what: str) -> None:
    """Show nothing."""


class _Lines:
    """One line per try on the error stream, and one now and then of a long try."""

    def __init__(self, as_json: bool):
        self.as_json = as_json
        self.setting, self.told = "", 0.0

    def tell(self, share: float, what: str) -> None:
        """Print what is tried; ``what`` of a long try begins with the setting."""
        of_same = bool(self.setting) and what.startswith(f"{self.setting}: ")
        if of_same and time.monotonic() - self.told < EVERY:
            return
        self.told = time.monotonic()
        if not of_same:
            self.setting = what
        if self.as_json:
            line = json.dumps(
                {"step": "suggest", "try": what, "share": round(share, 2)}
            )
        else:
            line = (
                f"try {what} ({percent(round(min(share, 1.0), 2))} of the time is used)"
            )
        typer.echo(line, err=True)


def print_advice(advice: "Advice") -> None:
    """Print an advice for people."""
    from anon_transformers.release._settings import shows_nothing

    if advice.passes:
        typer.echo(
            f"{advice.release} passes as it is stated now: nothing to suggest. The "
            "source may have changed since."
        )
        return
    if any(gap.of == "source" and not gap.holds for gap in advice.gaps):
        typer.echo(NO_CANDIDATE)
    for gap in advice.gaps:
        _print_gap(gap)
    if shows_nothing(advice.gaps):
        models = [gap.id for gap in advice.gaps if gap.kind == "model"]
        typer.echo(
            "The candidate shows nothing, for it takes all rows together to keep a "
            f"promise ({', '.join(models)}): no class with fewer rows does. A larger "
            "loss is no remedy; ask less of the model, or join rare values."
        )
    if advice.settings:
        header = ["setting", "loss", "not shown", "promise"]
        rows = [_row(setting) for setting in advice.settings]
        print_table("Settings that pass (each was tried)", header, rows)
    failed = [one for one in advice.tried if not one.passed]
    if advice.why_untried:
        typer.echo(advice.why_untried)
    elif not advice.settings:
        typer.echo(f"None of {len(failed)} other settings that were tried passes.")
    elif failed:
        typer.echo(f"{len(failed)} others were tried and do not pass (--json has why).")
    for left in advice.not_tried:
        typer.echo(f"not tried: {left}")
    if advice.not_tried:
        typer.echo(
            f"{advice.limit:g} seconds of the processor were allowed; "
            f"--suggest-seconds {5 * advice.limit:g} allows more."
        )
    typer.echo(
        "For whoever runs the release only: these counts are of rows that are not "
        "published."
    )


def _print_gap(gap: "Gap") -> None:
    if gap.holds:
        return
    asked = ", ".join(f"{name}: {value}" for name, value in gap.asked.items())
    reached = format_number(gap.reached, missing="not known")
    of_source = gap.of == "source"
    of = "the source, nothing generalized," if of_source else "the candidate"
    line = f"{gap.id}: asked for {asked}; {of} reaches {reached}"
    if gap.off is not None:
        line = f"{line}, off by {format_number(gap.off)}"
    if gap.rows_to_go is not None:
        whose = (
            "" if gap.persons_to_go is None else f" of {gap.persons_to_go:,} persons"
        )
        line = f"{line}; {gap.rows_to_go:,} rows{whose} would have to go"
        line = f"{line} if it stayed so" if of_source else line
    typer.echo(f"{line}.")
    if not gap.columns:
        return
    counted = "rows" if gap.persons_to_go is None else "persons"
    rows: list[tuple[str, ...]] = []
    for effect in gap.columns[:MOST_COLUMNS]:
        reached = format_number(effect.reached, missing="not known")
        if effect.to_go is None:
            rows.append((effect.column, reached, format_number(effect.gain)))
        else:
            gain = f"{effect.gain:,} {counted}"
            rows.append((effect.column, reached, gain, f"{effect.to_go:,} {counted}"))
    header = ["without", "reaches", "gain", "left to go"][: len(rows[0])]
    where = " (in the source, nothing generalized)" if of_source else ""
    print_table(f"Which quasi-identifiers cause {gap.id}{where}", header, rows)
    more = len(gap.columns) - len(rows)
    if more > 0:
        typer.echo(f"{more} more quasi-identifiers gain no more than these (--json).")


def _row(setting: "Setting") -> tuple[Any, ...]:
    loss = "not known" if setting.loss is None else percent(setting.loss)
    if setting.loss_with_dropped is not None:
        loss = f"{loss} ({percent(setting.loss_with_dropped)} with what is dropped)"
    gone = "not known"
    if setting.suppressed_rows is not None and setting.suppressed_share is not None:
        gone = f"{setting.suppressed_rows:,} rows, {percent(setting.suppressed_share)}"
    if setting.suppressed_persons is not None:
        gone = f"{gone}, of {setting.suppressed_persons:,} persons"
    promise = "promises less" if setting.loosens else "as stated"
    return setting.words, loss, gone, promise

"""``anon release``: load, anonymize, validate, publish."""

import json
import logging
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from anon_transformers.cli._anonymize import LOSS_IN_WORDS
from anon_transformers.cli._assignments import assignments
from anon_transformers.cli._suggest import print_suggestions
from anon_transformers.cli.output import (
    Console,
    JsonFlag,
    format_number,
    handle_errors,
    percent,
    print_json,
    print_table,
    print_warning,
)
from anon_transformers.exceptions import ConfigurationError, GateError, InfeasibleError

HINT = "anon release {} --suggest says what causes it, and which settings pass."
HIDDEN_SHARES = "hidden_shares"
OF_PUBLISHED = "loss_of_published_rows"
DROPPED_LOSS = "without rows that are dropped, which a threshold of loss counts as lost"
MOST_NAMED = 8
"""Quasi-identifiers that are named per threshold; the report names them all."""


@handle_errors
def release(
    config: Annotated[Path, typer.Argument(help="The release file (YAML).")],
    tightened: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="THRESHOLD=VALUE",
                     help="Tighten a threshold for this run, such as "
                     "[bold]k_anonymity_k=10[/bold]; repeat for more."),
    ] = None,
    period: Annotated[
        str | None,
        typer.Option("--period", metavar="PERIOD",
                     help="What this run is about, if the file has periods, such as "
                     "[bold]2026-10[/bold]."),
    ] = None,
    suggest: Annotated[
        bool,
        typer.Option("--suggest", help="If it is refused, say how far off it is, which "
                     "quasi-identifiers cause it, and which settings pass; each is "
                     "tried in private, in about two minutes."),
    ] = False,
    suggest_seconds: Annotated[
        float | None,
        typer.Option("--suggest-seconds", metavar="SECONDS",
                     help="Time of the processor for --suggest; 120 by default."),
    ] = None,
    log_json: Annotated[
        bool,
        typer.Option("--log-json", help="Log what each step did as one line of JSON on "
                     "the error stream, in place of the bar."),
    ] = False,
    json_output: JsonFlag = False,
) -> None:  # fmt: skip
    """Run a whole release: load → anonymize → validate → publish.

    Readers of the target see the old release until the new one is whole. A candidate
    that breaks a threshold is quarantined and nothing is published (exit code 1). Of a
    file with airflow: {map: …}, the releases of all items run one after another.
    """
    from anon_transformers.release import read_config

    parameters = assignments("set", tightened or [])
    if suggest_seconds is not None and (not suggest or not suggest_seconds > 0):
        raise ConfigurationError("--suggest-seconds: a number above 0, with --suggest.")
    if read_config(config).airflow.map is not None:
        from anon_transformers.cli._release_items import release_items

        if suggest:
            raise ConfigurationError("--suggest: name the file of one item.")
        release_items(config, parameters, period, log_json, as_json=json_output)
        return
    refused: GateError | InfeasibleError | None = None
    try:
        folder = run_shown(config, parameters, period, log_json, hidden=json_output)
    except (GateError, InfeasibleError) as error:
        refused = error
    if refused is not None:
        if not suggest:
            raise type(refused)(f"{refused}{_hint(refused, config, period, tightened)}")
        print_suggestions(
            config, refused, parameters, period,
            as_json=json_output, log_json=log_json, seconds=suggest_seconds,
        )  # fmt: skip
    _print_published(config, folder, suggest=suggest, as_json=json_output)


def _print_published(
    config: Path, folder: str, *, suggest: bool, as_json: bool
) -> None:
    """Show what was published, and where it was asked that nothing is to suggest."""
    manifest = read_version(config, folder)
    if as_json:
        advice = {"advice": {"passes": True}} if suggest else {}
        print_json({"folder": folder, **manifest, **advice})
        return
    print_report(folder, manifest)
    if suggest:
        typer.echo("It passes as it is stated: nothing to suggest.")


def run_shown(
    config: Path,
    parameters: Mapping[str, int | float],
    period: str | None,
    log_json: bool,
    *,
    hidden: bool,
) -> str:
    """Run one release with a bar and lines about its steps; the folder of the version.

    Parameters
    ----------
    config : Path
        The release file.
    parameters : mapping
        Thresholds that are tightened.
    period : str or None
        What the run is about.
    log_json : bool
        Whether lines are JSON, in place of the bar.
    hidden : bool
        Whether only what is wrong is shown.
    """
    from anon_transformers.release._steps import STEPS, run_release

    with Progress(
        TextColumn("{task.description:10}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} steps"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[stage]}", markup=False),
        console=Console(stderr=True),
        disable=hidden or log_json,
    ) as progress:
        bar = progress.add_task("load", total=len(STEPS), stage="")

        def on_step(step: str) -> None:
            progress.update(bar, description=step, completed=STEPS.index(step))

        def on_stage(stage: str) -> None:
            progress.update(bar, stage=stage)

        with _step_lines(progress, on_stage, log_json, hidden=hidden), _ended_by_hand():
            folder = run_release(
                config, parameters=parameters, on_step=on_step, period=period
            )
        progress.update(bar, description="published", completed=len(STEPS), stage="")
    return folder


@contextmanager
def _step_lines(
    progress: Progress,
    on_stage: Callable[[str], None],
    as_json: bool,
    *,
    hidden: bool,
) -> Iterator[None]:
    """Print what steps log, above the bar or as JSON; the bar shows what they are at.

    With ``--json`` alone, only what is wrong is printed.
    """
    from anon_transformers.release._log import FACTS, JsonLines, heard_by, where_in

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.levelno == logging.DEBUG:
                on_stage(where_in(getattr(record, FACTS, {})))
            elif as_json:
                print(JsonLines().format(record), file=sys.stderr, flush=True)
            elif record.levelno >= logging.WARNING:
                print_warning(record.getMessage())
            elif not hidden:
                progress.console.print(
                    Text(record.getMessage(), style="dim"), soft_wrap=True
                )

    with heard_by(Lines()):
        yield


@contextmanager
def _ended_by_hand() -> Iterator[None]:
    """End a run in order when it is interrupted, or asked to terminate.

    The run says what became of it, and gives up what it holds.
    """
    asked: list[int] = []

    def terminate(number: int, frame: Any) -> None:
        asked.append(number)
        raise KeyboardInterrupt

    in_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, terminate) if in_main else None
    try:
        yield
    except KeyboardInterrupt:
        # As shells count: 128 and the number of the signal.
        raise typer.Exit(128 + (asked or [signal.SIGINT])[0]) from None
    finally:
        if in_main:
            signal.signal(signal.SIGTERM, before)


def _hint(
    refused: GateError | InfeasibleError,
    config: Path,
    period: str | None,
    tightened: list[str] | None,
) -> str:
    """What to ask next, where settings may help; other refusals say what does."""
    from anon_transformers.release._composition import refused_together

    if refused_together(getattr(refused, "reasons", (str(refused),))):
        return ""
    return f"\n{HINT.format(_named(config, period, tightened))}"


def _named(config: Path, period: str | None, tightened: list[str] | None) -> str:
    """What names this run on the command line; another one might be published."""
    asked = [f"--set {each}" for each in tightened or ()]
    if period is not None:
        asked.append(f"--period {period}")
    return " ".join([str(config), *asked])


def read_version(config: Path, folder: str) -> dict[str, Any]:
    """The manifest of a published version, and what the journal says of its tries."""
    from anon_transformers.release import read_config
    from anon_transformers.release._back_off import tries_of

    found: dict[str, Any] = json.loads(
        Path(folder, "manifest.json").read_text(encoding="utf-8")
    )
    tries = tries_of(read_config(config), found["version"])
    return {**found, "tries": tries} if tries else found


def print_report(folder: str, manifest: dict[str, Any]) -> None:
    """Print what was measured of a published version, and where it is."""
    measured = manifest["measured"]
    columns = manifest.get("roles", {}).get("quasi_identifiers", [])
    rows = [
        (
            c["id"],
            format_number(c.get("observed", "holds")),
            _in_brief(c["sentence"], columns),
        )
        for c in measured["checks"]
    ]
    rows += _of_tries(manifest)
    rows += _of_graph(manifest) if "nodes" in manifest else _of_table(manifest)
    period = f" {manifest['period']}" if manifest.get("period") else ""
    title = f"Published {manifest['release']}{period}"
    print_table(title, ["what", "measured", ""], rows)
    for file in (manifest, *([manifest["nodes"]] if "nodes" in manifest else [])):
        typer.echo(f"release   {Path(folder, file['data'])}")
    typer.echo(f"manifest  {Path(folder, 'manifest.json')}")
    typer.echo(f"report    {Path(folder, 'validation.html')}")


def _in_brief(sentence: str, columns: Sequence[str]) -> str:
    """A sentence that counts columns where it would name many; the report names all.

    Examples
    --------
    >>> _in_brief("Every combination of a, b must be shared.", ["a", "b"])
    'Every combination of a, b must be shared.'
    >>> many = [f"q{number}" for number in range(39)]
    >>> _in_brief(f"Every combination of {', '.join(many)} must be shared.", many)
    'Every combination of 39 quasi-identifiers must be shared.'
    """
    if len(columns) <= MOST_NAMED:
        return sentence
    return sentence.replace(", ".join(columns), f"{len(columns)} quasi-identifiers")


def _of_table(manifest: dict[str, Any]) -> list[tuple[str, str, str]]:
    measured = manifest["measured"]
    classes, risk = measured.get("classes", {}), measured.get("risk")
    rows = [("rows", f"{measured['rows']:,}", "published")]
    if "suppressed_rows" in measured:
        mark = manifest["suppression_label"]
        hidden = f"of them, with {mark} in every quasi-identifier"
        rows.append(("rows suppressed", f"{measured['suppressed_rows']:,}", hidden))
    if _drops(manifest):
        rows.append(
            ("rows dropped", "not published", "a number that only the input gives")
        )
    if manifest["not_judged"]:
        columns = ", ".join(manifest["not_judged"])
        rows.append(("not judged", columns, "sensitive, and no threshold is about it"))
    if "smallest" in classes:
        smallest, count = f"{classes['smallest']} rows", f"of {classes['count']:,}"
        rows.append(("smallest class", smallest, f"{count} classes"))
    if risk is not None:
        highest = f"highest {percent(risk['highest-risk'])}"
        rows.append(("average risk", percent(risk["average-risk"]), highest))
    for name, share in measured.get(HIDDEN_SHARES, {}).items():
        mark = manifest["suppression_label"]
        rows.append((name, percent(share), f"of the kept rows are published as {mark}"))
    if "loss" in measured:
        rows.append(("loss", percent(measured["loss"]), LOSS_IN_WORDS))
    if OF_PUBLISHED in measured:
        of_published = percent(measured[OF_PUBLISHED])
        rows.append(("loss of published rows", of_published, DROPPED_LOSS))
    return rows


def _drops(manifest: dict[str, Any]) -> bool:
    from anon_transformers.release._manifest import drops_rows

    method = manifest["anonymizer"]
    return drops_rows(method["name"], method, manifest.get("recoding"))


def _of_tries(manifest: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Which rung of the ladder is published, if the file has one."""
    if "tries" not in manifest:
        return []
    last = manifest["tries"][-1]
    if not last["rung"]:
        return [("rung", "0", "the file as it is stated passed")]
    tried = f"on_refusal.back_off.{last['rung'] - 1}"
    said = f"{tried} passed, none before it: {json.dumps(last['settings'])}"
    return [("rung", str(last["rung"]), said)]


def _of_graph(manifest: dict[str, Any]) -> list[tuple[str, str, str]]:
    measured = manifest["measured"]
    return [
        ("nodes", f"{measured['nodes']:,}", "published"),
        ("edges", f"{measured['edges']:,}", "published"),
    ]

"""``anon release``: load, anonymize, validate, publish."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from anon_transformers.cli._output import (
    LOSS_IN_WORDS,
    Console,
    JsonFlag,
    assignments,
    percent,
    print_json,
    print_table,
    shown,
    told,
)


@told
def release(
    config: Annotated[Path, typer.Argument(help="The release file (YAML).")],
    tightened: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="THRESHOLD=VALUE",
                     help="Tighten a threshold for this run, such as "
                     "[bold]k_anonymity_k=10[/bold]; repeat for more."),
    ] = None,
    json_output: JsonFlag = False,
) -> None:  # fmt: skip
    """Run a whole release: load → anonymize → validate → publish.

    Readers of the target see the old release until the new one is whole. A candidate
    that breaks a threshold is quarantined and nothing is published (exit code 1).
    """
    from anon_transformers.release._pipeline import STEPS, run_release

    parameters = assignments("set", tightened or [])
    with Progress(
        TextColumn("{task.description:10}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} steps"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        disable=json_output,
    ) as progress:
        bar = progress.add_task("load", total=len(STEPS))

        def on_step(step: str) -> None:
            progress.update(bar, description=step, completed=STEPS.index(step))

        folder = run_release(config, parameters=parameters, on_step=on_step)
        progress.update(bar, description="published", completed=len(STEPS))
    manifest = json.loads(Path(folder, "manifest.json").read_text(encoding="utf-8"))
    if json_output:
        print_json({"folder": folder, **manifest})
    else:
        _tell(folder, manifest)


def _tell(folder: str, manifest: dict[str, Any]) -> None:
    measured = manifest["measured"]
    rows = [(c["id"], shown(c["observed"]), c["sentence"]) for c in measured["checks"]]
    rows += _of_graph(manifest) if "nodes" in manifest else _of_table(manifest)
    print_table(f"Published {manifest['release']}", ["what", "measured", ""], rows)
    for file in (manifest, *([manifest["nodes"]] if "nodes" in manifest else [])):
        typer.echo(f"release   {Path(folder, file['data'])}")
    typer.echo(f"manifest  {Path(folder, 'manifest.json')}")
    typer.echo(f"report    {Path(folder, 'validation.html')}")


def _of_table(manifest: dict[str, Any]) -> list[tuple[str, str, str]]:
    measured = manifest["measured"]
    by_rows = manifest["roles"]["subject"] is None
    counted = "rows" if by_rows else "persons"
    return [
        ("smallest class", f"{measured['classes']['smallest']} {counted}",
         f"of {measured['classes']['count']:,} classes"),
        ("average risk" if by_rows else "average risk of persons",
         percent(measured["risk"]["average-risk"]),
         f"highest {percent(measured['risk']['highest-risk'])}"),
        ("loss", percent(measured["loss"]), LOSS_IN_WORDS),
        ("rows suppressed", f"{measured['suppressed_rows']:,}",
         f"of {measured['rows']:,}"),
    ]  # fmt: skip


def _of_graph(manifest: dict[str, Any]) -> list[tuple[str, str, str]]:
    from anon_transformers.registry import registry

    measured = manifest["measured"]
    method = registry().anonymizers[manifest["anonymizer"]["name"]]
    return [
        ("smallest class", f"{measured['classes']['smallest']} nodes",
         f"of {measured['classes']['count']:,} classes"),
        ("average risk", percent(measured["risk"]["average-risk"]),
         f"highest {percent(measured['risk']['highest-risk'])}"),
        ("loss", percent(measured["loss"]), method.loss_means),
        ("nodes", f"{measured['rows']:,}", "of the source"),
    ]  # fmt: skip

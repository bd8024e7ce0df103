"""``anon release``: load, anonymize, validate, publish."""

import json
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from anon_transformers.cli._anonymize import LOSS_IN_WORDS
from anon_transformers.cli._assignments import assignments
from anon_transformers.cli.output import (
    Console,
    JsonFlag,
    format_number,
    handle_errors,
    percent,
    print_json,
    print_table,
)


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
    json_output: JsonFlag = False,
) -> None:  # fmt: skip
    """Run a whole release: load → anonymize → validate → publish.

    Readers of the target see the old release until the new one is whole. A candidate
    that breaks a threshold is quarantined and nothing is published (exit code 1).
    """
    from anon_transformers.release._steps import STEPS, run_release

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

        folder = run_release(
            config, parameters=parameters, on_step=on_step, period=period
        )
        progress.update(bar, description="published", completed=len(STEPS))
    manifest = json.loads(Path(folder, "manifest.json").read_text(encoding="utf-8"))
    if json_output:
        print_json({"folder": folder, **manifest})
    else:
        _print_report(folder, manifest)


def _print_report(folder: str, manifest: dict[str, Any]) -> None:
    measured = manifest["measured"]
    rows = [
        (c["id"], format_number(c.get("observed", "holds")), c["sentence"])
        for c in measured["checks"]
    ]
    rows += _of_graph(manifest) if "nodes" in manifest else _of_table(manifest)
    print_table(f"Published {manifest['release']}", ["what", "measured", ""], rows)
    for file in (manifest, *([manifest["nodes"]] if "nodes" in manifest else [])):
        typer.echo(f"release   {Path(folder, file['data'])}")
    typer.echo(f"manifest  {Path(folder, 'manifest.json')}")
    typer.echo(f"report    {Path(folder, 'validation.html')}")


def _of_table(manifest: dict[str, Any]) -> list[tuple[str, str, str]]:
    measured = manifest["measured"]
    classes, risk = measured.get("classes", {}), measured.get("risk")
    rows = [("rows", f"{measured['rows']:,}", "published")]
    if _drops(manifest):
        rows.append(
            ("rows dropped", "not published", "a number that only the input gives")
        )
    elif "suppressed_rows" in measured:
        rows.append(("rows suppressed", f"{measured['suppressed_rows']:,}", "of them"))
    if manifest["not_judged"]:
        columns = ", ".join(manifest["not_judged"])
        rows.append(("not judged", columns, "sensitive, and no threshold is about it"))
    if "smallest" in classes:
        smallest, count = f"{classes['smallest']} rows", f"of {classes['count']:,}"
        rows.append(("smallest class", smallest, f"{count} classes"))
    if risk is not None:
        highest = f"highest {percent(risk['highest-risk'])}"
        rows.append(("average risk", percent(risk["average-risk"]), highest))
    if "loss" in measured:
        rows.append(("loss", percent(measured["loss"]), LOSS_IN_WORDS))
    return rows


def _drops(manifest: dict[str, Any]) -> bool:
    """Whether suppressed rows are left out, so that nobody can count them."""
    from anon_transformers.registry import registry

    method = manifest["anonymizer"]
    takes = signature(registry().anonymizers[method["name"]]).parameters
    default = takes["suppression"].default if "suppression" in takes else None
    return method.get("suppression", default) == "drop"


def _of_graph(manifest: dict[str, Any]) -> list[tuple[str, str, str]]:
    measured = manifest["measured"]
    return [
        ("nodes", f"{measured['nodes']:,}", "published"),
        ("edges", f"{measured['edges']:,}", "published"),
    ]

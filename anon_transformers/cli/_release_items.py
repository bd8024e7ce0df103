"""``anon release`` of a file that is several releases: all items, one by one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from anon_transformers.cli._release import print_report, read_version, run_shown
from anon_transformers.cli.output import (
    BAD_INPUT,
    BROKEN_PROMISE,
    print_error,
    print_json,
)
from anon_transformers.exceptions import AnonymizationError, GateError, InfeasibleError


def release_items(
    config: Path,
    parameters: Mapping[str, int | float],
    period: str | None,
    log_json: bool,
    *,
    as_json: bool,
) -> None:
    """Run the releases of all items; what is refused of one does not stop the others.

    The exit code is not 0 if one was not published.
    """
    from anon_transformers.release._mapping import derive_releases, item_of

    shown: list[dict[str, Any]] = []
    refused: list[AnonymizationError] = []
    files = derive_releases(config, period)
    for file in files:
        item = item_of(file.stem, config.stem)
        try:
            folder = run_shown(file, parameters, period, log_json, hidden=as_json)
        except AnonymizationError as error:
            refused.append(error)
            shown.append({"item": item, "file": str(file), "error": str(error)})
            if not as_json:
                print_error(f"{item}: {error}")
            continue
        manifest = read_version(file, folder)
        shown.append({"item": item, "folder": folder, **manifest})
        if not as_json:
            print_report(folder, manifest)
    if as_json:
        print_json({"items": shown, "refused": len(refused)})
    else:
        typer.echo(f"{len(files) - len(refused)} of {len(files)} items are published.")
    if refused:
        broken = any(isinstance(e, (GateError, InfeasibleError)) for e in refused)
        raise typer.Exit(BROKEN_PROMISE if broken else BAD_INPUT)

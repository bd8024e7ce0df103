"""``anon compile``: compile every kernel before it is used."""

import os
import sys
from typing import Annotated

import typer

from anon_transformers.cli.output import (
    JsonFlag,
    handle_errors,
    print_json,
    progress_bar,
)

Jobs = Annotated[
    int,
    typer.Option("--jobs", "-j", min=0, help="Processes; 0 is one per processor."),
]


@handle_errors
def compile_(jobs: Jobs = 0, json_output: JsonFlag = False) -> None:
    """Compile the loops of this library and of its plugins, so that no run waits.

    Done once after an installation, and quick when nothing has changed. The machine
    code goes into the folder [bold]ANON_CACHE_DIR[/bold] if it is set, else beside the
    modules, else into the user's cache folder. Exit code 1 if something cannot be
    compiled.
    """
    from anon_transformers.jit import compile_kernels

    if not json_output and not sys.stderr.isatty():  # where no bar is seen
        typer.echo("Compiling: minutes where nothing is compiled yet.", err=True)
    with progress_bar(hidden=json_output, unit="kernels") as progress:
        done = compile_kernels(jobs or os.cpu_count() or 1, progress)
    if json_output:
        print_json(done._asdict())
    else:
        typer.echo(f"{done.compiled} kernels compiled, {done.kept} were there already.")
        for fault in done.faults:
            typer.echo(fault, err=True)
    if done.faults:
        raise typer.Exit(1)

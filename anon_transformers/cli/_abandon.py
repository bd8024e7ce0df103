"""``anon abandon``: end a run, or take note of one that was refused."""

from pathlib import Path
from typing import Annotated

import typer

from anon_transformers.cli.output import JsonFlag, handle_errors, print_json
from anon_transformers.exceptions import ConfigurationError, unknown_choice


@handle_errors
def abandon(
    place: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The release file (YAML); if it was removed, the private folder of "
            "the release, [bold].anon/NAME[/bold].",
        ),
    ],
    run: Annotated[
        str, typer.Argument(help="Name of the run, as [bold]anon status[/bold] has it.")
    ],
    json_output: JsonFlag = False,
) -> None:
    """End a run and remove its private data, or acknowledge one that was refused.

    A run that was refused, quarantined or given up stays in the journal, and
    [bold]anon status[/bold] names it no more. A quarantined candidate is removed, its
    verdict and reports stay. What is published stays published.

    [bold]anon abandon releases/adult.yaml 2026-07_20261117T211111-4fd28a[/bold]
    """
    from anon_transformers.release import abandon as end_run
    from anon_transformers.release._run import RUNS, Journal
    from anon_transformers.release._status import runs_of_place

    runs = {found.name: found.parent for found in runs_of_place(place)}
    if run not in runs:
        raise ConfigurationError(unknown_choice("run", run, runs))
    home = runs[run]
    end_run(home / RUNS / run)
    last = Journal(home).last(run)
    event = None if last is None else last["event"]
    if json_output:
        print_json({"run": run, "event": event})
    else:
        typer.echo(f"{run}: {event}")

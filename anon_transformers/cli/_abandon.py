"""``anon abandon``: end a run, or take note of one that was refused."""

from pathlib import Path
from typing import Annotated

import typer

from anon_transformers.cli.output import JsonFlag, handle_errors, print_json
from anon_transformers.exceptions import ConfigurationError, unknown_choice


@handle_errors
def abandon(
    config: Annotated[Path, typer.Argument(help="The release file (YAML).")],
    run: Annotated[
        str, typer.Argument(help="Name of the run, as [bold]anon status[/bold] has it.")
    ],
    json_output: JsonFlag = False,
) -> None:
    """End a run and remove its private data, or acknowledge one that was refused.

    A run that was refused, quarantined or given up stays in the journal, and
    [bold]anon status[/bold] names it no more. What is published stays published.

    [bold]anon abandon releases/adult.yaml 2026-07_20261117T211111-4fd28a[/bold]
    """
    from anon_transformers.release import abandon as end_run
    from anon_transformers.release import read_config
    from anon_transformers.release._run import RUNS, Journal
    from anon_transformers.release._status import past_runs

    runs = {place.name: place for place in past_runs(read_config(config))}
    if run not in runs:
        raise ConfigurationError(unknown_choice("run", run, runs))
    place = runs[run]
    end_run(place.parent / RUNS / run)
    last = Journal(place.parent).last(run)
    event = None if last is None else last["event"]
    if json_output:
        print_json({"run": run, "event": event})
    else:
        typer.echo(f"{run}: {event}")

"""``anon check``: whether release files can be run, without running them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anon_transformers.cli.output import (
    JsonFlag,
    handle_errors,
    print_json,
    print_table,
)

if TYPE_CHECKING:
    from anon_transformers.release._check import FileCheck


@handle_errors
def check(
    paths: Annotated[
        list[Path],
        typer.Argument(help="Release files (YAML), and folders of them."),
    ],
    source: Annotated[
        bool, typer.Option("--source", help="The files of the source must be there.")
    ] = False,
    period: Annotated[
        str | None,
        typer.Option("--period", help="Period whose source must be there, such as "
                     "2026-10, of files with periods."),
    ] = None,
    airflow: Annotated[
        bool,
        typer.Option("--airflow", help="Have Airflow accept the schedule and the "
                     "notifiers, too."),
    ] = False,
    json_output: JsonFlag = False,
) -> None:  # fmt: skip
    """Check release files as a run would, and run nothing.

    Every name and parameter is checked, and that hierarchies and suites are there.
    Exit code 1 if a file cannot be used.
    """
    from anon_transformers.exceptions import ConfigurationError
    from anon_transformers.release._check import check_files, release_files

    files = release_files(paths)
    if not files:
        listed = ", ".join(map(str, paths))
        raise ConfigurationError(f"no release file (.yaml, .yml) in {listed}.")
    checks = check_files(files, source=source or period is not None, period=period)
    if airflow:
        from anon_transformers.airflow import accepted_by_airflow

        checks = list(map(accepted_by_airflow, checks))
    broken = [one for one in checks if one.fault is not None]
    if json_output:
        shown = [
            {"file": str(one.file), "release": one.name, "ok": one.fault is None,
             "fault": one.fault}
            for one in checks
        ]  # fmt: skip
        print_json({"files": shown, "broken": len(broken)})
    else:
        print_table(
            f"{len(checks) - len(broken)} of {len(checks)} in order",
            ["file", "verdict"],
            [(str(one.file), _verdict(one)) for one in checks],
        )
    if broken:
        raise typer.Exit(1)


def _verdict(one: "FileCheck") -> str:
    """What is wrong, without the name of the file, which stands beside it."""
    if one.fault is None:
        return "in order"
    return one.fault.removeprefix(f"{one.file}:").strip()

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
        list[Path] | None,
        typer.Argument(help="Release files (YAML), and folders of them; with --keys, "
                       "sections of a release file, such as target.retention."),
    ] = None,
    source: Annotated[
        bool,
        typer.Option("--source", help="The files of the source must be there, with the "
                     "declared columns."),
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
    keys: Annotated[
        bool,
        typer.Option("--keys", help="Check nothing: list the keys of a release file, "
                     "what they take, default to and mean; all of them, or those of "
                     "the sections that are named."),
    ] = False,
    json_output: JsonFlag = False,
) -> None:  # fmt: skip
    """Check release files as a run would, and run nothing.

    Every name and parameter is checked, and that hierarchies and suites are there.
    Exit code 1 if a file cannot be used. --keys lists what may stand in a file.
    """
    from anon_transformers.exceptions import ConfigurationError
    from anon_transformers.release._check import check_files, release_files

    if keys:
        _print_keys([str(path) for path in paths or ()], as_json=json_output)
        return
    if not paths:
        raise ConfigurationError(
            "name a release file, or a folder of them; --keys lists what may stand in "
            "one."
        )
    files = release_files(paths)
    if not files:
        listed = ", ".join(map(str, paths))
        raise ConfigurationError(f"no release file (.yaml, .yml) in {listed}.")
    checks = check_files(files, source=source or period is not None, period=period)
    if airflow:
        from anon_transformers.airflow import accepted_by_airflow

        checks = list(map(accepted_by_airflow, checks))
    _print_checks(checks, as_json=json_output)
    if any(one.fault is not None for one in checks):
        raise typer.Exit(1)


def _print_checks(checks: "list[FileCheck]", *, as_json: bool) -> None:
    """Print the verdict on each file."""
    broken = [one for one in checks if one.fault is not None]
    if as_json:
        shown = [
            {"file": str(one.file), "release": one.name, "ok": one.fault is None,
             "fault": one.fault, "note": _note(one)}
            for one in checks
        ]  # fmt: skip
        print_json({"files": shown, "broken": len(broken)})
    else:
        print_table(
            f"{len(checks) - len(broken)} of {len(checks)} in order",
            ["file", "verdict"],
            [(str(one.file), _verdict(one)) for one in checks],
        )


def _print_keys(names: list[str], *, as_json: bool) -> None:
    """Print sections of a release file; whole meanings of those that are named."""
    from anon_transformers.release._keys import find_sections

    asked: list[str | None] = [*names] or [None]
    found = [section for name in asked for section in find_sections(name)]
    if as_json:
        print_json({"sections": [section.to_dict() for section in found]})
        return
    for section in found:
        about = f" ({section.about})" if section.about else ""
        listed = section.keys if names else [key.short() for key in section.keys]
        print_table(
            f"{section.path}{about}: {section.summary}".replace("``", ""),
            ["key", "type", "default", "meaning"],
            [tuple(key.plain()) for key in listed],
        )


def _note(one: "FileCheck") -> str | None:
    """What a run would still lack or hardly mean; None if there is nothing."""
    from anon_transformers.release._composition import lacks_key

    noted = [_note_of_k(one)]
    if one.config is not None and lacks_key(one.config):
        noted.append(
            "ANON_LEDGER_KEY is not set here, and a run needs it: composition keeps "
            "by it who was in which class."
        )
    return " ".join(filter(None, noted)) or None


def _note_of_k(one: "FileCheck") -> str | None:
    """What a k of one means, where no other threshold states a k."""
    stated = () if one.config is None else one.config.thresholds
    if any(threshold.params.get("k", 1) != 1 for threshold in stated):
        return None
    for threshold in stated:
        if threshold.name == "k-anonymity" and threshold.params.get("k") == 1:
            return (
                f"thresholds, {threshold.id}: k: 1 promises nothing; sensitive values "
                "are protected, but anybody's row can be found."
            )
    return None


def _verdict(one: "FileCheck") -> str:
    """What is wrong, without the name of the file, which stands beside it."""
    if one.fault is None:
        noted = _note(one)
        return "in order" if noted is None else f"in order, but {noted}"
    return one.fault.removeprefix(f"{one.file}:").strip()

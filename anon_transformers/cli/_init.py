"""``anon init``: a release that works, to start from."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from anon_transformers.cli.output import JsonFlag, handle_errors, print_json
from anon_transformers.exceptions import ConfigurationError

WRITTEN = {
    "release.yaml": "releases/adult.yaml",
    "suite.json": "expectations/adult.json",
    "dag.py.txt": "dags/releases.py",
}


@handle_errors
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write it.")],
    json_output: JsonFlag = False,
) -> None:
    """Write a release file, its suite and a DAG file that work as they are.

    Existing files are never overwritten. Afterwards:
    [bold]anon release DIR/releases/adult.yaml[/bold].
    """
    there = [path for path in WRITTEN.values() if (folder / path).exists()]
    if there:
        raise ConfigurationError(f"{folder}: {', '.join(there)} is there already.")
    templates = files("anon_transformers.cli") / "templates"
    for template, path in WRITTEN.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        text = (templates / template).read_text(encoding="utf-8")
        (folder / path).write_text(text, encoding="utf-8")
    paths = [str(folder / path) for path in WRITTEN.values()]
    if json_output:
        print_json({"written": paths})
        return
    for path in paths:
        typer.echo(f"wrote {path}")
    typer.echo(f"next: anon release {folder / WRITTEN['release.yaml']}")

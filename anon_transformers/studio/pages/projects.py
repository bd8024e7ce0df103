"""Projects: those that there are, and the ways to begin one."""

import re
import shutil
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from anon_transformers.exceptions import DataError
from anon_transformers.registry import registry
from anon_transformers.release._period import Template
from anon_transformers.release._strict import parse_yaml
from anon_transformers.studio._arrival import Arrival, receive
from anon_transformers.studio._begin import begin_project
from anon_transformers.studio._database import stated_table
from anon_transformers.studio._page import Page, form_route, render, studio_of
from anon_transformers.studio._project import (
    UPLOADS,
    Project,
    keep_upload,
    write_privately,
)
from anon_transformers.studio._yaml import dump

ENDINGS = (".csv", ".csv.gz", ".tsv", ".txt", ".parquet")
"""Of tables that can be opened."""
RELEASE_FILES = (".yaml", ".yml")
ADULT = "adult"
LONGEST_NAME = 60


def show(request: Request) -> Response:
    """The list of projects, and the ways to a new one."""
    from anon_transformers.studio.pages import plugin_pages

    projects = studio_of(request).shelf.projects()
    broken = plugin_pages(registry())[1]
    return render(
        request, "projects.html", projects=projects, endings=ENDINGS, broken=broken
    )


def open_adult(request: Request, form: FormData) -> str:
    """The bundled census with its hierarchies, in one click."""
    shelf = studio_of(request).shelf
    there = shelf.home / ADULT / "releases" / f"{ADULT}.yaml"
    known = [one for one in shelf.projects() if one.file == there.absolute()]
    if known:
        return _enter(request, known[0], "protect")
    folder = shelf.new_folder(ADULT)
    template = files("anon_transformers.cli") / "templates" / "release.yaml"
    content = parse_yaml(template.read_text(encoding="utf-8"))
    del content["suite"]  # it names thresholds, which pages change
    write_privately(folder / "releases" / f"{ADULT}.yaml", dump(content))
    project = Project(folder / "releases" / f"{ADULT}.yaml", owned=True)
    return _enter(request, project, "protect")


def open_path(request: Request, form: FormData) -> str:
    """A table or a release file of this machine, where it lies."""
    given = str(form.get("path", "")).strip()
    if not given:
        raise DataError("name a file: its whole path on this machine.")
    file = Path(given).expanduser()
    if not file.is_absolute() or not file.is_file():
        raise DataError("there is no such file; give its whole path, from / on.")
    if file.suffix.lower() in RELEASE_FILES:
        project = Project(file)
        _ = project.content  # readable as YAML; whether it is a release, pages say
        return _enter(request, project, "data")
    _refuse_other(file.name)
    arrival = receive(file)
    shelf = studio_of(request).shelf
    folder = shelf.new_folder(_name_of(file.name))
    # Braces and dollar signs of a path mean something in a release file.
    source = Template.literal(str(file.resolve())).text
    project = _begin(folder, source, arrival)
    shelf.open_folders(project, project.outside)  # by its path
    return _enter(request, project, "data", arrival.said)


def open_database(request: Request, form: FormData) -> str:
    """A table of a database, which stays where it is and counts for the pages."""
    from anon_transformers.release._databases import columns_of_database

    table = str(form.get("table", "")).strip()
    source = stated_table(str(form.get("database", "")).strip(), table)
    # The next page reads it; what cannot be reached is no project.
    columns_of_database(source["kind"], source)
    content = {**_content(table.rpartition(".")[2] or "table"), "source": source}
    project = begin_project(request, _name_of(table.replace(".", "-")), content)
    return f"/p/{project.id}/data/"


def upload(request: Request, form: FormData) -> str:
    """A table that the browser sends; it lies in a private folder, until removed."""
    given = form.get("file")
    if not isinstance(given, UploadFile) or not given.filename:
        raise DataError("choose a file to upload.")
    _refuse_other(given.filename)
    name = _name_of(given.filename)
    folder = studio_of(request).shelf.new_folder(name)
    ending = next(end for end in ENDINGS if given.filename.lower().endswith(end))
    file = keep_upload(folder, f"{name}{ending}", given.file)
    try:
        arrival = receive(file)
        project = _begin(folder, f"../{UPLOADS}/{file.name}", arrival)
    except BaseException:  # what is no table is not kept
        shutil.rmtree(folder)
        raise
    return _enter(request, project, "data", arrival.said)


def remove(request: Request, form: FormData) -> str:
    """Forget a project; an upload and all that was made of it are removed."""
    shelf = studio_of(request).shelf
    project = shelf.find(str(form.get("project", "")))
    if project is not None:
        studio_of(request).worker.cancel_all(project)
        shelf.remove(project)
        studio_of(request).notice(f"{project.name} was removed.")
    return "/projects/"


def _enter(request: Request, project: Project, page: str, said: str = "") -> str:
    studio = studio_of(request)
    if said:
        studio.notice(said)
    studio.shelf.add(project)
    studio.worker.warm()
    return f"/p/{project.id}/{page}/"


def _begin(folder: Path, source: str, arrival: Arrival) -> Project:
    """A release file with the least that pages need: where the table is."""
    name, is_text = folder.name, source.lower().endswith(".txt")
    kind = {"kind": "csv"} if is_text else {}
    stated = {"source": {"path": source, **kind, **arrival.options}}
    content = {**stated, **_content(name)}
    write_privately(folder / "releases" / f"{name}.yaml", dump(content))
    return Project(folder / "releases" / f"{name}.yaml", owned=True)


def _content(name: str) -> dict[str, Any]:
    """What a release file needs beside its source."""
    return {
        "roles": {"quasi_identifiers": []},
        "anonymizer": {"name": "mondrian"},
        "thresholds": [{"model": "k-anonymity", "k": 5}],
        "target": {"path": f"../published/{name}", "format": "csv"},
        "workspace": "../.anon",
    }


def _refuse_other(name: str) -> None:
    if not name.lower().endswith(ENDINGS):
        raise DataError(f"tables end in {', '.join(ENDINGS)}; this file does not.")


def _name_of(file: str) -> str:
    """A name for the release: what is legal of the name of the file."""
    stem = file.replace("\\", "/").rsplit("/", 1)[-1].split(".")[0]
    legal = re.sub(r"[^A-Za-z0-9_-]", "-", stem)
    return legal.strip("-_")[:LONGEST_NAME] or "table"


PAGE = Page(
    "projects",
    "Projects",
    "Open a table or a release file, or go on with one.",
    (
        Route("/", show),
        form_route("/adult", open_adult),
        form_route("/open", open_path),
        form_route("/database", open_database),
        form_route("/upload", upload),
        form_route("/remove", remove),
    ),
    of_project=False,
)

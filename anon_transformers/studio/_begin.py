"""Begin a project from a page: a private folder with a release file and its data."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from starlette.requests import Request

from anon_transformers.studio._page import studio_of
from anon_transformers.studio._project import (
    Project,
    keep_upload,
    write_privately,
)
from anon_transformers.studio._yaml import dump

LONGEST_NAME = 60


def begin_project(
    request: Request,
    name: str,
    content: Mapping[str, Any],
    files: Mapping[str, BinaryIO] | None = None,
) -> Project:
    """Make a project with a release file, and open it.

    Parameters
    ----------
    request : Request
        Of any page.
    name : str
        Of the release; what is not legal in one is replaced.
    content : mapping
        The release file. Files that were sent along lie in ``../data``; folders of
        others that it names are open, since the page asked for them.
    files : mapping of name to open file, optional
        What was uploaded. They are removed with the project.
    """
    studio = studio_of(request)
    legal = re.sub(r"[^A-Za-z0-9_-]", "-", name).strip("-_")[:LONGEST_NAME] or "table"
    folder = studio.shelf.new_folder(legal)
    for file, held in (files or {}).items():
        keep_upload(folder, Path(file).name, held)
    path = folder / "releases" / f"{folder.name}.yaml"
    write_privately(path, dump(content))
    studio.worker.warm()
    project = Project(path, owned=True)
    studio.shelf.open_folders(project, project.outside)
    return project

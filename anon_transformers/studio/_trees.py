"""Hierarchies as files of a project, each named after what is in it.

A file is never changed: an edit writes another one and lets the release file name it,
so that an edit is undone with the release file alone.
"""

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from anon_transformers.studio._project import Project, private_folder

if TYPE_CHECKING:
    from anon_transformers.hierarchies import Hierarchy

FOLDER = "hierarchies"
LONGEST_NAME = 40
_STRANGE = re.compile(r"[^A-Za-z0-9_-]+")


def keep_tree(project: Project, column: str, tree: "Hierarchy") -> str:
    """Write a hierarchy beside the release file; how the release file names it."""
    folder = private_folder(project.folder / FOLDER)
    draft = folder / f".{os.getpid()}.draft"
    tree.to_csv(draft)
    digest = hashlib.sha256(draft.read_bytes()).hexdigest()[:10]
    stem = _STRANGE.sub("-", column).strip("-_")[:LONGEST_NAME] or "column"
    file = folder / f"{stem}-{digest}.csv"
    draft.chmod(0o600)
    draft.replace(file)
    return Path(os.path.relpath(file, project.file.parent)).as_posix()

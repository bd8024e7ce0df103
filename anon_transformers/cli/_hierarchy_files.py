"""Options that say how columns are generalized, shared by commands."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anon_transformers.cli._assignments import assignments
from anon_transformers.cli._columns import repeated
from anon_transformers.cli._dialects import find_encoding, is_utf8, located
from anon_transformers.exceptions import DataError

if TYPE_CHECKING:
    from anon_transformers.hierarchies import Hierarchy


class UnknownValues(StrEnum):
    """What becomes of a value that a hierarchy does not have."""

    error = "error"
    root = "root"
    suppress = "suppress"


HierarchyFiles = Annotated[
    list[str] | None,
    repeated(
        "--hierarchy",
        metavar="COLUMN=FILE",
        help="Hierarchy of a column: semicolon CSV, or "
        "[bold]bundled:adult/hierarchies/sex.csv[/bold]",
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Folder of hierarchies, one COLUMN.csv a column."),
]
UnknownOption = Annotated[
    UnknownValues,
    typer.Option(
        "--unknown",
        help="Values that a hierarchy does not have: refuse them, publish its root "
        "for them, or suppress their rows.",
    ),
]


def read_hierarchy(
    path: Path, encoding: str, *, beside: bool = True, **options: Any
) -> "Hierarchy":
    """Read a hierarchy, if the file is there.

    Where it stands ``beside`` a table, the encoding is that of the table, and the
    hierarchy may be in UTF-8 all the same.
    """
    from anon_transformers.hierarchies import Hierarchy

    if not path.is_file():
        raise DataError(f"{path} does not exist.")
    if beside and not is_utf8(encoding):
        encoding = find_encoding(path, encoding)
    return Hierarchy.read_csv(path, encoding=encoding, **options)


def read_hierarchies(
    given: Sequence[str], unknown: UnknownValues, encoding: str
) -> "dict[str, Hierarchy] | None":
    """Read ``COLUMN=FILE`` options; what begins with ``bundled:`` is the library's."""
    hierarchies = {}
    for column, file in assignments("hierarchy", given).items():
        path = located(Path(str(file)))
        if not path.is_file():
            raise DataError(f"--hierarchy, {column}: {path} does not exist.")
        hierarchies[column] = read_hierarchy(path, encoding, unknown=unknown.value)
    return hierarchies or None


def read_folder(
    folder: Path | None, columns: Sequence[str], encoding: str
) -> "dict[str, Hierarchy]":
    """Hierarchies of the columns that have a file in the folder."""
    if folder is None:
        return {}
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder.")
    found = {
        name: read_hierarchy(file, encoding)
        for name in columns
        for file in (folder / f"{name}.csv", folder / f"{name}.csv.gz")
        if file.is_file()
    }
    if not found:
        raise DataError(f"{folder} holds no file COLUMN.csv of one of these columns.")
    return found

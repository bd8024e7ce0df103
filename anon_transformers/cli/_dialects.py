"""Files that commands are given: where they lie, and how a CSV file was written."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from anon_transformers.cli.output import print_warning
from anon_transformers.exceptions import ConfigurationError, DataError

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
"""An address as a path has it, which keeps one of two slashes."""


def located(path: Path) -> Path:
    """The file that is meant; what begins with ``bundled:`` is the library's.

    Raises
    ------
    ConfigurationError
        If it is an address, such as ``s3://bucket/x.csv``.
    """
    from anon_transformers.release._config import BUNDLED

    if str(path).startswith(BUNDLED):
        from anon_transformers.datasets import bundled_path

        return bundled_path(path.as_posix().removeprefix(BUNDLED))
    address = _ADDRESS.match(path.as_posix())
    if address is not None and not path.exists():
        scheme = address[1]
        hint = " Write the path without file://." if scheme == "file" else ""
        raise ConfigurationError(f"nothing here opens {scheme}:// addresses.{hint}")
    return path


def existing_file(path: Path) -> Path:
    """The file that is meant, if it is there."""
    file = located(path)
    if file.is_dir():
        raise DataError(f"{path} is a folder; name a file.")
    if not file.is_file():
        raise DataError(f"{path} does not exist.")
    return file


Separator = Annotated[str, typer.Option(help="Field separator of a CSV file to read.")]
Encoding = Annotated[
    str,
    typer.Option(
        help="Encoding of a file to read, such as [bold]latin-1[/bold]; also of "
        "further ones and of hierarchies, if they are not in UTF-8."
    ),
]
OriginalSeparator = Annotated[
    str | None,
    typer.Option(
        help="Field separator of the original, if it is CSV; without it, the one of "
        "comma, semicolon, tab and bar that its first lines show."
    ),
]
OriginalEncoding = Annotated[
    str | None,
    typer.Option(
        help="Encoding of the original, if it is CSV; without it, what its byte order "
        "mark says, or UTF-8 if it is that, or else [bold]--encoding[/bold], or where "
        "that is UTF-8, with a warning, cp1252 or latin-1."
    ),
]


@dataclass(frozen=True)
class Dialect:
    """How the fields of a CSV file are separated, and its characters encoded."""

    separator: str = ","
    encoding: str = "utf-8"
    option: str = field(default="-", compare=False, repr=False)
    """What the options that state them begin with, as in ``--original-separator``."""

    def as_options(self) -> dict[str, str]:
        """What readers and writers of CSV files take."""
        return {"separator": self.separator, "encoding": self.encoding}

    def shown_separator(self, path: Path) -> str:
        """The separator that a file shows, or this one where it shows no other."""
        from anon_transformers.proposals._dialects import find_separator

        return find_separator(path, self.separator, self.encoding)

    def advice(self, path: Path) -> str:
        """The option that helps where a CSV file cannot be read in this dialect."""
        from anon_transformers.proposals._dialects import decodes

        if not decodes(path, self.encoding):
            return f"Name its encoding with {self.option}-encoding, such as latin-1."
        found = self.shown_separator(path)
        if found != self.separator:
            return (
                f"Fields seem to be separated by {found!r}: state it with "
                f"{self.option}-separator."
            )
        return f"Another separator is stated with {self.option}-separator."


def find_dialect(
    path: Path,
    beside: Dialect,
    separator: str | None = None,
    encoding: str | None = None,
    option: str | None = None,
) -> Dialect:
    """Find out how a further file was written, where it is not stated.

    ``beside`` is the dialect of the table that the command is about. It decides where
    the file shows nothing else. Where the file shows several separators, the option
    that begins with ``option`` must be given, if there is one.
    """
    from anon_transformers.proposals._dialects import find_separator
    from anon_transformers.release._file_kinds import known_kind

    path = located(path)
    if not path.is_file() or known_kind(path) != "csv":
        return beside
    if encoding is None:
        encoding = find_encoding(path, beside.encoding, option)
    if separator is None:
        separator = find_separator(path, beside.separator, encoding, option)
    return Dialect(separator, encoding, option or beside.option)


def is_utf8(encoding: str) -> bool:
    """Whether this is a name of UTF-8; one that nobody knows is refused."""
    from anon_transformers.release._files import known_encoding

    return known_encoding(encoding) == known_encoding("utf-8")


def find_encoding(path: Path, beside: str, option: str | None = None) -> str:
    """The encoding of the byte order mark, UTF-8, or that of the other table.

    With an ``option`` that takes another one, bytes that are no UTF-8 beside a table in
    UTF-8 are read as those of Windows or latin-1, with a warning.
    """
    from anon_transformers.proposals import _dialects

    found = _dialects.find_encoding(path)
    if found not in _dialects.LEGACY:
        return found
    if option is None or not is_utf8(beside):
        return beside
    print_warning(
        f"{path} is not in UTF-8 and is read as {found}; {option}-encoding names "
        "another encoding."
    )
    return found

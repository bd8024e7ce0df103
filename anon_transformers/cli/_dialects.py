"""Files that commands are given: where they lie, and how a CSV file was written."""

import codecs
import csv
import io
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

SEPARATORS = ",;\t|"
"""What is looked for in a file that nobody says the separator of."""
MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",  # begins like that of UTF-16
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
START = 1 << 16
"""Bytes that the separator is looked for in."""
CHUNK = 1 << 20


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
        return _find_separator(path, self.separator, self.encoding, None)

    def advice(self, path: Path) -> str:
        """The option that helps where a CSV file cannot be read in this dialect."""
        if not _decodes(path, self.encoding):
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
    from anon_transformers.release._files import known_kind

    path = located(path)
    if not path.is_file() or known_kind(path) != "csv":
        return beside
    if encoding is None:
        encoding = find_encoding(path, beside.encoding, option)
    if separator is None:
        separator = _find_separator(path, beside.separator, encoding, option)
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
    marked = _encoding_of_mark(path)
    if marked is not None:
        return marked
    if _decodes(path, "utf-8"):
        return "utf-8"
    if option is None or not is_utf8(beside):
        return beside
    found = "cp1252" if _decodes(path, "cp1252") else "latin-1"
    print_warning(
        f"{path} is not in UTF-8 and is read as {found}; {option}-encoding names "
        "another encoding."
    )
    return found


def _encoding_of_mark(path: Path) -> str | None:
    import pyarrow as pa

    with pa.input_stream(path) as stream:
        start = stream.read(max(map(len, MARKS)))
    return next((MARKS[mark] for mark in MARKS if start.startswith(mark)), None)


def _decodes(path: Path, encoding: str) -> bool:
    """Whether all bytes of a file are characters of an encoding."""
    import pyarrow as pa

    decoder = codecs.getincrementaldecoder(encoding)()
    with pa.input_stream(path) as stream:
        try:
            while chunk := stream.read(CHUNK):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _find_separator(path: Path, beside: str, encoding: str, option: str | None) -> str:
    """The separator that the header shows; of several, the one that every line has."""
    counts = _count_fields(path, f"{SEPARATORS}{beside}", encoding)
    shown = {s: of for s, of in counts.items() if of and of[0] > 1}
    fitting = [s for s, of in shown.items() if len(set(of)) == 1]
    if len(shown) == 1:
        return next(iter(shown))
    if len(fitting) == 1:
        return fitting[0]
    if shown and option is not None:
        choices = " or ".join(repr(separator) for separator in shown)
        raise DataError(
            f"{path}: fields may be separated by {choices}; name the separator with "
            f"{option}-separator."
        )
    return beside


def _count_fields(path: Path, separators: str, encoding: str) -> dict[str, list[int]]:
    """How many fields each of the first lines has, by separator."""
    import pyarrow as pa

    from anon_transformers.release._files import known_encoding

    known = known_encoding(encoding)
    with pa.input_stream(path) as stream:
        start = stream.read(START)
    # Half a character at the end, or another encoding: the reader will say so.
    text = start.decode(known, errors="replace")
    counts = {}
    for separator in dict.fromkeys(separators):
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        found = [len(row) for row in rows if row]
        # Of a longer file, the last line that was read may be cut off.
        counts[separator] = found[:-1] if len(start) == START else found
    return counts

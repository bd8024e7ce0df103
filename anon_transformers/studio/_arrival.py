"""A table that a person brings: whether it is one, and how it was written.

What is no table is refused before there is a project. Separator and encoding are found
as the commands find those of an original, and are stated in the release file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from anon_transformers.exceptions import DataError

SIGNS: Mapping[bytes, str] = {
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"GIF8": "a picture (GIF)",
    b"%PDF": "a PDF document",
    b"PK\x03\x04": "a ZIP archive or a spreadsheet (XLSX, ODS); save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet or document (XLS, DOC); save it as CSV",
    b"\x1f\x8b": "a compressed file (GZIP); let its name end in .csv.gz",
    b"PAR1": "a Parquet file; let its name end in .parquet",
    b"SQLite format 3": "a database (SQLite); open it as a table of a database",
}
"""What files begin with that are no CSV, and what they are."""
HEAD = 1 << 16
"""Bytes that are looked at for signs of a binary file."""
BLANK = b" \t\r\n\x00"
NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True)
class Arrival:
    """How a table is read.

    Attributes
    ----------
    options : dict
        What the release file states beside the path; nothing where all is usual.
    said : str
        The same in words; empty where all is usual.
    """

    options: dict[str, str]
    said: str = ""


def receive(file: Path) -> Arrival:
    """Look at a file that shall become a project.

    Raises
    ------
    DataError
        If it is empty, or no table; the words name neither the file nor a value.
    """
    if not file.stat().st_size:
        raise DataError("the file is empty.")
    if file.name.lower().endswith(".parquet"):
        _refuse_no_parquet(file)
        return Arrival({})
    _refuse_binary(file)
    return _dialect(file)


def _refuse_no_parquet(file: Path) -> None:
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(file) as table:
            columns = table.schema_arrow.names
    except (pa.ArrowException, OSError):
        columns = []
    if not columns:
        raise DataError("this is no Parquet file, or not a whole one.")


def _refuse_binary(file: Path) -> None:
    from anon_transformers.proposals._dialects import encoding_of_mark

    try:
        with pa.input_stream(str(file)) as stream:
            start = stream.read(HEAD)
        marked = encoding_of_mark(file)
    except OSError:
        raise DataError("the file is compressed, and cannot be unpacked.") from None
    if not start.strip(BLANK) or (marked and not _text(start, marked).strip()):
        raise DataError("the file is empty.")
    for sign, kind in SIGNS.items():
        if start.startswith(sign):
            raise DataError(f"this is no table: it looks like {kind}.")
    # Text of UTF-16 is full of these bytes, and says by its mark that it is that.
    if b"\x00" in start and marked in (None, "utf-8"):
        raise DataError(
            "this is no table: it looks like a binary file. If it is text in UTF-16, "
            "save it as UTF-8."
        )


def _text(start: bytes, encoding: str) -> str:
    named = "utf-8-sig" if encoding == "utf-8" else encoding
    return start.decode(named, errors="ignore")


def _dialect(file: Path) -> Arrival:
    from anon_transformers.proposals._dialects import (
        LEGACY,
        find_encoding,
        find_separator,
    )

    encoding = find_encoding(file)
    separator = find_separator(file, ",", encoding)
    options, said = {}, []
    if separator != ",":
        options["separator"] = separator
        said.append(f"its fields are separated by {NAMES[separator]}")
    if encoding != "utf-8":
        options["encoding"] = encoding
        said.append(f"its text is in {encoding}")
    if not said:
        return Arrival({})
    words = f"The file shows how it was written: {' and '.join(said)}."
    if encoding in LEGACY:
        words += " The encoding is a guess: look whether letters such as ä and é are"
        words += " right."
    return Arrival(
        options, f"{words} The release file says so; change it under How the file is "
        "read."
    )  # fmt: skip

"""Hierarchies as files: semicolons, no header, one row per ground value."""

import codecs
import csv
import gzip
import os
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

from anon_transformers.exceptions import DataError, ParameterError

Where = str | os.PathLike[str]
PACKED = ".gz"
UTF8 = ("utf-8", "utf-8-sig")


def read_rows(
    path: Where, encoding: str = "utf-8"
) -> tuple[list[list[str]], list[int]]:
    """Rows of a file that are not blank, and the line on which each ends.

    An error names the file and the kind of fault, never its content.
    """
    rows, lines = [], []
    codec = _codec(encoding)
    is_utf8 = codec in UTF8
    try:
        # Spreadsheets put a byte order mark before the first value.
        with _open(path, "r", encoding="utf-8-sig" if is_utf8 else codec) as file:
            reader = csv.reader(file, delimiter=";", strict=True)
            try:
                for row in reader:
                    if row:
                        rows.append(row)
                        lines.append(reader.line_num)
            except csv.Error as error:
                raise DataError(
                    f"{os.fspath(path)}: line {reader.line_num} cannot be read as CSV "
                    f"({error})."
                ) from None
    except UnicodeError:
        expected = "UTF-8" if is_utf8 else encoding
        raise DataError(
            f"{os.fspath(path)}: cannot be read as CSV; it is not {expected} text."
        ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise DataError(
            f"{os.fspath(path)}: cannot be unpacked; it is no whole gzip file."
        ) from None
    return rows, lines


def write_rows(path: Where, rows: Iterable[Sequence[str]]) -> None:
    """Write what :func:`read_rows` reads."""
    with _open(path, "w", encoding="utf-8") as file:
        plain = csv.writer(file, delimiter=";", lineterminator="\n")
        quoted = csv.writer(
            file, delimiter=";", lineterminator="\n", quoting=csv.QUOTE_ALL
        )
        for row in rows:
            # The writer quotes its own line end only; the reader knows the other one,
            # and a byte order mark.
            odd = any(mark in cell for cell in row for mark in "\r\ufeff")
            (quoted if odd else plain).writerow(row)


def _codec(encoding: str) -> str:
    """The name of an encoding of texts, if there is one."""
    try:
        "".encode(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, TypeError, ValueError):
        raise ParameterError(f"unknown encoding {encoding!r}.") from None


def _open(path: Where, mode: str, encoding: str) -> IO[Any]:
    opened: Any = gzip.open if Path(path).suffix == PACKED else open
    return opened(path, f"{mode}t", newline="", encoding=encoding)

"""How a CSV file was written: its separator, its encoding, whether it has a header."""

import codecs
import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from anon_transformers.exceptions import DataError
from anon_transformers.release._files import known_encoding

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = ",;\t|"
"""What is looked for in a file that nobody says the separator of."""
MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",  # begins like that of UTF-16
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
LEGACY = ("cp1252", "latin-1")
"""Of bytes that are no UTF-8: Windows', or where it knows a byte not, the older one."""
START = 1 << 16
"""Bytes that the separator is looked for in."""
CHUNK = 1 << 20
FEW = 3
"""Names at the head of columns that also are values show that there is no head."""


def encoding_of_mark(path: Path) -> str | None:
    """The encoding that the byte order mark of a file names, if it has one."""
    with pa.input_stream(path) as stream:
        start = stream.read(max(map(len, MARKS)))
    return next((MARKS[mark] for mark in MARKS if start.startswith(mark)), None)


def decodes(path: Path, encoding: str) -> bool:
    """Whether all bytes of a file are characters of an encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    with pa.input_stream(path) as stream:
        try:
            while chunk := stream.read(CHUNK):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def find_encoding(path: Path) -> str:
    """What the byte order mark says, or UTF-8 if it is that, or a guess: see LEGACY."""
    marked = encoding_of_mark(path)
    if marked is not None:
        return marked
    return next((one for one in ("utf-8", *LEGACY) if decodes(path, one)), LEGACY[-1])


def find_separator(
    path: Path, beside: str, encoding: str, option: str | None = None
) -> str:
    """The separator that the header shows; of several, the one that every line has.

    Parameters
    ----------
    path : Path
        A CSV file, compressed or not.
    beside : str
        What is returned where the file shows nothing else.
    encoding : str
        Its encoding.
    option : str, optional
        What the option of a command that states it begins with: where several are
        possible, it must be given.
    """
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


def refuse_headless(given: Path | str, frame: "pd.DataFrame") -> None:
    """Refuse a file whose first line is a person: nothing of it may be shown."""
    values = sum(
        bool((frame[name].astype(str) == str(name)).any()) for name in frame.columns
    )
    numbers = sum(str(name).replace(".", "", 1).isdecimal() for name in frame.columns)
    if values >= min(FEW, len(frame.columns)) or numbers * 2 > len(frame.columns):
        raise DataError(
            f"{given}: what stands at the head of columns also stands in them, or is "
            "numbers: the file seems to have no header. Put the names of the columns "
            "into its first line."
        )

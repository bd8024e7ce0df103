"""A published table as its reader sees it, counted the slow and obvious way.

Nothing here uses the grouping of the library: it is what that grouping is checked with.
"""

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

import pandas as pd

from anon_transformers._data.columns import to_text

_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def row_texts(table: pd.DataFrame) -> list[tuple[str, ...]]:
    """Text of every cell as a CSV file holds it, row by row; a missing one is empty.

    Examples
    --------
    >>> row_texts(pd.DataFrame({"a": [1, 1.0, None]}, dtype=object))
    [('1',), ('1.0',), ('',)]
    """
    file = io.StringIO()
    table.to_csv(file, index=False, header=False, quoting=csv.QUOTE_ALL)
    file.seek(0)
    return [tuple(row) for row in csv.reader(file)]


def column_texts(table: pd.DataFrame, name: Hashable) -> list[str]:
    """Texts of one column."""
    return [text for (text,) in row_texts(table[[name]])]


def differing_cells(before: pd.Series, after: pd.Series) -> str:
    """Which cells of an example came back as other texts; an empty text: none.

    Examples
    --------
    >>> differing_cells(pd.Series(["007", "a", None]), pd.Series(["7", "a", None]))
    "1 of 3 cells, the first: '007' came back as '7'"
    """
    texts = zip(to_text(before).tolist(), to_text(after).tolist(), strict=True)
    # A missing text is no text, whichever way it is missing.
    other = [(a, b) for a, b in texts if a != b and not (pd.isna(a) and pd.isna(b))]
    if not other:
        return ""
    one, came = ("missing" if pd.isna(text) else repr(text) for text in other[0])
    return f"{len(other)} of {len(before)} cells, the first: {one} came back as {came}"


def meaning(text: str) -> str:
    """A text without what a reader would not take for a difference.

    Examples
    --------
    >>> meaning("[20, 22.00]") == meaning("[20,  22]")
    True
    >>> meaning("41") == meaning("41.00000000001")
    True
    >>> meaning("41") == meaning("42")
    False
    """
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    if plain in {"-0", "-0.0"}:
        plain = "0"
    return _NUMBER.sub(lambda number: f"{float(number[0]):.9g}", plain)


def meanings(rows: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """The meaning of every cell."""
    return [tuple(meaning(text) for text in row) for row in rows]


def too_rare(combinations: Iterable[tuple[str, ...]], k: int) -> tuple[int, int]:
    """How many combinations fewer than ``k`` rows share, and how many there are."""
    counts = Counter(combinations)
    return sum(count < k for count in counts.values()), len(counts)


def number_classes(combinations: Sequence[tuple[str, ...]]) -> list[int]:
    """Class of each row, numbered by first appearance."""
    seen: dict[tuple[str, ...], int] = {}
    return [seen.setdefault(combination, len(seen)) for combination in combinations]

"""Texts of a table that stand for missing values."""

from collections.abc import Mapping, Sequence

import pandas as pd

from anon_transformers._data.columns import to_text
from anon_transformers.hierarchies._kinds import find_kind

PLAIN_MARKS = (
    "?", "??", "-", "--", "---", ".", "..", "NA", "N/A", "n/a", "#N/A", "<NA>", "NULL",
    "null", "(null)", "NaN", "nan", "NAN", "\\N",
)  # fmt: skip
"""Marks that stand for nothing else. ``None`` and ``unknown`` may be answers."""
SEVERAL = 2


def find_missing_marks(frame: pd.DataFrame) -> list[str]:
    """Texts that stand for missing values, in the order of how many columns have them.

    A mark of letters counts if several columns have it, or one whose other values are
    numbers, ranges or dates: NA alone among words may be a country.

    Parameters
    ----------
    frame : data frame
        A table of which no such text has been read as missing.

    Examples
    --------
    >>> find_missing_marks(pd.DataFrame({"age": ["34", "?"], "town": ["NA", "DE"]}))
    ['?']
    """
    return marks_in({str(name): text_counts(frame[name]) for name in frame.columns})


def text_counts(series: pd.Series) -> pd.Series:
    """How often each text of a column occurs, most often first; nothing is missing.

    Counted before they become texts: there are fewer values than rows.
    """
    counts = series.value_counts()
    texts = to_text(pd.Series(counts.index.to_numpy(), dtype=series.dtype))
    if texts.is_unique:
        return pd.Series(counts.to_numpy(), index=texts.tolist())
    together = pd.Series(counts.to_numpy()).groupby(texts.to_numpy()).sum()
    return together.sort_values(ascending=False, kind="stable")


def marks_in(counts: Mapping[str, pd.Series]) -> list[str]:
    """The marks of a table, by the counts of its columns."""
    columns: dict[str, list[str]] = {}
    for name, held in counts.items():
        present = set(held.index)
        for mark in PLAIN_MARKS:
            if mark in present:
                columns.setdefault(mark, []).append(name)
    sure = [m for m, names in columns.items() if _is_mark(m, counts, names)]
    return sorted(sure, key=lambda mark: (-len(columns[mark]), mark))


def _is_mark(
    mark: str, counts: Mapping[str, pd.Series], columns: Sequence[str]
) -> bool:
    if not any(sign.isalnum() for sign in mark) or len(columns) >= SEVERAL:
        return True
    for name in columns:
        others = without_marks(counts[name], PLAIN_MARKS)
        kind = find_kind(others.index.tolist(), others.tolist(), name).kind
        if kind in {"number", "ordered ranges", "date", "nominal code"}:
            return True
    return False


def without_marks(counts: pd.Series, marks: Sequence[str]) -> pd.Series:
    """Counts of those texts that are no marks."""
    return counts.drop([mark for mark in marks if mark in counts.index])


def known_cells(series: pd.Series, marks: Sequence[str]) -> pd.Series:
    """A column with nothing in place of these texts."""
    if not marks or not series.isin(marks).any():
        return series
    return series.astype(object).mask(series.isin(marks), None)

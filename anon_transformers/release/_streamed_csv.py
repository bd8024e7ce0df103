"""CSV files chunk by chunk: each cell is what the reader makes of it in memory.

What a column holds is known once all of its texts were seen, so that they are read
twice: one text makes a column of texts.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv

from anon_transformers.release._files import (
    Kind,
    apply_schema,
    known_encoding,
    no_csv,
    opened,
    refuse_ragged,
    texts_options,
    without_missing,
)
from anon_transformers.release._several_files import said_of_part
from anon_transformers.release._written_kinds import KindGuess


def csv_chunks(
    places: Sequence[Path],
    names: Sequence[str],
    *,
    separator: str = ",",
    encoding: str = "utf-8",
    missing: Sequence[str] = (),
    columns: Mapping[str, Kind] | None = None,
    exact: Sequence[str] = (),
) -> Iterator[pa.Table]:
    """Some columns of one or several files, typed together.

    Parameters
    ----------
    places : sequence of paths
        The files.
    names : sequence of str
        Which of their columns.
    separator, encoding, missing, columns, exact
        As of :func:`~anon_transformers.release._files.read_csv`.
    """
    how = (separator, known_encoding(encoding), missing)
    stated = {name: kind for name, kind in (columns or {}).items() if name in names}
    guesses = {name: KindGuess(name in exact) for name in names if name not in stated}
    for texts in _all_texts(places, how):
        for name, guess in guesses.items():
            guess.note(texts[name])
    kinds = {name: stated.get(name) or guesses[name].kind for name in names}
    n_rows = 0
    for texts in _all_texts(places, how):
        first, n_rows = n_rows + 1, n_rows + len(texts)
        with said_of_part(f"rows {first} to {n_rows}"):
            typed = apply_schema(texts, kinds)
        yield pa.Table.from_pandas(typed, preserve_index=False)


def _all_texts(places: Sequence[Path], how: Any) -> Iterator[pd.DataFrame]:
    for place in places:
        with said_of_part(place):
            yield from _texts(place, *how)


def _texts(
    place: Path, separator: str, encoding: str, missing: Sequence[str]
) -> Iterator[pd.DataFrame]:
    """Every cell as it is written, chunk by chunk; None where it is missing."""
    ragged: list[int] = []
    try:
        options = texts_options(place, separator, encoding, ragged)
        reader = pyarrow.csv.open_csv(opened(place), **options)
        try:
            for batch in reader:
                yield without_missing(batch.to_pandas(), missing)
        finally:
            # One that is dropped goes on reading ahead, with Python to decode.
            with reader:
                for _ in reader:
                    pass
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise no_csv(place, encoding) from None
    refuse_ragged(place, ragged)

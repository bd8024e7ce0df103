"""Whether a method can work with a table at all, by the first rows of its source.

A method refuses columns of a kind that it cannot use when it reads a table, before it
computes anything. It is let read a few rows, so that a page can say so before a run.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from anon_transformers.exceptions import DataError, safe_words
from anon_transformers.studio._project import Project, write_privately

if TYPE_CHECKING:
    import pandas as pd

    from anon_transformers.release import ReleaseConfig
    from anon_transformers.studio._source import StatedSource

TRIED_ROWS = 500
"""Rows that are looked at."""
TRIAL = "first-rows"
"""Folder of the results for the file of these rows, while they are read."""


def stamp_of(project: Project) -> str:
    """Another one for other files of the source; empty if they are not to be had."""
    from anon_transformers.studio._source import source_of

    try:
        return source_of(project).key
    except Exception:  # the page of the data says why; here nothing is refused for it
        return ""


def first_rows(project: Project) -> "pd.DataFrame | None":
    """The first rows of the source, as a release reads them; None if that fails.

    Only files that can be read in part are: CSV and Parquet, the first of several.
    """
    from anon_transformers.release._config import Source
    from anon_transformers.release._resolve import resolve
    from anon_transformers.release._source import read_source
    from anon_transformers.studio._source import source_of

    try:
        source = source_of(project)
        config = resolve(project.config, project.period, file=project.file)
        with _start_of(project, source) as start:
            stated = config.source.model_dump(mode="json")
            stated |= {"path": str(start), "kind": source.kind}
            stated.pop("encoding", None)  # the start is written in ours
            update = {"source": Source.model_validate(stated)}
            return read_source(config.model_copy(update=update)).head(TRIED_ROWS)
    except Exception:  # half a row, a reader of a plugin: then nothing is known
        return None


@contextmanager
def _start_of(project: Project, source: "StatedSource") -> Iterator[Path]:
    """The start of the source as a file of its own, which is removed."""
    folder, name = project.results_folder(TRIAL), secrets.token_hex(8)
    first = source.files[0]
    if source.is_csv:
        from anon_transformers.studio._source import start_of_csv

        file = folder / f"{name}.csv"
        write_privately(file, start_of_csv(first, source.encoding))
    elif source.kind == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = folder / f"{name}.parquet"
        with pq.ParquetFile(first) as held:
            batch = next(held.iter_batches(batch_size=TRIED_ROWS))
        pq.write_table(pa.Table.from_batches([batch]), file)
    else:
        raise DataError("only files are read in part.")
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


class TriedRows(NamedTuple):
    """What is known of a method before it runs.

    Attributes
    ----------
    refusal : str
        Why a release would refuse it; empty if it would not.
    doubt : str
        Why it may make no table all the same; empty if nothing speaks against it.
    """

    refusal: str = ""
    doubt: str = ""


def try_rows(
    anonymizer: Any, config: "ReleaseConfig", rows: "pd.DataFrame | None"
) -> TriedRows:
    """Let a method read these rows, if there are any and it is asked so."""
    from anon_transformers.base import TableAnonymizer
    from anon_transformers.release._table import with_stated_texts

    if rows is None or not isinstance(anonymizer, TableAnonymizer):
        return TriedRows()
    rows = rows.drop(columns=list(config.roles.dropped), errors="ignore")
    try:
        table = anonymizer._encode(anonymizer._begin(with_stated_texts(rows, config)))
        exact = anonymizer._left_exact(table)
    except DataError as error:
        return TriedRows(safe_words(error))
    except Exception:  # the first rows alone may lack what a whole table has
        return TriedRows()
    if not exact:
        return TriedRows()
    return TriedRows(
        doubt=f"It leaves {', '.join(map(str, exact))} as they are: where these alone "
        "tell too many rows apart, it makes no table."
    )

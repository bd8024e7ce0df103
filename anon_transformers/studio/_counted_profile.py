"""What is in the columns of a table of a database, which counts for the pages.

Distinct values come here with their counts, and the first rows, to be shown.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import DataError, shortened
from anon_transformers.studio._jobs import Progress
from anon_transformers.studio._profile import (
    COUNTS,
    NO_PROPOSAL,
    ROWS,
    describe_column,
    keep_rows,
    key_of,
    make_proposals,
    new_folder,
    remove_others,
    subject_of,
)
from anon_transformers.studio._project import Project
from anon_transformers.studio._source import StatedSource

if TYPE_CHECKING:
    import pandas as pd

    from anon_transformers.engines import Engine

FIRST_ROWS = 10_000
"""Rows that are read, and shown; proposals look at these."""


def counted_profile(
    project: Project, source: StatedSource, progress: Progress
) -> dict[str, Any]:
    """Count the values of a table where it lives, and propose roles."""
    progress(0, 0, "reading the first rows")
    first = _first_rows(source)
    proposals, _, note = make_proposals(first, source, progress)
    folder = new_folder(project)
    with _engine_of(source) as engine:
        progress(0, 0, "counting rows")
        n_rows, subject = engine.n_rows(), subject_of(project)
        subject = subject if subject in engine.columns else None
        columns = []
        for at, name in enumerate(engine.columns):
            progress(at, len(engine.columns), f"counting: {shortened(name, 40)}")
            asked = [name] if subject in (None, name) else [name, subject]
            counts = engine.count(asked)
            persons = None if subject is None else counts.frame[subject]
            file = folder / COUNTS / f"{at}.parquet"
            found = describe_column(
                counts.frame[name], source, persons, file, counts.rows
            )
            found |= {"marked": 0, "marks": []}
            columns.append({"name": name, **found, **proposals.get(name, NO_PROPOSAL)})
        n_persons = None if subject is None else engine.n_combinations([subject])
    keep_rows(first, folder / ROWS, progress)
    remove_others(folder)
    return {
        "key": key_of(project, source),
        "place": folder.name,
        "n_rows": n_rows,
        "n_kept": len(first),
        "n_persons": n_persons,
        "columns": columns,
        "marks": [],
        "note": note,
    }


def _first_rows(source: StatedSource) -> "pd.DataFrame":
    """The rows that the database gives first; refuses a table without any."""
    from anon_transformers.release._databases import duckdb_chunks, sql_chunks
    from anon_transformers.release._streamed import plain_cells

    options = source.options
    chunks = (
        duckdb_chunks(source.files[0], **options)
        if source.kind == "duckdb"
        else sql_chunks(**options, folder=source.config.folder)
    )
    with closing(chunks):
        first = next(chunks, None)
    if first is None or not len(first):
        raise DataError("the table is empty: it has no rows.")
    from anon_transformers.release._files import frame_of

    return frame_of(plain_cells(first.slice(0, FIRST_ROWS)))


@contextmanager
def _engine_of(source: StatedSource) -> "Iterator[Engine]":
    """The table of a database, for reading alone."""
    from anon_transformers.engines import SQLTable, open_engine
    from anon_transformers.release._databases import (
        open_duckdb,
        open_sql,
        relation_of,
        said_of_database,
    )

    options = source.options
    table, query = options.get("table"), options.get("query")
    if source.kind == "duckdb":
        with open_duckdb(source.files[0]) as connection, said_of_database():
            engine = open_engine(relation_of(connection, table, query))
            assert engine is not None
            yield engine
        return
    address = (options.get("url"), options.get("conn_id"), source.config.folder)
    with open_sql(*address) as connection:
        yield SQLTable(connection, table, query=query)

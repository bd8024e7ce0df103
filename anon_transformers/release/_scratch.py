"""DuckDB at work in the private folder of a run, where it puts what has no room.

Its own default is the folder in which the process happens to be.
"""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

from anon_transformers.exceptions import ConfigurationError, DataError
from anon_transformers.release._run import SPILL, make_private, remove_tree

if TYPE_CHECKING:
    import duckdb

ROW = "file_row_number"
"""What DuckDB calls the place of a row in its file."""
MEMORY = "600MB"
"""What DuckDB may hold before it writes to the disk."""


def open_scratch(folder: Path) -> "duckdb.DuckDBPyConnection":
    """Connect to a database in memory that spills into a folder of a run."""
    try:
        library = importlib.import_module("duckdb")
    except ImportError:
        raise ConfigurationError("source.engine: needs the extra duckdb.") from None
    spill = folder / SPILL
    remove_tree(spill)  # of a process that was killed
    make_private(spill)
    return library.connect(
        config={
            "temp_directory": str(spill),
            "memory_limit": MEMORY,
            "threads": 2,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
    )


@contextmanager
def scratch(folder: Path) -> Iterator["duckdb.DuckDBPyConnection"]:
    """The same, closed in the end; nothing stays on the disk."""
    connection = open_scratch(folder)
    kind = None
    try:
        yield connection
    except importlib.import_module("duckdb").Error as error:
        kind = type(error).__name__  # its words may quote cells
    finally:
        connection.close()
        remove_tree(folder / SPILL)
    if kind is not None:
        raise DataError(
            f"source.engine: DuckDB failed ({kind}); is there room on the disk of the "
            "workspace?"
        )


def parquet_file(
    connection: "duckdb.DuckDBPyConnection", file: Path
) -> "duckdb.DuckDBPyRelation":
    """A Parquet file as a relation; signs of a pattern in its name mean themselves."""
    return connection.read_parquet(escape(str(file)))


def as_table(file: Path) -> str:
    """The same in SQL, with the place of each row.

    Examples
    --------
    >>> as_table(Path("o'*.parquet"))
    "read_parquet('o''[*].parquet', file_row_number = true)"
    """
    place = escape(str(file)).replace("'", "''")
    return f"read_parquet('{place}', {ROW} = true)"

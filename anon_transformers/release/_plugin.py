"""Offers the readers and writers of files."""

from anon_transformers.hookspecs import hookimpl
from anon_transformers.release._file_kinds import READERS

WRITERS = {
    "csv": (
        "_files:write_csv",
        "Write the published text of every cell; a missing one is empty.",
    ),
    "parquet": (
        "_cells:write_parquet",
        "Write a Parquet file that holds the columns and nothing else.",
    ),
}


@hookimpl
def register_readers(register):
    for name, (place, summary) in READERS.items():
        register(name, f"anon_transformers.release.{place}", summary=summary)


@hookimpl
def register_writers(register):
    for name, (place, summary) in WRITERS.items():
        register(name, f"anon_transformers.release.{place}", summary=summary)

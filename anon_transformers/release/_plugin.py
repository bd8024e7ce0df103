"""Offers the readers and writers of files."""

from anon_transformers.hookspecs import hookimpl
from anon_transformers.release import _files


@hookimpl
def register_readers(register):
    register("csv", _files.read_csv)
    register("parquet", _files.read_parquet)


@hookimpl
def register_writers(register):
    register("csv", _files.write_csv)
    register("parquet", _files.write_parquet)

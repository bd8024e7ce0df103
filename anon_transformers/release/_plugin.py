"""Offers the readers and writers of files."""

from anon_transformers.hookspecs import hookimpl

READERS = {
    "csv": ("_files:read_csv", "Read a CSV file, strictly."),
    "duckdb": (
        "_databases:read_duckdb",
        "Read a table of a DuckDB file, or what a query gives.",
    ),
    "graph": (
        "_graph_files:read_graph",
        "Read a graph from a file of edges, and one of nodes if there is one.",
    ),
    "parquet": (
        "_files:read_parquet",
        "Read a Parquet file; an index that pandas stored in it is left behind.",
    ),
    "sql": (
        "_databases:read_sql",
        "Read a table of an SQL database, or what a query gives, in one transaction.",
    ),
}

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

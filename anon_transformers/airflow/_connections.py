"""Secrets of a connection of Airflow, for as long as a source is read."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

PREFIX = "ANON_CONN_"
FIELDS = ("host", "port", "login", "password", "schema")


@contextmanager
def connection_in_environment(conn_id: str | None) -> Iterator[None]:
    """Have the fields of a connection as variables of the environment, inside only.

    They are in no message between tasks, no rendered template and no log.

    Parameters
    ----------
    conn_id : str or None
        Name of the connection; nothing is done without one.
    """
    if conn_id is None:
        yield
        return
    from airflow.sdk import BaseHook

    found = BaseHook.get_connection(conn_id)
    given = {field.upper(): getattr(found, field) for field in FIELDS}
    extra = found.extra_dejson or {}
    given |= {f"EXTRA_{str(key).upper()}": value for key, value in extra.items()}
    added = {f"{PREFIX}{key}": str(v) for key, v in given.items() if v is not None}
    before = {name: os.environ.get(name) for name in added}
    os.environ.update(added)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

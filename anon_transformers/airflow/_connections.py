"""Secrets of connections of Airflow, for as long as a step needs them."""

import os
from collections.abc import Iterator, Mapping
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
    with _added(added):
        yield


@contextmanager
def secrets_in_environment(secrets: Mapping[str, str]) -> Iterator[None]:
    """Have passwords of connections as variables of the environment, inside only.

    Parameters
    ----------
    secrets : mapping of str to str
        Names of connections, by the variables.
    """
    if not secrets:
        yield
        return
    from airflow.sdk import BaseHook

    found = {name: BaseHook.get_connection(one) for name, one in secrets.items()}
    with _added({name: str(one.password or "") for name, one in found.items()}):
        yield


@contextmanager
def _added(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

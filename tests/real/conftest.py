"""Tests that bring up real services; `make test-real` installs what they need."""

from importlib.util import find_spec

# Helpers here import what Airflow brings.
if find_spec("airflow") is None:
    collect_ignore_glob = ["*.py"]

"""Airflow: a DAG of four tasks for every release file."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.airflow._dags import broken_dag, release_dag, release_dags
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = ["broken_dag", "release_dag", "release_dags"]

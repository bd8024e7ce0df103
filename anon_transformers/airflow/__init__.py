"""Airflow: a DAG of four tasks for every release file."""

from anon_transformers._lazy import lazy_names

__all__ = ["broken_dag", "release_dag", "release_dags"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "broken_dag": "anon_transformers.airflow._dags",
        "release_dag": "anon_transformers.airflow._dags",
        "release_dags": "anon_transformers.airflow._dags",
    },
)

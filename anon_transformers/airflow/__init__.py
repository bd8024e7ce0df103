"""Airflow: a DAG of four tasks for every release file, and its parts for your own."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.airflow._dags import (
        accepted_by_airflow,
        broken_dag,
        release_dag,
        release_dags,
    )
    from anon_transformers.airflow.operators import (
        AnonymizeOperator,
        LoadReleaseOperator,
        PublishReleaseOperator,
        ValidateReleaseOperator,
        release_task_group,
        run_step,
    )
    from anon_transformers.airflow.sensors import SourceSensor
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "AnonymizeOperator",
    "LoadReleaseOperator",
    "PublishReleaseOperator",
    "SourceSensor",
    "ValidateReleaseOperator",
    "accepted_by_airflow",
    "broken_dag",
    "release_dag",
    "release_dags",
    "release_task_group",
    "run_step",
]

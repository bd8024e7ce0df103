"""Every release file as an Airflow DAG: load, anonymize, validate, publish."""

from pathlib import Path

from anon_transformers.airflow import release_dags

globals().update(release_dags(Path(__file__).parent.parent / "releases"))

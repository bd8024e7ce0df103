"""Run a release as an Airflow DAG, without any service: ``python -m … FILE``."""

import os
import sys
from pathlib import Path


def main(
    release_file: str, dags_folder: str = "dags", home: str = "build/airflow"
) -> int:
    """Run the DAG of one release file on SQLite and say how it ended.

    Parameters
    ----------
    release_file : str
        A file among the releases.
    dags_folder : str
        Folder with the DAG file that turns releases into DAGs.
    home : str
        Airflow's home for this run.

    Returns
    -------
    int
        0 if every task succeeded.
    """
    prepare(Path(release_file).resolve().parent, Path(dags_folder), Path(home))
    from airflow.dag_processing.dagbag import DagBag
    from airflow.utils import db

    from anon_transformers.release import read_config

    db.initdb()
    config = read_config(release_file)
    dag = DagBag(os.environ["AIRFLOW__CORE__DAGS_FOLDER"]).dags[config.name]
    run = dag.test()
    states = {task.task_id: task.state for task in run.get_task_instances()}
    for task in dag.topological_sort():
        print(f"{task.task_id:10} {states[task.task_id]}")
    print(f"{'run':10} {run.state}")
    print(f"{'release':10} {config.target_root / 'current'}")
    return 0 if run.state == "success" else 1


def prepare(releases: Path, dags_folder: Path, home: Path) -> None:
    """Point Airflow at its own small home, before it is first imported."""
    os.environ.update(
        AIRFLOW_HOME=str(home.absolute()),
        AIRFLOW__CORE__DAGS_FOLDER=str(dags_folder.absolute()),
        AIRFLOW__CORE__PLUGINS_FOLDER=str(home.absolute() / "plugins"),
        AIRFLOW__CORE__LOAD_EXAMPLES="False",
        AIRFLOW__LOGGING__LOGGING_LEVEL="WARNING",
        ANON_RELEASES=str(releases),
    )


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

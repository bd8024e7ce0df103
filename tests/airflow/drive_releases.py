"""Run every release of the repository as a DAG on SQLite; write what became of it.

A script of its own; the environment is set before it starts.
"""

import json
import sys
from pathlib import Path

FOLDER = Path(sys.argv[-1])


def main():
    from airflow.dag_processing.dagbag import DagBag
    from airflow.utils import db

    db.initdb()
    found = {}
    for name, dag in DagBag(str(FOLDER / "dags")).dags.items():
        run = dag.test()
        target = FOLDER / "build" / "releases" / name / "current"
        found[name] = {
            "state": str(run.state),
            "tasks": {t.task_id: str(t.state) for t in run.get_task_instances()},
            "published": (target / "manifest.json").is_file(),
        }
    (FOLDER / "found.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main()

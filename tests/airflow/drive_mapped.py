"""Run DAGs of mapped releases on SQLite; write what was seen.

A script of its own; the environment is set before it starts.
"""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

FOLDER = Path(sys.argv[-1])
NOW = object()


def run(dag, moment=NOW, **conf):
    when = {} if moment is NOW else {"logical_date": moment}
    result = dag.test(run_conf=conf or None, **when)
    instances = {
        f"{task.task_id} {task.map_index}": str(task.state)
        for task in result.get_task_instances()
    }
    return {
        "run_id": result.run_id,
        "state": str(result.state),
        "instances": instances,
        "labels": labels(result.run_id),
        "handed on": handed_on(result.run_id),
        "events": events(result.run_id),
        "out": published(dag.dag_id),
    }


def labels(run_id):
    """What Airflow shows in place of the numbers of mapped tasks."""
    from airflow.models.taskinstance import TaskInstance
    from airflow.utils.session import create_session

    with create_session() as session:
        found = session.query(TaskInstance).filter(TaskInstance.run_id == run_id)
        return sorted({task.rendered_map_index for task in found if task.map_index > -1
                       and task.rendered_map_index})  # fmt: skip


def handed_on(run_id):
    from airflow.models.xcom import XComModel
    from airflow.utils.session import create_session

    with create_session() as session:
        found = session.query(XComModel).filter(XComModel.run_id == run_id)
        return [str(message.value) for message in found]


def events(run_id):
    """The events of assets that a run made: the asset, and the extra."""
    from airflow.models.asset import AssetEvent
    from airflow.utils.session import create_session

    with create_session() as session:
        found = session.query(AssetEvent).filter(AssetEvent.source_run_id == run_id)
        return [[event.asset.name, event.extra] for event in found]


def published(name):
    place = FOLDER / "out" / name
    return {
        str(file.parent.parent.relative_to(place)): json.loads(file.read_text())
        for file in sorted(place.rglob("current/manifest.json"))
    }


def main():
    from airflow.dag_processing.dagbag import DagBag
    from airflow.utils import db

    db.initdb()
    dags = DagBag(str(FOLDER / "dags")).dags
    found = {
        "dags": {
            name: {
                "tasks": {t.task_id: sorted(t.upstream_task_ids) for t in dag.tasks},
                "params": dict(dag.params),
                "tags": sorted(dag.tags),
                "doc": dag.doc_md,
            }
            for name, dag in dags.items()
        }
    }
    found["tables"] = run(dags["tables"])
    (FOLDER / "releases" / "tables" / "north.csv").unlink()
    found["north gone"] = run(dags["tables"], k_anonymity_k=4)
    found["sweep"] = run(dags["sweep"])
    found["monthly"] = run(dags["monthly"], datetime(2026, 11, 1, tzinfo=UTC))
    found["local midnight"] = run(
        dags["eastern"], datetime(2026, 9, 30, 22, tzinfo=UTC)
    )
    for name in ("empty", "no-folder", "twins"):
        found[name] = run(dags[name])
    found["files"] = {
        str(path.relative_to(FOLDER)): oct(path.stat().st_mode & 0o777)
        for path in sorted((FOLDER / "work").rglob("*"))
    }
    (FOLDER / "found.json").write_text(json.dumps(found, default=str))


if __name__ == "__main__":
    main()

"""Run the release DAGs on SQLite, one scenario after another; write what was seen.

A script of its own; the environment is set before it starts.
"""

import json
import os
import shutil
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

import numpy as np

FOLDER = Path(sys.argv[-1])
NOW = object()


@dataclass(frozen=True)
class DepthOfValues:
    """A plugin's model, with a parameter whose name nobody else knows."""

    depth: int
    name: ClassVar[str] = "depth-of-values"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "higher"
    merging: ClassVar[str] = "any"
    tighter: ClassVar[dict[str, str]] = {"depth": "higher"}

    def _depths(self, evidence):
        (column,) = evidence.sensitive_columns(None)
        return np.asarray((column.counts[:, :-1] > 0).sum(axis=1))

    def satisfied(self, evidence):
        return self._depths(evidence) >= self.depth

    def level(self, evidence):
        return int(self._depths(evidence).min())


def snapshot():
    """Everything in the targets and the workspace, but for their locks."""
    places = [*(FOLDER / "out").rglob("*"), *(FOLDER / "work").rglob("*")]
    return sorted(str(path.relative_to(FOLDER)) for path in places)


def read_vault(path=None, **options):
    """A reader that needs a secret, which it finds in the environment."""
    import pandas as pd

    VAULT.append(
        [os.environ["ANON_CONN_PASSWORD"], os.environ["ANON_CONN_EXTRA_TOKEN"]]
    )
    return pd.read_csv(FOLDER / "releases" / "people.csv", dtype={"zip": str})


VAULT = []


def run(dag, moment=NOW, **conf):
    """Trigger a DAG and wait; states, tries and what changed on disk."""
    before = snapshot()
    when = {} if moment is NOW else {"logical_date": moment}
    try:
        result = dag.test(run_conf=conf or None, **when)
    except Exception as error:
        return {
            "error": type(error).__name__,
            "message": str(error),
            "touched": snapshot() != before,
        }
    tasks = {task.task_id: task for task in result.get_task_instances()}
    return {
        "state": str(result.state),
        "states": {name: str(task.state) for name, task in tasks.items()},
        "tries": {name: task.try_number for name, task in tasks.items()},
        "tasks": list(tasks),
        "instances": sorted(
            [task.task_id, task.map_index, str(task.state)]
            for task in result.get_task_instances()
        ),
        "manifest": read_manifest(dag.dag_id),
        "journal": read_journal(dag.dag_id),
        "touched": snapshot() != before,
    }


def read_manifest(name):
    file = FOLDER / "out" / name / "current" / "manifest.json"
    return json.loads(file.read_text()) if file.exists() else None


def read_journal(name):
    file = FOLDER / "work" / name / "journal.jsonl"
    if not file.exists():
        return []
    return [json.loads(line)["event"] for line in file.read_text().splitlines()]


def describe(dag):
    return {
        "tasks": {task.task_id: sorted(task.upstream_task_ids) for task in dag.tasks},
        "retries": {task.task_id: task.retries for task in dag.tasks},
        "params": dict(dag.params),
        "tags": sorted(dag.tags),
        "doc": dag.doc_md,
        "schedule": getattr(dag.timetable, "expression", None),
        "awaited": awaited(dag.timetable),
        "max_active_runs": dag.max_active_runs,
        "owners": sorted({task.owner for task in dag.tasks}),
        "inlets": [a.uri for a in dag.tasks[0].inlets],
        "outlets": [[a.name, a.uri] for a in dag.tasks[-1].outlets],
    }


def awaited(timetable):
    """Names of the assets that a DAG runs after."""
    assets = getattr(timetable, "asset_condition", None)
    return sorted(asset.name for asset in assets.objects) if assets else []


def read_notices():
    file = FOLDER / "lib" / "notices.txt"
    return file.read_text().splitlines() if file.exists() else []


def errors_of_steps():
    """Which errors of a step are final, and which a retry may mend."""
    from anon_transformers import release
    from anon_transformers.airflow import run_step
    from anon_transformers.exceptions import GateError, UnreachableError

    found = {}
    for error in (GateError("told"), OSError("disk"), UnreachableError("database")):

        def step(location, error=error):
            raise error

        release.publish = step
        try:
            run_step("publish", "x")
        except Exception as raised:
            chained = raised.__cause__ is not None and raised is not error
            found[type(error).__name__] = [type(raised).__name__, chained]
    del release.publish
    return found


def main():
    from airflow.dag_processing.dagbag import DagBag
    from airflow.utils import db

    from anon_transformers.registry import registry

    db.initdb()
    registry().privacy_models.add("depth-of-values", DepthOfValues, owner="a test")
    registry().readers.add("vault", read_vault, owner="a test")
    bag = DagBag(str(FOLDER / "dags"))
    found = {
        "import_errors": bag.import_errors,
        "dags": {name: describe(dag) for name, dag in bag.dags.items()},
    }
    people = bag.dags["people"]
    found["first"] = run(people)
    found["refused by the gate"] = run(people, loss_max=0.0001)
    found["loosened"] = run(people, k_anonymity_k=2)
    found["no number"] = run(people, k_anonymity_k="9")
    found["misspelled"] = run(people, k_anonymty_k=9)
    found["tightened"] = run(people, k_anonymity_k=6, loss_max=0.8)
    found["never published"] = run(bag.dags["staff"], average_risk_max=0.0001)
    found["plugin loosened"] = run(bag.dags["with-plugin"], depth_of_values_depth=1)
    found["plugin tightened"] = run(bag.dags["with-plugin"], depth_of_values_depth=3)
    found["fuzzy"] = run(bag.dags["fuzzy"])
    found["fuzzy tightened"] = run(bag.dags["fuzzy"], q_anonymity_q=30)
    found["friends"] = run(bag.dags["friends"])
    found["friends tightened"] = run(bag.dags["friends"], k_degree_k=41)
    found["broken"] = run(bag.dags["misspelled"])
    before = len(read_notices())
    found["wrong parameter"] = run(bag.dags["wrong-parameter"])
    found["notices of broken"] = read_notices()[before:]
    found["told"] = run(bag.dags["told"])
    found["told of failure"] = run(bag.dags["told"], loss_max=0.0001)
    found["notices"] = read_notices()[before + 1 :]
    monthly = bag.dags["monthly"]
    found["october"] = run(monthly, datetime(2026, 11, 1, tzinfo=UTC))
    # Before the next one: in one process, a DAG keeps what a test gave it.
    found["no month"] = run(monthly, None)
    found["september"] = run(monthly, period="2026-09")
    found["months"] = sorted(f.name for f in (FOLDER / "out" / "monthly").iterdir())
    found["waited in vain"] = run(bag.dags["waiting"])
    releases = FOLDER / "releases"
    shutil.copy(releases / "people.csv", releases / "late.csv")
    found["waited"] = run(bag.dags["waiting"])
    found["secret"] = run(bag.dags["secret"])
    found["vault"] = VAULT
    found["left in the environment"] = [
        name for name in os.environ if "ANON_CONN" in name or "ANON_PSEUDO" in name
    ]
    found["secret manifest"] = read_manifest("secret")
    found["own"] = run(bag.dags["own"])
    found["owned"] = [read_manifest("owned"), read_journal("owned")]
    found["mapped"] = run(bag.dags["months"])
    found["mapped months"] = sorted(f.name for f in (FOLDER / "out/mapped").iterdir())
    found["left"] = [path for path in snapshot() if "input" in path]
    found["errors"] = errors_of_steps()
    (FOLDER / "found.json").write_text(json.dumps(found, default=str))


if __name__ == "__main__":
    main()

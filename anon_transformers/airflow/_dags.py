"""Builds DAGs from release files; reads no data and loads no plugin while doing so."""

import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from airflow.sdk import DAG, Param, dag, task

from anon_transformers.exceptions import ConfigurationError
from anon_transformers.release import ReleaseConfig, read_config
from anon_transformers.release._tighten import COMMON_WORDS


def run_step(name: str, location: str, **options: Any) -> str:
    """Run one step of a release; only trouble with the file system is retried.

    Parameters
    ----------
    name : {"load", "anonymize", "validate", "publish"}
        The step.
    location : str
        What it takes: the release file, or the run's private folder.
    **options : dict
        Further arguments of the step.

    Returns
    -------
    str
        The location for the next step; never a table.
    """
    from airflow.sdk.exceptions import AirflowFailException

    from anon_transformers import release
    from anon_transformers.exceptions import AnonymizationError

    try:
        return getattr(release, name)(location, **options)
    except AnonymizationError as error:
        raise AirflowFailException(str(error)) from None


TAG = "release"
START = datetime(2024, 1, 1, tzinfo=UTC)


def release_dags(folder: str | os.PathLike[str] | None = None) -> dict[str, DAG]:
    """Build a DAG for every release file in a folder.

    A file that cannot be read becomes a DAG of its own that says so and cannot be run;
    the others are not touched by it.

    Parameters
    ----------
    folder : path, optional
        Where the files lie; the environment variable ``ANON_RELEASES`` goes before it.

    Returns
    -------
    dict of str to DAG
        By DAG id, ready for ``globals().update(...)`` in a DAG file.
    """
    place = os.environ.get("ANON_RELEASES") or folder
    if place is None:
        raise ConfigurationError("name a folder, or set ANON_RELEASES.")
    files = sorted(f for f in Path(place).iterdir() if f.suffix in {".yaml", ".yml"})
    built: dict[str, DAG] = {}
    broken: dict[Path, str] = {}
    for file in files:
        try:
            config = read_config(file)
            if config.name in built:
                raise ConfigurationError(
                    f"{file}: another file is already named {config.name!r}."
                )
            built[config.name] = _accepted_dag(config, file)
        except ConfigurationError as error:
            broken[file] = str(error)
    # Last, so that no broken file takes the name of a good one.
    for file, message in broken.items():
        shown = broken_dag(file, message, taken=built)
        built[shown.dag_id] = shown
    return built


def _accepted_dag(config: ReleaseConfig, file: Path) -> DAG:
    """The DAG of a release, if Airflow takes it; one bad schedule must not stop all."""
    try:
        built = release_dag(config, file)
        built.validate()
    except Exception as error:
        raise ConfigurationError(
            f"{file}: Airflow refuses it (schedule: {config.schedule!r}): {error}"
        ) from None
    return built


def release_dag(config: ReleaseConfig, file: Path) -> DAG:
    """Build the DAG of one release: load → anonymize → validate → publish."""

    @dag(
        dag_id=config.name,
        schedule=config.schedule,
        start_date=START,
        catchup=False,
        auto_register=False,
        max_active_runs=1,
        tags=[TAG],
        doc_md=_describe(config),
        params=_params(config),
        default_args={"retries": 2, "retry_delay": timedelta(minutes=1)},
    )
    def release() -> None:
        @task
        def load(*, params: Any = None, run_id: Any = None) -> str:
            return run_step("load", str(file), run_id=run_id, parameters=dict(params))

        @task
        def anonymize(location: str) -> str:
            return run_step("anonymize", location)

        @task(retries=0)
        def validate(location: str) -> str:
            return run_step("validate", location)

        @task
        def publish(location: str) -> str:
            return run_step("publish", location)

        publish(validate(anonymize(load())))

    return release()


def broken_dag(file: Path, message: str, taken: Any = ()) -> DAG:
    """Build a DAG that only says why its release file cannot be used."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "_", file.stem)
    while name in taken:
        name = f"{name}.broken"

    @dag(
        dag_id=name,
        schedule=None,
        start_date=START,
        catchup=False,
        auto_register=False,
        tags=[TAG, "broken"],
        doc_md=f"# Broken release\n\n```\n{message}\n```\n",
    )
    def broken() -> None:
        @task(retries=0)
        def broken_release() -> None:
            raise ConfigurationError(message)

        broken_release()

    return broken()


def _params(config: ReleaseConfig) -> dict[str, Param]:
    """Every threshold as a number that a trigger may tighten."""
    params = {}
    for threshold in config.thresholds:
        for name, value in threshold.numbers().items():
            bound = {"higher": "minimum", "lower": "maximum"}.get(
                COMMON_WORDS.get(name, "")
            )
            limits = {} if bound is None else {bound: value}
            kind = "integer" if isinstance(value, int) and name == "k" else "number"
            params[threshold.key(name)] = Param(
                value,
                type=kind,
                description=f"{name} of {threshold.id}; may only be tightened.",
                **limits,
            )
    return params


def _describe(config: ReleaseConfig) -> str:
    """What the DAG page says; nothing here comes from the data."""
    lines = [f"# {config.name}", "", f"Anonymizer: `{config.anonymizer.name}`", ""]
    for threshold in config.thresholds:
        stated = ", ".join(f"{k} = {v}" for k, v in threshold.params.items())
        lines.append(f"* `{threshold.name}`: {stated}")
    return "\n".join(lines)

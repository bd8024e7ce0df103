"""Builds DAGs from release files; reads no data while doing so."""

import os
import re
from collections.abc import Callable, Collection
from functools import partial
from itertools import product
from pathlib import Path
from threading import Thread
from typing import Any

from airflow.sdk import DAG, Param, conf, task

from anon_transformers.airflow._assets import (
    awaited_assets,
    release_asset,
    source_assets,
)
from anon_transformers.airflow._endings import EndRun
from anon_transformers.airflow._mapped import add_mapped_steps
from anon_transformers.airflow._notifiers import make_deadline, make_notifiers
from anon_transformers.airflow.operators import PERIOD, add_steps
from anon_transformers.airflow.sensors import SourceSensor
from anon_transformers.exceptions import ConfigurationError
from anon_transformers.release import ReleaseConfig
from anon_transformers.release._airflow_options import AirflowOptions
from anon_transformers.release._check import (
    FileCheck,
    check_quickly,
    check_remembered,
    release_files,
)
from anon_transformers.release._config import LEGAL_NAME
from anon_transformers.release._last_known import (
    forget_others,
    known_files,
    last_schedule,
    read_leniently,
)
from anon_transformers.release._schedule import START
from anon_transformers.release._tighten import COMMON_WORDS

TAG = "release"
BROKEN = "broken"


def release_dags(folder: str | os.PathLike[str] | None = None) -> dict[str, DAG]:
    """Build a DAG for every release file in a folder.

    The id of a DAG is the name of its file, whatever is in it. A file that cannot be
    used becomes a DAG that keeps its schedule and fails with the reason; the others are
    not touched by it.

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
    files, fault = _listed(Path(place))
    found = _verdicts(files, fault, _time_for_checks())
    names = {file.stem for file in files}
    built: dict[str, DAG] = {}
    for file in files:
        shown = _dag_of(file, found[file], names)
        built[shown.dag_id] = shown
    return built


def _time_for_checks() -> float | None:
    """Seconds that checks may take: Airflow gives up a DAG file that takes too long.

    With it, all its DAGs would be gone.
    """
    limit = conf.getfloat("core", "dagbag_import_timeout", fallback=30.0)
    return limit / 2 if limit > 0 else None


def _verdicts(
    files: list[Path], fault: str | None, seconds: float | None
) -> dict[Path, ReleaseConfig | ConfigurationError]:
    """What each file says, or why it cannot be used.

    Where a machine is too slow to check all parameters in time, files are taken as they
    are: their first task checks them again in any case.
    """
    found: dict[Path, ReleaseConfig | ConfigurationError] = {}
    left = []
    for file in files:
        try:
            if fault is not None:
                raise ConfigurationError(fault)
            found[file], known = check_quickly(file, files)
        except ConfigurationError as error:
            found[file] = error
        else:
            left += [] if known else [file]

    def check_the_rest() -> None:
        for file in left:
            try:
                check_remembered(file, files)
            except ConfigurationError as error:
                found[file] = error

    if left:
        # In a thread, for an import cannot be cut off without harm.
        thread = Thread(target=check_the_rest, daemon=True)
        thread.start()
        thread.join(seconds)
    return dict(found)


def _listed(folder: Path) -> tuple[list[Path], str | None]:
    """The release files of a folder, and why they cannot be read now."""
    try:
        files = release_files([folder.resolve(strict=True)])
    except OSError as error:
        known = known_files(folder.resolve())
        fault = f"{folder} cannot be read ({type(error).__name__})."
        if not known:
            raise ConfigurationError(fault) from None
        return known, fault
    forget_others(folder.resolve(), files)
    return files, None


def _dag_of(
    file: Path, found: ReleaseConfig | ConfigurationError, names: Collection[str]
) -> DAG:
    """The DAG of a file; of one that cannot be used, one that says why."""
    if isinstance(found, ConfigurationError):
        return broken_dag(file, str(found), names)
    try:
        return _accepted(file, partial(release_dag, found, file), found.schedule)
    except ConfigurationError as error:
        return broken_dag(file, str(error), names)


def accepted_by_airflow(check: FileCheck) -> FileCheck:
    """The same, refused where Airflow would not take the DAG of the release."""
    config = check.config
    if config is None:
        return check
    try:
        build = partial(release_dag, config, check.file.absolute())
        _accepted(check.file, build, config.schedule)
    except ConfigurationError as error:
        return FileCheck(check.file, None, str(error))
    return check


def _accepted(file: Path, build: Callable[[], DAG], schedule: str | None) -> DAG:
    """A DAG, if Airflow takes it; one bad schedule must not stop all."""
    try:
        built = build()
        built.validate()
    except ConfigurationError as error:
        raise ConfigurationError(f"{file}: {error}") from None
    except Exception as error:
        raise ConfigurationError(
            f"{file}: Airflow refuses it (schedule: {schedule!r}): {error}"
        ) from None
    return built


def release_dag(config: ReleaseConfig, file: Path) -> DAG:
    """Build the DAG of one release: load → anonymize → validate → publish.

    Of a file with ``airflow: {map: …}`` these four are a mapped group, behind a task
    that lists the items.
    """
    options = config.airflow
    params = _params(config)
    if config.grain is not None:
        params[PERIOD] = Param(
            None,
            type=["null", "string"],
            description="Period of this run; by default that of its logical date.",
        )
    with _new_dag(
        config.name,
        awaited_assets(config.name, file, options) or config.schedule,
        options,
        tags=[TAG, *options.tags],
        doc_md=_describe(config),
        params=params,
        on_failure_callback=[
            EndRun(str(file), options.secrets),
            *make_notifiers("on_failure", options.on_failure),
        ],
        on_success_callback=make_notifiers("on_success", options.on_success),
    ) as dag:
        given: dict[str, Any] = {
            "inlets": source_assets(config),
            "outlets": [release_asset(config.name, options)],
            "load": {"conn_id": options.conn_id},
            "secrets": options.secrets,
        }
        add = add_steps if options.map is None else add_mapped_steps
        first = add(str(file), **given)
        if options.sensor is not None:
            _sensor(config, file) >> first
    return dag


def _sensor(config: ReleaseConfig, file: Path) -> SourceSensor:
    """The task that waits for the source."""
    sensor = config.airflow.sensor
    assert sensor is not None
    if not config.source.files:
        raise ConfigurationError("airflow.sensor: the source is no file to wait for.")
    return SourceSensor(
        task_id="wait_for_source",
        file=str(file),
        conn_id=config.airflow.conn_id,
        secrets=config.airflow.secrets,
        timeout=sensor.timeout,
        poke_interval=sensor.poke_interval,
        mode=sensor.mode,
        execution_timeout=None,  # its own deadline holds
    )


def _new_dag(name: str, schedule: Any, options: AirflowOptions, **given: Any) -> DAG:
    """A DAG with what the ``airflow:`` section says of it and of its tasks."""
    return DAG(
        name,
        schedule=schedule,
        auto_register=False,
        deadline=make_deadline(options),
        default_args=options.given(AirflowOptions.OF_TASKS),
        **{"start_date": START, **options.given(AirflowOptions.OF_DAG)},
        **given,
    )


def broken_dag(file: Path, message: str, taken: Collection[str] = ()) -> DAG:
    """Build the DAG of a file that cannot be used: it runs as before, and fails.

    It has the id and the schedule of the release, and tells those whom the release
    told, as far as they can still be read, so that nobody waits in silence.

    Parameters
    ----------
    file : Path
        The release file.
    message : str
        Why it cannot be used.
    taken : collection of str, optional
        Names of all release files, which no odd name may take.
    """
    schedule, options = read_leniently(file)
    without = options.model_copy(update={"deadline": None})
    name = _legal_id(file.stem, taken)
    # The first that Airflow takes: one of them may be the fault.
    schedules = dict.fromkeys([schedule, last_schedule(file), None])
    for moment, kept in product(schedules, (options, without)):
        build = partial(_failing_dag, name, file, message, moment, kept)
        try:
            return _accepted(file, build, moment)
        except ConfigurationError:
            continue
    return _failing_dag(name, file, message, None, AirflowOptions())


def _failing_dag(
    name: str, file: Path, message: str, schedule: str | None, options: AirflowOptions
) -> DAG:
    waits: Any = None if schedule else _still_awaited(file, options)
    with _new_dag(
        name,
        waits or schedule,
        options,
        tags=[TAG, BROKEN, *options.tags],
        doc_md=f"# Broken release\n\n```\n{message}\n```\n",
        on_failure_callback=_working_notifiers(options),
    ) as dag:

        @task(retries=0)
        def broken_release() -> None:
            from airflow.sdk.exceptions import AirflowFailException

            from anon_transformers.release._log import LOG

            LOG.error("%s", message)  # before the traceback, where it is looked for
            raise AirflowFailException(message)

        broken_release()
    return dag


def _legal_id(stem: str, taken: Collection[str]) -> str:
    """The name of a file as an id that Airflow takes, and no other file has."""
    if LEGAL_NAME.match(stem):
        return stem
    name = re.sub(r"[^A-Za-z0-9_.-]+", "_", stem)[:200]
    while name in taken:
        name += "_"
    return name


def _still_awaited(file: Path, options: AirflowOptions) -> list[Any]:
    try:
        return awaited_assets(file.stem, file, options)
    except (ConfigurationError, OSError):
        return []


def _working_notifiers(options: AirflowOptions) -> list[Callable[..., Any]]:
    """Those of ``on_failure`` that can be made; one that cannot may be the fault."""
    found: list[Callable[..., Any]] = []
    for stated in options.on_failure:
        try:
            found += make_notifiers("on_failure", [stated])
        except ConfigurationError:
            continue
    return found


def _params(config: ReleaseConfig) -> dict[str, Param]:
    """Every threshold as a number that a trigger may tighten."""
    params = {}
    swept = set() if config.airflow.map is None else config.airflow.map.swept
    for threshold in config.thresholds:
        for name, value in threshold.numbers().items():
            if threshold.key(name) in swept:  # each item states its own
                continue
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

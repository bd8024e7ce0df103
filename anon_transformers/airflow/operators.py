"""The four steps of a release as operators, for those who write their own DAG."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from airflow.sdk import Asset, BaseOperator, TaskGroup

from anon_transformers.airflow._assets import (
    published_facts,
    release_asset,
    source_assets,
)
from anon_transformers.airflow._connections import (
    connection_in_environment,
    secrets_in_environment,
)
from anon_transformers.airflow._endings import EndRun
from anon_transformers.airflow._period import name_of_run, period_of_run
from anon_transformers.release import read_config
from anon_transformers.release._mapping import item_of
from anon_transformers.release._steps import refuse_mapped

PERIOD = "period"
"""Parameter of a DAG that goes before the logical date."""
RELEASE = "release"
"""Name of the release in the context of a task, for ``map_index_template``."""


def run_step(name: str, location: str, **options: Any) -> str:
    """Run one step of a release; trouble with files and connections alone is retried.

    It takes and returns texts, so that it can be called in a function under ``@task``.

    Parameters
    ----------
    name : {"load", "anonymize", "validate", "publish"}
        The step.
    location : str
        What it takes: the release file, or the run's private folder.
    **options : dict
        Further arguments of the step: those of :func:`anon_transformers.release.load`.

    Returns
    -------
    str
        The location for the next step; never a table.

    Raises
    ------
    AirflowFailException
        If the step refuses to go on: doing it again would not help.
    UnreachableError
        If a database or a store cannot be reached: Airflow tries again.
    """
    from airflow.sdk.exceptions import AirflowFailException

    from anon_transformers import release
    from anon_transformers.exceptions import AnonymizationError, UnreachableError

    try:
        return getattr(release, name)(location, **options)
    except UnreachableError:
        raise
    except AnonymizationError as error:
        raise AirflowFailException(str(error)) from None


class LoadReleaseOperator(BaseOperator):
    """Start a run: check the release file, take the source into a private folder.

    Parameters
    ----------
    file : str
        The release file.
    period : str, optional
        What the run is about, of a file with periods; without it the parameter
        ``period`` of the run, or else its logical date.
    parameters : mapping, optional
        Thresholds that are tightened; without it the parameters of the DAG.
    conn_id : str, optional
        A connection whose fields are in the environment while the source is read, as
        ``ANON_CONN_HOST``, ``ANON_CONN_PASSWORD`` and so on.
    secrets : mapping, optional
        Connections whose passwords are in the environment, by variable.
    **kwargs
        Arguments of every operator.
    """

    template_fields = ("file", "period")

    def __init__(
        self,
        *,
        file: str,
        period: str | None = None,
        parameters: Mapping[str, float] | None = None,
        conn_id: str | None = None,
        secrets: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.file = file
        self.conn_id = conn_id
        self.secrets = dict(secrets or {})
        self.period = period
        self.parameters = parameters

    def execute(self, context: Any) -> str:
        """Load; what is handed on is the private folder of the run."""
        context[RELEASE] = Path(self.file).stem
        params = dict(context["params"])
        asked = params.pop(PERIOD, None)  # no threshold, whoever names the period
        given = self.period or asked
        if self.parameters is not None:
            params = dict(self.parameters)
        options: dict[str, Any] = {
            "run_id": name_of_run(context),
            "parameters": params,
        }
        period = period_of_run(self.file, given, context)
        if period is not None:
            options[PERIOD] = period
        with (
            connection_in_environment(self.conn_id),
            secrets_in_environment(self.secrets),
        ):
            return run_step("load", self.file, **options)


class _LaterStepOperator(BaseOperator):
    """A step that takes the private folder of a run."""

    template_fields = ("location",)
    step: ClassVar[str]

    def __init__(
        self, *, location: Any, secrets: Mapping[str, str] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.location = location
        self.secrets = dict(secrets or {})

    def execute(self, context: Any) -> str:
        """Run the step; what is handed on is a location."""
        context[RELEASE] = Path(self.location).parents[1].name
        with secrets_in_environment(self.secrets):
            return run_step(self.step, self.location)


class AnonymizeOperator(_LaterStepOperator):
    """Make the candidate of a run.

    Parameters
    ----------
    location : str or output of :class:`LoadReleaseOperator`
        The run's private folder.
    secrets : mapping, optional
        Connections whose passwords are in the environment, by variable.
    **kwargs
        Arguments of every operator.
    """

    step = "anonymize"


class ValidateReleaseOperator(_LaterStepOperator):
    """Judge the candidate by every threshold; quarantine it if one is broken.

    Parameters
    ----------
    location : str or output of :class:`AnonymizeOperator`
        The run's private folder.
    secrets : mapping, optional
        Connections whose passwords are in the environment, by variable.
    **kwargs
        Arguments of every operator.
    """

    step = "validate"


class PublishReleaseOperator(_LaterStepOperator):
    """Publish what was validated, and say so to those who wait for its asset.

    Parameters
    ----------
    location : str or output of :class:`ValidateReleaseOperator`
        The run's private folder.
    mapped_from : str, optional
        Name of the release whose items are published; the extra of the assets then
        says which ``item`` it is.
    secrets : mapping, optional
        Connections whose passwords are in the environment, by variable.
    **kwargs
        Arguments of every operator; the assets under ``outlets`` get the version and
        what was measured as their extra.
    """

    step = "publish"

    def __init__(
        self, *, location: Any, mapped_from: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(location=location, **kwargs)
        self.mapped_from = mapped_from

    def execute(self, context: Any) -> str:
        """Publish; what is handed on is the folder of the version."""
        version = super().execute(context)
        facts = published_facts(Path(version))
        if self.mapped_from is not None:
            facts["item"] = item_of(facts["release"], self.mapped_from)
        for asset in self.outlets or ():
            if isinstance(asset, Asset):
                context["outlet_events"][asset].extra.update(facts)
        return version


def release_task_group(
    file: str | Path,
    *,
    group_id: str | None = None,
    period: str | None = None,
    parameters: Mapping[str, float] | None = None,
    **kwargs: Any,
) -> TaskGroup:
    """The four steps of a release as a group of tasks in a DAG of one's own.

    In a ``@task_group`` that is expanded, it is mapped: over periods, each of which has
    a target of its own.

    Parameters
    ----------
    file : path
        The release file.
    group_id : str, optional
        Name of the group; that of the release by default.
    period : str, optional
        What the run is about; see :class:`LoadReleaseOperator`.
    parameters : mapping, optional
        Thresholds that are tightened; none by default.
    **kwargs
        Arguments of every task, such as ``retries``. What is called when a task fails,
        under ``on_failure_callback``, is called beside the removal of personal data.

    Returns
    -------
    TaskGroup
        Its last task is ``publish``, with the asset of the release as its outlet.

    Examples
    --------
    >>> from airflow.sdk import DAG
    >>> with DAG("nightly"):
    ...     group = release_task_group("releases/adult.yaml")
    >>> sorted(group.children)
    ['adult.anonymize', 'adult.load', 'adult.publish', 'adult.validate']
    """
    config = read_config(file)
    refuse_mapped(config)
    with TaskGroup(group_id=group_id or config.name) as group:
        add_steps(
            str(Path(file).absolute()),
            inlets=source_assets(config),
            outlets=[release_asset(config.name, config.airflow)],
            load={
                "period": period,
                "parameters": dict(parameters or {}),
                "conn_id": config.airflow.conn_id,
            },
            **{"secrets": config.airflow.secrets, **kwargs},
        )
    return group


def add_steps(
    file: str,
    *,
    inlets: list[Asset],
    outlets: list[Asset],
    load: Mapping[str, Any],
    publish: Mapping[str, Any] | None = None,
    ends: EndRun | None = None,
    **kwargs: Any,
) -> BaseOperator:
    """Add the four tasks to the DAG or group at hand; the first of them.

    A task that fails ends its run, whatever else is called then.
    """
    first = LoadReleaseOperator(
        task_id="load", file=file, inlets=inlets, **load, **kwargs
    )
    made = AnonymizeOperator(task_id="anonymize", location=first.output, **kwargs)
    # What the gate refused, it would refuse again.
    judged = ValidateReleaseOperator(
        task_id="validate", location=made.output, **{**kwargs, "retries": 0}
    )
    last = PublishReleaseOperator(
        task_id="publish",
        location=judged.output,
        outlets=outlets,
        **(publish or {}),
        **kwargs,
    )
    ends = ends or EndRun(file, kwargs.get("secrets"))
    for step in (first, made, judged, last):
        # Here, beside those of the arguments and of ``default_args``.
        step.on_failure_callback = [ends, *step.on_failure_callback]
    return first

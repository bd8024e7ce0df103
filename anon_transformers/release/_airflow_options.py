"""The ``airflow:`` section of a release file; nothing here imports Airflow."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from anon_transformers.exceptions import shortened
from anon_transformers.release._durations import Duration
from anon_transformers.release._stated_mapping import StatedMapping
from anon_transformers.release._strict import Strict

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z")


def _read_moment(given: Any) -> Any:
    """A day or a moment; without a zone it is in UTC, as schedules are."""
    if isinstance(given, str):
        given = datetime.fromisoformat(given)
    if isinstance(given, date) and not isinstance(given, datetime):
        given = datetime.combine(given, time())
    if isinstance(given, datetime) and given.tzinfo is None:
        given = given.replace(tzinfo=UTC)
    return given


def _factor(given: Any) -> Any:
    """True doubles the delay each time; Airflow takes the factor."""
    return 2.0 * given if isinstance(given, bool) else given


Variable = Annotated[str, Field(pattern=r"^ANON_[A-Z0-9_]+$")]
"""A variable of ours: no other program is given a secret."""
Moment = Annotated[datetime, BeforeValidator(_read_moment)]


class StatedNotifier(Strict):
    """Who gets a notification of how a run ended: a notifier of Airflow, or a function.

    Attributes
    ----------
    notifier : str
        Where it is imported from, such as
        ``airflow.providers.smtp.notifications.smtp.SmtpNotifier``; a path alone stands
        for ``{notifier: …}``. Every other key is a parameter of the notifier. A
        function is called with the context of the run and these parameters.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    notifier: str

    @model_validator(mode="before")
    @classmethod
    def _a_path_alone(cls, given: Any) -> Any:
        return {"notifier": given} if isinstance(given, str) else given

    @model_validator(mode="after")
    def _dotted(self) -> "StatedNotifier":
        if not _DOTTED.match(self.notifier):
            raise ValueError(
                "notifier: name the module and what is in it, such as "
                f"package.module.Notifier, not {shortened(self.notifier)!r}."
            )
        return self

    @property
    def params(self) -> dict[str, Any]:
        """Parameters of the notifier."""
        return dict(self.model_extra or {})


class StatedAsset(Strict):
    """An asset of Airflow; a text alone is its name.

    Attributes
    ----------
    name : str
        What other DAGs call it.
    uri : str or None
        Where it is; the name, if it is left out.
    """

    name: str = Field(min_length=1)
    uri: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _a_name_alone(cls, given: Any) -> Any:
        return {"name": given} if isinstance(given, str) else given


class WantedAsset(Strict):
    """An asset that no release file makes, and a release waits for.

    Attributes
    ----------
    asset : StatedAsset
        Its name, or name and address.
    """

    asset: StatedAsset


class StatedDeadline(Strict):
    """By when a run must have ended; whoever is named gets a notification if not.

    Attributes
    ----------
    after : duration
        How long after ``of``; a duration alone stands for ``{after: …}``.
    of : {"queued", "logical_date"}
        When the time starts.
    notify : tuple of StatedNotifier
        Who gets the notification; those of ``on_failure`` if it is left out.
    """

    after: Duration
    of: Literal["queued", "logical_date"] = "queued"
    notify: tuple[StatedNotifier, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _a_duration_alone(cls, given: Any) -> Any:
        return given if isinstance(given, dict) else {"after": given}


class StatedSensor(Strict):
    """How long a run waits for its source before it fails.

    Attributes
    ----------
    timeout : duration
        How long; a duration alone stands for ``{timeout: …}``.
    poke_interval : duration
        How often it is looked for.
    mode : {"reschedule", "poke"}
        Whether the worker is free in between.
    """

    timeout: Duration
    poke_interval: Duration = timedelta(minutes=5)
    mode: Literal["reschedule", "poke"] = "reschedule"

    @model_validator(mode="before")
    @classmethod
    def _a_duration_alone(cls, given: Any) -> Any:
        return given if isinstance(given, dict) else {"timeout": given}


class AirflowOptions(Strict):
    """How Airflow runs a release.

    Keys that Airflow has too mean what they mean there.

    Attributes
    ----------
    start_date : date or moment or None
        First moment that the schedule counts, in UTC where no zone is given.
    end_date : date or moment or None
        Last moment that the schedule counts.
    catchup : bool
        Whether runs are made up for that were missed since ``start_date``.
    max_active_runs : int
        Runs at the same time.
    dagrun_timeout : duration or None
        A run that takes longer fails.
    deadline : StatedDeadline or None
        By when a run must have ended, and who is notified if not: ``{after: 2h, of:
        queued, notify: […]}``, or the duration alone.
    retries : int
        How often a step is tried again after trouble that may pass.
    retry_delay : duration
        How long it waits before that.
    max_retry_delay : duration or None
        The longest wait, where it grows.
    retry_exponential_backoff : float
        By what the wait grows each time; ``true`` doubles it.
    execution_timeout : duration or None
        A step that takes longer fails.
    pool : str or None
        Pool of the steps.
    pool_slots : int
        Slots of the pool that a step takes.
    priority_weight : int
        Steps of more weight go first.
    queue : str or None
        Queue of the workers.
    owner : str or None
        Who answers for the release.
    tags : tuple of str
        Tags of the DAG, beside ``release``.
    on_failure : tuple of StatedNotifier
        Who is notified that a run failed: ``{notifier: package.module.Notifier, …}``.
    on_success : tuple of StatedNotifier
        Who is notified that it succeeded.
    period : {"current", "previous"}
        Of files with periods, the one that the logical date of a run lies in, or the
        one before it.
    wait_for : tuple of str or WantedAsset
        Names of releases, and assets of others: the release runs once each of them has
        been published anew.
    asset : StatedAsset or None
        What the published release is called; by default its name.
    source_asset : StatedAsset or None
        What the source is called; by default the address of its file. A source of kind
        ``sql`` has none by default.
    sensor : StatedSensor or None
        How long a run waits for its source; without it, a missing source fails.
    conn_id : str or None
        A connection of Airflow. While the source is read, and then alone, its fields
        are variables of the environment: ``ANON_CONN_HOST``, ``…_PORT``, ``…_LOGIN``,
        ``…_PASSWORD``, ``…_SCHEMA``, and ``ANON_CONN_EXTRA_<KEY>`` for what it holds
        beside.
    secrets : dict of str to str
        By variable of the environment, the connection whose password it is, in every
        step of a run: ``{ANON_PSEUDONYM_KEY: pseudonyms}``.
    map : StatedMapping or None
        Makes several releases of the file, each with its own target, private folder
        and versions: ``{tables: "tables/*.csv"}`` one per table of a folder, and
        ``{thresholds: [{k_anonymity_k: 5}, {k_anonymity_k: 10}]}`` one per set of
        tightened thresholds.
    """

    start_date: Moment | None = None
    end_date: Moment | None = None
    catchup: bool = Field(default=False, strict=True)
    max_active_runs: int = Field(default=1, ge=1, strict=True)
    dagrun_timeout: Duration | None = None
    deadline: StatedDeadline | None = None
    retries: int = Field(default=2, ge=0, strict=True)
    retry_delay: Duration = timedelta(minutes=1)
    max_retry_delay: Duration | None = None
    retry_exponential_backoff: Annotated[float, BeforeValidator(_factor)] = Field(
        default=0.0, ge=0
    )
    execution_timeout: Duration | None = None
    pool: str | None = None
    pool_slots: int = Field(default=1, ge=1, strict=True)
    priority_weight: int = Field(default=1, strict=True)
    queue: str | None = None
    owner: str | None = Field(default=None, min_length=1)
    tags: tuple[str, ...] = ()
    on_failure: tuple[StatedNotifier, ...] = ()
    on_success: tuple[StatedNotifier, ...] = ()
    period: Literal["current", "previous"] = "current"
    wait_for: tuple[str | WantedAsset, ...] = ()
    asset: StatedAsset | None = None
    source_asset: StatedAsset | None = None
    sensor: StatedSensor | None = None
    conn_id: str | None = Field(default=None, min_length=1)
    secrets: dict[Variable, Annotated[str, Field(min_length=1)]] = Field(
        default_factory=dict
    )
    map: StatedMapping | None = None

    OF_DAG: ClassVar[tuple[str, ...]] = (
        "start_date", "end_date", "catchup", "max_active_runs", "dagrun_timeout",
    )  # fmt: skip
    """Keys that are handed to the DAG as they are."""
    OF_TASKS: ClassVar[tuple[str, ...]] = (
        "retries", "retry_delay", "max_retry_delay", "retry_exponential_backoff",
        "execution_timeout", "pool", "pool_slots", "priority_weight", "queue", "owner",
    )  # fmt: skip
    """Keys that are handed to every task as they are."""

    @model_validator(mode="after")
    def _someone_to_notify(self) -> "AirflowOptions":
        if self.deadline and not (self.deadline.notify or self.on_failure):
            raise ValueError(
                "deadline: name whom to notify, under notify or on_failure."
            )
        return self

    @model_validator(mode="after")
    def _in_order(self) -> "AirflowOptions":
        if self.start_date and self.end_date and self.start_date > self.end_date:
            raise ValueError("end_date: it lies before start_date.")
        return self

    def given(self, names: tuple[str, ...]) -> dict[str, Any]:
        """These keys, but for those that are left to Airflow."""
        stated = {name: getattr(self, name) for name in names}
        return {name: value for name, value in stated.items() if value is not None}

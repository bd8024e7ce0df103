"""Waiting for the source of a release."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from airflow.sdk import BaseSensorOperator

from anon_transformers.airflow._connections import (
    connection_in_environment,
    secrets_in_environment,
)
from anon_transformers.airflow._period import period_of_run
from anon_transformers.release import read_config


class SourceSensor(BaseSensorOperator):
    """Wait until the files of the source of a release are there.

    Parameters
    ----------
    file : str
        The release file.
    period : str, optional
        What the run is about, of a file with periods; see ``LoadReleaseOperator``.
    conn_id : str, optional
        A connection whose fields are in the environment while files are looked for.
    secrets : mapping, optional
        Connections whose passwords are in the environment, by variable.
    **kwargs
        Arguments of every sensor, such as ``timeout`` and ``poke_interval``.
    """

    template_fields = ("file", "period")

    def __init__(
        self,
        *,
        file: str,
        period: str | None = None,
        conn_id: str | None = None,
        secrets: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.file = file
        self.period = period
        self.conn_id = conn_id
        self.secrets = dict(secrets or {})

    def poke(self, context: Any) -> bool:
        """Look for the files once."""
        return not self.missing(context)

    def missing(self, context: Any) -> str:
        """What is still missing, in words; empty if all is there."""
        with (
            connection_in_environment(self.conn_id),
            secrets_in_environment(self.secrets),
        ):
            return self._missing(context)

    def _missing(self, context: Any) -> str:
        from airflow.sdk.exceptions import AirflowFailException

        from anon_transformers.exceptions import AnonymizationError, DataError
        from anon_transformers.release._resolve import resolve

        given = self.period or dict(context["params"]).get("period")
        period = period_of_run(self.file, given, context)
        try:
            config = resolve(read_config(self.file), period, file=self.file)
        except DataError as error:  # no file fits a pattern yet
            return str(error)
        except AnonymizationError as error:
            raise AirflowFailException(str(error)) from None
        places = {key: config.path(p) for key, p in config.source.files.items()}
        gone = [f"source.{k}: {p}" for k, p in places.items() if not Path(p).is_file()]
        return f"{', '.join(gone)} does not exist." if gone else ""

    def execute(self, context: Any) -> Any:
        """Wait; at the deadline fail with what is missing, and do not try again."""
        from airflow.sdk.exceptions import AirflowFailException, AirflowSensorTimeout

        try:
            return super().execute(context)
        except AirflowSensorTimeout:
            missing = self.missing(context) or "the source came too late."
        raise AirflowFailException(
            f"{missing} It was waited for {self.timeout:g} seconds (airflow.sensor)."
        )

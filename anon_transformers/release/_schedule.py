"""When a release runs: what a schedule may be, and when it comes round next."""

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator

from anon_transformers.exceptions import shortened

START = datetime(2024, 1, 1, tzinfo=UTC)
"""First moment of a schedule where ``airflow.start_date`` states none."""
PRESETS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@quarterly": "0 0 1 */3 *",
    "@yearly": "0 0 1 1 *",
}
"""Words of Airflow for cron expressions."""
WITHOUT_CLOCK = ("@once", "@continuous")
"""Words of Airflow for what follows no clock."""


def check_schedule(given: str) -> str:
    """Refuse a schedule that Airflow would not take, or that never comes round.

    Raises
    ------
    ValueError
        With what may be written.

    Examples
    --------
    >>> check_schedule("0 6 1 * *")
    '0 6 1 * *'
    """
    if not is_schedule(given):
        raise ValueError(
            f"{shortened(given)!r} is no schedule; write a cron expression of five "
            'fields, such as "0 6 1 * *", or one of '
            f"{', '.join([*PRESETS, *WITHOUT_CLOCK])}."
        )
    return given


Schedule = Annotated[str, AfterValidator(check_schedule)]


def is_schedule(given: Any) -> bool:
    """Whether Airflow takes it as a schedule, and it comes round some day."""
    if not isinstance(given, str):
        return False
    return given in WITHOUT_CLOCK or _after(given, START) is not None


def next_run(
    schedule: str | None,
    now: datetime | None = None,
    start: datetime | None = None,
    end: datetime | None = None,
) -> datetime | None:
    """When a schedule comes round next, on the clock of the DAG.

    Parameters
    ----------
    schedule : str or None
        A cron expression, or a word of Airflow.
    now : datetime, optional
        What is counted from; by default the present.
    start, end : datetime, optional
        First and last moment that the schedule counts. The clock is that of ``start``,
        as it is in Airflow.

    Returns
    -------
    datetime or None
        None where no clock tells, and after the end.

    Examples
    --------
    >>> now = datetime(2026, 11, 18, tzinfo=UTC)
    >>> next_run("0 6 1 * *", now).isoformat()
    '2026-12-01T06:00:00+00:00'
    """
    if schedule is None or schedule in WITHOUT_CLOCK:
        return None
    begin = START if start is None else start
    present = (datetime.now(UTC) if now is None else now).astimezone(begin.tzinfo)
    found = _after(schedule, max(present, begin), itself=present < begin)
    return None if found is None or (end is not None and found > end) else found


def _after(schedule: str, moment: datetime, *, itself: bool = False) -> datetime | None:
    """The first moment of a schedule after another one; None if there is none.

    ``itself`` counts too, as the first moment of a DAG does.
    """
    # Here, so that a file without a schedule loads nothing for it.
    from croniter import croniter

    expression = PRESETS.get(schedule, schedule)
    try:
        if itself and croniter.match(expression, moment):
            return moment
        found: datetime = croniter(expression, moment).get_next(datetime)
    except (ValueError, LookupError, ArithmeticError):
        return None
    return found

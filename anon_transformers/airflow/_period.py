"""Which run of a release a task works on, and which period that is about."""

from datetime import timedelta
from typing import Any

from anon_transformers.release import read_config


def name_of_run(context: Any) -> str:
    """Name of the run of a release: of mapped tasks, each has one of its own."""
    at = getattr(context.get("ti"), "map_index", -1)
    mapped = isinstance(at, int) and at >= 0
    return f"{context['run_id']}.{at}" if mapped else context["run_id"]


def period_of_run(file: str, given: str | None, context: Any) -> Any:
    """The period of a run: what it was given, its logical date, or that of its cause.

    Parameters
    ----------
    file : str
        The release file.
    given : str or None
        What somebody asked for; it goes before all else.
    context : mapping
        Airflow's context of the task.

    Returns
    -------
    str, datetime or None
        None for a file without periods, and where nothing says which one it is: then
        loading refuses, with a sentence that says how to state one.
    """
    if given:
        return given
    config = read_config(file)
    grain = config.grain
    if grain is None:
        return None
    moment = _logical_date(context)
    if moment is None:
        return _period_of_cause(context)
    if config.airflow.period == "current":
        return moment
    from anon_transformers.release._period import Period

    return Period.read(moment).at(grain).begin - timedelta(hours=1)


def _logical_date(context: Any) -> Any:
    """The logical date as the clock of the DAG shows it: Airflow hands it in UTC.

    Midnight of the first in a zone east of Greenwich is the month before in UTC.
    """
    moment = context.get("logical_date")
    zone = getattr(context.get("dag"), "timezone", None)
    if moment is None or zone is None or moment.tzinfo is None:
        return moment
    return moment.astimezone(zone)


def _period_of_cause(context: Any) -> str | None:
    """The period that all assets were published for that started the run."""
    events = context.get("triggering_asset_events") or {}
    named = {
        event.extra.get("period") for found in events.values() for event in found
    } - {None}
    return named.pop() if len(named) == 1 else None

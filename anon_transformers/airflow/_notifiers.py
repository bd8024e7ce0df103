"""Notifications of how a run ended: from paths in a release file to callbacks."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from airflow.sdk import (  # type: ignore[attr-defined]  # its stubs lack them
    BaseNotifier,
    DeadlineAlert,
    DeadlineReference,
    SyncCallback,
)

from anon_transformers.exceptions import ConfigurationError, ParameterError
from anon_transformers.registry import refuse_wrong_parameters
from anon_transformers.release._airflow_options import AirflowOptions, StatedNotifier

REFERENCES = {
    "queued": DeadlineReference.DAGRUN_QUEUED_AT,
    "logical_date": DeadlineReference.DAGRUN_LOGICAL_DATE,
}


class Notice:
    """Sends one notification of a run; the notifier is made anew for each.

    Parameters
    ----------
    make : callable
        Makes the notifier, or the function, that takes the context.
    path : str
        Where it is imported from.
    """

    def __init__(self, make: Callable[[], Callable[..., Any]], path: str):
        self.make = make
        self.__name__ = path  # what Airflow's log calls it

    def __call__(self, context: Any) -> None:
        """Send it; without a service the DAG in the context has no templates."""
        notifier = self.make()
        dag = context.get("dag")
        if isinstance(notifier, BaseNotifier) and not hasattr(dag, "get_template_env"):
            notifier.render_template_fields = _render_without_dag(notifier)
        notifier(context)


def _render_without_dag(notifier: BaseNotifier) -> Callable[..., None]:
    render = notifier.render_template_fields

    def plainly(context: Any, jinja_env: Any = None) -> None:
        render(context, jinja_env or notifier.get_template_env())

    return plainly


def make_notifiers(key: str, stated: Sequence[StatedNotifier]) -> list[Notice]:
    """Callbacks for a DAG; an error begins with the key that names them."""
    found = []
    for one in stated:
        make = partial(_notifier, f"airflow.{key}: {one.notifier}", one)
        make()
        found.append(Notice(make, one.notifier))
    return found


def _notifier(what: str, stated: StatedNotifier) -> Callable[..., Any]:
    found = _imported(what, stated.notifier)
    is_notifier = isinstance(found, type) and issubclass(found, BaseNotifier)
    try:
        if is_notifier:
            refuse_wrong_parameters(found, stated.params)
            return found(**stated.params)
        # A function gets the context first.
        refuse_wrong_parameters(partial(found, {}), stated.params)
    except ParameterError as error:
        raise ConfigurationError(f"{what}: {error}") from None
    except Exception as error:
        raise ConfigurationError(
            f"{what}: it cannot be made ({type(error).__name__})."
        ) from None
    return partial(found, **stated.params) if stated.params else found


def _imported(what: str, path: str) -> Any:
    module, _, name = path.rpartition(".")
    try:
        found = getattr(import_module(module), name)
    except Exception as error:  # a module may raise anything
        raise ConfigurationError(
            f"{what}: it cannot be imported ({type(error).__name__})."
        ) from None
    if not callable(found):
        raise ConfigurationError(f"{what}: it is neither a notifier nor a function.")
    return found


def make_deadline(options: AirflowOptions) -> list[DeadlineAlert] | None:
    """One alert per notifier of a run that takes too long."""
    deadline = options.deadline
    if deadline is None:
        return None
    notified = deadline.notify or options.on_failure
    make_notifiers("deadline", notified)  # Airflow would take what cannot be imported
    return [
        DeadlineAlert(
            reference=REFERENCES[deadline.of],
            interval=deadline.after,
            callback=SyncCallback(
                notify_of_deadline, kwargs={"notifier": one.notifier, **one.params}
            ),
        )
        for one in notified
    ]


def notify_of_deadline(*, notifier: str, context: Any, **params: Any) -> None:
    """Send one notification of a run that takes too long; an executor calls it.

    Airflow hands over the fields of the run and of the deadline alone. The rest of what
    notifiers and their templates use is filled in, so that one notifier serves failures
    and deadlines.

    Parameters
    ----------
    notifier : str
        Where the notifier or the function is imported from.
    context : mapping
        ``dag_run`` and ``deadline``, as Airflow gives them.
    **params
        Parameters of the notifier.
    """
    stated = StatedNotifier.model_validate({"notifier": notifier, **params})
    make_notifiers("deadline", [stated])[0](_context_of_deadline(context))


class _Fields(dict[str, Any]):
    """Fields as Airflow gives them here, which are attributes elsewhere."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def _context_of_deadline(given: Mapping[str, Any]) -> dict[str, Any]:
    """The context of a missed deadline, with the words of that of a failure."""
    run = _Fields(given.get("dag_run") or {})
    run.setdefault("run_id", run.get("dag_run_id"))
    moment = run.get("logical_date")
    if isinstance(moment, str):
        moment = run["logical_date"] = datetime.fromisoformat(moment)
    dag = SimpleNamespace(
        dag_id=run.get("dag_id"),
        dag_display_name=run.get("dag_display_name"),
        render_template_as_native_obj=False,
    )
    return {
        **given,
        "dag": dag,
        "dag_run": run,
        "run_id": run["run_id"],
        "logical_date": moment,
        "ds": None if moment is None else moment.date().isoformat(),
        "params": _Fields(run.get("conf") or {}),
        "reason": "missed_deadline",
        "deadline": _Fields(given.get("deadline") or {}),
    }

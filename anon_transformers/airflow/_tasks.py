"""What a task does: call a step of the release, and say which errors are final."""

from typing import Any


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

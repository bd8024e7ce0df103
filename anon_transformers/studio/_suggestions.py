"""What would pass where the file does not: what ``anon release --suggest`` finds."""

from collections.abc import Mapping
from typing import Any

from anon_transformers.exceptions import ParameterError
from anon_transformers.release import advise
from anon_transformers.studio._jobs import Progress
from anon_transformers.studio._project import Content, Project

SUGGEST = "suggest"
"""Kind of the job, and of its result."""
WORK = "anon_transformers.studio._suggestions:suggest"
SECONDS = 60
"""Time for all settings."""
STEPS = 100


def suggest(
    project: Project, params: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Try other settings and keep which pass (a job)."""
    progress(0, STEPS, "reading the table")

    def told(share: float, what: str) -> None:
        progress(int(min(share, 1) * STEPS), STEPS, f"trying {what}")

    seconds = params.get("seconds", SECONDS)
    advice = advise(
        project.file, period=project.period, seconds=seconds, on_progress=told
    )
    progress(STEPS, STEPS, "done")
    return advice.to_dict()


def apply_setting(project: Project, number: int) -> str:
    """Write a setting that was found to pass into the file; the words for it.

    Raises
    ------
    ParameterError
        If the file was changed since, or there is no such setting.
    """
    result = project.result(SUGGEST)
    settings = result.found["settings"] if result else []
    if result is None or not result.current or not 0 <= number < len(settings):
        raise ParameterError(
            "this suggestion is of an earlier state of the file; ask again."
        )
    setting = settings[number]

    def change(content: Content) -> None:
        content.update(setting["change"])

    project.edit(f"suggestion: {setting['words']}", change)
    return str(setting["words"])

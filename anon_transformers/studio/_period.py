"""The period that pages look at, where the release file has periods."""

from anon_transformers.exceptions import AnonymizationError, ConfigurationError
from anon_transformers.release._period import Period
from anon_transformers.studio._project import Project
from anon_transformers.studio._source import stated_config


def example_period(project: Project) -> str | None:
    """How a period of the file is written; None where it has none, or is no release."""
    try:
        config = stated_config(project)
    except AnonymizationError:
        return None
    return None if config.grain is None else config.example_period


def choose_period(project: Project, given: str) -> str | None:
    """Look at a period, as long as those of the file are; at none without a text.

    Raises
    ------
    ConfigurationError
        If the file has no periods.
    ParameterError
        If the text is no period of such a length.
    """
    grain = stated_config(project).grain
    if grain is None:
        raise ConfigurationError("the release file has no periods.")
    chosen = Period.read(given).at(grain).name if given else None
    project.look_at(chosen)
    return chosen

"""Matplotlib, if it is installed; nothing else of the library imports it."""

from importlib.util import find_spec
from typing import Any

from anon_transformers.exceptions import ConfigurationError


def need_matplotlib() -> Any:
    """Import matplotlib, or say how to get it.

    Raises
    ------
    ConfigurationError
        If it is not installed.
    """
    try:
        import matplotlib as found
    except ModuleNotFoundError:
        raise ConfigurationError(
            "plots need matplotlib: pip install 'anon-transformers[plots]'"
        ) from None
    return found


def has_matplotlib() -> bool:
    """Whether charts can be drawn here; nothing is imported to find out."""
    return find_spec("matplotlib") is not None

"""Values that people write after options: ``NAME=VALUE``."""

import json
from collections.abc import Sequence
from typing import Any

from anon_transformers.exceptions import ConfigurationError


def number_or_text(text: str) -> Any:
    """What a person means by ``5``, ``0.1``, ``true``, ``None`` or ``center``.

    A list or mapping stands in brackets, written as in a release file.

    Examples
    --------
    >>> number_or_text("5"), number_or_text("center"), number_or_text("{age: 3}")
    (5, 'center', {'age': 3})
    """
    if text == "None":  # as Python and the documentation write it
        return None
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return _nested(text) if text[:1] in {"{", "["} else text


def _nested(text: str) -> Any:
    """A list or mapping in YAML; anything else is a text."""
    try:
        import yaml

        value = yaml.safe_load(text)
    except ImportError:  # of the release extra
        return text
    except yaml.YAMLError:
        return text
    return value if isinstance(value, dict | list) else text


def name_and_assignments(key: str, text: str) -> tuple[str, dict[str, Any]]:
    """Read ``NAME,KEY=VALUE,…``.

    Examples
    --------
    >>> name_and_assignments("model", "distinct-l-diversity,l=3,sensitive=job")
    ('distinct-l-diversity', {'l': 3, 'sensitive': 'job'})
    """
    name, *pairs = text.split(",")
    return name, assignments(key, pairs)


def assignments(key: str, given: Sequence[str]) -> dict[str, Any]:
    """Read options that are written ``NAME=VALUE``.

    Parameters
    ----------
    key : str
        Name of the option, for messages.
    given : sequence of str
        What was written, once per use of the option.

    Returns
    -------
    dict
        Value by name: a number, true or false, None, a text, or a list or mapping in
        brackets.

    Raises
    ------
    ConfigurationError
        If there is no name or no ``=``, or a name is given twice.

    Examples
    --------
    >>> from anon_transformers.cli import assignments
    >>> assignments("option", ["output=center", "k=5"])
    {'output': 'center', 'k': 5}
    """
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise ConfigurationError(f"--{key}: expected NAME=VALUE, got {text!r}.")
        if name in found:
            raise ConfigurationError(f"--{key}: {name} is given twice.")
        found[name] = number_or_text(value)
    return found

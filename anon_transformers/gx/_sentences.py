"""What an expectation asks, in one sentence a reader understands."""

from collections.abc import Iterable, Mapping
from string import Template
from typing import Any, NamedTuple


class Sentence(NamedTuple):
    """A sentence with its variable parts apart, so that they can be set off."""

    template: str
    parts: dict[str, str]

    def __str__(self) -> str:
        return Template(self.template).substitute(self.parts)


def k_sentence(k: Any, quasi_identifiers: Any, subject: Any = None) -> Sentence:
    """Say what k-anonymity asks.

    Examples
    --------
    >>> str(k_sentence(5, ["age", "sex"]))
    'Every combination of age, sex must be shared by at least 5 rows.'
    """
    whom = "rows"
    if subject is not None:
        whom = "rows or persons" if isinstance(subject, Mapping) else "persons"
    return Sentence(
        f"Every combination of $columns must be shared by at least $size {whom}.",
        {"columns": _text(quasi_identifiers), "size": _text(k)},
    )


def model_sentence(
    name: Any,
    params: Any,
    quasi_identifiers: Any,
    subject: Any = None,
    *,
    of_classes: bool = True,
    in_groups: bool = False,
) -> Sentence:
    """Say what a privacy model asks, of classes or of other evidence.

    Examples
    --------
    >>> str(model_sentence("t-closeness", {"t": 0.2}, ["age", "sex"]))
    't-closeness (t = 0.2) must hold for every combination of age, sex.'
    """
    if name == "k-anonymity" and isinstance(params, Mapping) and "k" in params:
        return k_sentence(params["k"], quasi_identifiers, subject)
    subjects, parts = _named(name, params)
    if in_groups:
        told = "must hold in every group within which cells were swapped."
        return Sentence(f"{subjects} {told}", parts)
    if not of_classes:
        return Sentence(f"{subjects} must hold.", parts)
    return Sentence(
        f"{subjects} must hold for every combination of $columns.",
        {**parts, "columns": _text(quasi_identifiers)},
    )


def metric_sentence(
    name: Any,
    params: Any,
    quasi_identifiers: Any,
    min_value: Any = None,
    max_value: Any = None,
    *,
    of_classes: bool = True,
) -> Sentence:
    """Say between which bounds a metric must lie.

    Examples
    --------
    >>> str(metric_sentence("average-risk", {}, ["age", "sex"], max_value=0.1))
    'average-risk must be at most 0.1, judged on age, sex.'
    """
    subjects, parts = _named(name, params)
    bounds = {"at least": min_value, "at most": max_value}
    asked = {word: bound for word, bound in bounds.items() if bound is not None}
    told = " and ".join(f"{word} ${word.split()[1]}" for word in asked)
    parts |= {word.split()[1]: _text(bound) for word, bound in asked.items()}
    if not of_classes:
        return Sentence(f"{subjects} must be {told}.", parts)
    return Sentence(
        f"{subjects} must be {told}, judged on $columns.",
        {**parts, "columns": _text(quasi_identifiers)},
    )


def _named(name: Any, params: Any) -> tuple[str, dict[str, str]]:
    if not params:
        return "$name", {"name": _text(name)}
    return "$name ($parameters)", {"name": _text(name), "parameters": _text(params)}


def _text(value: Any) -> str:
    """A value as it is read; one that comes at run time by its parameter's name."""
    if isinstance(value, Mapping):
        if "$PARAMETER" in value:
            return str(value["$PARAMETER"])
        return ", ".join(f"{key} = {_text(item)}" for key, item in value.items())
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(_text(item) for item in value)
    return str(value)

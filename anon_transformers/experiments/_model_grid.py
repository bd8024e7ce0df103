"""Thresholds of privacy models as parameters of a grid: ``t-closeness.t``."""

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from anon_transformers.base._base import FrameAnonymizer
from anon_transformers.exceptions import ParameterError, unknown_choice


def registered_model(name: str) -> Any:
    """The model of this name, None if there is none."""
    from anon_transformers.registry import registry

    models = registry().privacy_models
    if name not in models:
        return None
    return models[name]


def unknown_owner(name: str, methods: Iterable[str]) -> str:
    """Say that neither a method of the comparison nor a model has this name."""
    from anon_transformers.registry import registry

    legal = [*methods, *registry().privacy_models]
    return unknown_choice("method or model", name, legal)


def check_models(keys: Iterable[str]) -> None:
    """Refuse what a model does not take, and a model without what it must have."""
    for name, given in _by_model(dict.fromkeys(keys)).items():
        legal = inspect.signature(registered_model(name)).parameters
        for parameter in given:
            if parameter not in legal:
                message = unknown_choice("parameter", parameter, legal)
                raise ParameterError(f"grid, {name}: {message}")
        for parameter, about in legal.items():
            if about.default is about.empty and parameter not in given:
                raise ParameterError(
                    f"grid: {name}.{parameter} needs a list of values."
                )


def with_models(
    anonymizer: FrameAnonymizer, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Parameters of the anonymizer; those of models became promises of its own.

    Examples
    --------
    >>> from anon_transformers import MondrianAnonymizer
    >>> with_models(MondrianAnonymizer(), {"k": 5, "t-closeness.t": 0.2})
    {'k': 5, 'models': [TCloseness(sensitive=None, multiple='each', \
missing_marks=None, reference='input', t=0.2, distance='equal')]}
    """
    own = {name: value for name, value in parameters.items() if "." not in name}
    asked = _by_model({n: v for n, v in parameters.items() if "." in n})
    if asked:
        before = own.get("models", anonymizer.models) or []
        made = [registered_model(name)(**given) for name, given in asked.items()]
        own["models"] = [*before, *made]
    return own


def _by_model(parameters: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for key, value in parameters.items():
        name, _, parameter = key.rpartition(".")
        found.setdefault(name, {})[parameter] = value
    return found

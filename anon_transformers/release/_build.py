"""From names in a configuration to the objects they stand for."""

from collections.abc import Mapping
from typing import Any

from anon_transformers.base import BaseAnonymizer
from anon_transformers.exceptions import (
    ConfigurationError,
    ParameterError,
    unknown_choice,
)
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.privacy import PrivacyModel
from anon_transformers.registry import Registry, registry
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._thresholds import Threshold


def installed() -> Registry:
    """The registry; a broken plugin stops a release."""
    found = registry()
    found.refuse_broken()
    return found


def make(what: str, cls: Any, params: Mapping[str, Any]) -> Any:
    """Make a model, metric or anonymizer; a misspelt parameter is told by name."""
    import inspect

    legal = [name for name in inspect.signature(cls).parameters if name != "self"]
    for name in params:
        if name not in legal:
            raise ConfigurationError(
                f"{what}: {unknown_choice('parameter', name, legal)}"
            )
    try:
        return cls(**params)
    except (TypeError, ParameterError) as error:
        raise ConfigurationError(f"{what}: {error}") from None


def make_model(threshold: Threshold) -> PrivacyModel:
    """The privacy model a threshold names, with its parameters."""
    cls = installed().privacy_models[threshold.name]
    return make(f"thresholds, {threshold.id}", cls, threshold.params)


def check_threshold(threshold: Threshold) -> Mapping[str, str]:
    """Refuse what cannot be judged; which way of each parameter asks for more."""
    if threshold.kind == "model":
        return dict(make_model(threshold).tighter)
    cls = installed().metrics[threshold.name]
    own = {k: v for k, v in threshold.params.items() if k not in {"min", "max"}}
    make(f"thresholds, {threshold.id}", cls, own)
    return {"min": "higher", "max": "lower"}


def make_anonymizer(
    config: ReleaseConfig, thresholds: tuple[Threshold, ...]
) -> BaseAnonymizer:
    """Make the anonymizer, with the release's models unless it states its own."""
    cls = installed().anonymizers[config.anonymizer.name]
    stated = config.anonymizer.params
    models = [make_model(t) for t in thresholds if t.kind == "model"]
    params: dict[str, Any] = {
        "quasi_identifiers": list(config.roles.quasi_identifiers),
        "sensitive": list(config.roles.sensitive),
        "identifiers": list(config.roles.identifiers),
        "subject": config.roles.subject,
    }
    if config.hierarchies:
        params["hierarchies"] = {
            column: Hierarchy.read_csv(config.path(path))
            for column, path in config.hierarchies.items()
        }
    sizes = [model.k for model in models if model.name == "k-anonymity"]
    if sizes:
        params["k"] = max(sizes)
    params["models"] = [
        model
        for model in models
        if model.evidence == "classes" and model.name != "k-anonymity"
    ]
    if "models" in stated:
        stated["models"] = [
            make_model(Threshold.model_validate(model)) for model in stated["models"]
        ]
    return make(f"anonymizer {config.anonymizer.name}", cls, {**params, **stated})

"""The four steps one after another, in one process."""

import os
from collections.abc import Callable, Mapping

from anon_transformers.registry import registry
from anon_transformers.release._config import ReleaseConfig, read_config

STEPS = ("load", "anonymize", "validate", "publish")


def run_release(
    config_path: str | os.PathLike[str],
    *,
    parameters: Mapping[str, int | float] | None = None,
    on_step: Callable[[str], None] | None = None,
) -> str:
    """Run a whole release.

    Parameters
    ----------
    config_path : path
        The release file.
    parameters : mapping, optional
        Thresholds that this run tightens, such as ``{"k_anonymity_k": 10}``.
    on_step : callable, optional
        Told the name of each step before it starts.

    Returns
    -------
    str
        Folder of the published version.
    """
    tell = on_step or (lambda step: None)
    tell("load")
    refuse_unknown_names(read_config(config_path))
    # Here, so that a file that is refused for its words loads no library of numbers.
    from anon_transformers.release import anonymize, load, publish, validate

    location = load(config_path, parameters=parameters)
    for name, step in zip(STEPS[1:], (anonymize, validate, publish), strict=True):
        tell(name)
        location = step(location)
    return location


def refuse_unknown_names(config: ReleaseConfig) -> None:
    """Refuse names of methods, models, metrics and builders that nobody registered."""
    found = registry()
    found.refuse_broken()
    for threshold in config.thresholds:
        models = threshold.kind == "model"
        catalog = found.privacy_models if models else found.metrics
        catalog.require(threshold.name)
    found.anonymizers.require(config.anonymizer.name)
    for tree in config.hierarchies.values():
        if tree.kind is not None:
            found.hierarchy_builders.require(tree.kind)

"""The four steps one after another, in one process."""

import os
from collections.abc import Callable, Mapping

from anon_transformers.release._anonymize import anonymize
from anon_transformers.release._load import load
from anon_transformers.release._publish import publish
from anon_transformers.release._validate import validate

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
    location = load(config_path, parameters=parameters)
    for name, step in zip(STEPS[1:], (anonymize, validate, publish), strict=True):
        tell(name)
        location = step(location)
    return location

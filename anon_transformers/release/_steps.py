"""What all four steps share: their order, and what they let out.

Anonymizers, readers, writers, models and hierarchies may be anybody's, and what they
say may quote a cell. Their errors are reported by type, and their warnings are counted.
"""

import errno
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

from anon_transformers import exceptions
from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    DataError,
    ReleaseError,
    unknown_choice,
)
from anon_transformers.registry import registry
from anon_transformers.release._config import ReleaseConfig, read_config, refused_under
from anon_transformers.release._run import ERROR, LOG

STEPS = ("load", "anonymize", "validate", "publish")
TRUSTED_PACKAGES = {"anon_transformers", "pandas", "pyarrow", *sys.stdlib_module_names}
"""Packages by which we open files, and whose errors name files that we named."""


P = ParamSpec("P")
Location = str | os.PathLike[str]
"""A release file, or the private folder of a run."""


def discreet(
    step: Callable[Concatenate[Location, P], str],
) -> Callable[Concatenate[Location, P], str]:
    """Keep what a stranger's code says out of logs.

    Our own errors pass, and so do those of the file system where it was our code that
    asked it. Of any other the type is named; once a run has its private folder, the
    whole of it is kept there. An error of the file system stays one, for schedulers try
    these again. Our own warnings pass; others are counted.
    """

    @wraps(step)
    def run(location: Location, /, *args: P.args, **kwargs: P.kwargs) -> str:
        done, fault = "", None
        with warnings.catch_warnings(record=True) as heard:
            try:
                done = step(location, *args, **kwargs)
            except Exception as error:
                fault = _safe_error(error, Path(location), step.__name__)
        _pass_on(heard, step.__name__)
        if fault is not None:
            # Out here nothing is chained to it: some loggers print all that is.
            raise fault
        return done

    return run


def _safe_error(error: Exception, location: Path, step: str) -> Exception:
    """What is raised in place of an error: the same one only if we raised it."""
    if _is_ours(error):
        return error
    kept = _keep_traceback(location, step)
    message = f"{step} failed with {type(error).__name__}{kept}"
    if not isinstance(error, OSError):
        return ReleaseError(message)
    code: Any = error.errno  # a stranger's may be anything
    if isinstance(code, int) and code in errno.errorcode:
        return OSError(code, f"{os.strerror(code)}: {message}")
    return OSError(message)


def _is_ours(error: BaseException) -> bool:
    """Whether no code of a stranger had a part in an error, or in one before it."""
    if isinstance(error, AnonymizationError):
        return True
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    modules = (frame.f_globals.get("__name__", "") for frame in frames)
    ours = all(module.split(".")[0] in TRUSTED_PACKAGES for module in modules)
    before = error.__cause__ or error.__context__
    return isinstance(error, OSError) and ours and (before is None or _is_ours(before))


def _keep_traceback(location: Path, step: str) -> str:
    """Write the current error into the run's folder, if there is one."""
    if not location.is_dir():
        return "."
    file = location / f"{step}{ERROR}"
    try:
        file.write_text(traceback.format_exc(), encoding="utf-8")
    except OSError as error:
        return f"; its details could not be kept ({type(error).__name__})."
    return f"; its details are kept in {file}."


def _pass_on(heard: Iterable[warnings.WarningMessage], step: str) -> None:
    """Give our own warnings again, and say how many others there were."""
    others = 0
    for warning in heard:
        if warning.category in vars(exceptions).values():
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
        else:
            others += 1
    if others:
        LOG.warning(
            "%s: %d warnings of other code are not shown: they may quote cells.",
            step,
            others,
        )


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
        Called with the name of each step before it starts.

    Returns
    -------
    str
        Folder of the published version.
    """
    announce = on_step or (lambda step: None)
    announce("load")
    config = read_config(config_path)
    refuse_what_is_missing(config)
    # Imported from here on, so that a file that is refused for its words loads as few
    # libraries as it can: models need fewer than anonymizers.
    from anon_transformers.release._build import check_threshold

    for threshold in config.thresholds:
        check_threshold(threshold)
    from anon_transformers.release import anonymize, load, publish, validate

    location = load(config_path, parameters=parameters)
    for name, step in zip(STEPS[1:], (anonymize, validate, publish), strict=True):
        announce(name)
        location = step(location)
    return location


def refuse_what_is_missing(config: ReleaseConfig) -> None:
    """Refuse names that nobody registered, and files that are not there.

    Nothing is imported or read for that, so that the commonest slips are reported at
    once.
    """
    found = registry()
    found.refuse_broken()
    for threshold in config.thresholds:
        with refused_under(f"thresholds, {threshold.id}"):
            found.of_thresholds(threshold.kind).require(threshold.name)
    with refused_under("anonymizer"):
        found.anonymizers.require(config.anonymizer.name)
    if config.source.reader:
        with refused_under("source.kind"):
            found.readers.require(config.source.reader)
    for catalog in (found.writers, found.readers):  # readers read it back, to judge it
        if config.target.format not in catalog:
            fault = unknown_choice("format", config.target.format, catalog)
            raise ConfigurationError(f"target.format: {fault}")
    for column, stated in config.hierarchies.items():
        if stated.kind is not None:
            with refused_under(f"hierarchies, {column}"):
                found.hierarchy_builders.require(stated.kind)
    for key, given in config.files.items():
        if not config.path(given).is_file():
            raise ConfigurationError(f"{key}: {config.path(given)} does not exist.")
    for key, given in config.source.files.items():
        if not config.path(given).is_file():
            raise DataError(f"source.{key}: {config.path(given)} does not exist.")

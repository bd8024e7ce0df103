"""What all four steps share: their order, and what they let out.

Anonymizers, readers, writers, models and hierarchies may be anybody's, and what they
say may quote a cell. Their errors are reported by type, and their warnings are counted.
"""

import errno
import os
import stat
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

from anon_transformers import exceptions
from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    DataError,
    ReleaseError,
    is_our_error,
    is_our_frame,
    unknown_choice,
)
from anon_transformers.registry import registry
from anon_transformers.release._config import ReleaseConfig, read_config, refused_under
from anon_transformers.release._log import LOG, logged_step, tell
from anon_transformers.release._period import Template
from anon_transformers.release._resolve import GIVEN_PERIOD, period_of, resolve
from anon_transformers.release._run import (
    ERROR,
    Journal,
    is_plain,
    locked,
    make_private,
    next_run_id,
    of_period,
)

STEPS = ("load", "anonymize", "validate", "publish")
TRUSTED_PACKAGES = {"anon_transformers", "pandas", "pyarrow", *sys.stdlib_module_names}
"""Packages by which we open files, and whose errors name files that we named."""
WARNING_MODULES = {"warnings", "_py_warnings"}
"""Modules by which a warning is issued."""

P = ParamSpec("P")
Location = str | os.PathLike[str]
"""A release file, or the private folder of a run."""


def discreet(
    step: Callable[Concatenate[Location, P], str],
) -> Callable[Concatenate[Location, P], str]:
    """Keep what a stranger's code says out of logs.

    Errors that our own code raised pass, with nothing chained to them, and so do those
    of the file system where it was our code that asked it. Of any other, also one of
    the library's classes, the type is named; once a run has its private folder, the
    whole of it is kept there. An error of the file system stays one, for schedulers try
    these again. Warnings that our own code issued pass; others are counted.
    """

    @wraps(step)
    def run(location: Location, /, *args: P.args, **kwargs: P.kwargs) -> str:
        done, fault = "", None
        heard = _Heard()
        with warnings.catch_warnings():
            warnings.showwarning = heard.listen
            try:
                with logged_step(step.__name__):
                    done = step(location, *args, **kwargs)
            except Exception as error:
                fault = _safe_error(error, Path(location), step.__name__)
        heard.pass_on(step.__name__)
        if fault is not None:
            # Out here nothing is chained to it: some loggers print all that is.
            raise fault
        return done

    return run


def _safe_error(error: Exception, location: Path, step: str) -> Exception:
    """What is raised in place of an error: the same one only if we raised it."""
    if _is_ours(error):
        error.__cause__ = error.__context__ = None
        # Whoever it came through may have added to it.
        vars(error).pop("__notes__", None)
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
        return is_our_error(error)
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    modules = (frame.f_globals.get("__name__", "") for frame in frames)
    ours = all(module.split(".")[0] in TRUSTED_PACKAGES for module in modules)
    before = error.__cause__ or error.__context__
    return isinstance(error, OSError) and ours and (before is None or _is_ours(before))


def _keep_traceback(location: Path, step: str) -> str:
    """Write the current error into the run's folder, if there is one."""
    if not location.is_dir():
        return (
            ". Its words may quote the data and are not shown: call the reader, writer "
            "or method by itself to see them."
        )
    file = location / f"{step}{ERROR}"
    try:
        file.write_text(traceback.format_exc(), encoding="utf-8")
    except OSError as error:
        return f"; its details could not be kept ({type(error).__name__})."
    return f"; its details are kept in {file}."


class _Heard:
    """Warnings of a step: those that our code issued, and how many others."""

    def __init__(self) -> None:
        self.ours: list[tuple[Any, type[Warning], str, int]] = []
        self.others = 0

    def listen(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: Any = None,
        line: str | None = None,
    ) -> None:
        """Take the place of ``warnings.showwarning``.

        Called while the warning is issued: the code that issued it is the first on the
        stack that is not of the module of warnings, whatever ``stacklevel`` it states.
        """
        frame = sys._getframe(1)
        while frame.f_back and frame.f_globals.get("__name__") in WARNING_MODULES:
            frame = frame.f_back
        if category in vars(exceptions).values() and is_our_frame(frame):
            self.ours.append((message, category, filename, lineno))
        else:
            self.others += 1

    def pass_on(self, step: str) -> None:
        """Give our own warnings again, and say how many others there were."""
        for warning in self.ours:
            warnings.warn_explicit(*warning)
        if self.others:
            LOG.warning(
                "%s: %d warnings of other code are not shown: they may quote cells.",
                step,
                self.others,
            )


def run_release(
    config_path: str | os.PathLike[str],
    *,
    parameters: Mapping[str, int | float] | None = None,
    on_step: Callable[[str], None] | None = None,
    period: GIVEN_PERIOD | None = None,
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
    period : str, date, datetime or Period, optional
        What the run is about, if the file has periods, such as ``"2026-10"``.

    Returns
    -------
    str
        Folder of the published version.
    """
    announce = on_step or (lambda step: None)
    announce("load")
    with logged_step("load", refusals_only=True):
        stated = read_config(config_path)
        tell(stated.name)
        refuse_mapped(stated)
        try:
            config = resolve(stated, period, file=config_path)
            refuse_what_is_missing(config)
        except DataError:
            note_refusal(stated, None, period)
            raise
        # Imported from here on, so that a file that is refused for its words loads as
        # few libraries as it can: models need fewer than anonymizers.
        from anon_transformers.release._build import check_threshold

        for threshold in config.thresholds:
            check_threshold(threshold)
    from anon_transformers.release import anonymize, load, publish, validate
    from anon_transformers.release._under_way import (
        given_up_if_interrupted,
        keeping_runs,
    )

    with keeping_runs(), given_up_if_interrupted():
        location = load(config_path, parameters=parameters, period=period)
        for name, step in zip(STEPS[1:], (anonymize, validate, publish), strict=True):
            announce(name)
            location = step(location)
    return location


def refuse_mapped(config: ReleaseConfig) -> None:
    """Refuse to run a file that is several releases as if it were one."""
    if config.airflow.map is not None:
        raise ConfigurationError(
            f"airflow.map: {config.name} is one release per item; Airflow and 'anon "
            "release' run them, and a step takes the file of one item."
        )


def note_refusal(
    stated: ReleaseConfig,
    run_id: str | None,
    period: GIVEN_PERIOD | None,
    *,
    first: bool = False,
) -> None:
    """Note in the journal that a run was refused, so that it does not go unseen.

    Parameters
    ----------
    stated : ReleaseConfig
        The release as its file states it.
    run_id : str or None
        The name that the run was given.
    period : str, date, datetime or Period, optional
        What it is about.
    first : bool
        Whether a journal is begun for it. A source that is not there begins none: the
        first run of a release may have been given a period that does not exist.
    """
    home = stated.path(Template(stated.workspace).fill(None)) / stated.name
    journal = Journal(home)
    if not is_plain(journal.file, stat.S_ISREG):
        if not first or os.path.lexists(journal.file):
            return
        make_private(home)
    about = period_of(stated, period)
    facts: dict[str, Any] = of_period(about)
    if _lacks_source(stated, period):
        facts["lacks"] = "source"
        if run_id is None:  # a scheduler gives its runs names
            facts["driver"] = "process"
    with locked(home):
        journal.write(next_run_id(run_id, journal, about), "refused", **facts)


def _lacks_source(stated: ReleaseConfig, period: GIVEN_PERIOD | None) -> bool:
    """Whether a file of the source is not there."""
    try:
        config = resolve(stated, period)
    except AnonymizationError:
        return False
    files = config.source.files.values()
    return any(not config.path(given).is_file() for given in files)


def refuse_what_is_missing(config: ReleaseConfig, source: bool = True) -> None:
    """Refuse names that nobody registered, and files that are not there.

    Nothing is imported or read for that, so that the commonest slips are reported at
    once. Files of the source are not asked for without ``source``.
    """
    found = registry()
    found.refuse_broken()
    for threshold in config.thresholds:
        with refused_under(f"thresholds, {threshold.id}"):
            found.of_thresholds(threshold.kind).require(threshold.name)
    with refused_under("anonymizer"):
        found.anonymizers.require(config.anonymizer.name)
    if config.source.kind:
        with refused_under("source.kind"):
            found.readers.require(config.source.kind)
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
    for key, given in config.source.files.items() if source else ():
        if not config.path(given).is_file():
            raise DataError(f"source.{key}: {config.path(given)} does not exist.")

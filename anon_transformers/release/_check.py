"""Whether a release file can be run, found out without running it."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    is_our_error,
)
from anon_transformers.release import _last_known
from anon_transformers.release._config import ReleaseConfig, read_config
from anon_transformers.release._policies import refuse_looser_thresholds
from anon_transformers.release._resolve import GIVEN_PERIOD, period_of, resolve
from anon_transformers.release._steps import refuse_what_is_missing

SUFFIXES = (".yaml", ".yml")
CHECK = "anon check"


@dataclass(frozen=True)
class FileCheck:
    """What was found out about one release file.

    Attributes
    ----------
    file : Path
        The release file.
    config : ReleaseConfig or None
        What it says; None where the file cannot be used.
    fault : str or None
        Why it cannot be used.
    """

    file: Path
    config: ReleaseConfig | None
    fault: str | None

    @property
    def name(self) -> str:
        """Name of the release: that of its file."""
        return self.file.stem


def release_files(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The files among these, and those that end on .yaml or .yml in the folders.

    Hidden files, such as an editor's, are left out. A link that leads nowhere stays: a
    release was there.
    """
    found: dict[Path, None] = {}
    for path in map(Path, paths):
        if not path.is_dir():
            found[path] = None
            continue
        for file in sorted(path.iterdir()):
            hidden = file.name.startswith(".")
            if file.suffix in SUFFIXES and not hidden and not file.is_dir():
                found[file] = None
    return list(found)


def check_release(
    path: str | os.PathLike[str],
    *,
    source: bool = False,
    period: GIVEN_PERIOD | None = None,
) -> ReleaseConfig:
    """Check a release file as the first step of a run does, and run nothing.

    Every name and parameter of the file is checked, and its hierarchies and its suite
    are read. Nothing is written.

    Parameters
    ----------
    path : path
        The release file.
    source : bool, default=False
        Whether the files of the source must be there, with the declared columns.
    period : str, date or Period, optional
        Of which period they are, if the file has periods.

    Returns
    -------
    ReleaseConfig
        What the file says.

    Raises
    ------
    ConfigurationError
        With the file and the key.
    """
    config = _read(path)
    try:
        refuse_what_is_missing(config, source=False)
        if source:
            asked = resolve(config, period, file=path, command=CHECK)
            refuse_what_is_missing(asked)
            _refuse_misspelled_columns(asked)
        if config.airflow.map is not None:
            from anon_transformers.release._mapping import refuse_graphs

            refuse_graphs(config)
        _refuse_wrong_parameters(config)
        if config.airflow.map is not None:
            _refuse_wrong_items(config, source, period)
    except Exception as error:
        raise ConfigurationError(f"{path}: {_words(error)}") from None
    return config


def _read(path: str | os.PathLike[str]) -> ReleaseConfig:
    """What a file says; whatever is wrong with it, no other file is touched by it."""
    try:
        return read_config(path)
    except ConfigurationError:  # it names the file
        raise
    except Exception as error:
        fault = f"{path}: {_words(error)}"
    raise ConfigurationError(fault)


def _words(error: Exception) -> str:
    """What may be said of an error: a stranger's code may quote anything."""
    if isinstance(error, AnonymizationError) and is_our_error(error):
        return str(error)
    return f"checking it failed with {type(error).__name__}."


def _refuse_misspelled_columns(config: ReleaseConfig) -> None:
    """Refuse roles that do not fit the header of the source, in a run's words."""
    from anon_transformers.release._forms import form_of

    form_of(config).refuse_misspelled_columns()


def _refuse_wrong_parameters(config: ReleaseConfig) -> None:
    """Refuse parameters that models, methods or the gate would refuse in a run."""
    # Imported here: what is refused before needs no library.
    from anon_transformers.release._build import check_threshold

    ways = {threshold.id: check_threshold(threshold) for threshold in config.thresholds}
    refuse_looser_thresholds(config, ways)
    from anon_transformers.release._anonymizer import check_gate, make_anonymizer
    from anon_transformers.release._back_off import check_ladder
    from anon_transformers.release._forms import form_of
    from anon_transformers.release._load import refuse_headers_that_run, refuse_overlap

    form = form_of(config)
    form.refuse_wrong_options()
    make_anonymizer(config, config.thresholds)
    check_gate(form, config.thresholds)
    check_ladder(form, config.thresholds)
    refuse_headers_that_run(form)
    refuse_overlap(config)


def _refuse_wrong_items(
    config: ReleaseConfig, source: bool, period: GIVEN_PERIOD | None
) -> None:
    """Refuse items of ``airflow: {map: …}`` that could not be releases.

    Tables are looked for with ``source`` alone.
    """
    from anon_transformers.release._mapping import derived_releases, tightened_items

    if source:
        derived_releases(config, period_of(config, period, command=CHECK))
    stated = config.airflow.map
    if stated is None or stated.tables is not None:
        return
    for item, thresholds in tightened_items(config).items():
        asked = [threshold.to_dict() for threshold in thresholds]
        changed = config.with_keys({"thresholds": asked, "airflow": {}})
        try:
            _refuse_wrong_parameters(changed)
        except ConfigurationError as error:
            raise ConfigurationError(f"airflow.map, {item}: {error}") from None


def check_files(
    files: Iterable[Path], *, source: bool = False, period: GIVEN_PERIOD | None = None
) -> list[FileCheck]:
    """Check release files one by one; two of one name are both refused."""
    listed = list(files)
    return [_checked_file(file, listed, source, period) for file in listed]


def _checked_file(
    file: Path, listed: list[Path], source: bool, period: GIVEN_PERIOD | None
) -> FileCheck:
    try:
        refuse_same_name(file, listed)
        has_periods = _read(file).grain is not None
        asked = period if has_periods else None
        return FileCheck(file, check_release(file, source=source, period=asked), None)
    except ConfigurationError as error:
        return FileCheck(file, None, str(error))


def refuse_same_name(file: Path, listed: Iterable[Path]) -> None:
    """Refuse a file beside which another one has the same name, as x.yml by x.yaml."""
    for other in listed:
        if other != file and other.with_suffix("") == file.with_suffix(""):
            raise ConfigurationError(
                f"{file}: {other.name} has the same name; a release has one file."
            )


def check_quickly(
    file: Path, listed: Iterable[Path] = ()
) -> tuple[ReleaseConfig, bool]:
    """What a file says, and whether nothing is left to check.

    No numerical library is imported: names, keys and missing files are checked, and
    parameters are if they were found in order before.
    """
    refuse_same_name(file, listed)
    config = _read(file)
    try:
        refuse_what_is_missing(config, source=False)
    except Exception as error:
        raise ConfigurationError(f"{file}: {_words(error)}") from None
    known = _last_known.recall(file).get("mark") == _last_known.fingerprint(config)
    return config, known


def check_remembered(file: Path, listed: Iterable[Path] = ()) -> ReleaseConfig:
    """Check a file as :func:`check_release` does, once for all processes.

    A scheduler reads its files again and again. A file that was found in order is not
    checked again until it, its hierarchies, its suite or what is installed changes, so
    that no numerical library is imported for it. A file that was refused is checked
    each time: what mends it may be outside of it.
    """
    config, known = check_quickly(file, listed)
    if not known:
        mark = _last_known.fingerprint(config)
        config = check_release(file)
        _last_known.remember(file, config, mark)
    return config

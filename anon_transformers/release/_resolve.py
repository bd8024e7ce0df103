"""From a release file to the paths of one run: period, variables, names of files."""

import glob
import os
from datetime import date, datetime
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import ConfigurationError, DataError, ParameterError
from anon_transformers.release._config import (
    BUNDLED,
    ReleaseConfig,
    refused_under,
)
from anon_transformers.release._file_kinds import FILE_KINDS, TABLE_KINDS
from anon_transformers.release._period import GRAINS, TOKEN, Period, Template
from anon_transformers.release._remote_files import (
    addresses_like,
    as_path,
    is_address,
    refuse_unopened,
)

GIVEN_PERIOD = str | date | Period
"""A period as users and schedulers give it."""
MOST_LOOKED_FOR = 400
"""Periods that are looked for, back from the present one, to name one that is there."""
RELEASE = "anon release"
"""The command that a message shows with a period, unless another one was typed."""


def resolve(
    config: ReleaseConfig,
    period: GIVEN_PERIOD | None = None,
    *,
    file: str | os.PathLike[str] | None = None,
    command: str = RELEASE,
) -> ReleaseConfig:
    """The configuration of one run, with nothing left to fill in.

    Parameters
    ----------
    config : ReleaseConfig
        As the file states it.
    period : str, date, datetime or Period, optional
        What the run is about, if the file has periods.
    file : path, optional
        The release file, to show how a period is given.
    command : str, default="anon release"
        What was typed, to show it again with a period.

    Raises
    ------
    ConfigurationError
        For a period that is missing, or does not fit the file, and for a variable that
        is not set.
    DataError
        If no file has a name that a pattern asks for.
    """
    found = period_of(config, period, file, command)
    return config.filled(fill_in(config, found))


def period_of(
    config: ReleaseConfig,
    given: GIVEN_PERIOD | None,
    file: str | os.PathLike[str] | None = None,
    command: str = RELEASE,
) -> Period | None:
    """The period of a run, as long as those of the file are."""
    grain = config.grain
    way = f"{command} {file or config.name + '.yaml'} --period"
    if grain is None:
        if given is not None:
            raise ConfigurationError(
                "period: neither source nor target of the file holds one; write it as "
                "in source: {path: 'data/{period:%Y-%m}.csv'}, or give none."
            )
        return None
    if given is None:
        there = newest_there(config, grain)
        shown = config.example_period if there is None else there.name
        like = f"such as {way}" if there is None else f"the newest that is there: {way}"
        raise ConfigurationError(
            f"period: {_first_holder(config)} holds one per {grain}, and none is "
            f"given; state it, {like} {shown}."
        )
    try:
        return Period.read(given).at(grain)
    except ParameterError as error:
        raise ConfigurationError(f"{error} ({way} {config.example_period})") from None


def newest_there(
    config: ReleaseConfig, grain: str, today: date | None = None
) -> Period | None:
    """The newest period up to today whose source is there, of the last few years'."""
    held = [
        template
        for templates in config.source.templates.values()
        for template in templates
        if template.holds_period and not is_address(template.text)
    ]
    period = Period.read(datetime.now() if today is None else today)
    if GRAINS.index(grain) > GRAINS.index(period.grain) or not held:
        return None
    period = period.at(grain)
    for _ in range(MOST_LOOKED_FOR):
        try:
            if all(_is_there(config, template, period) for template in held):
                return period
        except ParameterError:  # a variable is not set
            return None
        period = period.moved(-1)
    return None


def _is_there(config: ReleaseConfig, template: Template, period: Period) -> bool:
    """Whether a file has the name that is asked for in a period."""
    if not is_pattern(template):
        return config.path(template.fill(period)).is_file()
    try:
        return bool(matching(config, "source", template, period))
    except DataError:
        return False


def _first_holder(config: ReleaseConfig) -> str:
    """The first key that holds a period."""
    for key, templates in config.source.templates.items():
        if any(template.holds_period for template in templates):
            return f"source.{key}"
    return "target.path"


def fill_in(config: ReleaseConfig, period: Period | None) -> dict[str, Any]:
    """Every path of a run; private, as what variables of the environment hold."""
    target = Template(config.target.path)
    values: dict[str, Any] = {"period": None if period is None else period.name}
    with refused_under("workspace"):
        values["workspace"] = _a_place(Template(config.workspace).fill(None))
    with refused_under("target.path"):
        values["target"] = _a_place(target.fill(period))
        values["root"] = target.root.fill(None)
    values["source"] = {}
    for key, templates in config.source.templates.items():
        if templates:
            values["source"][key] = source_files(config, key, templates, period)
    return values


def _a_place(filled: str) -> str:
    """Refuse what a variable must not turn a folder into."""
    if is_address(filled) or filled.startswith(BUNDLED):
        raise ParameterError("a variable makes it an address, and no folder.")
    return filled


def source_files(
    config: ReleaseConfig,
    key: str,
    templates: tuple[Template, ...],
    period: Period | None,
) -> str | list[str]:
    """The files of one key; a text where one was named, and a list otherwise."""
    several = config.source.kind in TABLE_KINDS or key == "path"
    files: list[str] = []
    listed = isinstance(config.source.path, tuple) and key == "path"
    for template in templates:
        with refused_under(f"source.{key}"):
            filled = template.fill(period)
        filled = _an_address(config, key, filled)
        if config.source.kind in TABLE_KINDS:  # others' readers know what it is
            filled = as_path(filled)
        if is_address(filled):
            found = _remote(config, key, template, filled)
            files += found
            listed = listed or found != [filled]
        elif several and is_pattern(template) and not config.path(filled).is_file():
            files += matching(config, f"source.{key}", template, period)
            listed = True
        elif config.source.kind == "parquet" and config.path(filled).is_dir():
            files += files_in(config.path(filled), f"source.{key}")
            listed = True
        else:
            files.append(filled)
    places = [text if is_address(text) else config.path(text) for text in files]
    for place in places:
        if places.count(place) > 1:
            # A variable may have put a password into an address.
            shown = "an address" if isinstance(place, str) else place
            raise ConfigurationError(
                f"source.{key}: {shown} is named twice, and its persons would count "
                "twice."
            )
    return files if listed else files[0]


def _an_address(config: ReleaseConfig, key: str, filled: str) -> str:
    """Refuse an address that a variable made, where nothing here opens it."""
    if not is_address(filled) or config.source.kind not in FILE_KINDS:
        return filled
    try:
        if key != "path" or config.source.kind not in TABLE_KINDS:
            raise ValueError(
                "a variable makes it an address, which nothing here opens."
            )
        refuse_unopened(filled)
    except ValueError as error:
        raise ConfigurationError(f"source.{key}: {error}") from None
    return filled


def _remote(
    config: ReleaseConfig, key: str, template: Template, filled: str
) -> list[str]:
    """What an address names: itself, or the files that fit it as a pattern."""
    ours = config.source.kind in TABLE_KINDS
    in_folder = config.source.kind == "parquet" and filled.endswith("/")
    if not ours or not (is_pattern(template) or in_folder):
        return [filled]
    found = addresses_like(filled)
    if in_folder:
        found = [name for name in found if _is_part(name.removeprefix(filled))]
    if not found:
        raise DataError(f"source.{key}: no file fits {template.text}.")
    return found


def files_in(folder: Path, key: str) -> list[str]:
    """The Parquet files in a folder and below it, in the order of their names.

    Names that begin with a dot or a line are left out, as whoever writes such folders
    does with what is no part of the table.
    """
    found = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and _is_part(path.relative_to(folder).as_posix())
    ]
    if not found:
        raise DataError(f"{key}: {folder} holds no Parquet file.")
    if any("=" in path.relative_to(folder).parent.as_posix() for path in found):
        raise ConfigurationError(
            f"{key}: the names of folders in {folder} hold values of a column, which "
            "no file has; read it by DuckDB, which knows such folders, or write it as "
            "one table."
        )
    return [str(path) for path in found]


def _is_part(name: str) -> bool:
    """Whether a file in a folder is a part of its table, by its name."""
    parts = name.strip("/").split("/")
    hidden = any(part[:1] in {".", "_"} for part in parts)
    return not hidden and parts[-1].lower().endswith((".parquet", ".pq"))


def is_pattern(template: Template) -> bool:
    """Whether it asks for names; what is filled in stands for itself."""
    return glob.has_magic(TOKEN.sub("", template.text))


def refuse_patterns_of_graphs(config: ReleaseConfig) -> None:
    """Refuse edges or nodes that ask for names: a graph has one file of each.

    A file may have such a name; where nothing is to be filled in, that can be seen.
    """
    if config.source.kind not in FILE_KINDS or config.source.kind in TABLE_KINDS:
        return
    for key, templates in config.source.templates.items():
        for template in templates if key != "path" else ():
            there = config.path(template.text).is_file()
            if is_pattern(template) and not there:
                raise ConfigurationError(
                    f"source.{key}: {template.text} asks for any name, and a graph has "
                    "one file of it; name that file."
                )


def matching(
    config: ReleaseConfig, key: str, template: Template, period: Period | None
) -> list[str]:
    """The files whose names fit a pattern, in the order of their names."""
    pattern = Path(template.fill(period, as_pattern=True)).expanduser()
    whole = str(Path(glob.escape(config.folder)) / pattern)
    # Path.glob would find hidden files, too, such as those that are being written.
    found = glob.glob(whole, recursive=True)  # noqa: PTH207
    files = sorted(path for path in found if Path(path).is_file())
    if not files:
        shown = "" if period is None else f" in period {period.name}"
        raise DataError(f"{key}: no file fits {template.text}{shown}.")
    return files

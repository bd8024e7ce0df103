"""From a release file with ``airflow: {map: …}`` to one release file per item.

A derived file is a release file like any other: what its release is called, where its
private folder lies and which versions it has follows from its name. It lies in the
private folder of the file it was made from.
"""

import glob
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from anon_transformers.exceptions import ConfigurationError, DataError, shortened
from anon_transformers.gx._threshold import Threshold
from anon_transformers.release._check import SUFFIXES
from anon_transformers.release._config import (
    BUNDLED,
    LEGAL_NAME,
    SOURCE_FILES,
    ReleaseConfig,
    is_address,
    read_config,
    refused_under,
)
from anon_transformers.release._period import Period, Template
from anon_transformers.release._resolve import (
    GIVEN_PERIOD,
    is_pattern,
    matching,
    period_of,
    resolve,
)
from anon_transformers.release._run import is_plain, make_private
from anon_transformers.release._stated_mapping import item_names, safe_name
from anon_transformers.release._strict import explain

FOLDER = "mapped"
"""Folder of derived files, in the private folder of the file they are made from."""
JOINT = "--"
"""Between the name of a release and that of an item, in which it never stands."""
NOT_INHERITED = ("airflow", "schedule", "name", "folder")
TAKEN = ("current", "versions")
"""Names in a target that no item may have."""
ANY_PERIOD = Period.read("2000-01-01T00:00")
HEADER = "# Made of {file} by airflow.map; what is changed here is lost.\n"


def derive_releases(
    path: str | os.PathLike[str], period: GIVEN_PERIOD | None = None
) -> list[Path]:
    """Write one release file per item of a file with ``airflow: {map: …}``.

    All are checked before the first is written. What was derived for items that are
    gone stays, and so does what they published.

    Parameters
    ----------
    path : path
        The release file.
    period : str, date, datetime or Period, optional
        What the run is about, if the file has periods.

    Returns
    -------
    list of Path
        The derived files, in the order of the tables' names or of the sweep.

    Raises
    ------
    ConfigurationError
        For a file without a mapping, and for items that cannot be releases.
    DataError
        If there is no table.
    """
    config = read_config(path)
    found = period_of(config, period, path)
    derived = derived_releases(config, found)
    _refuse_own_files(config, derived)
    folder = mapped_folder(config)
    for above in (folder.parent, folder):
        if os.path.lexists(above) and not is_plain(above):
            raise ConfigurationError(
                f"workspace: {above} is not a plain folder; what is private must not "
                "lie behind a link."
            )
    make_private(folder.parent)
    make_private(folder)
    if found is not None:  # runs of two periods go on side by side
        folder = make_private(folder / found.name)
    files = []
    for item, keys in derived.items():
        file = folder / f"{config.name}{JOINT}{item}.yaml"
        _write_private(file, HEADER.format(file=Path(path).name) + _text(keys))
        files.append(file)
    return files


def derived_releases(
    config: ReleaseConfig, period: Period | None
) -> dict[str, dict[str, Any]]:
    """The keys of each derived release file, by the name of the item; all are checked.

    Nothing is written.
    """
    stated = config.airflow.map
    if stated is None:
        raise ConfigurationError("airflow.map: the file states none.")
    refuse_graphs(config)
    inherited = _inherited(config)
    derived: dict[str, dict[str, Any]] = {}
    tables = _tables(config, stated.tables, period) if stated.tables else {}
    _refuse_public(resolve(config, period), tables)
    if stated.tables is not None:
        # One person may have rows in several tables: they are judged together.
        named = inherited["ledger"]["source"] or config.name
        inherited["ledger"] = {**inherited["ledger"], "source": named}
        for item, table in tables.items():
            source = {**inherited["source"], "path": _as_text(glob.escape(str(table)))}
            derived[item] = {**inherited, "source": source}
    else:
        for item, thresholds in tightened_items(config).items():
            asked = [threshold.to_dict() for threshold in thresholds]
            derived[item] = {**inherited, "thresholds": asked}
    for item, keys in derived.items():
        keys["target"] = {**keys["target"], "path": _target_of(config, item)}
        _refuse_wrong(config, item, keys)
    return derived


def refuse_graphs(config: ReleaseConfig) -> None:
    """Refuse a folder of tables whose reader says that it reads graphs.

    Not while the file is parsed: what readers are, their plugins say.
    """
    from anon_transformers.release._forms import reads_graphs

    stated = config.airflow.map
    if stated is not None and stated.tables is not None and reads_graphs(config):
        raise ConfigurationError("airflow.map.tables: a graph is no table.")


def tightened_items(config: ReleaseConfig) -> dict[str, tuple[Threshold, ...]]:
    """The thresholds of each item of a sweep, judged by what models declare."""
    from anon_transformers.release._build import check_threshold

    stated = config.airflow.map
    ways = {threshold.id: check_threshold(threshold) for threshold in config.thresholds}
    sweep = () if stated is None else stated.thresholds
    try:
        return item_names(config.thresholds, sweep, ways)
    except ConfigurationError as error:
        raise ConfigurationError(f"airflow.map.{error}") from None


def mapped_folder(config: ReleaseConfig) -> Path:
    """Where the derived files of a release file lie."""
    with refused_under("workspace"):
        workspace = Template(config.workspace).fill(None)
    return config.path(workspace) / config.name / FOLDER


def derived_files(config: ReleaseConfig) -> list[Path]:
    """The files that were derived so far, of all periods and of items that are gone."""
    return sorted(mapped_folder(config).rglob(f"{config.name}{JOINT}*.yaml"))


def derived_homes(config: ReleaseConfig) -> list[Path]:
    """Private folders of derived releases that have run, by name."""
    workspace = mapped_folder(config).parents[1]
    homes = (
        workspace / name for name in sorted({f.stem for f in derived_files(config)})
    )
    return [home for home in homes if home.is_dir()]


def same_file(release: str, other: str) -> bool:
    """Whether two releases are one, or were derived from one file.

    Examples
    --------
    >>> same_file("people--berlin", "people--bonn"), same_file("people", "staff")
    (True, False)
    """
    return release.partition(JOINT)[0] == other.partition(JOINT)[0]


def item_of(release: str, config_name: str) -> str:
    """The item of a derived release.

    Examples
    --------
    >>> item_of("people--berlin", "people")
    'berlin'
    """
    return release.removeprefix(config_name + JOINT)


def _tables(
    config: ReleaseConfig, pattern: str, period: Period | None
) -> dict[str, Path]:
    """The tables of a folder by the names of their items."""
    key = "airflow.map.tables"
    with refused_under(key):
        filled = Path(Template(pattern).fill(period)).expanduser()
        top = Path(config.folder) / filled
        while glob.has_magic(str(top.relative_to(top.anchor))):
            if top.is_dir():  # its own name has such signs
                break
            top = top.parent
        if not top.is_dir():
            raise DataError(f"{key}: the folder {top} does not exist.")
        if not os.access(top, os.R_OK | os.X_OK):
            raise DataError(f"{key}: the folder {top} cannot be read.")
        files = [Path(f) for f in matching(config, key, Template(pattern), period)]
    found: dict[str, Path] = {}
    for file in files:
        item = safe_name(file.stem)
        if not item or item.lower() in TAKEN:
            raise ConfigurationError(
                f"{key}: {file} gives no name to a release; rename it, to letters, "
                "digits, '_', '-' and '.'."
            )
        # Some file systems do not tell letters by their size.
        for other, table in found.items():
            if other.lower() == item.lower():
                raise ConfigurationError(
                    f"{key}: {table} and {file} would be one release, {item}; rename "
                    "one of them."
                )
        found[item] = file
    return found


def _refuse_public(config: ReleaseConfig, tables: Mapping[str, Path]) -> None:
    """Refuse what is private in the target of all items, which is public."""
    from anon_transformers.release._load import refuse_overlap

    refuse_overlap(config)
    for table in tables.values():
        if table.resolve().is_relative_to(config.target_root):
            raise ConfigurationError(
                f"airflow.map.tables: {table} lies in the target {config.target_root}, "
                "which is public."
            )


def _inherited(config: ReleaseConfig) -> dict[str, Any]:
    """The keys of a file, with paths that do not depend on where it lies."""
    keys = config.stated.model_dump(mode="json", exclude=set(NOT_INHERITED))
    source = keys["source"]
    for key in SOURCE_FILES:
        given = source.get(key)
        with refused_under(f"source.{key}"):
            if isinstance(given, str):
                source[key] = _absolute(config, given, names=True)
            elif isinstance(given, list):
                source[key] = [_absolute(config, text, names=True) for text in given]
    with refused_under("workspace"):
        keys["workspace"] = _absolute(config, config.workspace)
    for stated in keys["hierarchies"].values():
        if stated.get("path") is not None:
            stated["path"] = _plain(config, stated["path"])
    if config.suite is not None:
        keys["suite"] = _plain(config, config.suite)
    return keys


def _plain(config: ReleaseConfig, path: str) -> str:
    """A path in which nothing is filled in."""
    return path if path.startswith(BUNDLED) else str(config.path(path))


def _absolute(config: ReleaseConfig, text: str, names: bool = False) -> str:
    """A path that may hold periods and variables, which stay as they are."""
    if text.startswith(BUNDLED) or is_address(text):
        return text
    filled = Template(text).fill(ANY_PERIOD)
    if is_address(filled) or Path(filled).expanduser().is_absolute():
        return text
    folder = config.folder
    if names and is_pattern(Template(text)):
        folder = glob.escape(folder)
    return f"{_as_text(folder)}/{text}"


def _as_text(path: str) -> str:
    """A path as a release file states it, where braces and dollars are written twice.

    Examples
    --------
    >>> _as_text("/data/$x/{1}.csv")
    '/data/$$x/{{1}}.csv'
    """
    return re.sub(r"[${}]", lambda sign: sign[0] * 2, path)


def _target_of(config: ReleaseConfig, item: str) -> str:
    """The target of an item: a folder in that of the file, above the periods."""
    with refused_under("target.path"):
        text = _absolute(config, config.target.path)
    root = Template(text).root.text
    if root == text:
        return f"{text.rstrip('/')}/{item}"
    if not text.startswith(root):
        raise ConfigurationError(
            "target.path: state a folder above the period, in which each item has one."
        )
    return f"{root.rstrip('/')}/{item}/{text[len(root) :].lstrip('/')}"


def _refuse_wrong(config: ReleaseConfig, item: str, keys: Mapping[str, Any]) -> None:
    name = f"{config.name}{JOINT}{item}"
    if not LEGAL_NAME.match(name):
        raise ConfigurationError(
            f"airflow.map: {shortened(name)!r} is too long for a release."
        )
    try:
        ReleaseConfig.model_validate({**keys, "name": name, "folder": config.folder})
    except ValidationError as error:
        raise ConfigurationError(f"airflow.map, {item}: {explain(error)}") from None


def _refuse_own_files(config: ReleaseConfig, items: Mapping[str, Any]) -> None:
    """Refuse items whose release somebody wrote a file for, beside this one."""
    for item in items:
        for suffix in SUFFIXES:
            other = Path(config.folder) / f"{config.name}{JOINT}{item}{suffix}"
            if os.path.lexists(other):
                raise ConfigurationError(
                    f"airflow.map: the item {item} would have the name of {other}; "
                    "rename one of them."
                )


def _text(keys: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(keys), sort_keys=False, allow_unicode=True)


def _write_private(file: Path, text: str) -> None:
    """Write a file whole or not at all, which its owner alone can read."""
    handle, draft = tempfile.mkstemp(dir=file.parent, prefix=".", suffix=".draft")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        Path(draft).replace(file)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise

"""How a release file states one column more coarsely: its step, level or hierarchy."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from anon_transformers.parameters import is_whole
from anon_transformers.partitioning._axes import doubled_step
from anon_transformers.release._build import installed, make_hierarchies
from anon_transformers.release._config import ReleaseConfig

FINEST_FIRST = ("widths", "cuts", "parts")
"""Parameters of builders that list a level each, the finest first."""
ALL_LEVELS = ("step",)
"""Parameters of builders by which every level becomes coarser."""


def coarser(
    config: ReleaseConfig, column: str, levels: Mapping[str, int] | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What to write for a coarser column, and the keys of the file that it changes.

    A hierarchy that is read from a file has no such key, but for its level.

    Parameters
    ----------
    config : ReleaseConfig
        The release as it is stated.
    column : str
        A quasi-identifier.
    levels : mapping of column to int, or None
        Levels that the method publishes, where it applies one to each column.
    """
    stated = {"name": config.anonymizer.name, **config.anonymizer.params}
    takes = inspect.signature(installed().anonymizers[stated["name"]]).parameters
    steps = stated.get("step")
    if isinstance(steps, Mapping) and column in steps:
        doubled = doubled_step(steps[column])
        if doubled is not None:
            more = {**steps, column: doubled}
            change = {"anonymizer": stated | {"step": more}}
            yield f"anonymizer: step: {written(more)}", change
    elif "levels" in takes:
        # Its search knows all levels: a hierarchy with fewer of them finds no more.
        one_up = _one_up(config, column, levels)
        if one_up is not None:
            change = {"anonymizer": stated | {"levels": one_up}}
            yield f"anonymizer: levels: {written(one_up)}", change
    elif "hierarchies" in takes:
        built = _coarser_builder(config, column)
        if built is not None:
            hierarchies = config.model_dump()["hierarchies"]
            words = f"hierarchies: {written({column: built})}"
            yield words, {"hierarchies": hierarchies | {column: built}}


def written(value: Any) -> str:
    """A value as a release file states it, in one line."""
    text = yaml.safe_dump(
        value,
        default_flow_style=True,
        sort_keys=False,
        allow_unicode=True,
        width=float("inf"),
    )
    return text.strip()


def _one_up(
    config: ReleaseConfig, column: str, levels: Mapping[str, int] | None
) -> dict[str, int] | None:
    """These levels with the next one of a column, unless it is known to have none."""
    stated = config.anonymizer.params.get("levels")
    given = levels if stated is None else stated
    if not isinstance(given, Mapping) or not is_whole(given.get(column, 0)):
        return None
    level = int(given.get(column, 0)) + 1
    read = make_hierarchies(config, [column]).get(column)
    n_levels = getattr(read, "n_levels", None)  # a builder knows it with the values
    if n_levels is not None and level >= n_levels:
        return None
    return {**given, column: level}


def _coarser_builder(config: ReleaseConfig, column: str) -> dict[str, Any] | None:
    """A stated builder without its finest level, or with twice its step."""
    stated = config.hierarchies.get(column)
    if stated is None or stated.kind is None:
        return None
    builder = installed().hierarchy_builders[stated.kind]
    defaults = {
        name: one.default for name, one in inspect.signature(builder).parameters.items()
    }
    options = {**defaults, **stated.options}
    for name in FINEST_FIRST:
        listed = options.get(name)
        if isinstance(listed, list | tuple) and len(listed) > 1:
            return {"kind": stated.kind, **stated.options, name: list(listed[1:])}
    for name in ALL_LEVELS:
        if is_whole(options.get(name)):
            doubled = {name: 2 * options[name]}
            return {"kind": stated.kind, **stated.options, **doubled}
    return None

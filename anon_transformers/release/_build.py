"""From names in a configuration to the objects they stand for."""

import inspect
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    ParameterError,
    unknown_choice,
)
from anon_transformers.gx._threshold import INPUTS, Threshold
from anon_transformers.hierarchies import Hierarchy, HierarchyBuilder
from anon_transformers.registry import Catalog, Registry, registry
from anon_transformers.release._config import (
    ReleaseConfig,
    StatedHierarchy,
    refused_under,
)
from anon_transformers.release._run import sha256
from anon_transformers.release._stated_recoding import reuses_cells

READING_OPTIONS = ("unknown", "normalizer")
"""What may be said of a hierarchy that is read from a file."""


def installed() -> Registry:
    """The registry; a broken plugin stops a release."""
    found = registry()
    found.refuse_broken()
    return found


def build(what: str, catalog: Catalog, name: str, params: Mapping[str, Any]) -> Any:
    """Build a registered object; an error begins with ``what`` asked for it."""
    with refused_under(what):
        return catalog.build(name, params)


def named(threshold: Threshold) -> Any:
    """The class of the model, metric or attack that a threshold names."""
    with refused_under(f"thresholds, {threshold.id}"):
        return installed().of_thresholds(threshold.kind)[threshold.name]


def evidence_kinds(thresholds: Sequence[Threshold]) -> set[str]:
    """Kinds of evidence that thresholds are judged on."""
    return {named(threshold).evidence for threshold in thresholds}


def make_model(threshold: Threshold) -> Any:
    """The model, metric or attack that a threshold names, with its parameters."""
    catalog = installed().of_thresholds(threshold.kind)
    what = f"thresholds, {threshold.id}"
    return build(what, catalog, threshold.name, threshold.own_params)


def check_threshold(threshold: Threshold) -> Mapping[str, str]:
    """Refuse what cannot be judged; which way of each parameter asks for more."""
    cls = named(threshold)
    if threshold.kind == "attack":
        refuse_unfit_attack(threshold, cls)
    if getattr(cls, "needs_population", False):
        raise ConfigurationError(
            f"thresholds, {threshold.id}: {threshold.name} needs a population, and a "
            "release has none; judge it with Classes.from_frame(…, population=…)."
        )
    if getattr(cls, "needs_original", False):
        raise ConfigurationError(
            f"thresholds, {threshold.id}: {threshold.name} compares with the original "
            "graph, and a gate judges the published one alone."
        )
    if threshold.kind == "model":
        model = make_model(threshold)
        if getattr(model, "reproduction_only", False):
            raise ConfigurationError(
                f"thresholds, {threshold.id}: {threshold.name} with these parameters "
                "is no minimum over all, and reproduces published numbers only; leave "
                "aggregation and the like out."
            )
        return dict(model.tighter)
    make_model(threshold)
    return {"min": "higher", "max": "lower"}


def refuse_unfit_attack(threshold: Threshold, cls: Any) -> None:
    """Refuse an attack for which a run has no inputs, or that exposes nobody."""
    what, name = f"thresholds, {threshold.id}", threshold.name
    if cls.kind != "table":
        raise ConfigurationError(
            f"{what}: {name} compares with the original graph, and a gate judges the "
            "published one alone."
        )
    if not cls.exposes:
        raise ConfigurationError(
            f"{what}: {name} tells of limits and exposes nobody; it would always pass."
        )
    if "other" in cls.needs:
        raise ConfigurationError(
            f"{what}: {name} needs an earlier release, which no run holds; what "
            "releases tell together, the ledger judges."
        )
    needs = {key for key in INPUTS if key in cls.needs}
    for key in needs - set(threshold.inputs):
        raise ConfigurationError(
            f"{what}: {name} needs {key}: FILE, a file with rows of the same "
            "population that are not in the source."
        )
    for key in set(threshold.inputs) - needs:
        raise ConfigurationError(f"{what}: {key}: {name} does not use it.")


def make_hierarchies(
    config: ReleaseConfig, columns: Iterable[str]
) -> dict[str, Hierarchy | HierarchyBuilder]:
    """The hierarchies of these columns, of those that have one."""
    given = config.hierarchies or {}
    return {
        name: _hierarchy(config, name, given[name]) for name in columns if name in given
    }


def _hierarchy(
    config: ReleaseConfig, column: str, stated: StatedHierarchy
) -> Hierarchy | HierarchyBuilder:
    what = f"hierarchies, {column}"
    if stated.kind is not None:
        builders = installed().hierarchy_builders
        with refused_under(what):
            builder = builders[stated.kind]
        params = _stated_spelling(config, builder) | stated.options
        return build(what, builders, stated.kind, params)
    for name in stated.options:
        if name not in READING_OPTIONS:
            fault = unknown_choice("parameter", name, READING_OPTIONS)
            raise ConfigurationError(f"{what}: {fault}")
    path = config.path(str(stated.path))
    try:
        return _read_hierarchy(
            path, sha256(path), json.dumps(stated.options, default=str)
        )
    except OSError as error:
        raise ConfigurationError(
            f"{what}: {path} cannot be read ({type(error).__name__})."
        ) from None
    except (DataError, ParameterError) as error:
        raise ConfigurationError(f"{what}: {error}") from None


@lru_cache(maxsize=64)
def _read_hierarchy(path: Path, digest: str, options: str) -> Hierarchy:
    """Read a hierarchy once for all steps of a run; nobody can write into it.

    ``digest`` is the hash of the file: another content is another hierarchy.
    """
    return Hierarchy.read_csv(path, **json.loads(options))


def _stated_spelling(config: ReleaseConfig, builder: Any) -> dict[str, Any]:
    """What keeps labels the same whatever the suppressed rows held.

    Of whole numbers alone, ranges would be written otherwise.
    """
    takes_whole = "whole" in inspect.signature(builder).parameters
    return {"whole": False} if takes_whole and file_may_suppress(config) else {}


def file_may_suppress(config: ReleaseConfig) -> bool:
    """Whether rows may go unpublished, as far as the file and the method's class say.

    ``_anonymizer.method_may_suppress`` asks the same of the method once it is made.
    """
    if reuses_cells(config):  # joiners wait
        return True
    cls, stated = installed().anonymizers[config.anonymizer.name], config.anonymizer
    given = {**cls.release_defaults(stated.params), **stated.params}
    takes = inspect.signature(cls).parameters.get("suppression_limit")
    default = getattr(cls, "suppression_limit", 0) if takes is None else takes.default
    return bool(given.get("suppression_limit", default) != 0)

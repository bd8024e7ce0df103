"""The names a configuration may use, gathered from the plugins.

Plugins come from the entry-point group ``anon_transformers``; the built-in families
do too. ``ANON_DISABLE_PLUGINS=a,b`` leaves some out by entry-point name,
``ANON_DISABLE_PLUGIN_AUTOLOAD=1`` leaves out all but those of this distribution.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy

from anon_transformers import hookspecs
from anon_transformers.exceptions import ParameterError, PluginError, unknown_choice

HOME = "anon-transformers"
"""The distribution whose plugins are the built-in families."""

KINDS = {
    "anonymizers": "anonymizer",
    "privacy_models": "privacy model",
    "metrics": "metric",
    "attacks": "attack",
    "hierarchy_builders": "hierarchy builder",
    "readers": "source kind",
    "writers": "target format",
    "experiments": "experiment",
    "commands": "command",
}
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*\Z")


class Shelf(Mapping[str, Any]):
    """Registered objects of one kind; refuses to overwrite, says what it has."""

    def __init__(self, kind: str):
        self.kind = kind
        self._items: dict[str, Any] = {}
        self._owners: dict[str, str] = {}

    def add(self, name: str, item: Any, owner: str) -> None:
        """Take ``name`` for ``item`` on behalf of distribution ``owner``."""
        if not isinstance(name, str) or not _NAME.match(name):
            raise PluginError(
                f"{owner} registers the {self.kind} {name!r}; names are lower case "
                "with hyphens."
            )
        if name in self._items:
            raise PluginError(
                f"the {self.kind} {name!r} is registered by {self._owners[name]} "
                f"and by {owner}; disable one with ANON_DISABLE_PLUGINS."
            )
        self._items[name] = item
        self._owners[name] = owner

    def owner(self, name: str) -> str:
        """Distribution that registered ``name``."""
        return self._owners[name]

    def __getitem__(self, name: str) -> Any:
        if name not in self._items:
            raise ParameterError(unknown_choice(self.kind, name, self._items))
        return self._items[name]

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._items))

    def __len__(self) -> int:
        return len(self._items)


def _shelf(kind: str) -> Shelf:
    return Shelf(KINDS[kind])


@dataclass(frozen=True)
class BrokenPlugin:
    """A plugin that could not be loaded, and why."""

    name: str
    distribution: str
    reason: str


@dataclass(frozen=True)
class Registry:
    """Everything the installed plugins offer, shelf by shelf."""

    anonymizers: Shelf = field(default_factory=partial(_shelf, "anonymizers"))
    privacy_models: Shelf = field(default_factory=partial(_shelf, "privacy_models"))
    metrics: Shelf = field(default_factory=partial(_shelf, "metrics"))
    attacks: Shelf = field(default_factory=partial(_shelf, "attacks"))
    hierarchy_builders: Shelf = field(
        default_factory=partial(_shelf, "hierarchy_builders")
    )
    readers: Shelf = field(default_factory=partial(_shelf, "readers"))
    writers: Shelf = field(default_factory=partial(_shelf, "writers"))
    experiments: Shelf = field(default_factory=partial(_shelf, "experiments"))
    commands: Shelf = field(default_factory=partial(_shelf, "commands"))
    broken: tuple[BrokenPlugin, ...] = ()

    def refuse_broken(self) -> None:
        """Raise if any plugin could not be loaded."""
        if self.broken:
            told = "; ".join(
                f"{b.name} of {b.distribution} ({b.reason})" for b in self.broken
            )
            raise PluginError(f"broken plugins: {told}")


@cache
def registry() -> Registry:
    """What is installed in this environment, loaded once."""
    return create_registry(entry_points(group=hookspecs.PROJECT))


def create_registry(points: Iterable[EntryPoint]) -> Registry:
    """Load plugins and gather what they offer.

    Parameters
    ----------
    points : iterable of EntryPoint
        Plugins to load, each a module or object with hook implementations.

    Raises
    ------
    PluginError
        If two distributions take one name, or a hook is misspelt. A plugin that
        cannot be imported is listed in ``broken`` instead.
    """
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    owners: dict[str, str] = {}
    broken: list[BrokenPlugin] = []
    for point in _enabled(points):
        owner = _distribution(point)
        if point.name in owners:
            raise PluginError(
                f"two distributions offer a plugin named {point.name!r}: "
                f"{owners[point.name]} and {owner}."
            )
        owners[point.name] = owner
        try:
            plugin = point.load()
        except (Exception, SystemExit) as error:  # whatever a stranger's module raises
            broken.append(BrokenPlugin(point.name, owner, _reason(error)))
            continue
        _admit(manager, plugin, point.name, owner)
    found = Registry()
    for hook in KINDS:
        broken += _gather(manager, f"register_{hook}", getattr(found, hook), owners)
    return replace(found, broken=tuple(broken))


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _enabled(points: Iterable[EntryPoint]) -> list[EntryPoint]:
    blocked = {
        name.strip() for name in os.environ.get("ANON_DISABLE_PLUGINS", "").split(",")
    }
    only_home = os.environ.get("ANON_DISABLE_PLUGIN_AUTOLOAD", "") not in {"", "0"}
    chosen = {
        (point.name, point.value, _distribution(point)): point
        for point in points
        if point.name not in blocked
        and not (only_home and _distribution(point) != HOME)
    }
    return [chosen[key] for key in sorted(chosen)]


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "an unnamed distribution"


def _admit(manager: pluggy.PluginManager, plugin: Any, name: str, owner: str) -> None:
    """Register a plugin; a misspelt hook or argument is an error at once."""
    try:
        manager.register(plugin, name=name)
        manager.check_pending()
    except (pluggy.PluginValidationError, ValueError) as error:
        legal = [f"register_{hook}" for hook in KINDS]
        said = str(error).splitlines()[0]
        raise PluginError(
            f"plugin {name!r} of {owner} does not fit: {said}. "
            f"Hooks: {', '.join(legal)}, each with the argument register."
        ) from None


def _gather(
    manager: pluggy.PluginManager, hook: str, shelf: Shelf, owners: Mapping[str, str]
) -> list[BrokenPlugin]:
    """Call one plugin after another, so that a clash can name both."""
    broken = []
    for implementation in reversed(getattr(manager.hook, hook).get_hookimpls()):
        owner = owners[implementation.plugin_name]
        offered = {"register": partial(shelf.add, owner=owner)}
        try:
            implementation.function(*(offered[a] for a in implementation.argnames))
        except PluginError:
            raise
        except (Exception, SystemExit) as error:  # whatever a stranger's hook raises
            name = implementation.plugin_name
            broken.append(BrokenPlugin(name, owner, _reason(error)))
    return broken

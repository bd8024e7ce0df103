"""The names a configuration may use, gathered from the plugins.

Plugins come from the entry-point group ``anon_transformers``; the built-in families
do too. ``ANON_DISABLE_PLUGINS=a,b`` leaves some out by entry-point name,
``ANON_DISABLE_PLUGIN_AUTOLOAD=1`` leaves out all but those of this distribution.
"""

import inspect
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache, partial
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any

import pluggy

from anon_transformers import hookspecs
from anon_transformers.exceptions import (
    AnonymizationError,
    ParameterError,
    PluginError,
    unknown_choice,
)

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
    "pages": "page",
    "policies": "policy",
}
OUR_DISTRIBUTIONS = frozenset(
    {HOME, "anon-transformers-graphs", "anon-transformers-reproductions"}
)
"""Distributions that are tested together with this one."""
COMMANDS = frozenset(
    {
        "abandon",
        "anonymize",
        "attack",
        "check",
        "compare",
        "compare-codings",
        "compile",
        "dataset",
        "frontier",
        "hierarchy",
        "init",
        "ledger",
        "list",
        "policies",
        "quality",
        "release",
        "reproduce",
        "risk",
        "status",
        "studio",
        "validate",
    }
)
"""Commands that ``anon`` has without any plugin; their names are taken."""
PAGES = frozenset(
    {
        "attack",
        "compare",
        "data",
        "explore",
        "hierarchies",
        "jobs",
        "learn",
        "p",
        "projects",
        "protect",
        "release",
        "static",
        "statistics",
    }
)
"""Addresses that Studio has without any plugin; their names are taken."""
TAKEN = {KINDS["commands"]: COMMANDS, KINDS["pages"]: PAGES}
ATTRIBUTES = {
    KINDS["privacy_models"]: ("evidence", "better", "merging", "satisfied", "level"),
    KINDS["metrics"]: ("evidence", "better", "measure"),
    KINDS["attacks"]: ("kind", "needs", "run_on"),
}
"""What objects of a kind have, without which they would fail where they are used."""
CALLED = tuple(
    KINDS[kind]
    for kind in ("readers", "writers", "hierarchy_builders", "experiments", "commands")
)
"""Kinds whose objects are classes, functions or commands."""
TELLING = (KINDS["pages"], KINDS["policies"])
"""Kinds whose objects say in ``summary`` what they are."""
ANONYMIZER_KINDS = ("graph", "linked", "table")
"""What anonymizers make: each has privacy models that judge it."""
NOISE = (
    "no privacy model judges cells that are changed at random, by added noise or PRAM "
    "(publishes='noise'), and nothing could be promised of them. Do not register such "
    "a class: use it as a transformer of scikit-learn, and measure what it leaves with "
    "the attack 'record-intruder' and with 'anon quality'"
)
_TARGET = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*\Z")
NEARLY = 0.9
"""How like the name of a hook another name is that was meant to be one."""
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*\Z")


@dataclass(frozen=True)
class ImportReference:
    """An object that is imported when it is asked for: ``package.module:Name``."""

    target: str

    def resolve(self) -> Any:
        """Import the object."""
        module, _, name = self.target.partition(":")
        return getattr(import_module(module), name)

    def is_there(self) -> bool:
        """Whether its module can be found; nothing is imported for that."""
        top, *below = self.target.partition(":")[0].split(".")
        spec = find_spec(top)
        for name in below:
            if spec is None or spec.submodule_search_locations is None:
                return False
            full = f"{spec.name}.{name}"
            spec = PathFinder.find_spec(full, spec.submodule_search_locations)
        return spec is not None


class Catalog(Mapping[str, Any]):
    """Registered objects of one kind; refuses to overwrite, says what it has."""

    def __init__(self, kind: str):
        self.kind = kind
        self._items: dict[str, Any] = {}
        self._owners: dict[str, str] = {}
        self._plugins: dict[str, str | None] = {}
        self._summaries: dict[str, str] = {}
        self._contested: set[str] = set()

    def add(
        self,
        name: str,
        item: Any,
        owner: str,
        summary: str | None = None,
        plugin: str | None = None,
    ) -> None:
        """Take ``name`` for ``item`` on behalf of distribution ``owner``.

        Parameters
        ----------
        name : str
            Its name in configurations: lower case with hyphens.
        item : object or str
            The object, or where it lies, as ``"package.module:Name"``; it is then
            imported when it is asked for.
        owner : str
            The distribution that offers it.
        summary : str, optional
            What it is, in one line; the first line of its docstring if not given. A
            ``"package.module:Name"`` needs it.
        plugin : str, optional
            Name of its entry point, by which it can be left out.
        """
        if not isinstance(name, str) or not _NAME.match(name):
            raise PluginError(
                f"{owner} registers the {self.kind} {name!r}; names are lower case "
                "with hyphens."
            )
        taken = self._owners.get(name)
        if taken == owner and self._plugins[name] == plugin:
            raise PluginError(f"{owner} registers the {self.kind} {name!r} twice.")
        if taken is None and name in TAKEN.get(self.kind, ()):
            taken = HOME
        if taken is not None:
            self._contested.add(name)
            whose = "stays with the first" if taken == HOME else "belongs to neither"
            raise PluginError(
                f"the {self.kind} {name!r} is registered by {taken} and by {owner}, "
                f"and {whose}. Register yours under another name, or leave the plugin "
                f"out with ANON_DISABLE_PLUGINS={plugin or owner}."
            )
        if isinstance(item, str):
            if not _TARGET.match(item) or not summary:
                raise PluginError(
                    f"{owner} registers the {self.kind} {name!r} by a text; write "
                    "register(name, 'package.module:Name', summary='…')."
                )
            item = ImportReference(item)
        else:
            self._refuse_unfit(name, item, owner)
        self._items[name] = item
        self._owners[name] = owner
        self._plugins[name] = plugin
        if summary:
            self._summaries[name] = summary

    def _refuse_unfit(self, name: str, item: Any, owner: str) -> None:
        reason = self._unfit(item)
        if self.kind in CALLED and not callable(item):
            reason = f"it is a value of type {type(item).__name__} and cannot be called"
        if reason is not None:
            raise PluginError(f"{owner} registers the {self.kind} {name!r}: {reason}.")

    def _unfit(self, item: Any) -> str | None:
        """Why an object cannot be one of this kind, or None."""
        if self.kind == KINDS["anonymizers"]:
            return unjudged(item)
        lacking = [n for n in ATTRIBUTES.get(self.kind, ()) if not hasattr(item, n)]
        if not lacking:
            return None
        hook = next(hook for hook, kind in KINDS.items() if kind == self.kind)
        return (
            f"it lacks {', '.join(lacking)}; the documentation of register_{hook} "
            f"shows a whole {self.kind}"
        )

    def remove(self, name: str) -> None:
        """Forget ``name``."""
        del self._items[name], self._owners[name], self._plugins[name]
        self._summaries.pop(name, None)

    def remove_contested(self) -> None:
        """Forget what several strangers claim; a built-in name stays what it is."""
        for name in self._contested & self._items.keys():
            if self._owners[name] != HOME:
                self.remove(name)

    def remove_plugins(self, plugins: Collection[str]) -> None:
        """Forget what these plugins, by the names of their entry points, offered."""
        for name in [n for n, plugin in self._plugins.items() if plugin in plugins]:
            self.remove(name)

    def owner(self, name: str) -> str:
        """Distribution that registered ``name``."""
        return self._owners[name]

    def summary(self, name: str) -> str:
        """What ``name`` is, in one line; nothing is imported for that."""
        if name in self._summaries:
            return self._summaries[name]
        item = self._items[name]
        own = getattr(item, "summary", None) if self.kind in TELLING else None
        return own if isinstance(own, str) else first_line(item)

    def fault(self, name: str) -> str | None:
        """Why ``name`` cannot be had, or None.

        Modules of our own distributions are looked for; those of others are imported,
        for whether they can be is not known before.
        """
        item = self._items[name]
        if not isinstance(item, ImportReference):
            return None
        if self._owners[name] in OUR_DISTRIBUTIONS:
            return None if item.is_there() else f"{item.target} is not there"
        try:
            return self._unfit(item.resolve())
        except (Exception, SystemExit) as error:  # whatever a stranger's module raises
            return _reason(error)

    def require(self, name: str) -> None:
        """Raise if nobody registered ``name``; nothing is imported for that."""
        if name not in self._items:
            raise ParameterError(unknown_choice(self.kind, name, self._items))

    def __getitem__(self, name: str) -> Any:
        self.require(name)
        item = self._items[name]
        if not isinstance(item, ImportReference):
            return item
        try:
            found = item.resolve()
        except (Exception, SystemExit) as error:  # whatever a stranger's module raises
            raise PluginError(
                f"the {self.kind} {name!r} of {self._owners[name]} cannot be loaded "
                f"({_reason(error)})."
            ) from error
        self._refuse_unfit(name, found, self._owners[name])
        return found

    def build(self, name: str, params: Mapping[str, Any]) -> Any:
        """Make an object of the registered class ``name``.

        Raises
        ------
        ParameterError
            If nobody registered ``name``, or the class does not take ``params``. What
            a class says itself is repeated only if it is an error of the library.
        """
        cls = self[name]
        refuse_wrong_parameters(cls, params)
        try:
            made = cls(**params)
        except AnonymizationError as error:
            fault = error
        except Exception as error:  # whatever a stranger's class makes of a wrong type
            raise ParameterError(
                f"does not take these parameters: {type(error).__name__}."
            ) from None
        else:
            reason = self._unfit(made)
            if reason is not None:  # parameters may decide what it publishes
                raise ParameterError(f"{reason}.")
            return made
        # Raised here as our own: a class that is made has seen parameters and no data.
        fault.__cause__ = fault.__context__ = None
        raise fault.with_traceback(None)

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._items))

    def __len__(self) -> int:
        return len(self._items)


def refuse_wrong_parameters(
    called: Callable[..., Any], params: Mapping[str, Any]
) -> None:
    """Refuse parameters that ``called`` does not take, and a lack of those it needs."""
    takes = inspect.signature(called).parameters.values()
    legal = [p.name for p in takes if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if not any(p.kind == p.VAR_KEYWORD for p in takes):
        for name in params:
            if name not in legal:
                raise ParameterError(unknown_choice("parameter", name, legal))
    lacking = [
        repr(p.name)
        for p in takes
        if p.name in legal and p.name not in params and p.default is p.empty
    ]
    if lacking:
        noun = "parameter" if len(lacking) == 1 else "parameters"
        raise ParameterError(f"needs the {noun} {' and '.join(lacking)}.")


def unjudged(anonymizer: Any) -> str | None:
    """Why no privacy model judges what an anonymizer publishes, or None.

    Parameters
    ----------
    anonymizer : class or instance
        As a plugin registers it, or as a configuration builds it.

    Examples
    --------
    >>> class AddNoise:
    ...     kind, publishes = "table", "noise"
    >>> unjudged(AddNoise)[:51]
    'no privacy model judges cells that are changed at r'
    """
    kind = getattr(anonymizer, "kind", None)
    if kind is None:
        return (
            "it is no TableAnonymizer, LinkedAnonymizer or GraphAnonymizer of "
            f"anon_transformers.base. Of other methods, {NOISE}"
        )
    if kind not in ANONYMIZER_KINDS:
        return unknown_choice("kind of anonymizer", kind, ANONYMIZER_KINDS).rstrip(".")
    return NOISE if getattr(anonymizer, "publishes", None) == "noise" else None


def first_line(item: Any) -> str:
    """First line of the help of a command, or else of an object's docstring."""
    # An application of typer has its help in ``info``; its docstring is typer's own.
    info = getattr(item, "info", None)
    if info is not None:
        text = getattr(info, "help", None)
    else:
        text = getattr(item, "help", None) or inspect.getdoc(item)
    return (text if isinstance(text, str) else "").strip().partition("\n")[0]


def as_command(offered: Any) -> Any:
    """The command that a plugin offers, made if it offers a function that makes it.

    Parameters
    ----------
    offered : typer application, command, or function that returns one
        As it is registered.
    """
    from typer import Typer
    from typer.main import get_command

    made = offered() if inspect.isfunction(offered) else offered
    return get_command(made) if isinstance(made, Typer) else made


def _catalog(kind: str) -> Catalog:
    return Catalog(KINDS[kind])


@dataclass(frozen=True)
class BrokenPlugin:
    """A plugin that could not be loaded, and why."""

    name: str
    distribution: str
    reason: str


@dataclass(frozen=True)
class Registry:
    """Everything the installed plugins offer, kind by kind."""

    anonymizers: Catalog = field(default_factory=partial(_catalog, "anonymizers"))
    privacy_models: Catalog = field(default_factory=partial(_catalog, "privacy_models"))
    metrics: Catalog = field(default_factory=partial(_catalog, "metrics"))
    attacks: Catalog = field(default_factory=partial(_catalog, "attacks"))
    hierarchy_builders: Catalog = field(
        default_factory=partial(_catalog, "hierarchy_builders")
    )
    readers: Catalog = field(default_factory=partial(_catalog, "readers"))
    writers: Catalog = field(default_factory=partial(_catalog, "writers"))
    experiments: Catalog = field(default_factory=partial(_catalog, "experiments"))
    commands: Catalog = field(default_factory=partial(_catalog, "commands"))
    pages: Catalog = field(default_factory=partial(_catalog, "pages"))
    policies: Catalog = field(default_factory=partial(_catalog, "policies"))
    broken: tuple[BrokenPlugin, ...] = ()

    def of_thresholds(self, kind: str) -> Catalog:
        """What a threshold of a kind names: privacy models, metrics or attacks."""
        named = {"model": self.privacy_models, "attack": self.attacks}
        return named.get(kind, self.metrics)

    def reads_graphs(self, kind: str) -> bool:
        """Whether there is a reader of this kind, and it says that it reads graphs."""
        if kind not in self.readers:
            return False
        return getattr(self.readers[kind], "kind", "table") == "graph"

    def owners(self) -> set[str]:
        """Distributions that offer something."""
        catalogs = [getattr(self, kind) for kind in KINDS]
        return {catalog.owner(name) for catalog in catalogs for name in catalog}

    def unresolved(self) -> list[BrokenPlugin]:
        """What was registered and cannot be imported."""
        catalogs = [getattr(self, kind) for kind in KINDS]
        return [
            BrokenPlugin(name, catalog.owner(name), fault)
            for catalog in catalogs
            for name in catalog
            if (fault := catalog.fault(name)) is not None
        ]

    def refuse_broken(self) -> None:
        """Raise if any plugin could not be loaded."""
        if not self.broken:
            return
        reasons: dict[str, list[str]] = {}
        for b in self.broken:
            told = " ".join(b.reason.split())
            reasons.setdefault(f"{b.name} of {b.distribution}", []).append(told)
        lines = [f"- {who} ({'; '.join(told)})" for who, told in reasons.items()]
        raise PluginError("\n".join(["broken plugins:", *lines]))


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

    Returns
    -------
    Registry
        What is offered. ``broken`` lists the plugins that cannot be imported, have a
        misspelled or unmarked hook or none at all, or take a name that is taken; each
        is left out whole. A name that several strangers claim belongs to none of them.
    """
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    owners: dict[str, str] = {}
    broken: list[BrokenPlugin] = []
    for point in _enabled(points):
        owner = _distribution(point)
        if point.name in owners:
            reason = (
                f"two distributions offer a plugin named {point.name!r}: "
                f"{owners[point.name]} and {owner}."
            )
            broken.append(BrokenPlugin(point.name, owner, reason))
            continue
        owners[point.name] = owner
        try:
            plugin = point.load()
        except (Exception, SystemExit) as error:  # whatever a stranger's module raises
            broken.append(BrokenPlugin(point.name, owner, _reason(error)))
            continue
        try:
            _admit(manager, plugin, point.name, owner)
        except PluginError as error:
            broken.append(BrokenPlugin(point.name, owner, str(error)))
    found = Registry()
    torn: list[BrokenPlugin] = []
    for hook in KINDS:
        catalog = getattr(found, hook)
        torn += _gather(manager, f"register_{hook}", catalog, owners)
        catalog.remove_contested()
    for kind in KINDS:
        getattr(found, kind).remove_plugins({plugin.name for plugin in torn})
    return replace(found, broken=(*broken, *torn))


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
    return [chosen[key] for key in sorted(chosen, key=lambda k: (k[2] != HOME, k))]


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "an unnamed distribution"


def _admit(manager: pluggy.PluginManager, plugin: Any, name: str, owner: str) -> None:
    """Register a plugin whose hooks are all marked, known and rightly spelled."""
    refused = f"plugin {name!r} of {owner} does not fit"
    legal = [f"register_{hook}" for hook in KINDS]
    marked, unmarked = _hooks_of(plugin, legal)
    unknown = [hook for hook in marked if hook not in legal]
    if unknown:
        raise PluginError(f"{refused}: {unknown_choice('hook', unknown[0], legal)}")
    if unmarked:
        raise PluginError(
            f"{refused}: {unmarked[0]} lacks the mark @hookimpl (from "
            "anon_transformers import hookimpl), and nobody would call it."
        )
    if not marked:
        raise PluginError(
            f"{refused}: it offers nothing; no function of it is marked @hookimpl. "
            f"Hooks: {', '.join(legal)}."
        )
    try:
        manager.register(plugin, name=name)
    except (pluggy.PluginValidationError, ValueError) as error:
        # The last line of pluggy says what is wrong, the first one where.
        lines = str(error).splitlines()
        said = " ".join([lines[0], *(lines[-1:] if len(lines) > 1 else [])])
        raise PluginError(
            f"{refused}: {said.rstrip('.')}. Each hook has the argument register."
        ) from None
    for hook in marked:
        if "register" not in inspect.signature(getattr(plugin, hook)).parameters:
            raise PluginError(
                f"{refused}: {hook} has no argument register, and could offer nothing."
            )


def _hooks_of(plugin: Any, legal: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names of functions that are marked as hooks, and that should be."""
    functions = {
        name: function
        for name in dir(plugin)
        if name.startswith("register")
        and inspect.isroutine(function := inspect.getattr_static(plugin, name))
    }
    functions = {name: getattr(plugin, name) for name in functions}
    marks = [f"{hookspecs.PROJECT}_{what}" for what in ("impl", "spec")]
    marked = [n for n, function in functions.items() if hasattr(function, marks[0])]
    unmarked = [
        name
        for name, function in functions.items()
        if not any(hasattr(function, mark) for mark in marks)
        and get_close_matches(name, legal, n=1, cutoff=NEARLY)
    ]
    return marked, unmarked


def _gather(
    manager: pluggy.PluginManager,
    hook: str,
    catalog: Catalog,
    owners: Mapping[str, str],
) -> list[BrokenPlugin]:
    """Call one plugin after another, so that a clash can name both."""
    broken = []
    # Ours come first, whatever a stranger's mark says of its order: who comes later to
    # a name that is taken is to blame.
    found = sorted(
        getattr(manager.hook, hook).get_hookimpls(),
        key=lambda each: (owners[each.plugin_name] != HOME, each.plugin_name),
    )
    for implementation in found:
        owner = owners[implementation.plugin_name]
        name = implementation.plugin_name
        offered = {"register": partial(catalog.add, owner=owner, plugin=name)}
        try:
            implementation.function(*(offered[a] for a in implementation.argnames))
        except (Exception, SystemExit) as error:  # whatever a stranger's hook raises
            ours = isinstance(error, PluginError)
            reason = str(error) if ours else _reason(error)
            broken.append(BrokenPlugin(name, owner, reason))
    return broken

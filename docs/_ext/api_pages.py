"""The API reference: one page for every public name, written from the packages.

What is public is what ``__all__`` of a package says; of a module without it, what the
module itself defines without an underscore.
"""

import inspect
import pkgutil
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.application import Sphinx

from anon_transformers.registry import OUR_DISTRIBUTIONS

LIBRARY = "anon_transformers"
FOLDER = "api"


@cache
def plugins() -> tuple[str, ...]:
    """Packages of the plugins that are developed together with the library."""
    found = {
        point.value.partition(".")[0]
        for point in entry_points(group=LIBRARY)
        if point.dist is not None and point.dist.name in OUR_DISTRIBUTIONS
    }
    return tuple(sorted(found - {LIBRARY}))


@cache
def packages() -> tuple[str, ...]:
    """Public packages and modules of the library, then the plugins."""
    names = modules_of(LIBRARY)
    inner = [module for name in names for module in modules_of(name) if _adds(module)]
    return (LIBRARY, *sorted([*names, *inner]), *plugins())


def modules_of(package: str) -> list[str]:
    """Modules and packages right below one, but for private ones."""
    path = getattr(import_module(package), "__path__", ())
    below = [info.name for info in pkgutil.iter_modules(path, f"{package}.")]
    return [name for name in below if "._" not in name]


def _adds(module: str) -> bool:
    """Whether a module offers names that the package above does not."""
    above = import_module(module.rpartition(".")[0])
    offered = getattr(import_module(module), "__all__", ())
    return not set(offered) <= set(public_names(above))


def public_names(module: ModuleType) -> list[str]:
    """Names that a package or module offers."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__, key=str.lower)
    own = [
        name
        for name, item in vars(module).items()
        if not name.startswith("_")
        and getattr(item, "__module__", "") == module.__name__
    ]
    return sorted(own, key=str.lower)


def own_members(cls: type) -> list[str]:
    """Documented methods and properties that our classes define, not their bases."""
    found = []
    for name in dir(cls):
        definer = next((c for c in cls.__mro__ if name in vars(c)), None)
        if name.startswith("_") or definer is None:
            continue
        item = getattr(cls, name, None)
        described = callable(item) or isinstance(item, property | cached_property)
        if definer.__module__.startswith(LIBRARY) and described and item.__doc__:
            found.append(name)
    return found


def page_of(module: ModuleType, name: str) -> str:
    """The reference of one object, with the examples that use it."""
    item = getattr(module, name)
    lines = [name, "=" * len(name), "", f".. currentmodule:: {module.__name__}", ""]
    if inspect.isclass(item):
        lines += [f".. autoclass:: {name}"]
        members = own_members(item)
        lines += [f"   :members: {', '.join(members)}"] if members else []
    elif callable(item):
        lines += [f".. autofunction:: {name}"]
    else:
        lines += [f".. autodata:: {name}", "   :no-value:"]
    # Examples may import it from the root of the library.
    used = dict.fromkeys([f"{module.__name__}.{name}", f"{LIBRARY}.{name}"])
    lines += ["", f".. minigallery:: {' '.join(used)}"]
    lines += ["   :add-heading: Examples that use it", "   :heading-level: -", ""]
    return "\n".join(lines)


@cache
def home_of(module: str, name: str) -> str:
    """The package whose page describes a name that a module defines.

    It is the nearest one above the module that offers the name; a package may also
    offer what others define.
    """
    parts = module.split(".")
    above = [".".join(parts[:n]) for n in range(len(parts), 0, -1)]
    for package in above:
        if package in packages() and name in public_names(import_module(package)):
            return package
    return module


def described_at(package: str, name: str) -> str:
    """The package whose page describes a name that ``package`` offers."""
    item = getattr(import_module(package), name)
    home = home_of(getattr(item, "__module__", package), name)
    return home if home in packages() else package


def package_page(package: str) -> tuple[str, list[str]]:
    """The page of a package, and the names that are described here."""
    module = import_module(package)
    homes = {name: described_at(package, name) for name in public_names(module)}
    own = [name for name, home in homes.items() if home == package]
    lines = [package, "=" * len(package), "", inspect.getdoc(module) or "", ""]
    lines += [".. autosummary::", "   :nosignatures:", ""]
    lines += [f"   ~{home}.{name}" for name, home in homes.items()]
    if own:
        lines += ["", ".. toctree::", "   :hidden:", ""]
        lines += [f"   {name} <{package}.{name}>" for name in own]
    return "\n".join([*lines, ""]), own


def index_page() -> str:
    """All packages with the first sentence of each."""
    lines = ["API reference", "=============", ""]
    lines += ["Every public name, by package. What is not listed here is private.", ""]
    lines += [".. list-table::", "   :widths: 40 60", ""]
    for package in packages():
        said = (inspect.getdoc(import_module(package)) or "").partition("\n\n")[0]
        lines += [f"   * - :doc:`{package}`", f"     - {' '.join(said.split())}"]
    lines += ["", ".. toctree::", "   :hidden:", ""]
    # Full names would be broken in the middle beside the page.
    short = {name: name.removeprefix(f"{LIBRARY}.") for name in packages()}
    short |= {name: f"plugin {name.removeprefix(f'{LIBRARY}_')}" for name in plugins()}
    lines += [f"   {short[package]} <{package}>" for package in packages()]
    return "\n".join([*lines, ""])


def pages() -> dict[str, str]:
    """Every page of the reference by the name of its file."""
    written = {"index.rst": index_page()}
    for package in packages():
        written[f"{package}.rst"], own = package_page(package)
        for name in own:
            written[f"{package}.{name}.rst"] = page_of(import_module(package), name)
    return written


def write_pages(app: Sphinx, _config: Any) -> None:
    """Write what changed, and remove pages of names that are gone."""
    folder = Path(app.confdir) / FOLDER
    folder.mkdir(exist_ok=True)
    wanted = pages()
    for file in folder.glob("*.rst"):
        if file.name not in wanted:
            file.unlink()
    for name, text in wanted.items():
        file = folder / name
        if not file.exists() or file.read_text() != text:
            file.write_text(text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx looks for files."""
    app.connect("config-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

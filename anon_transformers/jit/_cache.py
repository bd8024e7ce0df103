"""Where machine code is kept, under which name, and when it is out of date.

numba keeps an index of each function, which two processes can write at once, and
compares it with the function's own file alone. Here every version of a function has a
file of its own, named after all that it was made from: its source, the kernels that it
imports, its options, the types, the processor and numba itself. So nothing is out of
date, nothing is written twice, and a folder that is copied stays good.
"""

import ast
import hashlib
import inspect
import pickle
import re
import sys
import uuid
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

import numba
from numba.core import sigutils, types
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from anon_transformers.jit._notice import announce_compiling
from anon_transformers.jit._places import Place, find_place

SUFFIX = ".nbc"
FILE_NAME = re.compile(r"(?P<prefix>[\w.]+-[0-9a-f]{16})-[0-9a-f]{32}\.nbc")
"""The names of files written here; those that numba gives have other numbers."""


class KernelCache:
    """The machine code of one function; what numba asks before it compiles.

    Parameters
    ----------
    function : callable
        What is compiled.
    options : dict
        The options that numba compiles it with.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self.module = function.__module__
        self.file = inspect.getfile(function)
        self._function = function
        self._options = repr(sorted(options.items()))
        self._name = f"{self.module}.{function.__qualname__}"

    @property
    def _place(self) -> Place:
        return find_place(self.package)

    @property
    def package(self) -> str:
        """The folder of the module."""
        return str(Path(self.file).parent)

    @property
    def cache_path(self) -> str:
        """The folder that is written to."""
        return str(self._place.folder)

    @property
    def prefix(self) -> str:
        """How the names of files begin that are not out of date."""
        name = self._name.replace("<", "").replace(">", "")
        return f"{name}-{_stamp(self.module, self.file)[:16]}"

    def is_kept(self, signature: Any, codegen: Any) -> bool:
        """Whether there is machine code for these types."""
        return any(path.exists() for path in self._paths(signature, codegen))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Machine code that was kept, or None; numba then compiles."""
        target_context.refresh()
        for path in self._paths(sig, target_context.codegen()):
            try:
                payload = pickle.loads(path.read_bytes())
                return CompileResult._rebuild(target_context, *payload)
            except OSError:
                continue
            except Exception:
                # Cut off or damaged: it is compiled again and written anew.
                continue
        announce_compiling(self._place.reason)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled."""
        if data.library.has_dynamic_globals or any(
            not x.can_cache for x in data.lifted
        ):
            return
        name = self._file_name(sig, data.codegen)
        try:
            _write(self._place.folder / name, dumps(data._reduce()))
        except OSError:
            # A full disk: the next process compiles again, and says so.
            return

    def flush(self) -> None:
        """Remove what was kept."""
        for folder in self._place.searched:
            for path in folder.glob(f"{self.prefix}-*{SUFFIX}"):
                path.unlink(missing_ok=True)

    def enable(self) -> None:
        """Do nothing: it is always on."""

    def disable(self) -> None:
        """Do nothing: it is always on."""

    def _paths(self, sig: Any, codegen: Any) -> Iterator[Path]:
        name = self._file_name(sig, codegen)
        for folder in self._place.searched:
            yield folder / name

    def _file_name(self, sig: Any, codegen: Any) -> str:
        arguments, _ = sigutils.normalize_signature(sig)
        made_from = (
            numba.__version__,
            sys.implementation.cache_tag,
            codegen.magic_tuple(),
            self._options,
            _closure(self._function),
            [_spelled(argument) for argument in arguments],
        )
        digest = hashlib.sha256(repr(made_from).encode()).hexdigest()
        return f"{self.prefix}-{digest[:32]}{SUFFIX}"


def _closure(function: Callable[..., Any]) -> bytes:
    cells = getattr(function, "__closure__", None)
    return dumps(tuple(c.cell_contents for c in cells)) if cells else b""


def _spelled(type_: Any) -> str:
    """A type in words; classes of the same name differ by their module."""
    if not isinstance(type_, types.BaseTuple):
        return str(type_)
    named: Any = type_
    owner = getattr(named, "instance_class", tuple)
    inside = ", ".join(_spelled(part) for part in named.types)
    return f"{owner.__module__}.{owner.__qualname__}({inside})"


@cache
def _stamp(module: str, file: str) -> str:
    """Hash of a module and of all modules of the library that it imports."""
    sources: dict[str, str] = {}
    _collect_sources(module, file, sources)
    made_from = [(name, _hash_of(sources[name])) for name in sorted(sources)]
    return hashlib.sha256(repr(made_from).encode()).hexdigest()


def _collect_sources(module: str, file: str, found: dict[str, str]) -> None:
    found[module] = file
    own = {_top(module), _top(__name__)}
    for name in _imported(module, file):
        # How kernels are kept changes none of them.
        if name in found or _top(name) not in own or name.startswith(_JIT):
            continue
        source = getattr(sys.modules.get(name), "__file__", None)
        if source is not None:
            _collect_sources(name, source, found)


_JIT = __name__.rpartition(".")[0]


def _top(module: str) -> str:
    return module.partition(".")[0]


@cache
def _imported(module: str, file: str) -> tuple[str, ...]:
    """Modules that a module names; what is not a module is among them too."""
    names = []
    for node in ast.walk(ast.parse(Path(file).read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            package = module.rpartition(".")[0]
            start = resolve_name(start, package) if node.level else start
            names += [start, *(f"{start}.{alias.name}" for alias in node.names)]
    return tuple(names)


@cache
def _hash_of(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _write(path: Path, data: bytes) -> None:
    """Write at once: whoever reads finds all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    passing = path.with_name(f"{uuid.uuid4().hex}.tmp")
    try:
        passing.write_bytes(data)
        passing.replace(path)
    except BaseException:
        passing.unlink(missing_ok=True)
        raise

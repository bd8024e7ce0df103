"""Compile the kernels of the library and of its plugins before they are used.

Kernels that share others are compiled one after the other in one process, so that
nothing is compiled twice; what shares nothing is compiled side by side.
"""

import importlib
import multiprocessing
import queue
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from anon_transformers.jit._cache import FILE_NAME, KernelCache
from anon_transformers.jit._decorators import Kernel, kernels
from anon_transformers.jit._notice import in_silence
from anon_transformers.jit._places import BESIDE, find_place
from anon_transformers.jit._signatures import argument_types

ENTRY_POINTS = "anon_transformers"


class Work(NamedTuple):
    """A kernel to compile for one choice of types."""

    module: str
    name: str
    signature: str


class CompileOutcome(NamedTuple):
    """What became of all kernels.

    Attributes
    ----------
    compiled : int
        How many were compiled.
    kept : int
        How many were there already.
    removed : int
        Files of kernels that have changed or are gone.
    faults : tuple of str
        Kernels that cannot be compiled, and why.
    """

    compiled: int
    kept: int
    removed: int
    faults: tuple[str, ...]


def compile_kernels(
    jobs: int, progress: Callable[[int, int, str], None] | None = None
) -> CompileOutcome:
    """Compile what is not there yet, and remove what is out of date.

    Parameters
    ----------
    jobs : int
        Number of processes.
    progress : callable, optional
        Called with the number of kernels compiled, the number of all that are to be
        compiled, and the name of the last one.
    """
    faults = import_kernels(kernel_modules())
    failed = 0
    removed = remove_stale()
    groups = [list(group) for group in _pending()]
    total = sum(map(len, groups))
    if progress is not None:
        progress(0, total, "")
    for done, (work, fault) in enumerate(_compiled(groups, jobs), 1):
        if fault:
            failed += 1
            faults.append(f"{work.module}.{work.name}({work.signature}): {fault}")
        if progress is not None:
            progress(done, total, f"{work.module.rpartition('.')[2]}.{work.name}")
    all_of_them = sum(len(kernel.signatures) for kernel in kernels())
    return CompileOutcome(total - failed, all_of_them - total, removed, tuple(faults))


def kernel_modules(points: Iterable[EntryPoint] | None = None) -> list[str]:
    """Modules of the library and of installed plugins whose source names ``njit``."""
    found = entry_points(group=ENTRY_POINTS) if points is None else points
    packages = {__name__.split(".")[0], *(p.module.split(".")[0] for p in found)}
    return sorted(
        name for package in packages for name in _modules_with_kernels(package)
    )


def _modules_with_kernels(package: str) -> Iterator[str]:
    spec = find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or ():
        for path in Path(folder).rglob("*.py"):
            source = path.read_bytes()
            if _JIT.encode() in source and b"njit" in source:
                parts = path.relative_to(folder).with_suffix("").parts
                name = ".".join((package, *parts)).removesuffix(".__init__")
                if not name.startswith(_JIT):
                    yield name


_JIT = __name__.rpartition(".")[0]


def import_kernels(modules: Iterable[str]) -> list[str]:
    """Import modules; what cannot be imported and why."""
    faults = []
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception as error:
            faults.append(f"{name}: {error}")
    return faults


def remove_stale() -> int:
    """Remove machine code of kernels that have changed or are gone; count the files.

    Only beside the modules, and only files that this package named after one of them.
    Any other folder may be shared with an environment that has another version of the
    library, whose machine code looks the same as what is out of date.
    """
    caches = [kernel.dispatcher._cache for kernel in kernels()]
    current = {cache.prefix for cache in caches}
    modules = {(Path(cache.package, BESIDE), cache.module) for cache in caches}
    removed = 0
    for folder, module in modules:
        # Where another folder is chosen, this one is not looked at.
        if folder not in find_place(str(folder.parent)).searched:
            continue
        for path in folder.glob(f"{module}.*"):
            named = FILE_NAME.fullmatch(path.name)
            if named and named["prefix"] not in current:
                path.unlink(missing_ok=True)
                removed += 1
    return removed


def _pending() -> list[list[Work]]:
    """What is to be compiled; those that share kernels together, large ones first."""
    groups: list[tuple[set[int], list[Work]]] = []
    for kernel in kernels():
        works = [w for w in _works(kernel) if not _is_kept(kernel, w)]
        if not works:
            continue
        parts = _reached(kernel.dispatcher)
        for other in [group for group in groups if group[0] & parts]:
            groups.remove(other)
            parts |= other[0]
            works = other[1] + works
        groups.append((parts, works))
    groups.sort(key=lambda group: len(group[0]), reverse=True)
    return [works for _, works in groups]


def _works(kernel: Kernel) -> list[Work]:
    function = kernel.dispatcher.py_func
    return [
        Work(function.__module__, function.__qualname__, signature)
        for signature in kernel.signatures
    ]


def _is_kept(kernel: Kernel, work: Work) -> bool:
    dispatcher = kernel.dispatcher
    try:
        types = argument_types(work.signature, dispatcher)
    except Exception:
        return False
    cache: KernelCache = dispatcher._cache
    return cache.is_kept(types, dispatcher.targetctx.codegen())


def _reached(dispatcher: Any) -> set[int]:
    """The kernel itself and those it calls, and so on."""
    reached: set[int] = set()
    open_ones = [dispatcher]
    while open_ones:
        one = open_ones.pop()
        if id(one) in reached:
            continue
        reached.add(id(one))
        known = one.py_func.__globals__
        named = (known.get(name) for name in _names(one.py_func.__code__))
        open_ones += [value for value in named if hasattr(value, "py_func")]
    return reached


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _compiled(groups: list[list[Work]], jobs: int) -> Iterator[tuple[Work, str]]:
    """Compile groups side by side; each kernel and what went wrong with it."""
    if not groups:
        return
    context = multiprocessing.get_context("spawn")
    todo: Any = context.Queue()
    done: Any = context.Queue()
    for item in (*groups, *([None] * jobs)):
        todo.put(item)
    workers = [
        context.Process(target=_work, args=(todo, done), daemon=True)
        for _ in range(min(jobs, len(groups)))
    ]
    for worker in workers:
        worker.start()
    left = {work for group in groups for work in group}
    while left:
        try:
            work, fault = done.get(timeout=1)
        except queue.Empty:
            if not any(worker.is_alive() for worker in workers) and done.empty():
                yield from ((work, "the compiler was killed") for work in left)
                return
            continue
        left.discard(work)
        yield work, fault
    for worker in workers:
        worker.join()


def _work(todo: Any, done: Any) -> None:
    """Compile groups until there are none; runs in a process of its own."""
    with in_silence():
        while (group := todo.get()) is not None:
            for work in group:
                done.put((work, _compile(work)))


def _compile(work: Work) -> str:
    """Compile a kernel; what went wrong, or nothing."""
    try:
        dispatcher = getattr(importlib.import_module(work.module), work.name)
        dispatcher.compile(argument_types(work.signature, dispatcher))
    except Exception as error:
        return f"{type(error).__name__}: {error}".strip().splitlines()[0]
    return ""

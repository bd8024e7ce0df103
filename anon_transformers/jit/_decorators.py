"""What stands above a kernel, and the list of all kernels."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numba

from anon_transformers.jit._cache import KernelCache


class Kernel(NamedTuple):
    """A compiled function and what it is called with.

    Attributes
    ----------
    dispatcher : numba dispatcher
        What calls are made to.
    signatures : tuple of str
        Types of its arguments, in order; none if only kernels call it.
    """

    dispatcher: Any
    signatures: tuple[str, ...]


_kernels: list[Kernel] = []


def kernels() -> tuple[Kernel, ...]:
    """Every kernel of the modules imported so far."""
    return tuple(_kernels)


def njit(*signatures: Any) -> Any:
    """Compile a function, and keep the machine code for the next process.

    Parameters
    ----------
    *signatures : str
        The types of the arguments that Python calls it with, as numba writes them:
        ``@njit("int64[::1], int64, Cuts")``. A named tuple is its class, whose fields
        say their types: ``weights: Annotated[np.ndarray, "int64[::1]"]``. Without
        any (``@njit``), ``anon compile`` compiles it only as a part of other kernels.

    Notes
    -----
    The machine code is kept in the folder ``ANON_CACHE_DIR`` (or ``NUMBA_CACHE_DIR``)
    if it is set, else beside the module, else in the user's cache folder, else in a
    temporary folder.
    """
    return _decorate(signatures)


def njit_parallel(*signatures: Any) -> Any:
    """Like :func:`njit`; ``prange`` loops run in threads."""
    return _decorate(signatures, parallel=True)


def njit_nogil(*signatures: Any) -> Any:
    """Like :func:`njit`, so that several of Python's threads can run it at once.

    A division by zero gives what numpy's gives, without an error: looking for one
    would keep the compiler from taking several numbers at a time.
    """
    return _decorate(signatures, nogil=True, error_model="numpy")


def _decorate(signatures: tuple[Any, ...], **options: Any) -> Any:
    if len(signatures) == 1 and callable(signatures[0]):
        return _compiled(signatures[0], (), options)

    def decorate(function: Callable[..., Any]) -> Any:
        return _compiled(function, signatures, options)

    return decorate


def _compiled(
    function: Callable[..., Any], signatures: tuple[str, ...], options: dict[str, Any]
) -> Any:
    dispatcher = numba.njit(**options)(function)
    # Without NUMBA_DISABLE_JIT, and if it was not typed at a prompt.
    if hasattr(dispatcher, "_cache") and Path(inspect.getfile(function)).exists():
        dispatcher._cache = KernelCache(function, options)
        _kernels.append(Kernel(dispatcher, signatures))
    return dispatcher

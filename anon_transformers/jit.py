"""The one way a hot loop is compiled."""

from collections.abc import Callable
from typing import Any

import numba


def njit(function: Callable[..., Any]) -> Any:
    """Compile ``function``, and keep the machine code for the next process.

    numba keeps it beside the module, or in the user's cache folder if that is
    read-only. Where neither can be written it is compiled in each process.
    """
    return _compiled(function)


def njit_parallel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` so that its ``prange`` loops run in threads."""
    return _compiled(function, parallel=True)


def njit_nogil(function: Callable[..., Any]) -> Any:
    """Compile ``function`` so that several of Python's threads can run it at once.

    A division by zero gives what numpy's gives, without an error: looking for one
    would keep the compiler from taking several numbers at a time.
    """
    return _compiled(function, nogil=True, error_model="numpy")


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:
        return numba.njit(**options)(function)

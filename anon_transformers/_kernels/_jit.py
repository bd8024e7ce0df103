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


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:
        return numba.njit(**options)(function)

"""The one way a hot loop is compiled."""

from collections.abc import Callable
from typing import Any

import numba


def njit(function: Callable[..., Any]) -> Any:
    """Compile ``function``, and keep the machine code for the next process.

    numba keeps it beside the module, or in the user's cache folder if that is
    read-only. Where neither can be written it is compiled in each process.
    """
    try:
        return numba.njit(cache=True)(function)
    except RuntimeError:
        return numba.njit(function)

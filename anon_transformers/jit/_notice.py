"""One line on the error stream where a run waits for the compiler."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


class _State:
    is_told = False


def tell_of_compiling(reason: str) -> None:
    """Say, once in a process, that kernels are compiled.

    Parameters
    ----------
    reason : str
        Why what is compiled is not kept for good; empty if it is.
    """
    if _State.is_told:
        return
    _State.is_told = True
    kept = (
        f"again in each run: {reason}; set ANON_CACHE_DIR to a folder that can be"
        if reason
        else "once; 'anon compile' does it ahead"
    )
    print(f"anon: compiling kernels for first use ({kept})", file=sys.stderr)


@contextmanager
def in_silence() -> Iterator[None]:
    """Say nothing: who compiles knows."""
    before, _State.is_told = _State.is_told, True
    try:
        yield
    finally:
        _State.is_told = before

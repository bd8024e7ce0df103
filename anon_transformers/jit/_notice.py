"""One line on the error stream where a run waits for the compiler."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class _State:
    was_shown = False
    listener: Callable[[], None] | None = None


def announce_compiling(reason: str) -> None:
    """Print, once in a process, that kernels are compiled.

    Parameters
    ----------
    reason : str
        Why machine code goes to a temporary folder, which may be emptied between runs;
        empty if it does not.
    """
    if _State.listener is not None:
        _State.listener()
        return
    if _State.was_shown:
        return
    _State.was_shown = True
    kept = (
        f"kept in a temporary folder: {reason}; set ANON_CACHE_DIR to a folder that can"
        if reason
        else "once; 'anon compile' does it ahead"
    )
    print(f"anon: compiling kernels for first use ({kept})", file=sys.stderr)


@contextmanager
def compiling_heard_by(listener: Callable[[], None]) -> Iterator[None]:
    """Print nothing, and call a function for each kernel that is compiled."""
    before, _State.listener = _State.listener, listener
    try:
        yield
    finally:
        _State.listener = before


@contextmanager
def in_silence() -> Iterator[None]:
    """Print nothing: whoever calls this knows that kernels are compiled."""
    before, _State.was_shown = _State.was_shown, True
    try:
        yield
    finally:
        _State.was_shown = before

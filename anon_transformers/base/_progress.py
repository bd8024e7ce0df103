"""How far a method is: a bar for who calls it, or a listener for who runs it."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

import numpy as np

Progress = Callable[[float, str], None]
"""Called with the share of the work that is done, and what was found so far."""

SECONDS = 1.0
"""Between two looks at what compiled code has counted."""

T = TypeVar("T")
_LISTENER: ContextVar[Progress | None] = ContextVar("listener", default=None)


@contextmanager
def progress_heard_by(listener: Progress) -> Iterator[None]:
    """Let a function hear how far methods are that show no bar.

    Parameters
    ----------
    listener : callable
        Called with the share of the work that is done, from 0 to 1, and a text on what
        was found so far, which may be empty.

    Examples
    --------
    >>> with progress_heard_by(lambda share, found: print(f"{share:.0%}")):
    ...     tell_progress(0.5)
    50%
    """
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextmanager
def part_of_progress(number: int, total: int) -> Iterator[None]:
    """Let what is told meanwhile be of one of ``total`` parts of the work.

    Parameters
    ----------
    number, total : int
        Which part, counted from 0, and how many there are.

    Examples
    --------
    >>> with progress_heard_by(lambda share, found: print(f"{share:.0%}")):
    ...     with part_of_progress(1, 2):
    ...         tell_progress(0.5)
    75%
    """
    listener = _LISTENER.get()
    if listener is None:
        yield
        return
    with progress_heard_by(
        lambda share, found: listener((number + share) / total, found)
    ):
        yield


def tell_progress(share: float) -> None:
    """Tell whoever runs a method which share of its work is done.

    Parameters
    ----------
    share : float
        From 0 to 1.

    Examples
    --------
    >>> for number in range(3):
    ...     tell_progress(number / 3)  # heard by nobody
    """
    listener = _LISTENER.get()
    if listener is not None:
        listener(share, "")


def run_counted(work: Callable[[np.ndarray], T], total: int) -> T:
    """Run compiled code that counts, and tell from time to time how far it is.

    Parameters
    ----------
    work : callable
        Called with an array of one whole number, in which it counts what is done. While
        somebody listens it runs in a thread of its own, and must not hold Python's
        lock.
    total : int
        What it counts to.

    Returns
    -------
    object
        What the code returns.

    Examples
    --------
    >>> def work(done):  # stands for a kernel that is compiled with ``nogil``
    ...     for _ in range(3):
    ...         done[0] += 1
    ...     return "grouped"
    >>> run_counted(work, 3)
    'grouped'
    """
    done = np.zeros(1, dtype=np.int64)
    if _LISTENER.get() is None:
        return work(done)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(work, done)
        while not wait([running], timeout=SECONDS).done:
            tell_progress(min(int(done[0]) / total, 1.0))
        found = running.result()
    tell_progress(1.0)
    return found


@contextmanager
def progress_bar(label: str, *, shown: bool) -> Iterator[Progress]:
    """Show how far a search is, if ``shown``; the rich bar where it is installed."""
    if not shown:
        yield _LISTENER.get() or (lambda share, found: None)
        return
    try:
        from rich.console import Console
        from rich.progress import Progress as Bar
    except ImportError:
        yield lambda share, found: print(
            f"{label} {share:.0%} {found}", file=sys.stderr
        )
        return
    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=1.0)

        def update(share: float, found: str) -> None:
            bar.update(task, completed=share, description=f"{label} {found}")

        yield update

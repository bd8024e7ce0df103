"""A bar for commands that make many runs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)

from anon_transformers.cli._output import Console


@contextmanager
def run_bar(*, hidden: bool) -> Iterator[Callable[[int, int, str], None]]:
    """Show a bar on the error stream; gives what to tell about each run."""
    with Progress(
        TextColumn("{task.description:40}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("runs"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        disable=hidden,
    ) as progress:
        bar = progress.add_task("start", total=None)

        def update(done: int, total: int, what: str) -> None:
            progress.update(
                bar, description=what or "done", completed=done, total=total
            )

        yield update

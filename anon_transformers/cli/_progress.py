"""A bar for commands that do many things."""

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
def run_bar(
    *, hidden: bool, unit: str = "runs"
) -> Iterator[Callable[[int, int, str], None]]:
    """Show a bar on the error stream; gives what to tell about each one."""
    with Progress(
        TextColumn("{task.description:40}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        disable=hidden,
    ) as progress:
        bar = progress.add_task("start", total=None)

        def told(done: int, total: int, what: str) -> None:
            progress.update(
                bar, description=what or "done", completed=done, total=total
            )

        yield told

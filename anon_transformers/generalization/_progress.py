"""A bar for long work, on a terminal that wants one."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from anon_transformers.generalization._search import Progress


@contextmanager
def progress_bar(label: str, *, shown: bool) -> Iterator[Progress]:
    """Show how far a search is, if ``shown``; the rich bar where it is installed."""
    if not shown:
        yield lambda share, found: None
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

"""The command ``anon``, and what commands of plugins share with its own."""

import sys
from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.cli._assignments import assignments
    from anon_transformers.cli._dialects import (
        Dialect,
        Encoding,
        Separator,
        find_dialect,
        find_encoding,
    )
    from anon_transformers.cli._tables import TableReader
else:  # typer and rich are an extra, and main says so
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "Dialect",
    "Encoding",
    "Separator",
    "TableReader",
    "assignments",
    "find_dialect",
    "find_encoding",
    "main",
]


def main() -> None:
    """Run ``anon``; says what to install if its extra is missing."""
    try:
        from anon_transformers.cli._app import app
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich", "click"}:
            raise
        sys.exit("anon needs typer and rich: pip install 'anon-transformers[cli]'")
    app()

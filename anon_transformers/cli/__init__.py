"""The command ``anon``, and how files are written that commands of plugins read."""

import sys

from anon_transformers._lazy import lazy_names

__all__ = [
    "Dialect",
    "Encoding",
    "Separator",
    "find_dialect",
    "find_encoding",
    "main",
]

# typer and rich are an extra, and main says so.
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Dialect": "anon_transformers.cli._dialects",
        "Encoding": "anon_transformers.cli._dialects",
        "Separator": "anon_transformers.cli._dialects",
        "find_dialect": "anon_transformers.cli._dialects",
        "find_encoding": "anon_transformers.cli._dialects",
    },
)


def main() -> None:
    """Run ``anon``; says what to install if its extra is missing."""
    try:
        from anon_transformers.cli._app import app
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich", "click"}:
            raise
        sys.exit("anon needs typer and rich: pip install 'anon-transformers[cli]'")
    app()

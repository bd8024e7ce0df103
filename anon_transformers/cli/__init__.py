"""The command ``anon``."""

import sys


def main() -> None:
    """Run ``anon``; says what to install if its extra is missing."""
    try:
        from anon_transformers.cli._app import app
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich", "click"}:
            raise
        sys.exit("anon needs typer and rich: pip install 'anon-transformers[cli]'")
    app()

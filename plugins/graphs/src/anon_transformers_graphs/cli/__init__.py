"""The command group ``anon graph``."""

from typing import Any


def graph_commands() -> Any:
    """Describe, anonymize, attack and compare networks."""
    # typer and rich are an extra, which only the commands need.
    from anon_transformers_graphs.cli._app import app  # noqa: PLC0415

    return app

"""Commands run as a user would, and the registry as the distribution declares it."""

import tomllib
from importlib.metadata import EntryPoint

import pytest
from typer.testing import CliRunner

from anon_transformers import registry
from anon_transformers.cli._app import app
from anon_transformers.hookspecs import PROJECT


@pytest.fixture
def anon():
    """Run ``anon`` with these arguments."""

    def run(*arguments):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return run


@pytest.fixture
def declared(root, monkeypatch):
    """Registry of the entry points in pyproject.toml."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    points = settings["project"]["entry-points"][PROJECT]
    found = registry.create_registry(
        EntryPoint(name, value, PROJECT) for name, value in points.items()
    )
    assert not found.broken
    monkeypatch.setattr(registry, "registry", lambda: found)
    return found

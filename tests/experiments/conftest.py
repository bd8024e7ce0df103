"""The registry as the distribution declares it, whatever is installed."""

import tomllib
from importlib.metadata import EntryPoint

import pytest

from anon_transformers import registry
from anon_transformers.hookspecs import PROJECT


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

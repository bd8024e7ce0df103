"""What several test files need: settings, a model beyond k, oracles."""

import os
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, settings

from anon_transformers.jit import _notice
from tests.plugin_shop import Shop

# Some tests call kernels with types that nothing is compiled for ahead, while others
# compare what a command says.
_notice._State.is_told = True

# The first example of a test may compile a kernel, so no deadline; a busy machine is
# no reason to fail either.
settings.register_profile(
    "quick",
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
)
# `make test-all` tries more.
settings.register_profile("moderate", settings.get_profile("quick"), max_examples=100)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@dataclass(frozen=True)
class DistinctValues:
    """At least ``l`` known sensitive values in every class: the smallest l model."""

    l: int  # noqa: E741 - the letter of the literature
    name: ClassVar[str] = "distinct-values"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "higher"
    merging: ClassVar[str] = "any"
    tighter: ClassVar[dict[str, str]] = {"l": "higher"}

    def _counts(self, evidence):
        columns = evidence.sensitive_columns(None)
        return np.min([(c.counts[:, :-1] > 0).sum(axis=1) for c in columns], axis=0)

    def satisfied(self, evidence):
        return self._counts(evidence) >= self.l

    def level(self, evidence):
        return int(self._counts(evidence).min())


@pytest.fixture(scope="session")
def distinct_values():
    """A privacy model beyond k, as a third party might write it."""
    return DistinctValues


def cell_text(value):
    """Text of a cell, None if it is missing: written down anew, cell by cell."""
    if isinstance(value, dict | list):
        return str(value)
    if value is None or pd.isna(value) or value == "":
        return None
    return str(value)


@pytest.fixture(scope="session")
def class_sizes_of():
    """Class sizes of a published frame by a dictionary of tuples of texts."""

    def sizes(frame, columns):
        rows = zip(*(frame[name] for name in columns), strict=True)
        return Counter(tuple(cell_text(cell) for cell in row) for row in rows)

    return sizes


@pytest.fixture(scope="session")
def root():
    """The repository."""
    return Path(__file__).parents[1]


@pytest.fixture
def registered():
    """Put a class on a catalog of the registry, as a plugin would, for one test."""
    from anon_transformers.registry import registry

    added = []

    def register(shelf_name, name, cls, **told):
        catalog = getattr(registry(), shelf_name)
        catalog.add(name, cls, owner="a test", **told)
        added.append((catalog, name))

    yield register
    for catalog, name in added:
        catalog.remove(name)


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A folder in which small distributions with plugins are installed."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("ANON_DISABLE_PLUGINS", raising=False)
    monkeypatch.delenv("ANON_DISABLE_PLUGIN_AUTOLOAD", raising=False)
    shop = Shop(tmp_path)
    yield shop
    for module in shop.modules:
        sys.modules.pop(module, None)

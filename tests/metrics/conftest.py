"""What the tests of metrics share."""

import json

import pytest

from anon_transformers.hierarchies import Hierarchy


@pytest.fixture(scope="session")
def vectors(root):
    """The specification's vectors for k, l and t, by name."""
    file = root / "tests" / "data" / "vectors" / "tabular-k-l-t.json"
    return {v["name"]: v for v in json.loads(file.read_text(encoding="utf-8"))}


@pytest.fixture(scope="session")
def lands():
    """Five countries under two continents."""
    return Hierarchy.from_groups({"Europe": ["FR", "IT", "DE"], "Asia": ["JP", "CN"]})


@pytest.fixture(scope="session")
def ages():
    """Eight ages, two levels of ranges."""
    return Hierarchy(
        [
            [str(age), f"[{age // 2 * 2}, {age // 2 * 2 + 1}]",
             f"[{age // 4 * 4}, {age // 4 * 4 + 3}]", "*"]
            for age in range(8)
        ]
    )  # fmt: skip

"""The builders come in by the plugin door."""

from importlib.metadata import EntryPoint

from anon_transformers.hierarchies import (
    ByDataType,
    DateParts,
    HierarchyBuilder,
    Intervals,
    Masking,
)
from anon_transformers.hookspecs import PROJECT
from anon_transformers.registry import create_registry

POINT = EntryPoint("hierarchies", "anon_transformers.hierarchies._plugin", PROJECT)


def test_builders_by_name():
    found = create_registry([POINT]).hierarchy_builders
    assert dict(found.items()) == {
        "by-data-type": ByDataType,
        "dates": DateParts,
        "intervals": Intervals,
        "masking": Masking,
    }
    assert all(issubclass(builder, HierarchyBuilder) for builder in found.values())


def test_the_distribution_has_the_entry_point(root):
    import tomllib

    content = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    assert content["project"]["entry-points"][PROJECT]["hierarchies"] == POINT.value

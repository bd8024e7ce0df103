"""What is registered is found, and built with its parameters."""

from importlib.metadata import entry_points

import pytest

from anon_transformers import hookspecs
from anon_transformers.exceptions import ParameterError
from anon_transformers.partitioning import MondrianAnonymizer
from anon_transformers.privacy import KAnonymity
from anon_transformers.registry import (
    HOME,
    KINDS,
    ImportReference,
    create_registry,
    first_line,
    registry,
)


def test_what_is_ours_is_looked_for_and_not_imported(tmp_path, monkeypatch):
    package = tmp_path / "loud_package"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')\n")
    (package / "inside.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert ImportReference("loud_package.inside:Thing").is_there()
    assert not ImportReference("loud_package.elsewhere:Thing").is_there()
    assert not ImportReference("no_such_package.inside:Thing").is_there()


class TestBuiltIns:
    def test_they_come_through_entry_points(self):
        points = entry_points(group=hookspecs.PROJECT)
        own = {point.name for point in points if point.dist.name == HOME}
        assert {"partitioning", "privacy", "metrics"} <= own

    def test_they_are_registered(self):
        found = registry()
        assert found.anonymizers["mondrian"] is MondrianAnonymizer
        assert found.privacy_models["k-anonymity"] is KAnonymity
        assert {"average-risk", "highest-risk", "loss"} <= set(found.metrics)
        assert found.anonymizers.owner("mondrian") == HOME

    def test_none_of_them_is_broken(self):
        points = entry_points(group=hookspecs.PROJECT)
        own = create_registry(point for point in points if point.dist.name == HOME)
        assert own.broken == ()
        own.refuse_broken()

    def test_without_entry_points_there_is_nothing(self):
        found = create_registry([])
        assert all(len(getattr(found, kind)) == 0 for kind in KINDS)

    def test_the_registry_is_loaded_once(self):
        assert registry() is registry()

    @pytest.mark.parametrize("kind", KINDS)
    def test_what_is_registered_bears_its_name(self, kind):
        for name, item in getattr(registry(), kind).items():
            assert getattr(item, "name", name) == name


def everything_registered():
    return [
        pytest.param(kind, name, id=f"{kind}-{name}")
        for kind in KINDS
        for name in getattr(registry(), kind)
    ]


@pytest.mark.parametrize(("kind", "name"), everything_registered())
def test_every_name_resolves_and_its_summary_is_that_of_its_docstring(kind, name):
    catalog = getattr(registry(), kind)
    assert catalog.fault(name) is None
    item = catalog[name]  # a page or a policy says itself what it is
    told = item.summary if kind in {"pages", "policies"} else first_line(item)
    assert catalog.summary(name) == told


# Building what is registered.


@pytest.mark.parametrize(
    ("name", "params", "fault"),
    [
        ("k-anonymity", {"kk": 1}, "unknown parameter 'kk'; did you mean 'k'?"),
        ("k-anonymity", {}, "needs the parameter 'k'."),
        ("k-anonymity", {"k": 0}, "k must be a whole number of at least 1"),
        ("k-anonmity", {"k": 2}, "did you mean 'k-anonymity'?"),
        ("secretive", {"how": 1}, "does not take these parameters: RuntimeError."),
        ("secretive", {}, "needs the parameter 'how'."),
    ],
)
def test_what_cannot_be_built_is_explained_in_one_way(name, params, fault):
    class Secretive(KAnonymity):
        def __init__(self, how):
            raise RuntimeError("JOBMARK")

    found = create_registry(entry_points(group="anon_transformers"))
    found.privacy_models.add("secretive", Secretive, "a-stranger")
    with pytest.raises(ParameterError) as caught:
        found.privacy_models.build(name, params)
    assert fault in str(caught.value)
    assert "JOBMARK" not in str(caught.value)


def test_what_is_registered_is_built_with_its_parameters():
    assert registry().privacy_models.build("k-anonymity", {"k": 3}) == KAnonymity(3)

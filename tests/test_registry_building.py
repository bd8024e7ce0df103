"""What is registered is found, and built with its parameters."""

from importlib.metadata import entry_points

import pytest

from anon_transformers.exceptions import ParameterError
from anon_transformers.privacy import KAnonymity
from anon_transformers.registry import ImportReference, create_registry, registry


def test_what_is_ours_is_looked_for_and_not_imported(tmp_path, monkeypatch):
    package = tmp_path / "loud_package"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')\n")
    (package / "inside.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert ImportReference("loud_package.inside:Thing").is_there()
    assert not ImportReference("loud_package.elsewhere:Thing").is_there()
    assert not ImportReference("no_such_package.inside:Thing").is_there()


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
    class Secretive:
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

"""``anon check --keys``: what may stand in a release file."""

import json

import pytest

from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._keys import meanings, sections
from anon_transformers.release._stated_target import Retention
from anon_transformers.release._strict import Strict


def told(anon, *names):
    done = anon("check", "--keys", *names, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["sections"]


def subclasses(model):
    for one in model.__subclasses__():
        yield one
        yield from subclasses(one)


def test_every_model_of_the_file_has_a_section(anon):
    """Whatever reads a part of the file, in whichever module it is."""
    shown = {
        frozenset(key["name"] for key in section["keys"]) for section in told(anon)
    }
    ours = [m for m in subclasses(Strict) if m.__module__.startswith("anon_transf")]
    assert len(ours) > 15
    for model in ours:
        keys = frozenset(n for n, field in model.model_fields.items() if field.repr)
        assert keys in shown, model.__name__


def test_a_section_and_those_below_it(anon):
    target, *below = told(anon, "target")
    assert target["section"] == "target"
    found = {section["section"]: section for section in below}
    assert set(found) == {"target.retention", "target.database"}
    retention = found["target.retention"]
    keys = {key["name"]: key for key in target["keys"]}
    assert keys["path"]["default"] == "required"
    assert keys["format"]["default"] == "csv"
    assert keys["keep_versions"]["type"] == "whole number"
    assert list(Retention.model_fields) == [key["name"] for key in retention["keys"]]
    periods = retention["keys"][0]
    assert "published periods" in periods["meaning"]


def test_defaults_are_as_the_file_has_them(anon):
    top = {key["name"]: key for key in told(anon, "file")[0]["keys"]}
    assert set(top) == {n for n, f in ReleaseConfig.model_fields.items() if f.repr}
    assert top["on_refusal"]["default"] == "refuse"
    assert top["name"]["default"] == "name of the file"
    assert top["expect"]["default"] == ""
    (sensor,) = told(anon, "airflow.sensor")
    assert {key["name"]: key["default"] for key in sensor["keys"]} == {
        "timeout": "required",
        "poke_interval": "5 minutes",
        "mode": "reschedule",
    }


def test_options_of_readers_and_thresholds_are_listed(anon):
    source = told(anon, "source")
    assert "separator" in [
        key["name"] for part in source if part["about"] == "kind: csv"
        for key in part["keys"]
    ]  # fmt: skip
    (thresholds,) = told(anon, "thresholds")
    names = [key["name"] for key in thresholds["keys"]]
    assert {"model", "metric", "min", "max", "sensitive", "id"} <= set(names)


def test_people_read_tables_without_markup(anon):
    whole = anon("check", "--keys")
    assert whole.exit_code == 0
    named = anon("check", "--keys", "target")
    for shown in (whole.stdout, named.stdout):
        assert "keep_versions" in shown
        assert "``" not in shown
        assert "**" not in shown
    # One sentence of each where all are listed, and all of it where one is named.
    assert "Removing them is hygiene" not in whole.stdout.replace("\n", " ")
    assert len(named.stdout) < len(whole.stdout)


def test_mistakes_are_told(anon):
    unknown = anon("check", "--keys", "targt")
    assert unknown.exit_code == 2
    assert "unknown section 'targt'; did you mean 'target'?" in unknown.stderr
    nothing = anon("check")
    assert nothing.exit_code == 2
    assert "name a release file" in nothing.stderr


def test_docstrings_are_read_as_numpydoc_reads_them():
    docscrape = pytest.importorskip("numpydoc.docscrape", reason="the docs extra")
    import inspect

    for model in subclasses(Strict):
        text = inspect.cleandoc(model.__doc__ or "")
        entries = docscrape.NumpyDocString(text)["Attributes"]
        expected = {
            name: " ".join(line.strip() for line in entry.desc)
            for entry in entries
            for name in entry.name.split(", ")
        }
        assert meanings(model.__doc__, "Attributes") == expected, model.__name__
    assert sections()

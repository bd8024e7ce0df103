"""Experiments by name, and what they find."""

from dataclasses import dataclass

import pandas as pd
import pytest

from anon_transformers import registry
from anon_transformers.exceptions import ParameterError
from anon_transformers.experiments import NUMBER_COLUMNS, Findings, reproduce
from anon_transformers.experiments._reproduce import OFFERED_BY


def numbers(*rows):
    return pd.DataFrame([dict.fromkeys(NUMBER_COLUMNS) | row for row in rows])


@dataclass(frozen=True)
class Tiny:
    """The smallest experiment there is."""

    size: int = 1

    def run(self, progress=None):
        if progress is not None:
            progress(self.size, self.size, "")
        found = numbers({"ours": self.size, "equal": True, "reason": ""})
        return Findings("Tiny", found, pd.DataFrame({"size": [self.size]}))


@pytest.fixture
def offered(declared):
    declared.experiments.add("tiny", Tiny, "tiny-dist")


def test_an_experiment_of_a_plugin_runs_by_its_name(offered):
    seen = []
    found = reproduce("tiny", progress=lambda *now: seen.append(now), size=3)
    assert found.numbers["ours"].tolist() == [3]
    assert seen == [(3, 3, "")]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("tinyy", {}, "did you mean 'tiny'"),
        ("tiny", {"sise": 2}, "tiny: unknown option 'sise'; did you mean 'size'"),
    ],
)
def test_what_does_not_exist_is_told_by_name(offered, name, options, message):
    with pytest.raises(ParameterError, match=message):
        reproduce(name, **options)


def test_without_any_experiment_it_says_what_to_install(declared):
    with pytest.raises(ParameterError, match="'fuzzy': none is registered") as caught:
        reproduce("fuzzy")
    message = str(caught.value)
    for distribution, names in OFFERED_BY.items():
        assert f"pip install {distribution} adds {', '.join(names)}." in message


def test_what_is_registered_is_not_to_be_installed(offered, declared):
    declared.experiments.add("graphs", Tiny, "anon-transformers-graphs")
    with pytest.raises(ParameterError, match="choices: 'graphs', 'tiny'") as caught:
        reproduce("fuzzy")
    assert "pip install anon-transformers-reproductions" in str(caught.value)
    assert "anon-transformers-graphs" not in str(caught.value)
    assert "broken" not in str(caught.value)


@pytest.mark.parametrize("distribution", OFFERED_BY)
def test_what_to_install_is_what_offers_it(distribution):
    plugin = pytest.importorskip(f"{distribution.replace('-', '_')}.plugin")
    assert OFFERED_BY[distribution] == tuple(sorted(plugin.EXPERIMENTS))


def test_a_broken_plugin_may_be_why_an_experiment_is_missing(declared, monkeypatch):
    broken = (registry.BrokenPlugin("reproductions", "some-dist", "ImportError"),)
    found = registry.Registry(broken=broken)
    monkeypatch.setattr(registry, "registry", lambda: found)
    with pytest.raises(ParameterError, match="broken: anon list"):
        reproduce("fuzzy")


def test_findings_are_sorted_by_what_became_of_them():
    found = Findings(
        "F",
        numbers(
            {"equal": True, "reason": ""},
            {"equal": False, "reason": "known"},
            {"equal": False, "reason": ""},
            {"equal": None, "reason": "not run"},
        ),
        pd.DataFrame({"x": [1, 2]}),
    )
    assert found.different.index.tolist() == [1, 2]
    assert found.unexplained.index.tolist() == [2]
    assert found.not_run.index.tolist() == [3]
    assert found.summary() == (
        "2 runs; 3 of 4 numbers compared: 1 equal, 1 differ for a known reason, "
        "1 differ without one."
    )


def test_findings_have_fixed_columns():
    with pytest.raises(ParameterError, match="where, data_set"):
        Findings("F", pd.DataFrame({"ours": [1]}), pd.DataFrame())

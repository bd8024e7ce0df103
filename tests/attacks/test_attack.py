"""The contract of attacks: inputs, reports without values, the plugin."""

import json

import numpy as np
import pandas as pd
import pytest

from anon_transformers import attacks
from anon_transformers.attacks import (
    Attack,
    AttackInput,
    ComplementaryRelease,
    Homogeneity,
    LinkageAttack,
    TupleOrder,
    covers,
)
from anon_transformers.datasets import load_adult, load_adult_hierarchies
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.registry import HOME, registry

SECRET = "Zebedee-the-secret"
OFFERED = {
    name: registry().attacks[name]
    for name in registry().attacks
    if registry().attacks.owner(name) == HOME
}


OF_THE_METHOD = {
    "differencing", "downcoding", "inference", "linkability", "minimality",
    "singling-out", "tight-boxes",
}  # fmt: skip
"""Attacks on how a table was made, or against a held-out part."""


@pytest.fixture(scope="module")
def secrets():
    """Tables whose every cell is a secret."""
    cells = [f"{SECRET}-{n}" for n in (1, 1, 2, 3)]
    release = pd.DataFrame({"q": cells, "s": cells[::-1], "pay": [10, 11, 12, 13]})
    return {
        "release": release,
        "quasi_identifiers": ["q"],
        "sensitive": ["s", "pay"],
        "original": release,
        "external": pd.DataFrame({"q": cells[1:], "name": cells[1:]}),
        "other": release,
        "control": release,
        "hierarchies": {
            "q": Hierarchy([(f"{SECRET}-{n}", "a group", "*") for n in (1, 2, 3)])
        },
    }


NAMED_VALUES = {"minimality", "linkability"}
"""Attacks that need a value, or two quasi-identifiers; see their own tests."""


@pytest.mark.parametrize("name", sorted(set(OFFERED) - NAMED_VALUES))
def test_a_report_shows_no_value_unless_asked(name, secrets):
    if name == "record-linkage":
        pytest.importorskip("splink")
    attack = OFFERED[name]()
    report = attack.run(**secrets)
    assert report.exposed_records is None
    shown = attack.run(**secrets, show_values=True)
    assert report == shown
    assert len(shown.exposed_records) == shown.exposed
    for given in (report, shown):
        assert SECRET not in repr(given)
        assert SECRET not in json.dumps(given.to_dict())
        assert given.to_dict()["share"] == given.exposed / 4
    if shown.exposed:
        assert SECRET in shown.exposed_records.to_string()
    assert SECRET not in repr(AttackInput(**secrets))


@pytest.mark.parametrize("name", sorted(OFFERED))
def test_every_attack_says_what_it_is(name):
    attack = OFFERED[name]()
    assert isinstance(attack, Attack)
    assert attack.name == name
    assert attack.meaning.endswith(".")
    assert attack.remedy.endswith(".")
    assert attack.needs[0] == "release"
    assert set(attack.needs) <= {
        "release", "sensitive", "original", "external", "other", "hierarchies",
        "control",
    }  # fmt: skip
    with pytest.raises(AttributeError):
        attack.name = "other"


@pytest.mark.parametrize("name", sorted(OFFERED))
def test_an_attack_tells_what_it_lacks(name, secrets):
    attack = OFFERED[name]()
    attack_input = AttackInput(secrets["release"], ["q"])
    lacking = attack.lacks(attack_input)
    assert set(lacking) == set(attack.needs) - {"release"}
    if lacking:
        with pytest.raises(NotEvaluable, match=f"{name} needs {lacking[0]}"):
            attack.run_on(attack_input)
    else:
        assert attack.run_on(attack_input).rows == 4
    assert attack.lacks(AttackInput(**secrets)) == ()


def test_the_plugin_offers_them_all():
    assert sorted(OFFERED) == [
        "background-knowledge",
        "complementary-release",
        "differencing",
        "diversity-limits",
        "downcoding",
        "homogeneity",
        "inference",
        "linkability",
        "linkage",
        "minimality",
        "probabilistic-inference",
        "record-intruder",
        "record-linkage",
        "similarity",
        "singling-out",
        "skewness",
        "small-classes",
        "tight-boxes",
        "tuple-order",
        "unique-combinations",
    ]
    public = {getattr(attacks, name) for name in attacks.__all__}
    assert set(OFFERED.values()) < public


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"quasi_identifiers": ["agee"]}, ParameterError, "did you mean 'age'"),
        ({"quasi_identifiers": []}, ParameterError, "quasi_identifiers is empty"),
        ({"quasi_identifiers": ["age"], "sensitive": ["age"]}, ParameterError,
         "declared as quasi_identifiers and as sensitive"),
        ({"quasi_identifiers": ["age"], "release": pd.DataFrame({"age": []})},
         NotEvaluable, "release is empty"),
        ({"quasi_identifiers": ["age"], "hierarchies": {"age": 1}}, ParameterError,
         "'age' has is no Hierarchy"),
        ({"quasi_identifiers": ["age"],
          "other": pd.DataFrame([[1, 2]], columns=["a", "a"])}, DataError,
         r"other has columns of one name \(columns 1 and 2\)"),
    ],
)  # fmt: skip
def test_material_that_cannot_be_used_is_refused(options, error, message):
    release = pd.DataFrame({"age": [20, 30], "job": ["a", "b"]})
    with pytest.raises(error, match=message):
        AttackInput(**{"release": release, **options})


def test_other_frame_libraries_are_taken():
    polars = pytest.importorskip("polars")
    release = polars.DataFrame({"q": [1, 1, 2], "s": ["a", "a", "b"]})
    report = Homogeneity().run(release, quasi_identifiers=["q"], sensitive=["s"])
    assert report.exposed == 3


def test_coverage_is_that_of_the_source_corrected():
    table = covers()
    assert table["identity"].to_dict() == {
        "k-anonymity": True,
        "distinct-l-diversity": False,
        "entropy-l-diversity": False,
        "recursive-cl-diversity": False,
        "t-closeness": False,
    }
    assert (table["attribute"] == ~table["identity"]).all()
    # Distinct l-diversity says nothing on how often a value occurs.
    open_to_inference = table.index[~table["probabilistic-inference"]]
    assert list(open_to_inference) == ["k-anonymity", "distinct-l-diversity"]
    assert list(table.index[table["skewness"]]) == ["t-closeness"]
    assert not table.loc["t-closeness", "small-classes"]
    assert not table[["tuple-order", "complementary-release"]].any(axis=None)
    # What no model answers for is not in the table.
    beside = {"diversity-limits", "record-intruder", "record-linkage", *OF_THE_METHOD}
    assert set(table) - {"identity", "attribute"} == set(OFFERED) - beside


@pytest.fixture(scope="module")
def adult():
    """Adult raised to two nodes, as two releases, and its hierarchies."""
    table, trees = load_adult(), load_adult_hierarchies()
    known = [name for name in table if name != "occupation"]
    nodes = [0, 3, 0, 0, 2, 1, 0, 0], [1, 1, 0, 1, 0, 2, 1, 0]
    releases = []
    for node in nodes:
        release = table.copy()
        for name, level in zip(known, node, strict=True):
            steps = {row[0]: row[level] for row in trees[name].rows}
            release[name] = table[name].astype(str).map(steps)
        releases.append(release)
    return {
        "release": releases[0],
        "quasi_identifiers": known,
        "sensitive": ["occupation"],
        "original": table,
        "external": table[known],
        "other": releases[1],
        "control": table,
        "hierarchies": trees,
    }


def test_every_attack_runs_on_adult(adult):
    attack_input = AttackInput(**adult)
    named = {"minimality": {"value": "Sales"}}
    pairwise = {"record-linkage"}  # 9·10⁸ pairs of rows: it has tests of its own
    for name, attack in OFFERED.items():
        if name in pairwise:
            continue
        made = attack(**named.get(name, {}))
        assert made.run_on(attack_input).rows == 30162, name


def test_two_releases_of_adult_in_the_same_order_give_it_away(adult):
    order = TupleOrder().run(**adult)
    assert order.details["same_order"] is True
    assert order.details["agreeing_rows"] == 30162
    shuffled = adult["other"].sample(frac=1, random_state=0)
    assert TupleOrder().run(**{**adult, "other": shuffled}).exposed == 0


def test_linkage_finds_those_who_are_unique_in_the_release(adult):
    report = LinkageAttack().run(**adult)
    sizes = adult["release"].groupby(adult["quasi_identifiers"]).size()
    # The whole population is known: a person is found iff the record is unique.
    assert report.exposed == (sizes == 1).sum()
    assert report.details["matched_pairs"] == (sizes**2).sum()


def test_two_releases_of_adult_joined_on_occupation(adult):
    report = ComplementaryRelease(k=2).run(**adult, show_values=True)
    found = report.details
    assert found["resolved_records"] + found["ambiguous_records"] == 30162
    assert 0 < report.exposed <= found["resolved_records"]
    # Joined, a record that was exposed is the only one with its combination.
    pairs = adult["release"]["occupation"].value_counts()
    assert found["linked_pairs"] == (pairs**2).sum()
    known = adult["quasi_identifiers"]
    assert not report.exposed_records.duplicated(known).any()


@pytest.mark.parametrize("suppression", ["mask", "drop"])
def test_a_release_of_mondrian_can_be_linked(suppression):
    from anon_transformers.partitioning import MondrianAnonymizer

    adult = load_adult().sample(2000, random_state=0)
    known = ["age", "education", "sex"]
    mondrian = MondrianAnonymizer(
        k=4, quasi_identifiers=known, sensitive=["occupation"], suppression=suppression
    )
    release = mondrian.fit_transform(adult[[*known, "occupation"]])
    report = LinkageAttack().run(
        release, quasi_identifiers=known, external=adult[known]
    )
    assert report.exposed == 0
    # Every person is covered by the box of the own record.
    assert report.details["matched_persons"] == 2000
    sizes = release.groupby(known)["sex"].transform("size")
    assert report.details["matched_pairs"] >= sizes.sum()
    assert np.isclose(report.share, 0)

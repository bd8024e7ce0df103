"""What labels hide is not given back by a column beside them."""

import numpy as np
import pandas as pd
import pytest

from anon_transformers._data.columns import identify
from anon_transformers.datasets import load_adult
from anon_transformers.exceptions import GateError
from anon_transformers.release import anonymize, load, publish, validate
from anon_transformers.release._declared_roles import DeclaredRoles
from anon_transformers.release._recoverable_labels import (
    Hidden,
    _ranks,
    recoverable_faults,
)

yaml = pytest.importorskip("yaml")

RNG = np.random.default_rng(5)
AGE = pd.Series(RNG.integers(20, 60, 1000))
FIVES = "[" + (AGE // 5 * 5).astype(str) + ", " + (AGE // 5 * 5 + 5).astype(str) + ")"
BORN = 2020 - AGE
LATER = BORN - RNG.integers(0, 2, 1000)  # who has had no birthday yet


def share_given(before, after, beside, persons=None):
    beside = pd.Series(beside)
    return Hidden(before, after, persons).share_given_by(
        identify(beside), _ranks(beside)
    )


@pytest.mark.parametrize(
    ("beside", "share"),
    [
        (BORN, 1),
        (BORN.astype(str), 1),
        ("y" + BORN.astype(str), 1),
        (AGE % 5, 1),  # beside the label
        (pd.to_datetime(BORN.astype(str) + "-07-01"), 1),
        (pd.Series(RNG.permutation(60))[AGE].reset_index(drop=True), 1),  # codes
    ],
)
def test_a_copy_gives_everything(beside, share):
    assert share_given(AGE, FIVES, beside) == pytest.approx(share)


def test_who_had_no_birthday_yet_hides_nothing():
    assert share_given(AGE, FIVES, LATER) > 0.75
    wide = pd.Series("*", AGE.index)
    assert share_given(AGE, wide, LATER) > 0.98
    # Times that hardly repeat are in one line with the years.
    moments = pd.to_datetime(BORN.astype(str)) + pd.to_timedelta(
        RNG.integers(0, 360 * 24, 1000), unit="h"
    )
    assert share_given(AGE, FIVES, moments) > 0.75


@pytest.mark.parametrize(
    "beside",
    [
        pd.Series(0, AGE.index),
        AGE // 5,
        AGE // 10,
        RNG.integers(0, 2, 1000),
        RNG.integers(0, 400, 1000),
        RNG.lognormal(0, 3, 1000),
        np.where(RNG.random(1000) < AGE / 100, ">50K", "<=50K"),
        AGE * 900 + RNG.normal(0, 9000, 1000),
    ],
)
def test_what_is_coarse_or_by_chance_gives_little(beside):
    assert share_given(AGE, FIVES, beside) < 0.25


def test_a_column_as_coarse_as_the_label_gives_more_than_a_wider_one():
    wide = pd.Series(np.where(AGE < 40, "young", "old"))
    assert share_given(AGE, wide, AGE // 5) > 0.75
    assert share_given(AGE, wide, AGE // 20) == pytest.approx(0, abs=0.01)


def test_what_is_not_hidden_cannot_be_given_back():
    assert share_given(AGE, AGE, BORN) == 0


def test_a_few_rows_by_chance_show_nothing():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        sex = pd.Series(rng.choice(["m", "f"], 24))
        town = rng.choice(list("abcdefgh"), 24)
        assert share_given(sex, pd.Series("*", sex.index), town) < 0.75


def test_rows_of_one_person_are_no_copies():
    persons = np.repeat(np.arange(200), 5)
    age = pd.Series(RNG.integers(20, 60, 200)[persons])
    town = pd.Series(RNG.integers(0, 100, 200)[persons])
    label = age // 10
    assert share_given(age, label, town) > 0.75
    assert share_given(age, label, town, persons) < 0.5


def test_the_largest_number_does_not_decide():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        pay = pd.Series(rng.lognormal(10, 4, 400))
        other = rng.integers(0, 100, 400)
        assert share_given(pay, pd.Series("*", pay.index), other) < 0.5


@pytest.fixture(scope="module")
def adult():
    return load_adult()


@pytest.mark.parametrize(
    ("hidden", "beside", "given"),
    [
        ("education", "salary-class", False),
        ("age", "salary-class", False),
        ("age", "occupation", False),
        ("workclass", "occupation", False),
        ("marital-status", "salary-class", False),
        ("sex", "occupation", False),
        ("education", "education-num", True),
    ],
)
def test_columns_of_a_census(adult, hidden, beside, given):
    table = adult.assign(**{"education-num": pd.factorize(adult["education"])[0]})
    label = pd.Series("*", table.index)
    assert (share_given(table[hidden], label, table[beside]) >= 0.75) is given


def roles(**more):
    return DeclaredRoles(quasi_identifiers=("age",), **more)


def test_both_columns_and_the_way_out_are_named():
    source = pd.DataFrame({"age": AGE, "born": BORN, "ill": "flu"})
    table = source.assign(age=FIVES)
    (fault,) = recoverable_faults(
        source, table, roles(insensitive=("born",), sensitive=("ill",))
    )
    assert fault.startswith("insensitive column 'born' gives 100% of what the labels")
    assert "accept_unique: [[born, age]]" in fault
    (fault,) = recoverable_faults(source, table, roles(sensitive=("born",)))
    assert fault.startswith("sensitive column 'born'")
    for accepted in (("born", "age"), ("age", "born"), ("age", "born", "ill")):
        given = roles(
            insensitive=("born",), sensitive=("ill",), accept_unique=(accepted,)
        )
        assert recoverable_faults(source, table, given) == []


def write_release(folder, accepted=()):
    people = pd.DataFrame({"age": AGE, "height": RNG.integers(150, 200, 1000)})
    people = people.assign(born=BORN, ill=RNG.choice(["flu", "gout", "ms"], 1000))
    people.to_csv(folder / "people.csv", index=False)
    content = {
        "source": {"path": "people.csv"},
        "roles": {
            "quasi_identifiers": ["age", "height"],
            "sensitive": ["ill"],
            "insensitive": ["born"],
            "accept_unique": list(accepted),
        },
        "anonymizer": {
            "name": "mondrian",
            "step": {"age": 5, "height": 5},
            "domain": {"age": [0, 120], "height": [0, 250]},
        },
        "thresholds": [{"model": "k-anonymity", "k": 5}],
        "target": {"path": "out"},
    }
    path = folder / "people.yaml"
    path.write_text(yaml.safe_dump(content))
    return path


def test_a_release_is_refused_unless_it_is_accepted(tmp_path):
    path = write_release(tmp_path)
    with pytest.raises(GateError, match=r"'born' gives .* of what the labels of 'age'"):
        validate(anonymize(load(path)))
    assert not (tmp_path / "out" / "current").exists()
    path = write_release(tmp_path, [["born", "age"]])
    publish(validate(anonymize(load(path))))
    assert (tmp_path / "out" / "current").exists()


# Gaps, fillers and sums.

ROLES = DeclaredRoles(quasi_identifiers=["age"], insensitive=["born"])
KNOWN = RNG.random(1000) < 0.7


@pytest.mark.parametrize("filler", [None, 1900, 0, "n/a", "no year", "-"])
def test_what_stands_for_an_unknown_value_hides_nothing(filler):
    born = BORN.astype(object).where(KNOWN, filler)
    source = pd.DataFrame({"age": AGE, "born": born})
    table = source.assign(age=FIVES)
    (fault,) = recoverable_faults(source, table, ROLES)
    assert "'born' gives 100% of what the labels of 'age' hide" in fault
    # As many values of a column that has nothing to do with the age give nothing.
    source["born"] = table["born"] = RNG.permutation(born)
    assert recoverable_faults(source, table, ROLES) == []


@pytest.mark.parametrize("sensitive", [(), ("hired",)])
def test_a_sum_gives_what_no_part_gives(sensitive):
    years = pd.Series(RNG.integers(0, 60, 1000))
    beside = {"years": years, "hired": AGE - years, "noise": RNG.random(1000)}
    source = pd.DataFrame({"age": AGE, **beside})
    kept = [name for name in beside if name not in sensitive]
    roles = DeclaredRoles(
        quasi_identifiers=["age"], insensitive=kept, sensitive=sensitive
    )
    wide = source.assign(age="[20, 60)")
    (fault,) = recoverable_faults(source, wide, roles)
    assert fault.startswith("columns 'years', 'hired' together give what the labels")
    accepted = DeclaredRoles(
        quasi_identifiers=["age"],
        insensitive=kept,
        sensitive=sensitive,
        accept_unique=[["years", "hired", "age"]],
    )
    assert recoverable_faults(source, wide, accepted) == []
    source["hired"] = wide["hired"] = RNG.permutation(source["hired"])
    assert recoverable_faults(source, wide, roles) == []

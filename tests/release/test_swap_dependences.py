"""A swap hides nothing where a column that stayed gives what was swapped."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._tables import identify
from anon_transformers.exceptions import DependenceWarning, GateError
from anon_transformers.release import anonymize, load, publish, read_published, validate
from anon_transformers.release._faults import given_share

CODES = {"HIV": "B20", "flu": "J10", "cold": "J00", "cancer": "C50"}
ROLES = {
    "quasi_identifiers": ["age", "weight"],
    "sensitive": ["ill"],
    "identifiers": ["name"],
    "insensitive": ["icd"],
}


def patients(wrong=0.0, n_rows=600):
    rng = np.random.default_rng(1)
    ill = rng.choice(list(CODES), n_rows)
    told = np.where(rng.random(n_rows) < wrong, rng.choice(list(CODES), n_rows), ill)
    return pd.DataFrame(
        {
            "name": [f"NAMEMARK{row}" for row in range(n_rows)],
            "age": rng.integers(20, 90, n_rows),
            "weight": rng.normal(75, 12, n_rows).round(1),
            "ill": ill,
            "icd": pd.Series(told).map(CODES),
        }
    )


def swap(release, table, scenario="informed", **roles):
    table.to_csv(release.source, index=False)
    release.write(
        roles={**ROLES, **roles},
        anonymizer={"name": "group-swap", "scenario": scenario},
        thresholds=[{"model": "probabilistic-k-anonymity", "k": 5}],
    )
    return release.file


def run(file):
    return publish(validate(anonymize(load(file))))


@pytest.mark.filterwarnings("ignore::anon_transformers.exceptions.DependenceWarning")
@pytest.mark.parametrize("wrong", [0.0, 0.03])
def test_a_column_that_gives_what_is_swapped_is_refused(release, wrong):
    file = swap(release, patients(wrong))
    with pytest.raises(GateError, match="'ill' was swapped, and what stayed gives it"):
        run(file)
    assert not (release.target / "current").exists()


def test_a_set_that_is_accepted_is_published(release):
    file = swap(release, patients(), accept_unique=[["icd", "ill"]])
    with pytest.warns(DependenceWarning):
        folder = run(file)
    assert len(read_published(folder)) == 600


def test_a_column_that_says_little_of_it_is_published(release):
    assert len(read_published(run(swap(release, patients(wrong=0.5))))) == 600


def test_a_quasi_identifier_that_is_swapped_and_given_is_refused(release):
    table = patients(wrong=1.0).assign(decade=lambda frame: frame["age"] // 10)
    table["icd"] = table["decade"].map(lambda decade: f"ward {decade}")
    table = table.drop(columns="weight")
    file = swap(release, table, "uninformed", quasi_identifiers=["age", "decade"])
    with pytest.raises(GateError, match="'decade' was swapped, and what stayed"):
        run(file)


@pytest.mark.filterwarnings("ignore::anon_transformers.exceptions.DependenceWarning")
def test_a_linear_function_of_what_stayed_is_refused(release):
    table = patients(wrong=1.0)
    table["pay"] = 100 * table["age"] + table["weight"]
    file = swap(release, table, sensitive=["ill", "pay"])
    with pytest.raises(GateError, match=r"'pay' was swapped.*'age', 'weight'"):
        run(file)


def slow_share(values, given_by, persons, small_group):
    """By sets of persons, one group after the other."""
    held = set(zip(persons, given_by, values, strict=True))
    large = {
        group
        for group in given_by
        if len({p for p, g, _ in held if g == group}) >= small_group
    }
    inside = [(g, v) for _, g, v in held if g in large]
    if not inside:
        return 0.0
    hits = sum(
        max(sum((g, v) == (group, value) for g, v in inside) for value in set(values))
        for group in large
    )
    guessed = max(sum(v == value for _, v in inside) for value in set(values))
    rest = len(inside) - guessed
    return min(hits / len(held), (hits - guessed) / rest if rest else 0.0)


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from("ab"), st.sampled_from("xyz")),
        min_size=1,
        max_size=20,
    ),
    st.booleans(),
    st.integers(2, 3),
)
def test_the_share_is_that_of_the_slow_way(rows, named, small_group):
    persons = [row[0] for row in rows] if named else list(range(len(rows)))
    given_by, values = [row[1] for row in rows], [row[2] for row in rows]
    found = given_share(
        identify(pd.Series(values)),
        identify(pd.Series(given_by)),
        np.array(persons) if named else None,
        small_group,
    )
    assert found == pytest.approx(slow_share(values, given_by, persons, small_group))


def test_a_value_that_nearly_all_hold_is_given_by_nothing():
    rng = np.random.default_rng(0)
    rare = identify(pd.Series(np.where(rng.random(900) < 0.02, "yes", "no")))
    town = identify(pd.Series(rng.integers(0, 30, 900)))
    assert given_share(rare, town, None, 3) < 0.2

"""Telling published rows from original ones: by hand, by scikit-learn, by chance."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from anon_transformers.evidence import Linkage
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.metrics import (
    Distinguishability,
    Propensity,
    distinguishability,
    measure,
)
from anon_transformers.metrics._distinguishability import (
    MOST_MULTIPLIED,
    _equal_rows,
    _parts,
)

N = 120


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    age = rng.normal(40, 10, N)
    return pd.DataFrame(
        {
            "age": age,
            "pay": 50 * age + rng.normal(0, 60, N),
            "land": rng.choice(["FR", "IT", None], N),
        }
    )


@pytest.fixture
def swapped(people):
    """Pay moved to other persons: means and variances stay."""
    return people.assign(pay=people["pay"].to_numpy()[::-1])


@settings(max_examples=6)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(2, 6))
def test_identical_tables_cannot_be_told_apart(seed, distinct, folds):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {"a": rng.integers(0, distinct, 30), "b": rng.choice(["x", "y", None], 30)}
    )
    other = table.sample(frac=1, random_state=seed)
    for aligned, published in ((True, table), (False, other)):
        found = distinguishability(
            table, published, folds=folds, permutations=0, aligned=aligned,
            random_state=seed,
        )  # fmt: skip
        assert found.auc == pytest.approx(0.5)
        assert found.pmse == pytest.approx(0, abs=1e-6)


def test_other_numbers_are_told_apart(people):
    far = people.assign(age=people["age"] + 1000)
    found = distinguishability(people, far, permutations=2, random_state=0)
    assert [found.auc, found.advantage] == pytest.approx([1, 1])
    # The probability of a row is 0 or 1, and half the rows are published.
    assert found.pmse == pytest.approx(0.25, abs=0.03)
    assert found.ratio == pytest.approx(found.pmse / found.expected_pmse)
    assert found.ratio > 3


@pytest.mark.parametrize(("auc", "advantage"), [(0.5, 0), (0.75, 0.5), (0.25, 0.5)])
def test_the_advantage_over_guessing(auc, advantage):
    # Who is wrong more often than not has seen something too.
    assert Propensity(auc, 0.1, 0.0).advantage == advantage


def test_texts_are_told_apart(people):
    found = distinguishability(
        people, people.assign(land="*"), columns=["land"], permutations=0
    )
    assert found.auc == pytest.approx(1)
    assert np.isnan(found.ratio)


def test_missing_cells_are_seen(people):
    blank = people.astype({"age": object}).assign(age=None)
    found = distinguishability(people, blank, permutations=0)
    assert found.auc == pytest.approx(1)


@pytest.mark.parametrize("aligned", [True, False])
def test_swapping_shows_in_the_products_only(people, swapped, aligned):
    def auc(classifier):
        return distinguishability(
            people, swapped, columns=["age", "pay"], classifier=classifier,
            aligned=aligned, permutations=0, random_state=0,
        ).auc  # fmt: skip

    assert auc(None) > 0.75
    assert auc(LogisticRegression()) < 0.6
    assert auc(RandomForestClassifier(50, random_state=0)) > 0.75


def test_of_many_columns_only_squares_are_taken():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(300, MOST_MULTIPLIED + 1)))
    wider = table.copy()
    wider[0] *= 6
    plain, squared = (
        distinguishability(
            table, wider, classifier=one, permutations=0, random_state=0
        ).auc
        for one in (LogisticRegression(), None)
    )
    assert plain < 0.6
    assert squared > 0.75


def test_another_sample_is_as_near_as_chance():
    rng = np.random.default_rng(3)
    ratios = []
    for _ in range(4):
        one, other = (
            pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"]) for _ in range(2)
        )
        found = distinguishability(one, other, permutations=3, random_state=rng)
        ratios.append(found.ratio)
    assert 0.5 < np.mean(ratios) < 2


def test_scikit_learn_by_hand(people, swapped):
    """One part left out after the other, the rows of a person together."""
    columns = ["age", "pay"]
    found = distinguishability(
        people, swapped, columns=columns, classifier=LogisticRegression(),
        aligned=True, folds=4, permutations=0, random_state=7,
    )  # fmt: skip
    rows = np.concatenate([people[columns], swapped[columns]])
    truth = np.repeat([0, 1], N)
    order = np.random.default_rng(7).permutation(N)
    part = np.empty(N, dtype=int)
    part[order] = np.arange(N) % 4
    part = np.tile(part, 2)
    chances = np.empty(2 * N)
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    for left_out in range(4):
        fit, judged = part != left_out, part == left_out
        model = LogisticRegression().fit(rows[fit], truth[fit])
        chances[judged] = model.predict_proba(rows[judged])[:, 1]
    assert found.auc == pytest.approx(roc_auc_score(truth, chances))
    assert found.pmse == pytest.approx(np.mean((chances - 0.5) ** 2))


def test_tables_of_other_lengths(people):
    found = distinguishability(
        people, people[:30], classifier=DummyClassifier(strategy="prior"),
        permutations=1, random_state=0,
    )  # fmt: skip
    # A classifier that sees nothing gives everybody the share of published rows.
    assert found.pmse == pytest.approx(0, abs=1e-4)
    assert found.auc == pytest.approx(0.5, abs=0.05)


@given(
    st.lists(st.integers(0, 3), min_size=4, max_size=20),
    st.lists(st.integers(0, 3), min_size=4, max_size=20),
    st.integers(2, 4),
)
def test_equal_rows_meet_in_one_part(before, after, folds):
    rows = pd.DataFrame({0: [*before, *after]})
    truth = np.repeat([False, True], [len(before), len(after)])
    together = _equal_rows(rows, truth)
    sizes = np.bincount(together)
    assert sizes.max() <= 2
    for value in range(4):
        pairs = min(before.count(value), after.count(value))
        of_value = np.unique(together[rows[0] == value])
        assert (sizes[of_value] == 2).sum() == pairs
    for number in np.flatnonzero(sizes == 2):
        assert set(truth[together == number]) == {False, True}
        assert rows[0][together == number].nunique() == 1
    part = _parts(together, truth, folds, np.random.default_rng(0))
    assert all(len(set(part[together == number])) == 1 for number in together)
    # Whatever part is left out, there are rows of both tables to fit to.
    for left_out in range(folds):
        assert set(truth[part != left_out]) == {False, True}


def test_the_same_seed_gives_the_same_numbers(people, swapped):
    one, same, other = (
        distinguishability(people, swapped, permutations=1, random_state=seed)
        for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other


def test_what_cannot_be_judged(people):
    with pytest.raises(NotEvaluable, match="10 rows of each table, not 120 and 9"):
        distinguishability(people, people[:9])
    with pytest.raises(NotEvaluable, match="'age'"):
        distinguishability(people, people.assign(age="[20, 60]"))
    with pytest.raises(NotEvaluable, match="a shared column"):
        distinguishability(people, people.rename(columns=str.upper))
    with pytest.raises(DataError, match="not aligned"):
        distinguishability(people, people[:50], aligned=True)
    with pytest.raises(
        ParameterError, match="folds must be a whole number of at least 2, got 1"
    ):
        distinguishability(people, people, folds=1)
    with pytest.raises(ParameterError, match="permutations"):
        distinguishability(people, people, permutations=-1)


def test_the_metric(people, swapped):
    linkage = Linkage(people, swapped)
    found = distinguishability(
        people, swapped, aligned=True, folds=2, permutations=10, random_state=0
    )
    assert measure(Distinguishability(folds=2), linkage) == found.advantage
    by_ratio = Distinguishability(statistic="pmse-ratio", folds=2)
    assert measure(by_ratio, linkage) == found.ratio
    assert measure(Distinguishability(columns=["age"]), linkage) == 0
    with pytest.raises(ParameterError, match="did you mean 'advantage'"):
        Distinguishability(statistic="advantages")
    with pytest.raises(ParameterError, match="folds"):
        Distinguishability(folds=0)

"""The search for the number of sets."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.exceptions import InfeasibleError
from anon_transformers.fuzzy import FuzzyCMeansRecoder, GlobalRecoder, KMeansRecoder
from anon_transformers.fuzzy._search import Bounds, Trial, find_n_sets
from anon_transformers.privacy import DistinctLDiversity, QAnonymity


def attempt(feasible):
    return lambda numbers: Trial(
        numbers, sum(1 / n for n in numbers) if feasible(numbers) else None
    )


def test_numbers_beyond_one_that_fails_are_tried_too():
    best, trials = find_n_sets([Bounds(1, 9)], attempt(lambda n: n[0] in {2, 3, 7}))
    assert best.n_sets == (7,)
    assert [trial.n_sets for trial in trials] == [(n,) for n in range(2, 10)]


def test_columns_get_different_numbers():
    best, _ = find_n_sets([Bounds(1, 6)] * 2, attempt(lambda n: n[0] * n[1] <= 13))
    assert sorted(best.n_sets) == [3, 4]


def test_one_column_may_stay_whole():
    best, _ = find_n_sets([Bounds(1, 6)] * 2, attempt(lambda n: n[0] == 1))
    assert best.n_sets == (1, 6)


def test_one_column_may_pass_over_a_number_that_fails():
    best, _ = find_n_sets([Bounds(1, 4)] * 2, attempt(lambda n: n in {(2, 1), (4, 1)}))
    assert best.n_sets == (4, 1)


def test_fixed_numbers_stay():
    best, trials = find_n_sets([Bounds(3, 3), Bounds(1, 4)], attempt(lambda n: True))
    assert best.n_sets == (3, 4)
    assert {trial.n_sets[0] for trial in trials} == {3}


def test_nothing_is_found_where_nothing_holds():
    best, trials = find_n_sets([Bounds(1, 3)] * 2, attempt(lambda n: False))
    assert best is None
    assert (1, 1) not in {trial.n_sets for trial in trials}


@given(most=st.integers(2, 6), limit=st.integers(2, 30))
def test_a_search_stops_where_no_column_can_have_more(most, limit):
    bounds = [Bounds(1, most)] * 2

    def holds(numbers):
        return numbers[0] * numbers[1] <= limit

    best, _ = find_n_sets(bounds, attempt(holds))
    for step in ((1, 0), (0, 1)):
        finer = tuple(n + s for n, s in zip(best.n_sets, step, strict=True))
        assert max(finer) > most or not holds(finer)


@pytest.fixture
def people():
    rng = np.random.default_rng(8)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, 200),
            "pay": rng.lognormal(8, 1, 200).round(),
            "ill": rng.choice(list("abcde"), 200),
        }
    )


@pytest.mark.parametrize("cls", [GlobalRecoder, KMeansRecoder, FuzzyCMeansRecoder])
def test_the_best_of_all_numbers_of_one_column(cls, people):
    params = {"random_state": 0, "n_init": 1} if cls is not GlobalRecoder else {}
    found = cls(["age"], k=15, max_sets=8, **params).fit(people[["age"]])
    losses = {}
    for n_sets in range(2, 9):
        try:
            fixed = cls(["age"], k=15, n_sets=n_sets, **params).fit(people[["age"]])
        except InfeasibleError:
            continue
        losses[n_sets] = fixed.report_.loss
    chosen = found.report_.details["n_sets"]["age"]
    assert losses[chosen] == min(losses.values())
    assert found.report_.loss == losses[chosen]


def test_two_columns_as_fine_as_all_combinations_allow(people):
    known = ["age", "pay"]
    found = GlobalRecoder(known, k=10, max_sets=6).fit(people[known])
    losses = []
    for age, pay in itertools.product(range(1, 7), repeat=2):
        if age * pay == 1:
            continue
        try:
            fixed = GlobalRecoder(known, k=10, n_sets={"age": age, "pay": pay})
            losses.append(fixed.fit(people[known]).report_.loss)
        except InfeasibleError:
            continue
    assert found.report_.loss <= sorted(losses)[1]


def test_a_stricter_promise_takes_fewer_sets(people):
    def n_sets(**params):
        recoder = FuzzyCMeansRecoder(
            ["age"], sensitive=["ill"], random_state=0, max_sets=8, **params
        )
        return recoder.fit(people[["age", "ill"]]).report_.details["n_sets"]["age"]

    assert n_sets(k=10) > n_sets(k=60)
    assert n_sets(k=2, models=[QAnonymity(50)]) < n_sets(k=2, models=[QAnonymity(5)])
    assert n_sets(k=2, models=[DistinctLDiversity(5)]) >= 2


def test_what_was_tried_is_told(people):
    recoder = KMeansRecoder(
        ["age", "pay"], coding="joint", k=5, max_sets=4, random_state=0
    ).fit(people[["age", "pay"]])
    details = recoder.report_.details
    assert [trial["n_sets"] for trial in details["tried"]] == [2, 3, 4]
    assert details["n_sets"] in {2, 3, 4}
    assert details["coding"] == "joint"


def test_a_search_that_finds_nothing_says_why(people):
    with pytest.raises(InfeasibleError, match=r"up to max_sets=5 .*'age': 2.*k=150"):
        GlobalRecoder(["age"], k=150, max_sets=5).fit(people[["age"]])
    with pytest.raises(InfeasibleError, match=r"QAnonymity\(q=150.*level"):
        GlobalRecoder(["age"], k=2, max_sets=3, models=[QAnonymity(150)]).fit(
            people[["age"]]
        )

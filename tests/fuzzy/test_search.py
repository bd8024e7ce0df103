"""The search for the number of sets."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers.exceptions import InfeasibleError
from anon_transformers.fuzzy import (
    FuzzyCMeansRecoder,
    GlobalRecoder,
    KMeansRecoder,
    _recoder,
)
from anon_transformers.fuzzy._search import MOST_TRIALS, SetBounds, Trial, find_n_sets
from anon_transformers.privacy import DistinctLDiversity, QAnonymity


def attempt(feasible):
    return lambda numbers: Trial(
        numbers, sum(1 / n for n in numbers) if feasible(numbers) else None
    )


def test_numbers_beyond_one_that_fails_are_tried_too():
    best, trials, *_ = find_n_sets(
        [SetBounds(1, 9)], attempt(lambda n: n[0] in {2, 3, 7})
    )
    assert best.n_sets == (7,)
    assert [trial.n_sets for trial in trials] == [(n,) for n in range(2, 10)]


def test_columns_get_different_numbers():
    best, *_ = find_n_sets([SetBounds(1, 6)] * 2, attempt(lambda n: n[0] * n[1] <= 13))
    assert sorted(best.n_sets) == [3, 4]


def test_one_column_may_stay_whole():
    best, *_ = find_n_sets([SetBounds(1, 6)] * 2, attempt(lambda n: n[0] == 1))
    assert best.n_sets == (1, 6)


def test_one_column_may_pass_over_a_number_that_fails():
    best, *_ = find_n_sets(
        [SetBounds(1, 4)] * 2, attempt(lambda n: n in {(2, 1), (4, 1)})
    )
    assert best.n_sets == (4, 1)


def exact(bounds, attempt):
    """The least loss of all choices, one by one."""
    choices = itertools.product(*(range(low, high + 1) for low, high in bounds))
    losses = [attempt(n).loss for n in choices if max(n) > 1]
    return min((loss for loss in losses if loss is not None), default=None)


@settings(max_examples=60)
@given(data=st.data(), n_blocks=st.integers(1, 2), most=st.integers(2, 9))
def test_nothing_is_better_where_all_choices_can_be_tried(data, n_blocks, most):
    bounds = [SetBounds(1, most)] * n_blocks
    draws = st.integers(0, 100)
    losses = {
        numbers: data.draw(draws)
        for numbers in itertools.product(range(1, most + 1), repeat=n_blocks)
    }

    asked = []

    def tried(numbers):
        # A third of the choices break the promise, wherever they lie.
        asked.append(numbers)
        loss = losses[numbers]
        return Trial(numbers, None if loss % 3 == 0 else float(loss))

    found = find_n_sets(bounds, tried, lambda numbers: losses[numbers] / 2)
    assert found.proved
    assert len(asked) == len(set(asked)) == len(found.trials)
    assert (found.best and found.best.loss) == exact(bounds, tried)


@settings(max_examples=30)
@given(limit=st.integers(2, 60), weights=st.tuples(*[st.floats(0.1, 5)] * 3))
def test_three_blocks_are_as_good_as_all_choices(limit, weights):
    bounds = [SetBounds(1, 6)] * 3

    def loss(numbers):
        return sum(w / n for w, n in zip(weights, numbers, strict=True))

    def tried(numbers):
        return Trial(numbers, loss(numbers) if math.prod(numbers) <= limit else None)

    best, trials, *_ = find_n_sets(bounds, tried, loss)
    assert best.loss == exact(bounds, tried)
    assert len(trials) < 6**3


def test_what_cannot_be_better_is_not_tried():
    tried = attempt(lambda numbers: math.prod(numbers) <= 4)
    best, with_floor, *_ = find_n_sets(
        [SetBounds(1, 8)] * 2, tried, lambda numbers: sum(1 / n for n in numbers)
    )
    same, without, *_ = find_n_sets([SetBounds(1, 8)] * 2, tried)
    assert best.loss == same.loss
    assert len(with_floor) < len(without) == 63


def test_a_search_ends():
    bounds = [SetBounds(1, 12)] * 4
    first = 11 + 4  # the same for all, then two sets for each
    found = find_n_sets(bounds, attempt(lambda n: math.prod(n) <= 90))
    assert len(found.trials) == first + MOST_TRIALS
    assert found.best.loss == min(t.loss for t in found.trials if t.loss is not None)
    assert not found.proved
    few = find_n_sets(bounds, attempt(lambda n: False), most_trials=7)
    assert len(few.trials) == first + 7
    assert few.n_choices == 12**4 - 1


def test_blocks_are_counted_beside_trials():
    made = set()

    def loss(numbers):
        made.update(enumerate(numbers))
        return sum(1 / n for n in numbers)

    # The most sets of both are found at once, and nothing else can be better.
    found = find_n_sets(
        [SetBounds(1, 900), SetBounds(1, 3)], lambda n: Trial(n, loss(n)), loss, 20
    )
    assert found.best.n_sets == (900, 3)
    assert not found.proved
    ladder = {block for trial in found.trials for block in enumerate(trial.n_sets)}
    assert len(ladder) < len(made) <= len(ladder) + 2 * 20


def test_wide_tables_need_no_luck():
    # Only the last of many blocks may have two sets, or more.
    bounds = [SetBounds(1, 12)] * 30
    found = find_n_sets(bounds, attempt(lambda n: max(n[:-1]) == 1 and n[-1] <= 4))
    assert found.best.n_sets == (1,) * 29 + (4,)


def test_a_step_down_where_choices_are_many():
    losses = {(2, 2, 2): 1.0, (1, 4, 2): 0.5, (1, 4, 1): 0.75}
    found = find_n_sets([SetBounds(1, 40)] * 3, lambda n: Trial(n, losses.get(n)))
    assert found.n_choices > 25_000
    assert found.best.n_sets == (1, 4, 2)


@pytest.mark.parametrize(("most_trials", "proved"), [(250, True), (5, False)])
def test_what_is_proved(most_trials, proved):
    found = find_n_sets(
        [SetBounds(1, 6)] * 2, attempt(lambda n: False), most_trials=most_trials
    )
    assert found.proved is proved
    assert len(found.trials) == (35 if proved else 5 + 2 + 5)
    message = "no number of sets, up to 6 of each column (max_sets), keeps the promise."
    if not proved:
        message = (
            "none of the 12 choices tried of 35, up to 6 sets of each column "
            "(max_sets), keeps the promise."
        )
    assert found.refusal(6) == message


def test_a_refusal_has_few_digits():
    found = find_n_sets([SetBounds(1, 12)] * 400, attempt(lambda n: False))
    assert "tried of more than 25,000, up to" in found.refusal(12)


def test_many_sets_are_tried_in_growing_steps():
    tried = []

    def noted(numbers):
        tried.append(numbers[0])
        return Trial(numbers, abs(numbers[0] - 150) + 1.0)

    best, *_ = find_n_sets([SetBounds(1, 30_000)], noted, lambda n: 0.0)
    assert best.n_sets == (150,)
    assert tried[:15] == list(range(2, 17))
    assert tried[15:19] == [20, 25, 31, 38]


def test_fixed_numbers_stay():
    best, trials, *_ = find_n_sets(
        [SetBounds(3, 3), SetBounds(1, 4)], attempt(lambda n: True)
    )
    assert best.n_sets == (3, 4)
    assert {trial.n_sets[0] for trial in trials} == {3}


def test_nothing_is_found_where_nothing_holds():
    best, trials, *_ = find_n_sets([SetBounds(1, 3)] * 2, attempt(lambda n: False))
    assert best is None
    assert (1, 1) not in {trial.n_sets for trial in trials}


@given(most=st.integers(2, 6), limit=st.integers(2, 30))
def test_a_search_stops_where_no_column_can_have_more(most, limit):
    bounds = [SetBounds(1, most)] * 2

    def holds(numbers):
        return numbers[0] * numbers[1] <= limit

    best, *_ = find_n_sets(bounds, attempt(holds))
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
    assert found.report_.loss == min(losses)


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
    assert [trial["n_sets"] for trial in recoder.tried_] == [2, 3, 4]
    n_sets = min(recoder.tried_, key=lambda trial: trial["loss"])["n_sets"]
    assert recoder.report_.details == {
        "coding": "joint",
        "n_sets": n_sets,
        "tried": 3,
        "proved_least": True,
    }
    fixed = recoder.set_params(n_sets=2).fit(people[["age", "pay"]])
    assert fixed.tried_ == []
    assert fixed.report_.details == {"coding": "joint", "n_sets": 2}


def test_a_search_leaves_out_what_cannot_be_better(people):
    known = ["age", "pay"]
    recoder = GlobalRecoder(known, k=10, max_sets=8).fit(people[known])
    assert recoder.report_.details["proved_least"]
    assert recoder.report_.details["tried"] < 63


@pytest.mark.parametrize("limit", [0.0, 0.2])
@pytest.mark.parametrize("cls", [GlobalRecoder, FuzzyCMeansRecoder])
def test_no_trial_has_less_than_the_least_loss(cls, limit, people, monkeypatch):
    compared = []

    def search(bounds, attempt, floor):
        def noted(numbers):
            trial = attempt(numbers)
            if trial.loss is not None:
                compared.append((floor(numbers), trial.loss))
            return trial

        return find_n_sets(bounds, noted, floor)

    monkeypatch.setattr(_recoder, "find_n_sets", search)
    params = {"random_state": 0} if cls is FuzzyCMeansRecoder else {}
    known = ["age", "pay"]
    cls(known, k=8, max_sets=5, suppression_limit=limit, **params).fit(people[known])
    assert len(compared) > 3
    assert all(least <= loss + 1e-12 for least, loss in compared)
    suppressed = [loss > least + 1e-12 for least, loss in compared]
    assert any(suppressed) is (limit > 0)


def test_a_wide_table_of_outliers():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((60, 24)))
    table[23] += np.arange(60) % 2 * 10
    for column in range(23):
        table.loc[column, column] = 1000.0
    recoder = GlobalRecoder(k=5, method="equidistant").fit(table)
    assert recoder.report_.details["n_sets"]["23"] >= 2
    table.loc[59, 23] = 1000.0
    message = r"none of the \d+ choices tried of more than 25,000, up to 12 sets"
    with pytest.raises(InfeasibleError, match=message):
        recoder.fit(table)


def test_a_search_that_finds_nothing_says_why(people):
    with pytest.raises(InfeasibleError, match=r"up to 5 .*sets age: 2: .*k=150"):
        GlobalRecoder(["age"], k=150, max_sets=5).fit(people[["age"]])
    with pytest.raises(InfeasibleError, match=r"q-anonymity\(q=150.*level"):
        GlobalRecoder(["age"], k=2, max_sets=3, models=[QAnonymity(150)]).fit(
            people[["age"]]
        )

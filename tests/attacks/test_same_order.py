"""When two releases are in the same order: chance decides."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.attacks import TupleOrder
from anon_transformers.attacks._tuple_order import RARE, same_order
from anon_transformers.exceptions import NotEvaluable

AGES = pd.DataFrame({"age": ["20", "20", "30", "30"] * 10, "sex": "*"})
SEXES = pd.DataFrame({"age": "*", "sex": ["f", "m", "f", "m"] * 10})
ILLS = [f"ill {n % 8}" for n in range(40)]


def run(other, release=AGES):
    return TupleOrder().run(release, other=other, quasi_identifiers=["age", "sex"])


def shuffled(table):
    return table.sample(frac=1, random_state=1).reset_index(drop=True)


@pytest.mark.parametrize("other", [SEXES, shuffled(SEXES)])
def test_an_order_that_nothing_shows_cannot_be_told(other):
    with pytest.raises(NotEvaluable, match="agree in any order"):
        run(other)


def test_a_shared_column_shows_the_order():
    release, other = AGES.assign(ill=ILLS), SEXES.assign(ill=ILLS)
    found = run(other, release)
    assert (found.exposed, found.details["columns_in_order"]) == (40, ["ill"])


def test_shuffled_rows_expose_nobody():
    release, other = AGES.assign(ill=ILLS), SEXES.assign(ill=ILLS)
    found = run(shuffled(other), release)
    assert (found.exposed, found.details["same_order"]) == (0, False)


def test_a_column_without_a_value_in_common_shows_nothing():
    release = AGES.assign(ill=ILLS, id=range(40))
    other = SEXES.assign(ill=ILLS, id=range(100, 140))
    assert run(other, release).exposed == 40
    with pytest.raises(NotEvaluable):
        run(other.drop(columns="ill"), release)


@given(st.integers(1, 6).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n),
                       min_size=n, max_size=n)))  # fmt: skip
def test_all_rows_agree_in_few_orders_only_where_they_are_in_order(rows):
    agree = np.array(rows)
    np.fill_diagonal(agree, True)
    at = np.arange(len(agree))
    orders = [agree[at, list(order)].all() for order in permutations(at)]
    if same_order(len(agree), agree.sum(axis=1)):
        assert np.mean(orders) < RARE


def test_many_more_rows_than_by_chance_are_enough():
    partners = np.full(100, 10)
    assert same_order(90, partners) is True
    assert same_order(15, partners) is False
    assert same_order(0, np.zeros(3, dtype=int)) is None

"""Linear rules that hold in nearly all rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.privacy.probabilistic._dependence import functional_dependences
from anon_transformers.privacy.probabilistic._trimmed import agreeing_rows


def table_of(rng, n_rows, n_columns):
    scales = 10.0 ** rng.integers(-3, 6, n_columns)
    return rng.normal(size=(n_rows, n_columns)) * scales + 5 * scales


@given(
    st.integers(0, 10**6),
    st.integers(1, 8),
    st.sampled_from([1.0, 1e3, 1e9]),
    st.booleans(),
)
def test_rows_that_break_a_rule_do_not_hide_it(seed, n_columns, wrong, leverage):
    rng = np.random.default_rng(seed)
    known = table_of(rng, 300, n_columns)
    wanted = known @ rng.choice([-2.0, 0.5, 3.0], n_columns) + 7
    broken = rng.choice(300, 14, replace=False)
    wanted[broken] += wrong * wanted.std() * rng.uniform(0.1, 1.0, 14)
    if leverage:
        known[broken, 0] *= 1e4
    agree = agreeing_rows(known, wanted, 0.95, np.ones(300))
    assert agree is not None
    assert set(np.flatnonzero(~agree)) == set(broken)


@given(st.integers(0, 10**6), st.integers(1, 8))
def test_numbers_that_follow_no_rule_have_none(seed, n_columns):
    rng = np.random.default_rng(seed)
    known = table_of(rng, 60, n_columns)
    assert agreeing_rows(known, rng.normal(size=60), 0.95, np.ones(60)) is None
    noisy = known[:, 0] + 1e-3 * known[:, 0].std() * rng.normal(size=60)
    assert agreeing_rows(known, noisy, 0.95, np.ones(60)) is None


@pytest.mark.parametrize("n_rows", [3, 5, 7])
def test_few_rows_show_nothing(n_rows):
    rng = np.random.default_rng(0)
    known = rng.normal(size=(n_rows, 3))
    wanted = rng.normal(size=n_rows)
    assert agreeing_rows(known, wanted, 0.95, np.ones(n_rows)) is None


def test_columns_that_take_no_part_are_left_out():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(400, 6)), columns=list("abcdef"))
    table["y"] = table["b"] - 2 * table["e"]
    table.loc[5:20, "y"] += rng.normal(size=16)
    table.loc[100:180, "a"] = np.nan
    names = list("abcdef")
    assert functional_dependences(table, ["y"], names) == {}
    assert functional_dependences(table, ["y"], names, 0.95) == {"y": ("b", "e")}
    assert functional_dependences(table, ["y"], names, 0.99) == {}


def test_a_large_table_is_judged_by_all_its_rows():
    rng = np.random.default_rng(0)
    known = rng.normal(size=(50_000, 12))
    wanted = known.sum(axis=1)
    broken = rng.random(50_000) < 0.045
    agree = agreeing_rows(known, wanted + broken, 0.95, np.ones(50_000))
    assert (agree == ~broken).all()
    broken = rng.random(50_000) < 0.06
    assert agreeing_rows(known, wanted + broken, 0.95, np.ones(50_000)) is None


def test_a_rule_counts_beyond_what_a_guess_finds():
    # 0 stands in 384 of 400 rows; of the 16 others the rule gives 14.
    known = np.concatenate([np.zeros(384), np.arange(1.0, 17.0)])
    wanted = 2 * known
    wanted[-2:] += [5, 9]
    assert agreeing_rows(known[:, None], wanted, 0.95, np.ones(400)) is None
    assert agreeing_rows(known[:, None], wanted, 0.85, np.ones(400)) is not None


def test_the_most_frequent_value_is_that_of_most_persons():
    # 5 stands in 60 rows of one person, 0 in one row each of 30 others.
    known = np.concatenate([np.full(60, 2.5), np.zeros(30), np.arange(1.0, 11.0)])
    wanted = 2 * known
    weights = np.concatenate([np.full(60, 1 / 60), np.ones(40)])
    # By persons, 0 is guessed: of the 11 others two break the rule.
    wanted[-2:] += [5, 9]
    assert agreeing_rows(known[:, None], wanted, 0.95, weights) is None
    # By rows, 5 would be, and 38 of 40 others would follow it.
    assert agreeing_rows(known[:, None], wanted, 0.95, np.ones(100)) is not None


def test_a_column_that_varies_in_few_rows_has_a_scale():
    rng = np.random.default_rng(0)
    known = np.column_stack([rng.normal(size=400), np.zeros(400)])
    known[::20, 1] = 1e-14 * (1 + rng.random(20))
    wanted = known[:, 0] + known[:, 1] * 1e14
    agree = agreeing_rows(known, wanted, 0.95, np.ones(400))
    assert agree is not None
    assert agree.all()

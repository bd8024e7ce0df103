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

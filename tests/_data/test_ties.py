"""Ties between rows fall by chance, by a seed, or by the key of a schedule."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._data.columns import identify
from anon_transformers._data.ties import KEY_BYTES, tie_order
from anon_transformers.microaggregation import GroupSwapper, MDAVAnonymizer
from anon_transformers.partitioning import MondrianAnonymizer
from anon_transformers.registry import registry
from anon_transformers.testing import anonymizer_checks
from anon_transformers.testing._tie_checks import (
    CHECKS,
    homogeneous_classes,
    publish_tied,
    tied_tables,
)

KEY = bytes(range(KEY_BYTES))
ROW_BOUND = [
    pytest.param(MondrianAnonymizer(mode="relaxed", duplicates="ignore"), id="relaxed"),
    pytest.param(MDAVAnonymizer(), id="mdav"),
    pytest.param(MDAVAnonymizer(algorithm="fast"), id="mdav-fast"),
    pytest.param(MDAVAnonymizer(refine=True), id="mdav-refined"),
    pytest.param(GroupSwapper(), id="group-swap"),
    pytest.param(GroupSwapper(algorithm="fast"), id="group-swap-fast"),
]


def test_the_contract_has_these_checks_for_every_anonymizer():
    for cls in registry().anonymizers.values():
        if cls.kind in {"table", "linked"}:
            names = " ".join(name for name, _ in anonymizer_checks(cls))
            assert all(check.__name__ in names for check in CHECKS)


@pytest.mark.parametrize("anonymizer", ROW_BOUND)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_no_method_bound_to_rows_lets_secrets_or_the_source_decide(anonymizer, check):
    check(anonymizer)


@pytest.mark.slow
@pytest.mark.parametrize("anonymizer", ROW_BOUND[:2])
def test_three_hundred_tables_are_as_homogeneous_as_chance_makes_them(anonymizer):
    found = homogeneous_classes(anonymizer, 300)
    for by_chance in (found.shuffled, found.dealt):
        farthest = 5 * math.sqrt(found.by_secret + by_chance + 1)
        assert abs(found.by_secret - by_chance) <= farthest


@pytest.mark.parametrize("anonymizer", ROW_BOUND)
def test_a_seed_reproduces_and_none_does_not(anonymizer):
    (table, _), *_ = tied_tables(1)
    seeded = [tuple(publish_tied(anonymizer, table, 3)[0]) for _ in range(2)]
    assert seeded[0] == seeded[1]
    fresh = {tuple(publish_tied(anonymizer, table, None)[0]) for _ in range(20)}
    assert len(fresh) > 1


@pytest.mark.parametrize("anonymizer", ROW_BOUND)
def test_every_equal_row_is_as_likely_on_either_side(anonymizer):
    (table, _), *_ = tied_tables(1)
    n_runs, equal = 150, table["age"] == 30
    lowest = np.zeros(len(table))
    for seed in range(n_runs):
        labels = publish_tied(anonymizer, table, seed)[0]
        lowest += labels == labels[0]
    # Beside the lowest row, half of the equal ones.
    share = lowest[equal] / n_runs
    assert np.abs(share - 0.5).max() < 5 * math.sqrt(0.25 / n_runs)


def persons(names):
    return identify(pd.Series(names))


class TestOrder:
    @given(n_rows=st.integers(0, 50), seed=st.integers(0, 99))
    def test_it_is_a_permutation_that_a_seed_gives_again(self, n_rows, seed):
        one, two = (tie_order(n_rows, np.random.default_rng(seed)) for _ in range(2))
        assert sorted(one) == list(range(n_rows))
        assert one.tolist() == two.tolist()

    @given(
        names=st.lists(st.sampled_from(["p", "q", "r", "s", None]), max_size=30),
        seeds=st.tuples(st.integers(0, 99), st.integers(0, 99)),
        shuffle=st.integers(0, 99),
    )
    def test_a_key_gives_persons_one_order_whatever_the_seed(
        self, names, seeds, shuffle
    ):
        names = np.array([*names, "p"], dtype=object)
        other = names[np.random.default_rng(shuffle).permutation(len(names))]
        orders = []
        for rows, seed in zip((names, other), seeds, strict=True):
            rng = np.random.default_rng(seed)
            order = tie_order(len(rows), rng, persons(rows), KEY)
            assert sorted(order) == list(range(len(rows)))
            orders.append(list(dict.fromkeys(n for n in rows[order] if n is not None)))
        assert orders[0] == orders[1]

    def test_numbers_are_known_by_their_text(self):
        whole = persons([30, 4, 100, 7])
        beside_missing = persons([30.0, 4.0, 100.0, 7.0, None])
        one = tie_order(4, np.random.default_rng(0), whole, KEY)
        two = tie_order(5, np.random.default_rng(1), beside_missing, KEY)
        assert one.tolist() == [row for row in two.tolist() if row != 4]

    def test_another_key_gives_another_order(self):
        names = persons([f"person {n}" for n in range(50)])
        one = tie_order(50, np.random.default_rng(0), names, KEY)
        two = tie_order(50, np.random.default_rng(0), names, KEY[::-1])
        assert one.tolist() != two.tolist()

    def test_without_persons_a_key_decides_nothing(self):
        one = tie_order(50, np.random.default_rng(0), None, KEY)
        assert one.tolist() == tie_order(50, np.random.default_rng(0)).tolist()


@pytest.mark.parametrize("anonymizer", ROW_BOUND)
def test_with_a_key_the_groups_of_next_month_are_those_of_this_month(anonymizer):
    (table, order), *_ = tied_tables(1)
    table = table.assign(who=[f"person {n}" for n in range(len(table))])
    groups = []
    for rows in (table, table.iloc[order]):
        anonymizer.set_params(
            quasi_identifiers=["age"], sensitive=["secret"], subject="who",
            k=len(table) // 2, random_state=None,
        )  # fmt: skip
        anonymizer._tie_key = KEY
        out = anonymizer.fit_transform(rows.reset_index(drop=True))
        label = out["age"].to_numpy()
        if anonymizer.kind == "linked":
            (label,) = anonymizer.labels_.values()
        who = rows["who"].to_numpy()
        groups.append({frozenset(who[label == one]) for one in set(label)})
    assert groups[0] == groups[1]

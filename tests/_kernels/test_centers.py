"""Nearest centers against the slow and obvious way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._kernels.centers import (
    cheapest_partners,
    nearest_centers,
    pair_off,
)

grids = st.integers(1, 3).flatmap(
    lambda width: st.lists(
        st.lists(st.integers(0, 3), min_size=width, max_size=width),
        min_size=2,
        max_size=12,
    )
)


def squared(one, other):
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


@given(grids, st.data())
def test_the_first_of_the_nearest(centers, data):
    width = len(centers[0])
    point = st.lists(st.integers(-1, 4), min_size=width, max_size=width)
    points = data.draw(st.lists(point, min_size=1, max_size=8))
    found = nearest_centers(np.array(points, float), np.array(centers, float))
    for at, row in zip(found.tolist(), points, strict=True):
        away = [squared(row, center) for center in centers]
        assert at == away.index(min(away))


@given(grids, st.data())
def test_the_partner_that_costs_least(centers, data):
    count = len(centers)
    sizes = data.draw(st.lists(st.integers(1, 9), min_size=count, max_size=count))
    asking = data.draw(st.lists(st.integers(0, count - 1), unique=True, min_size=1))
    partners, costs = cheapest_partners(
        np.array(centers, float), np.array(sizes), np.array(asking)
    )
    for own, partner, cost in zip(asking, partners.tolist(), costs, strict=True):
        increases = {
            other: sizes[own] * sizes[other] / (sizes[own] + sizes[other])
            * squared(centers[own], centers[other])
            for other in range(count)
            if other != own
        }  # fmt: skip
        assert cost == pytest.approx(min(increases.values()))
        assert increases[partner] == pytest.approx(cost)


def test_the_cost_is_the_increase_of_the_squares():
    rng = np.random.default_rng(0)
    points, labels = rng.normal(size=(12, 2)), np.repeat([0, 1], [5, 7])

    def squares(of):
        return ((of - of.mean(axis=0)) ** 2).sum()

    centers = np.stack([points[labels == at].mean(axis=0) for at in (0, 1)])
    _, costs = cheapest_partners(centers, np.array([5, 7]), np.array([0]))
    apart = squares(points[:5]) + squares(points[5:])
    assert costs[0] == pytest.approx(squares(points) - apart)


def test_equal_groups_do_not_all_ask_the_same_one():
    n_groups = 64
    asking = np.arange(n_groups)
    partners, costs = cheapest_partners(
        np.zeros((n_groups, 2)), np.full(n_groups, 3), asking
    )
    assert partners.tolist() == [*range(1, n_groups), 0]
    _, n_left = pair_off(asking, partners, costs, n_groups)
    assert n_left == n_groups // 2


def test_pairs_form_cheapest_first():
    asking, partners = np.array([0, 1, 2]), np.array([1, 2, 1])
    into, n_left = pair_off(asking, partners, np.array([3.0, 2.0, 1.0]), 4)
    assert into.tolist() == [0, 1, 1, 2]
    assert n_left == 3


@given(st.integers(2, 12), st.data())
def test_every_round_gets_somewhere(n_groups, data):
    asking = data.draw(st.lists(st.integers(0, n_groups - 1), unique=True, min_size=1))
    partners = [(own + data.draw(st.integers(1, n_groups - 1))) % n_groups
                for own in asking]  # fmt: skip
    costs = data.draw(
        st.lists(
            st.sampled_from([0.0, 1.0]), min_size=len(asking), max_size=len(asking)
        )
    )
    into, n_left = pair_off(
        np.array(asking), np.array(partners), np.array(costs), n_groups
    )
    assert n_left < n_groups
    assert sorted(set(into.tolist())) == list(range(n_left))
    assert np.bincount(into).max() == 2

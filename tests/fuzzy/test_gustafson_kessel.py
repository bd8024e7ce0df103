"""Gustafson-Kessel: shapes, fuzzy c-means as its simplest case, Census."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers.evidence import Classes, Memberships
from anon_transformers.exceptions import ParameterError
from anon_transformers.fuzzy import FuzzyCMeansRecoder, GustafsonKesselRecoder
from anon_transformers.metrics import measure_risk
from anon_transformers.privacy import QAnonymity


@pytest.fixture
def lines():
    """Two long and narrow groups side by side."""
    along = np.tile(np.linspace(0, 10, 12), 2)
    across = np.repeat([0.0, 1.0], 12) + np.tile([0.0, 0.05], 12)
    return pd.DataFrame({"along": along, "across": across})


def test_long_groups_are_kept_whole(lines):
    recoder = GustafsonKesselRecoder(
        n_sets=2, coding="joint", scale=None, k=12, n_init=4, random_state=0
    )
    found = recoder.fit_transform(lines)["across"]
    assert found.iloc[:12].nunique() == found.iloc[12:].nunique() == 1
    assert found.nunique() == 2


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), n_sets=st.integers(2, 4))
def test_one_column_is_fuzzy_c_means(seed, n_sets):
    values = np.random.default_rng(seed).normal(size=(30, 1))
    params = {"n_sets": n_sets, "k": 1, "keep_memberships": True, "random_state": seed}
    one = GustafsonKesselRecoder(**params).fit(values)
    other = FuzzyCMeansRecoder(**params).fit(values)
    assert one.degrees_ == pytest.approx(other.degrees_, abs=1e-9)


def test_norms_have_the_determinants_asked_for(lines):
    rho = [0.5, 2.0]
    recoder = GustafsonKesselRecoder(
        n_sets=2, coding="joint", rho=rho, k=1, keep_memberships=True, random_state=0
    ).fit(lines)
    (norms,) = recoder.norms_
    assert sorted(np.linalg.det(norms)) == pytest.approx(rho, rel=1e-6)


def test_degrees_follow_from_the_norms(lines):
    recoder = GustafsonKesselRecoder(
        n_sets=2, coding="joint", scale=None, k=1, keep_memberships=True, random_state=0
    ).fit(lines)
    centers = np.stack([recoder.centers_["along"], recoder.centers_["across"]], axis=1)
    away = lines.to_numpy()[:, None] - centers
    squares = np.einsum("nca,cab,ncb->nc", away, recoder.norms_[0], away) + 1e-10
    expected = (1 / squares) / (1 / squares).sum(axis=1, keepdims=True)
    assert recoder.degrees_ == pytest.approx(expected, abs=1e-8)


def test_a_constant_column_is_left_out(lines):
    params = {"n_sets": 2, "coding": "joint", "k": 2, "random_state": 0, "n_init": 2}
    alone = GustafsonKesselRecoder(**params).fit_transform(lines)
    beside = GustafsonKesselRecoder(**params).fit_transform(lines.assign(same=3))
    assert beside["same"].nunique() == 2
    assert pd.crosstab(alone["along"], beside["along"]).ne(0).sum().tolist() == [1, 1]


def test_columns_on_a_line_are_no_trouble():
    x = np.linspace(0, 1, 20)
    table = pd.DataFrame({"x": x, "y": 2 * x, "z": -x})
    recoder = GustafsonKesselRecoder(n_sets=2, coding="joint", k=1, random_state=0)
    assert recoder.fit_transform(table)["x"].nunique() == 2


@pytest.mark.parametrize("rho", [0, -1, "big", [[1.0]], [1, np.nan]])
def test_volumes_are_positive_numbers(rho):
    with pytest.raises(ParameterError, match="rho must be a number above 0"):
        GustafsonKesselRecoder(rho=rho).fit([[1], [2]])


def test_volumes_need_a_number_of_sets(lines):
    with pytest.raises(ParameterError, match=r"rho has 3 numbers for n_sets=2"):
        GustafsonKesselRecoder(rho=[1, 1, 1], n_sets=2, k=1).fit(lines)


@pytest.mark.parametrize("place", [0, 11, 22, 37, 54])
def test_census(census, recomputed, start, place):
    row = recomputed("gustafson_kessel", "joint")[place]
    recoder = GustafsonKesselRecoder(
        [row.attr_i, row.attr_j],
        n_sets=3,
        coding="joint",
        init=start,
        k=1,
        keep_memberships=True,
    )
    published = recoder.fit_transform(census)
    classes = Classes.from_frame(published, recoder.quasi_identifiers)
    assert classes.sizes.min() == row.k
    assert measure_risk(classes).count == row.measure_risk
    rows = Memberships(recoder.degrees_)
    assert QAnonymity(1, "mean").level(rows) == row.Q_mean
    assert QAnonymity(1).level(rows) == row.Q_min
    assert recoder.n_iter_ == int(row.iterations)

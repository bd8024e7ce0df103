"""Numbers at the ends of their types, badly conditioned norms, large tables."""

import numpy as np
import pandas as pd
import pytest

from anon_transformers._data.columns import encode
from anon_transformers._kernels.fuzzy_clusters import gustafson_kessel
from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.fuzzy import (
    FuzzyCMeansRecoder,
    GlobalRecoder,
    GustafsonKesselRecoder,
    KMeansRecoder,
    _cluster_recoder,
)
from anon_transformers.fuzzy._centers import thinned
from anon_transformers.fuzzy._rules import CenterRule
from anon_transformers.fuzzy._scaling import FARTHEST, ScaledAxis

WHOLE, POSITIVE = np.iinfo(np.int64), np.iinfo(np.uint64)
CLUSTERS = [KMeansRecoder, FuzzyCMeansRecoder, GustafsonKesselRecoder]


@pytest.mark.parametrize(
    ("ends", "dtype"),
    [
        ((WHOLE.min, WHOLE.max), np.int64),
        ((0, WHOLE.max), np.int64),
        ((WHOLE.min, 0), np.int64),
        ((0, POSITIVE.max), np.uint64),
    ],
    ids=["all", "above", "below", "unsigned"],
)
def test_the_ends_of_whole_numbers_come_back(ends, dtype):
    axis = ScaledAxis.of(encode(pd.Series(ends, dtype=dtype)), "range")
    back = axis.back(np.array([0.0, 0.5, 1.0]))
    assert back.dtype == dtype
    assert [int(back[0]), int(back[2])] == list(ends)
    assert abs(int(back[1]) - sum(ends) // 2) <= 2**11


@pytest.mark.parametrize("scale", ["range", "standard", None])
@pytest.mark.parametrize("cls", CLUSTERS)
def test_the_ends_of_whole_numbers_can_be_recoded(cls, scale):
    table = pd.DataFrame({"x": [WHOLE.min] * 3 + [WHOLE.max] * 3})
    published = cls(k=3, n_sets=2, scale=scale, random_state=0).fit_transform(table)
    assert published["x"].nunique() == 2
    assert published["x"].iloc[:3].nunique() == 1


@pytest.mark.parametrize("scale", ["range", "standard"])
@pytest.mark.parametrize("cls", CLUSTERS)
def test_tiny_numbers(cls, scale):
    table = pd.DataFrame({"x": [0.0, 1, 2, 100, 101, 102]})
    params = {"k": 3, "n_sets": 2, "scale": scale, "random_state": 0}
    labels = cls(**params).fit_transform(table)["x"].factorize()[0]
    tiny = cls(**params).fit_transform(table * 1e-300)["x"]
    assert tiny.factorize()[0].tolist() == labels.tolist()
    with pytest.raises(DataError, match=r"'x' holds numbers that differ by less than"):
        cls(**params).fit(table * 1e-320)


def test_rows_far_beyond_a_small_range_have_a_place():
    axis = ScaledAxis.of(encode(pd.Series([0.0, 1e-300])), "range")
    assert axis.place_values(np.array([1e300, -1e300])).tolist() == [
        FARTHEST,
        -FARTHEST,
    ]
    table = pd.DataFrame({"x": [0.0, 1e-300] * 3})
    fitted = FuzzyCMeansRecoder(k=3, n_sets=2, random_state=0).fit(table)
    assert (
        fitted.transform(pd.DataFrame({"x": [1e300]}))["x"].isin(["Low", "High"]).all()
    )


@pytest.mark.parametrize("narrow", [1e-3, 1e-6, 1e-8])
def test_learnt_degrees_are_those_of_the_rule(narrow):
    rng = np.random.default_rng(5)
    along = rng.random(200)
    points = np.stack([along, along + narrow * rng.normal(size=200)], axis=1)
    found = gustafson_kessel(points, points[[3, 90]], max_iter=200)
    assert np.linalg.cond(found.norms).max() > 1 / narrow
    axes = tuple(
        ScaledAxis.of(encode(pd.Series(column)), None) for column in points.T.tolist()
    )
    columns = [encode(pd.Series(column)) for column in points.T.tolist()]
    rule = CenterRule(
        ("a", "b"), axes, (0, 1), found.centers, found.norms, found.factors, 2.0
    )
    assert rule.degrees(columns) == pytest.approx(found.degrees, abs=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_recoding_a_narrow_table_again_gives_the_same():
    rng = np.random.default_rng(5)
    along = rng.random(300)
    table = pd.DataFrame({"x": along, "y": along + 1e-8 * rng.normal(size=300)})
    recoder = GustafsonKesselRecoder(n_sets=3, coding="joint", k=1, random_state=0)
    published = recoder.fit_transform(table)
    assert recoder.transform(table).equals(published)
    some = published.iloc[::7].reset_index(drop=True)
    assert recoder.transform(table.iloc[::7]).equals(some)


def test_thinned_points_do_not_follow_the_order_of_rows():
    points = np.random.default_rng(1).random((1000, 2)).round(2)

    def some(points):
        return thinned(points, 100, np.random.default_rng(0))

    assert some(points).shape == (100, 2)
    assert np.array_equal(some(points), some(points[::-1]))
    parts = np.sort(points[:, 0]).reshape(100, 10)
    one = some(points[:, :1]).ravel()
    assert ((parts.min(axis=1) <= one) & (one <= parts.max(axis=1))).all()


def test_thinned_points_do_not_miss_every_other_one():
    pairs = np.repeat(np.random.default_rng(0).random(1024), 2)
    points = np.c_[pairs, np.tile([0.0, 1.0], 1024)]
    some = thinned(points, 1024, np.random.default_rng(1))
    assert 0.4 < some[:, 1].mean() < 0.6


GAIN = np.r_[np.zeros(2990), np.ones(5), np.full(5, 2.0)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cls", [FuzzyCMeansRecoder, GustafsonKesselRecoder])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rare_values_of_a_large_table_keep_their_sets(cls, seed, monkeypatch):
    monkeypatch.setattr(_cluster_recoder, "FEW_POINTS", 50)
    table = pd.DataFrame({"gain": np.minimum(GAIN, 1)})
    two = cls(k=5, n_sets=2, random_state=seed).fit_transform(table)["gain"]
    assert two.value_counts().to_dict() == {"Low": 2990, "High": 10}
    searched = cls(k=5, random_state=seed).fit_transform(pd.DataFrame({"gain": GAIN}))
    counts = searched["gain"].value_counts().to_dict()
    assert counts == {"Low": 2990, "Medium": 5, "High": 5}


@pytest.mark.parametrize("coding", ["independent", "joint"])
def test_a_column_that_some_points_cannot_show_is_used(coding, monkeypatch):
    age = np.random.default_rng(0).integers(18, 90, len(GAIN))
    table = pd.DataFrame({"gain": np.minimum(GAIN, 1), "age": age})
    n_sets = {"gain": 2, "age": 3} if coding == "independent" else 4
    params = {"k": 1, "n_sets": n_sets, "coding": coding, "random_state": 0}

    def published():
        return FuzzyCMeansRecoder(keep_memberships=True, **params).fit(table).degrees_

    expected = published()
    monkeypatch.setattr(_cluster_recoder, "FEW_POINTS", 8)
    assert published() == pytest.approx(expected, abs=1e-2)


@pytest.mark.parametrize(
    ("points", "n_sets"),
    [(GAIN[:, None], 4), (np.c_[np.zeros(3000), np.arange(3000.0)], 2)],
    ids=["few different points", "constant column"],
)
def test_some_points_may_be_too_few(points, n_sets, monkeypatch):
    monkeypatch.setattr(_cluster_recoder, "FEW_POINTS", 50)
    starts = [np.linspace(points.min(axis=0), points.max(axis=0), n_sets)]
    recoder = FuzzyCMeansRecoder()
    monkeypatch.setattr(type(recoder), "_best_of", None)  # nothing may be clustered
    assert recoder._nearer(points, starts, np.random.default_rng(0)) is starts


def test_centers_at_one_place_are_no_start(monkeypatch):
    # Some points may show three values, and yet too few of each to part three sets.
    monkeypatch.setattr(_cluster_recoder, "FEW_POINTS", 20)
    table = pd.DataFrame({"x": GAIN})
    recoder = FuzzyCMeansRecoder(n_sets=3, k=1, random_state=0)
    points = table.to_numpy()
    start = [np.array([[0.0], [1.0], [2.0]])]
    one_place = recoder._cluster(points, np.zeros((3, 1)))
    monkeypatch.setattr(_cluster_recoder, "are_enough", lambda points, n_sets: True)
    monkeypatch.setattr(type(recoder), "_best_of", lambda *_: one_place)
    assert recoder._nearer(points, start, np.random.default_rng(0)) is start


def test_a_given_start_is_where_clusters_start(monkeypatch):
    table = pd.DataFrame({"x": np.random.default_rng(3).random(400)})
    recoder = FuzzyCMeansRecoder(
        n_sets=3, init=[0.1, 0.2, 0.9], k=1, keep_memberships=True
    )
    n_iter, degrees = recoder.fit(table).n_iter_, recoder.degrees_
    monkeypatch.setattr(_cluster_recoder, "FEW_POINTS", 40)
    assert recoder.fit(table).n_iter_ == n_iter
    assert np.array_equal(recoder.degrees_, degrees)


def test_so_fuzzy_that_no_weight_is_left():
    table = pd.DataFrame({"x": np.random.default_rng(0).random(60)})
    with pytest.raises(ParameterError, match=r"m=700 is too large for 3 sets"):
        FuzzyCMeansRecoder(k=5, n_sets=3, m=700, random_state=0).fit(table)
    table["y"] = table["x"] ** 2
    searched = FuzzyCMeansRecoder(k=5, m=700, random_state=0).fit(table)
    assert max(searched.report_.details["n_sets"].values()) == 2
    assert {t["n_sets"]["x"] for t in searched.tried_ if t["loss"] is None} >= {3, 4}


def test_a_bad_start_is_told_without_its_cells():
    table = pd.DataFrame({"x": [1.0, 2, 3, 4]})
    for init in ([[31337.0, None]], np.full((2, 1), np.inf), "31337"):
        with pytest.raises(ParameterError, match=r"got (list|ndarray|str)") as error:
            FuzzyCMeansRecoder(k=2, n_sets=2, init=init).fit(table)
        assert "31337" not in str(error.value)


@pytest.mark.parametrize("coding", ["independent", "joint"])
def test_a_nearer_start_leads_to_the_same_sets(coding, monkeypatch):
    rng = np.random.default_rng(2)
    places = rng.normal(size=(3000, 2)) * 0.3 + rng.integers(0, 3, (3000, 1)) * 4
    table = pd.DataFrame(places, columns=["x", "y"])
    params = {"k": 1, "n_sets": 3, "coding": coding, "keep_memberships": True}

    def fitted():
        return FuzzyCMeansRecoder(random_state=0, tol=1e-7, **params).fit(table)

    far = fitted()
    monkeypatch.setattr(_cluster_recoder, "FEW_POINTS", 300)
    near = fitted()
    assert near.degrees_ == pytest.approx(far.degrees_, abs=1e-4)
    assert near.n_iter_ < far.n_iter_


def test_sets_that_empty_are_left_out():
    # So near to crisp that a set between two groups gets a weight of exactly 0.
    table = pd.DataFrame({"x": [0.0] * 5 + [1.0] * 5 + [0.001, 0.999]})
    params = {"n_sets": 3, "m": 1.001, "k": 5, "init": [0.0, 0.5, 1.0]}
    recoder = FuzzyCMeansRecoder(**params)
    assert recoder.fit_transform(table)["x"].unique().tolist() == ["Low", "High"]
    assert recoder.report_.details["n_sets"] == {"x": 2}
    with pytest.raises(DataError, match="3 sets are named, and 1 of them got no row"):
        FuzzyCMeansRecoder(labels=["a", "b", "c"], **params).fit(table)


def test_any_whole_number_goes_with_a_start():
    table = pd.DataFrame({"x": [0.0, 1, 9, 10]})
    recoder = FuzzyCMeansRecoder(n_sets=np.int64(2), init=[0.1, 0.9], k=2)
    assert recoder.fit_transform(table)["x"].tolist() == ["Low", "Low", "High", "High"]


def test_break_points_are_told_without_digits_of_computing():
    table = pd.DataFrame({"x": [0.1, 0.2, 0.4, 0.5] * 3})
    labels = GlobalRecoder(n_sets=2, k=2).fit_transform(table)["x"].unique().tolist()
    assert labels == ["[0.1, 0.3]", "(0.3, 0.5]"]
    noisy = 0.1 + 0.2
    exact = pd.DataFrame({"x": [0.1, 0.2, noisy, 0.4, 0.5] * 3})
    found = GlobalRecoder(n_sets=2, k=2).fit_transform(exact)
    assert found["x"].iloc[2] == f"[0.1, {noisy!r}]"

"""Fuzzy c-means: labels, degrees, starts, Census."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers.evidence import Classes, Memberships
from anon_transformers.exceptions import ParameterError
from anon_transformers.fuzzy import FuzzyCMeansRecoder
from anon_transformers.metrics import measure_risk
from anon_transformers.privacy import FuzzyLDiversity, QAnonymity

PAIRS = [0, 7, 19, 33, 41, 54]


def kept_degrees(table, **params):
    recoder = FuzzyCMeansRecoder(k=1, keep_memberships=True, random_state=0, **params)
    published = recoder.fit_transform(table)
    return recoder, published


def degrees_by_definition(points, centers, m):
    """One over the sum of ratios of distances, row by row."""
    degrees = np.empty((len(points), len(centers)))
    for row, point in enumerate(points):
        away = [((point - center) ** 2).sum() + 1e-10 for center in centers]
        for at, own in enumerate(away):
            degrees[row, at] = 1 / sum((own / d) ** (1 / (m - 1)) for d in away)
    return degrees


@settings(max_examples=20)
@given(
    seed=st.integers(0, 1000), n_sets=st.integers(2, 4), m=st.sampled_from([1.5, 2, 3])
)
def test_degrees_are_those_of_the_centers(seed, n_sets, m):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(30, 2)), columns=["x", "y"])
    recoder, published = kept_degrees(
        table, n_sets=n_sets, m=m, coding="joint", scale=None, n_init=2
    )
    centers = np.stack([recoder.centers_["x"], recoder.centers_["y"]], axis=1)
    expected = degrees_by_definition(table.to_numpy(), centers, m)
    assert recoder.degrees_ == pytest.approx(expected, abs=1e-9)
    names = np.array([name for name, _ in recoder.class_names_])
    assert published["x"].tolist() == names[expected.argmax(axis=1)].tolist()


@settings(max_examples=20)
@given(seed=st.integers(0, 1000))
def test_independent_degrees_are_products(seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(30, 2)), columns=["x", "y"])
    n_sets = {"x": 2, "y": 3}
    both, published = kept_degrees(table, n_sets=n_sets)
    assert both.degrees_.shape == (30, 6)
    assert both.degrees_.sum(axis=1) == pytest.approx(np.ones(30))
    assert both.class_names_[1] == ("Low", "Medium")
    # Properties 16 and 7.5: the label of a row is the argmax of the product.
    found = [both.class_names_[at] for at in both.degrees_.argmax(axis=1)]
    assert found == list(published.itertuples(index=False, name=None))
    of_x = both.degrees_.reshape(30, 2, 3).sum(axis=2)
    alone, _ = kept_degrees(table[["x"]], n_sets=2)
    assert of_x == pytest.approx(alone.degrees_, abs=1e-12)


def test_words_follow_the_order_of_the_centers():
    ages = [20, 21, 22, 50, 51, 52, 80, 81, 82]
    table = pd.DataFrame({"age": ages})
    recoder = FuzzyCMeansRecoder(n_sets=3, k=3, n_init=3, random_state=0)
    found = recoder.fit_transform(table)["age"]
    assert found.tolist() == ["Low"] * 3 + ["Medium"] * 3 + ["High"] * 3


@pytest.mark.parametrize("factor", [0.001, 7.0])
def test_units_make_no_difference(factor):
    rng = np.random.default_rng(4)
    table = pd.DataFrame(rng.normal(size=(40, 2)), columns=["x", "y"])
    one, _ = kept_degrees(table, n_sets=3, coding="joint")
    other, _ = kept_degrees(table * factor + 5, n_sets=3, coding="joint")
    assert one.degrees_ == pytest.approx(other.degrees_, abs=1e-6)


def test_centers_are_told_in_the_unit_of_the_column():
    days = pd.to_datetime(["2020-01-01", "2020-01-03", "2020-03-01", "2020-03-03"])
    recoder, _ = kept_degrees(pd.DataFrame({"day": days, "x": [1, 1, 9, 9]}), n_sets=2)
    low, high = pd.to_datetime(recoder.centers_["day"])
    assert pd.Timestamp("2020-01-01") <= low <= pd.Timestamp("2020-01-03")
    assert pd.Timestamp("2020-03-01") <= high <= pd.Timestamp("2020-03-03")
    assert recoder.centers_["x"] == pytest.approx([1, 9], abs=0.01)


def test_other_rows_get_the_set_of_their_largest_degree():
    table = pd.DataFrame({"x": [0.0, 1, 2, 10, 11, 12]})
    fitted = FuzzyCMeansRecoder(n_sets=2, k=3, random_state=0).fit(table)
    other = pd.DataFrame({"x": [-9.0, 5.9, 6.1, 99.0, None]})
    assert fitted.transform(other)["x"].tolist() == ["Low", "Low", "High", "High", "*"]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"m": 1}, "m must be a number above 1, got 1"),
        ({"tol": -1}, "tol"),
        ({"max_iter": 0}, "max_iter"),
        ({"n_init": 0}, "n_init"),
        ({"scale": "log"}, "scale: unknown option 'log'"),
        ({"coding": "both"}, "coding: unknown option 'both'"),
        ({"init": [0.1, 0.9]}, "init has 2 rows, one per set, for n_sets=None"),
        ({"init": "spread", "n_sets": 2}, "init must be an array of numbers"),
        ({"init": [[0.1, 0.2, 0.3]] * 2, "n_sets": 2}, "init has 3 columns for 1"),
        ({"n_sets": {"x": 2}, "coding": "joint"}, "takes no dict of columns"),
        ({"labels": {"x": ["a", "b"]}, "coding": "joint"}, "takes no dict of columns"),
    ],
)
def test_bad_parameters(params, message):
    table = pd.DataFrame({"x": [1, 2, 3, 4], "y": [1, 2, 2, 1]})
    with pytest.raises(ParameterError, match=message):
        FuzzyCMeansRecoder(k=1, **params).fit(table)


@pytest.mark.parametrize("place", PAIRS)
def test_census_independent(census, recomputed, start, place):
    row = recomputed("fuzzy")[place]
    check_census(census, row, init=start[:, 0])


@pytest.mark.parametrize("place", PAIRS)
def test_census_joint(census, recomputed, start, place):
    row = recomputed("fuzzy_cmeans", "joint")[place]
    recoder = check_census(census, row, init=start, coding="joint")
    assert recoder.n_iter_ == row.iterations


def check_census(census, row, **params):
    recoder = FuzzyCMeansRecoder(
        [row.attr_i, row.attr_j], n_sets=3, k=1, keep_memberships=True, **params
    )
    published = recoder.fit_transform(census)
    classes = Classes.from_frame(published, recoder.quasi_identifiers)
    assert classes.n_classes == row.n_nonempty_classes
    assert classes.sizes.min() == row.k
    assert measure_risk(classes).count == row.measure_risk
    rows = Memberships.from_frame(recoder.degrees_, census, ["PEARNVAL"])
    assert (rows.degrees < 0.5).all(axis=1).sum() == row.n_rows_without_mu_ge_half
    assert QAnonymity(1, "mean", empty="keep").level(rows) == row.Q_mean
    assert QAnonymity(1, empty="keep").level(rows) == row.Q_min
    if row.Q_min > 0:
        assert FuzzyLDiversity(1).level(rows) == row.l_S10
    return recoder

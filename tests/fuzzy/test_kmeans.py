"""k-means: intervals and cells, against the definition, and Census."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anon_transformers.exceptions import ParameterError
from anon_transformers.fuzzy import KMeansRecoder, _kmeans


def squares(values, groups):
    """Sum of squared distances from the means, by the definition."""
    return sum(((values[groups == g] - values[groups == g].mean()) ** 2).sum()
               for g in np.unique(groups))  # fmt: skip


def best_squares(values, n_sets):
    """Least sum of squares over all ways to cut a sorted column."""
    values = np.sort(values)
    places = range(1, len(values))
    return min(
        squares(values, np.searchsorted(cuts, np.arange(len(values)), "right"))
        for cuts in itertools.combinations(places, n_sets - 1)
    )


def test_one_column_is_published_in_intervals():
    table = pd.DataFrame({"age": [20, 22, 23, 40, 44, 71, 75]})
    recoder = KMeansRecoder(n_sets=3, k=2, random_state=0)
    found = recoder.fit_transform(table)["age"]
    assert found.unique().tolist() == ["[20, 30]", "(30, 60]", "(60, 75]"]


@settings(max_examples=20)
@given(
    values=st.lists(st.integers(0, 60), min_size=4, max_size=9, unique=True),
    n_sets=st.integers(2, 3),
)
@example(values=[50, 52, 53, 54], n_sets=2)
@example(values=[50, 52, 53, 54], n_sets=3)
def test_one_column_is_cut_as_well_as_can_be(values, n_sets):
    table = pd.DataFrame({"x": values})
    recoder = KMeansRecoder(n_sets=n_sets, k=1, n_init=8, random_state=0)
    found = pd.factorize(recoder.fit_transform(table)["x"])[0]
    reached = squares(np.array(values, dtype=float), found)
    assert reached <= best_squares(np.array(values, dtype=float), n_sets) * 1.25 + 1e-9


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), n_sets=st.integers(2, 5))
def test_joint_rows_belong_to_the_nearest_mean(seed, n_sets):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(40, 2)), columns=["x", "y"])
    recoder = KMeansRecoder(
        n_sets=n_sets, coding="joint", scale=None, k=1, n_init=1, random_state=seed
    )
    published = recoder.fit_transform(table)
    assert published["x"].equals(published["y"])
    points, labels = table.to_numpy(), published["x"]
    means = {name: points[labels == name].mean(axis=0) for name in set(labels)}
    for point, label in zip(points, labels, strict=True):
        away = {name: ((point - mean) ** 2).sum() for name, mean in means.items()}
        assert away[label] <= min(away.values()) + 1e-9


def test_joint_sets_are_numbered_by_the_first_column():
    table = pd.DataFrame({"x": [9.0, 9, 1, 1, 5, 5], "y": [0.0, 0, 5, 5, 9, 9]})
    recoder = KMeansRecoder(n_sets=3, coding="joint", k=2, random_state=0)
    found = recoder.fit_transform(table)["x"]
    assert found.tolist() == [f"set {n}" for n in (3, 3, 1, 1, 2, 2)]


def test_scaling_decides_which_column_counts():
    table = pd.DataFrame({"x": [0, 0, 1, 1], "money": [0, 900, 0, 1000]})
    raw = KMeansRecoder(n_sets=2, coding="joint", scale=None, k=1, random_state=0)
    assert raw.fit_transform(table)["x"].nunique() == 2
    by_money = raw.fit_transform(table)["x"].tolist()
    assert by_money[0] == by_money[2] != by_money[1] == by_money[3]


def test_other_rows_belong_to_the_nearest_center():
    table = pd.DataFrame({"x": [0.0, 1, 9, 10], "y": [0.0, 0, 9, 9]})
    fitted = KMeansRecoder(n_sets=2, coding="joint", k=2, random_state=0).fit(table)
    other = pd.DataFrame({"x": [-5.0, 4, 6], "y": [0.0, 4, 6]})
    assert fitted.transform(other)["y"].tolist() == ["set 1", "set 1", "set 2"]


def test_names_instead_of_intervals_cover_everything():
    table = pd.DataFrame({"x": [0.0, 1, 9, 10]})
    named = KMeansRecoder(k=2, labels=["few", "many"], random_state=0).fit(table)
    other = pd.DataFrame({"x": [-100.0, 100.0]})
    assert named.transform(other)["x"].tolist() == ["few", "many"]
    plain = KMeansRecoder(k=2, n_sets=2, random_state=0).fit(table)
    assert plain.transform(other)["x"].tolist() == ["*", "*"]


def test_the_same_seed_gives_the_same_sets_whatever_is_tried_beside():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 2)), columns=["x", "y"])
    searched = KMeansRecoder(k=4, max_sets=4, n_init=1, random_state=3)
    published = searched.fit_transform(table)
    n_sets = searched.report_.details["n_sets"]
    fixed = KMeansRecoder(k=4, n_sets=n_sets, n_init=1, random_state=3)
    assert fixed.fit_transform(table).equals(published)


def test_starts_are_counted():
    with pytest.raises(ParameterError, match="n_init"):
        KMeansRecoder(n_init=0).fit([[1], [2]])


@pytest.mark.parametrize("scale", ["range", "standard", None])
def test_values_that_doubles_cannot_tell_apart_make_fewer_sets(scale):
    values = [0.0, 1e-320, 2e-320, 3e-320, 1.0, 1.0]
    table = pd.DataFrame({"x": values, "y": values})
    recoder = KMeansRecoder(n_sets=4, coding="joint", scale=scale, k=1, random_state=0)
    assert recoder.fit_transform(table)["x"].nunique() == 2


def test_a_mean_that_rounds_above_the_last_value_parts_the_last_two():
    table = pd.DataFrame({"x": np.repeat([0.0, 0.3, 0.1 + 0.2], [60, 30, 30])})
    done = KMeansRecoder(k=2, n_sets=3, random_state=0)
    out = done.fit_transform(table)["x"]
    assert out[0] != out[119]
    assert done.transform(table)["x"].tolist() == out.tolist()


@given(seed=st.integers(0, 99), coding=st.sampled_from(["independent", "joint"]))
def test_the_order_of_rows_changes_nothing(seed, coding):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.integers(0, 6, size=(40, 2)) / 3, columns=["x", "y"])
    order = rng.permutation(len(table))
    one, two = (
        KMeansRecoder(
            k=1, n_sets=3, n_init=2, coding=coding, random_state=seed
        ).fit_transform(rows)
        for rows in (table, table.iloc[order])
    )
    assert one.iloc[order].to_numpy().tolist() == two.to_numpy().tolist()


def test_census(census, recomputed):
    # Starts differ, so only pairs that one column of large numbers decides.
    rows = [row for row in recomputed("kmeans", "joint") if row.i == 1]
    assert len(rows) == 10
    for row in rows[::3]:
        recoder = KMeansRecoder(
            [row.attr_i, row.attr_j],
            n_sets=3,
            coding="joint",
            scale=None,
            k=1,
            random_state=0,
        )
        assert recoder.fit(census).report_.classes["smallest"] == row.k


@pytest.mark.parametrize(("small", "threads"), [(0, 2), (10**9, 1)])
def test_little_work_is_done_by_one_thread(monkeypatch, small, threads):
    """Many threads wait for each other on a busy machine."""
    used = []

    class Watched(_kmeans.KMeans):
        def fit(self, points):
            pools = _kmeans._threadpools().select(user_api="openmp").info()
            used.append({pool["num_threads"] for pool in pools})
            return super().fit(points)

    monkeypatch.setattr(_kmeans, "KMeans", Watched)
    monkeypatch.setattr(_kmeans, "SMALL", small)
    with _kmeans._threadpools().limit(limits=2, user_api="openmp"):
        KMeansRecoder(n_sets=2, k=1, n_init=3, random_state=0).fit([[1], [2], [9]])
    assert used == [{threads}] * 3

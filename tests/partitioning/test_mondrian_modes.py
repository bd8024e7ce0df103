"""Mondrian: ties, relaxed mode, boxes of cuts, hierarchies, threads."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers.datasets import load_adult
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import InfeasibleError
from anon_transformers.hierarchies import Hierarchy, Intervals
from anon_transformers.partitioning import MondrianAnonymizer

tables = st.tuples(st.integers(0, 10**6), st.integers(1, 80), st.sampled_from([0, 0.1]))
ks = st.sampled_from([1, 2, 3, 5, 10])
RELAXED = {"mode": "relaxed", "duplicates": "ignore"}
switches = st.fixed_dictionaries(
    {
        "mode": st.sampled_from(["strict", "relaxed"]),
        "tie_side": st.sampled_from(["left", "both"]),
        "on_failed_cut": st.sampled_from(["next_attribute", "stop"]),
        "duplicates": st.just("ignore"),
        "random_state": st.just(0),
    }
)


def mondrian(oracle, k, **options):
    given_options = {"sensitive": ["job"], "hierarchies": oracle.hierarchies, **options}
    return MondrianAnonymizer(oracle.known, k=k, **given_options)


class TestEveryConfiguration:
    @given(table=tables, k=ks, options=switches)
    def test_every_class_holds_k_rows_and_every_cell_lies_in_its_label(
        self, oracle, class_sizes_of, table, k, options
    ):
        people = oracle.people(*table)
        if len(people) < k:
            return
        done = mondrian(oracle, k, **options)
        out = done.fit_transform(people)
        assert min(class_sizes_of(out, oracle.known).values()) >= k
        assert done.n_suppressed_ == 0
        for name in oracle.known:
            for label, cell in zip(out[name], people[name], strict=True):
                assert oracle.covers(name, label, cell)
        assert out["note"].to_numpy().tobytes() == people["note"].to_numpy().tobytes()

    @settings(max_examples=20)
    @given(table=tables, k=ks, options=switches)
    def test_threads_change_nothing(self, oracle, table, k, options):
        people = oracle.people(*table)
        if len(people) < k:
            return
        one = mondrian(oracle, k, **options).fit_transform(people)
        other = mondrian(oracle, k, n_jobs=2, **options).fit_transform(people)
        pd.testing.assert_frame_equal(one, other)

    @given(table=tables, k=ks, options=switches, n_jobs=st.integers(1, 4))
    def test_models_and_persons(
        self, oracle, distinct_values, table, k, options, n_jobs
    ):
        people = oracle.people(*table)
        who = np.random.default_rng(table[0]).integers(0, 30, len(people))
        people = people.assign(who=who.astype(str))
        models = [distinct_values(n_jobs)]
        done = mondrian(oracle, k, subject="who", models=models, **options)
        if people["who"].nunique() < k or people["job"].nunique() < n_jobs:
            with pytest.raises(InfeasibleError):
                done.fit(people)
            return
        out = done.fit_transform(people)
        grouped = out.assign(who=people["who"]).groupby(
            oracle.known, dropna=False, observed=True
        )
        assert grouped["who"].nunique().min() >= k
        assert grouped["job"].nunique().min() >= n_jobs


class TestTies:
    @pytest.mark.parametrize(
        ("options", "published"),
        [
            pytest.param({}, ["1"] * 2 + ["2"] * 4, id="default"),
            pytest.param({"tie_side": "left"}, ["[1, 2]"] * 6, id="left"),
        ],
    )
    def test_a_frequent_value_is_cut_off_from_below(self, options, published):
        table = pd.DataFrame({"x": [1, 1, 2, 2, 2, 2]})
        done = MondrianAnonymizer(k=2, **options)
        assert done.fit_transform(table)["x"].tolist() == published

    @pytest.mark.parametrize(
        ("options", "loss"), [({}, 0.0124), ({"tie_side": "left"}, 0.4144)]
    )
    def test_what_the_rule_costs_on_adult(self, options, loss):
        columns = ["age", "education", "marital-status", "race", "sex"]
        done = MondrianAnonymizer(columns, k=5, **options).fit(load_adult()[columns])
        losses = list(done.report_.column_losses.values())
        assert np.mean(losses) == pytest.approx(loss, abs=5e-5)


class TestRelaxed:
    numbers = st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=60
    )

    def boxes(self, rows, k):
        """Sizes of the partitions, counted by the boxes and not by their labels."""
        done = MondrianAnonymizer(k=k, **RELAXED).fit(pd.DataFrame(rows))
        return done.report_.details["boxes"]

    @given(rows=numbers, k=ks)
    def test_the_number_of_boxes_depends_on_rows_and_k_only(self, rows, k):
        def count(n):
            return 1 if n < 2 * k else count(n // 2) + count(n - n // 2)

        if len(rows) >= k:
            assert self.boxes(rows, k) == count(len(rows))

    @given(rows=numbers, k=ks, seed=st.integers(0, 99))
    def test_in_another_order_there_are_as_many(self, rows, k, seed):
        if len(rows) >= k:
            order = np.random.default_rng(seed).permutation(len(rows))
            assert self.boxes(rows, k) == self.boxes([rows[i] for i in order], k)

    @given(rows=numbers, k=ks)
    def test_duplicates_keep_the_guarantee(self, class_sizes_of, rows, k):
        table = pd.DataFrame(rows * 3)
        if len(table) >= k:
            out = MondrianAnonymizer(k=k, **RELAXED).fit_transform(table)
            assert min(class_sizes_of(out, [0, 1]).values()) >= k

    def test_distinct_numbers_make_classes_of_k_to_2k_less_1(self, class_sizes_of):
        for n_rows in range(3, 60):
            table = pd.DataFrame({"x": range(n_rows)})
            out = MondrianAnonymizer(k=3, mode="relaxed").fit_transform(table)
            sizes = class_sizes_of(out, ["x"]).values()
            assert min(sizes) >= 3
            assert max(sizes) <= 5

    def test_equal_rows_may_be_published_differently(self):
        table = pd.DataFrame({"x": [1, 2, 2, 2, 2, 3]})
        out = MondrianAnonymizer(k=3, **RELAXED).fit_transform(table)["x"]
        assert (out[0], out[5]) == ("[1, 2]", "[2, 3]")
        assert sorted(out) == ["[1, 2]"] * 3 + ["[2, 3]"] * 3

    def test_it_is_bound_to_its_rows(self):
        relaxed = MondrianAnonymizer(k=2, mode="relaxed")
        assert not hasattr(relaxed, "transform")
        assert hasattr(MondrianAnonymizer(k=2), "transform")
        relaxed.fit(pd.DataFrame({"x": [1, 2, 3, 4]}))
        with pytest.raises(AttributeError, match="transform"):
            relaxed.transform(pd.DataFrame({"x": [1]}))
        assert not hasattr(relaxed, "tree_")

    def test_a_second_fit_in_another_mode_leaves_nothing_behind(self):
        done = MondrianAnonymizer(k=2).fit(pd.DataFrame({"x": [1, 2, 3, 4]}))
        done.set_params(mode="relaxed").fit(pd.DataFrame({"x": [1, 2, 3, 4]}))
        assert not hasattr(done, "tree_")

    def test_with_output_set_frames_keep_their_index(self):
        done = MondrianAnonymizer(k=2, mode="relaxed").set_output(transform="pandas")
        out = done.fit_transform(pd.DataFrame({"x": [1, 2]}, index=["p", "q"]))
        assert out.index.tolist() == ["p", "q"]

    def test_a_root_that_fails_is_infeasible(self, distinct_values):
        table = pd.DataFrame({"x": range(8), "job": ["a"] * 8})
        for mode in ("strict", "relaxed"):
            with pytest.raises(InfeasibleError, match="distinct-values"):
                MondrianAnonymizer(
                    ["x"],
                    k=2,
                    mode=mode,
                    sensitive=["job"],
                    models=[distinct_values(2)],
                ).fit(table)


def covered(label, number):
    """Whether a label of boxes='cuts' says that it holds a number."""
    if pd.isna(label):
        return False
    label = label.removesuffix(" or missing")
    if label == "any":
        return True
    if label.startswith("< "):
        return number < float(label[2:])
    if label.startswith(">= "):
        return number >= float(label[3:])
    low, high = re.fullmatch(r"\[(.+), (.+)\)", label).groups()
    return float(low) <= number < float(high)


class TestCuts:
    cells = st.one_of(
        st.lists(kind, min_size=2, max_size=40)
        for kind in (
            st.integers(-50, 50),
            st.floats(-1e6, 1e6),
            st.floats(-1, 1).map(lambda x: round(x, 1)),
            st.integers(-50, 50) | st.none(),
            st.sampled_from([0.1, 0.1 + 2**-56, 0.30000000000000004, 0.3, 5e-324, 0.0]),
        )
    )

    @given(cells=cells, more=st.lists(st.floats(-2e6, 2e6), min_size=1), k=ks)
    def test_every_number_is_covered_by_what_it_is_published_as(self, cells, more, k):
        table = pd.DataFrame({"x": pd.Series(cells, dtype=float)})
        if len(table) < k:
            return
        done = MondrianAnonymizer(k=k, boxes="cuts")
        out = done.fit_transform(table)["x"]
        assert out.value_counts(dropna=False).min() >= k
        for label, cell in zip(out, table["x"], strict=True):
            if pd.isna(cell):
                assert pd.isna(label) or label.endswith(" or missing")
            else:
                assert covered(label, cell)
        if table["x"].isna().all():
            return
        labels = set(out.dropna())
        for number, label in zip(
            more, done.transform(pd.DataFrame({"x": more}))["x"], strict=True
        ):
            # Disjoint, and everything that there may be is covered.
            assert [found for found in labels if covered(found, number)] == [label]

    @given(cells=st.lists(st.integers(-50, 50), min_size=2, max_size=40), k=ks)
    def test_no_attained_value_is_shown(self, cells, k):
        if len(cells) < k:
            return
        table = pd.DataFrame({"x": cells})
        out = MondrianAnonymizer(k=k, boxes="cuts").fit_transform(table)["x"]
        shown = {float(n) for label in out for n in re.findall(r"-?[0-9.]+", label)}
        assert not shown & set(map(float, cells))

    @given(table=tables, k=ks)
    def test_classes_are_those_of_tight_boxes(self, oracle, table, k):
        people = oracle.people(*table)[["age", "pay", "sex", "born"]]
        if len(people) < k:
            return
        labels = [
            Classes.from_frame(
                MondrianAnonymizer(k=k, boxes=boxes).fit_transform(people),
                list(people.columns),
            ).labels.tolist()
            for boxes in ("tight", "cuts")
        ]
        assert labels[0] == labels[1]

    def labels(self, fitted, more, **options):
        done = MondrianAnonymizer(k=2, boxes="cuts", **options)
        done.fit(pd.DataFrame({"x": fitted}))
        return done.transform(pd.DataFrame({"x": more}))["x"].tolist()

    def test_unseen_numbers_go_where_the_bound_says(self):
        more = [-99, 22, 30, 30.9, 31, 40, 99]
        expected = ["< 31"] * 4 + [">= 31"] * 3
        assert self.labels([20, 22, 40, 44], more) == expected
        whole = [number for number in more if number != 30.9]
        assert self.labels([20, 22, 40, 44], whole) == ["< 31"] * 3 + [">= 31"] * 3

    def test_neighboring_whole_numbers_are_parted_by_a_half(self):
        assert self.labels([1, 1, 2, 2], [1, 1.4, 1.5, 2]) == (
            ["< 1.5"] * 2 + [">= 1.5"] * 2
        )

    def test_large_whole_numbers_lose_no_digit(self):
        big = 2**60
        found = self.labels([big, big + 1, big + 6, big + 7], [big + 3, big + 4])
        assert found == [f"< {big + 4}", f">= {big + 4}"]

    def test_dates_are_parted_at_midnight(self):
        days = pd.to_datetime(["2020-01-01", "2020-01-03", "2021-01-01", "2021-01-02"])
        more = pd.to_datetime(["1900-01-01", "2020-07-02", "2020-07-03", "2030-01-01"])
        assert self.labels(days, more) == ["< 2020-07-03"] * 2 + [">= 2020-07-03"] * 2

    def test_neighboring_days_are_parted_at_noon(self):
        days = pd.to_datetime(["2020-01-01"] * 2 + ["2020-01-02"] * 2)
        found = self.labels(days, days)
        assert found == ["< 2020-01-01T12:00:00"] * 2 + [">= 2020-01-01T12:00:00"] * 2

    def test_a_missing_value_needs_a_box_that_says_so(self):
        assert self.labels([1, 2, 3, 4], [np.nan, 1]) == ["*", "< 2.5"]
        assert self.labels([1, 2, 3, 4, None], [np.nan]) == [">= 3.5 or missing"]

    def test_one_box_holds_anything(self):
        assert self.labels([1, 2, 3], [77]) == ["any"]

    def test_centers_of_unseen_numbers(self):
        found = self.labels([20, 22, 40, 44], [-5, 31, 99], output="center")
        assert found == [21, 42, 42]

    def test_categories_that_were_not_seen_are_not_covered(self):
        assert self.labels(list("aabbccdd"), ["a", "bb"]) == ["a", "*"]


class TestHierarchies:
    def test_a_builder_is_built_from_the_column(self):
        table = pd.DataFrame({"age": [20, 21, 24, 25, 26, 29]})
        done = MondrianAnonymizer(k=3, hierarchies={"age": Intervals(widths=[5, 10])})
        out = done.fit_transform(table)["age"]
        assert out.tolist() == ["[20, 24]"] * 3 + ["[25, 29]"] * 3

    def test_groups_are_parted_before_they_are_cut(self):
        tree = Hierarchy.from_groups({"pets": ["cat", "dog"], "wild": ["elk", "fox"]})
        cells = ["cat"] * 2 + ["dog"] * 5 + ["elk"] * 2 + ["fox"]
        table = pd.DataFrame({"x": cells})
        out = MondrianAnonymizer(k=2, hierarchies={"x": tree}).fit_transform(table)["x"]
        assert out.tolist() == ["cat"] * 2 + ["dog"] * 5 + ["wild"] * 3

    @given(table=tables, k=ks)
    def test_by_cuts_leaves_that_were_not_seen_are_covered(self, oracle, table, k):
        people = oracle.people(*table)[["land"]]
        if len(people) < k or people["land"].isna().any():
            return
        done = MondrianAnonymizer(k=k, boxes="cuts", hierarchies=oracle.hierarchies)
        try:
            done.fit(people)
        except InfeasibleError as error:
            assert "nothing but the suppression label" in str(error)
            return
        leaves = list(oracle.hierarchies["land"].leaves)
        out = done.transform(pd.DataFrame({"land": leaves}))["land"]
        for label, leaf in zip(out, leaves, strict=True):
            assert oracle.covers("land", label, leaf)


@pytest.mark.parametrize("n_jobs", [0, -99999])
def test_a_number_of_threads_that_is_none(n_jobs):
    done = MondrianAnonymizer(k=2, n_jobs=n_jobs)
    if n_jobs == 0:
        with pytest.raises(ValueError, match="n_jobs"):
            done.fit([[1], [2]])
    else:
        assert done.fit([[1], [2]]).report_.rows == 2

"""Mondrian: worked examples, and what holds for every table."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import InfeasibleError
from anon_transformers.partitioning import MondrianAnonymizer
from anon_transformers.privacy import KAnonymity, judge

tables = st.tuples(st.integers(0, 10**6), st.integers(1, 80), st.sampled_from([0, 0.1]))
ks = st.sampled_from([1, 2, 3, 5, 10])


def mondrian(oracle, k, **options):
    given_options = {"sensitive": ["job"], "hierarchies": oracle.hierarchies, **options}
    return MondrianAnonymizer(oracle.known, k=k, **given_options)


class TestWorkedExamples:
    def test_the_table_of_the_specification(self):
        table = pd.DataFrame({"A0": [10] * 3 + [19] * 3, "A1": [10, 11, 21] * 2})
        for k in (2, 3):
            out = MondrianAnonymizer(k=k).fit_transform(table)
            assert out["A0"].tolist() == ["10"] * 3 + ["19"] * 3
            assert out["A1"].tolist() == ["[10, 21]"] * 6

    @pytest.mark.parametrize("k", [2, 3])
    def test_one_dimension(self, k):
        table = pd.DataFrame({"x": [9, 0, 2, 3, 4, 6]})
        out = MondrianAnonymizer(k=k).fit_transform(table)
        assert out["x"].tolist() == ["[4, 9]"] + ["[0, 3]"] * 3 + ["[4, 9]"] * 2

    def test_a_tree_of_eight_leaves(self):
        done = MondrianAnonymizer(k=4).fit(pd.DataFrame({"x": range(32)}))
        assert done.report_.classes["count"] == 8
        assert done.report_.classes["variance"] == 0
        assert done.report_.details == {"mode": "strict", "boxes": 8}

    def test_negative_numbers_are_read_one_way(self):
        out = MondrianAnonymizer(k=2).fit_transform(pd.DataFrame({"x": [-5, -1, 3, 4]}))
        assert out["x"].tolist() == ["[-5, -1]", "[-5, -1]", "[3, 4]", "[3, 4]"]

    def test_a_single_value_is_published_as_it_is(self):
        out = MondrianAnonymizer(k=2).fit_transform(pd.DataFrame({"x": [1, 1, 2, 2]}))
        assert out["x"].tolist() == ["1", "1", "2", "2"]

    def test_centers_are_means(self):
        out = MondrianAnonymizer(k=2, output="center").fit_transform(
            [[1, 10], [2, 20], [8, 5], [9, 6]]
        )
        assert out.tolist() == [[1.5, 15], [1.5, 15], [8.5, 5.5], [8.5, 5.5]]

    def test_centers_of_dates_are_dates_and_texts_stay_labels(self):
        table = pd.DataFrame(
            {
                "d": pd.to_datetime(["2020-01-01", "2020-01-03", None, None]),
                "c": list("abcd"),
            }
        )
        out = MondrianAnonymizer(k=2, output="center").fit_transform(table)
        assert out["d"].tolist()[:2] == [pd.Timestamp("2020-01-02")] * 2
        assert out["d"].isna().tolist() == [False, False, True, True]
        assert out["c"].tolist() == ["{a, b}"] * 2 + ["{c, d}"] * 2

    def test_values_of_a_hierarchy_meet_at_their_lowest_ancestor(self, oracle):
        table = pd.DataFrame({"land": ["at", "ch", "es", "pt", "at", "ch", "es", "fr"]})
        out = MondrianAnonymizer(k=4, hierarchies=oracle.hierarchies).fit_transform(
            table
        )
        assert out["land"].tolist() == [
            "alps", "alps", "*", "*", "alps", "alps", "*", "*"
        ]  # fmt: skip

    def test_missing_values_are_published_as_missing_or_said_to_be_possible(self):
        table = pd.DataFrame({"x": [1, 2, None, None, 3, 4]})
        apart = MondrianAnonymizer(k=2).fit_transform(table)["x"]
        assert apart.isna().tolist() == [False, False, True, True, False, False]
        joint = MondrianAnonymizer(k=3).fit_transform(table)["x"]
        assert joint.tolist() == ["[1, 3]"] * 2 + ["4 or missing"] * 2 + [
            "[1, 3]",
            "4 or missing",
        ]

    def test_k_of_one_cuts_as_far_as_medians_can(self):
        out = MondrianAnonymizer(k=1).fit_transform(pd.DataFrame({"x": [3, 1, 2]}))
        assert out["x"].tolist() == ["3", "1", "2"]


class TestEveryTable:
    @given(table=tables, k=ks)
    def test_every_class_holds_k_rows_and_every_cell_lies_in_its_label(
        self, oracle, class_sizes_of, table, k
    ):
        people = oracle.people(*table)
        if len(people) < k:
            return
        done = mondrian(oracle, k)
        out = done.fit_transform(people)
        assert min(class_sizes_of(out, oracle.known).values()) >= k
        assert not done.suppressed_mask_.any()
        for name in oracle.known:
            for label, cell in zip(out[name], people[name], strict=True):
                assert oracle.covers(name, label, cell)

    @given(table=tables, k=ks, output=st.sampled_from(["interval", "center"]))
    def test_fit_and_transform_is_fit_transform(self, oracle, table, k, output):
        people = oracle.people(*table)
        if len(people) < k:
            return
        one = mondrian(oracle, k, output=output).fit_transform(people)
        other = mondrian(oracle, k, output=output).fit(people).transform(people)
        pd.testing.assert_frame_equal(one, other)

    @given(table=tables, k=ks)
    def test_a_result_for_k_is_one_for_every_smaller_k(self, oracle, table, k):
        people = oracle.people(*table)
        if len(people) < k:
            return
        classes = Classes.from_frame(
            mondrian(oracle, k).fit_transform(people), oracle.known
        )
        assert all(judge(KAnonymity(less), classes).passed for less in range(1, k + 1))

    @given(
        cells=st.lists(st.integers(0, 20), min_size=12, max_size=60),
        k=st.integers(1, 5),
    )
    def test_in_one_dimension_a_larger_k_only_joins_classes(self, cells, k):
        # Of the source's rule: where ties may go high as well, cuts move with k.
        table = pd.DataFrame({"x": cells})
        fine = MondrianAnonymizer(k=k, tie_side="left").fit_transform(table)["x"]
        coarse = MondrianAnonymizer(k=k + 1, tie_side="left").fit_transform(table)["x"]
        assert (
            pd.DataFrame({"f": fine, "c": coarse}).groupby("f")["c"].nunique().max()
            == 1
        )

    @given(table=tables, k=ks, seed=st.integers(0, 99))
    def test_the_order_of_rows_does_not_matter(self, oracle, table, k, seed):
        people = oracle.people(*table)
        if len(people) < k:
            return
        order = np.random.default_rng(seed).permutation(len(people))
        one = mondrian(oracle, k).fit_transform(people)
        other = mondrian(oracle, k).fit_transform(people.iloc[order])
        pd.testing.assert_frame_equal(one.iloc[order].reset_index(drop=True), other)

    @given(table=tables, k=ks)
    def test_other_columns_are_untouched_and_so_is_the_input(self, oracle, table, k):
        people = oracle.people(*table)
        if len(people) < k:
            return
        before = people.copy(deep=True)
        out = mondrian(oracle, k).fit_transform(people)
        pd.testing.assert_frame_equal(people, before)
        assert out.columns.tolist() == people.columns.tolist()
        assert out["note"].to_numpy().tobytes() == people["note"].to_numpy().tobytes()
        pd.testing.assert_series_equal(out["job"], people["job"])

    @given(table=tables, k=ks)
    def test_ranges_are_tight(self, oracle, table, k):
        people = oracle.people(*table)
        if len(people) < k:
            return
        out = mondrian(oracle, k).fit_transform(people)
        classes = Classes.from_frame(out, oracle.known)
        for number in range(classes.n_classes):
            rows = classes.labels == number
            ages = people["age"][rows].dropna()
            label = out["age"][rows].iloc[0]
            if len(ages):
                low, high = int(ages.min()), int(ages.max())
                said = str(low) if low == high else f"[{low}, {high}]"
                assert label.removesuffix(" or missing") == said


class TestReport:
    @given(table=tables, k=ks)
    def test_classes_and_risk_are_those_of_the_published_table(
        self, oracle, class_sizes_of, table, k
    ):
        people = oracle.people(*table)
        if len(people) < k:
            return
        done = mondrian(oracle, k)
        sizes = list(class_sizes_of(done.fit_transform(people), oracle.known).values())
        report = done.report_
        assert report.classes["count"] == len(sizes)
        assert report.classes["smallest"] == min(sizes)
        assert report.classes["largest"] == max(sizes)
        assert report.classes["mean"] == pytest.approx(np.mean(sizes))
        assert report.classes["variance"] == pytest.approx(np.var(sizes))
        assert report.risk["average-risk"] == pytest.approx(len(sizes) / len(people))
        assert report.risk["highest-risk"] == pytest.approx(1 / min(sizes))
        assert report.models[0]["level"] == min(sizes)

    @settings(max_examples=25)
    @given(seed=st.integers(0, 10**6), n_rows=st.integers(40, 90), k=ks)
    def test_the_loss_is_the_share_of_the_domain(self, oracle, seed, n_rows, k):
        people = oracle.people(seed, n_rows)
        done = mondrian(oracle, k)
        out = done.fit_transform(people)
        expected = {
            name: np.mean([oracle.loss_share(name, x, people[name]) for x in out[name]])
            for name in oracle.known
        }
        assert done.report_.column_losses == pytest.approx(expected)
        joint = np.prod([1 + loss for loss in expected.values()]) ** (1 / 7) - 1
        assert done.report_.loss == pytest.approx(joint)

    @given(table=tables, k=ks)
    def test_losses_are_shares(self, oracle, table, k):
        people = oracle.people(*table)
        if len(people) >= k:
            report = mondrian(oracle, k).fit(people).report_
            assert all(0 <= loss <= 1 for loss in report.column_losses.values())

    def test_centers_cost_what_their_boxes_cost(self, oracle):
        people = oracle.people(1, 200, 0.1)
        one = mondrian(oracle, 5).fit(people).report_
        other = mondrian(oracle, 5, output="center").fit(people).report_
        assert one.column_losses == pytest.approx(other.column_losses)

    def test_boxes_with_one_mean_cost_what_they_cost_apart(self):
        # Both classes have the mean 5 in y, one from [5, 5] and one from [0, 10].
        table = pd.DataFrame({"x": [1, 1, 9, 9], "y": [5, 5, 0, 10]})
        done = MondrianAnonymizer(k=2, output="center").fit(table)
        assert done.report_.column_losses == {"x": 0, "y": 0.5}

    def test_small_integer_types_do_not_overflow(self):
        table = pd.DataFrame({"x": np.array([-100, -90, 90, 100], dtype=np.int8)})
        report = MondrianAnonymizer(k=2).fit(table).report_
        assert report.loss == pytest.approx(10 / 200)

    def test_equal_labels_are_one_class(self, class_sizes_of, oracle):
        # Leaves under one root: both halves of a cut may be published as the root.
        lands = ["at", "es", "fr"] * 2 + ["ch", "pt", "fr"] * 2
        table = pd.DataFrame({"land": lands, "one": "same"})
        done = MondrianAnonymizer(k=5, hierarchies=oracle.hierarchies)
        sizes = class_sizes_of(done.fit_transform(table), ["land", "one"])
        assert done.report_.classes["count"] == len(sizes)


class TestCenters:
    @given(table=tables, k=ks)
    def test_every_number_is_the_mean_of_its_class(self, oracle, table, k):
        people = oracle.people(*table)
        if len(people) < k:
            return
        boxes = Classes.from_frame(
            mondrian(oracle, k).fit_transform(people), oracle.known
        ).labels
        out = mondrian(oracle, k, output="center").fit_transform(people)
        for name in ("age", "pay"):
            expected = people[name].astype(float).groupby(boxes).transform("mean")
            np.testing.assert_allclose(out[name], expected, rtol=1e-12, atol=1e-9)
            grouped = people[name].astype(float).groupby(boxes)
            low, high = grouped.transform("min"), grouped.transform("max")
            assert ((out[name] >= low) & (out[name] <= high) | low.isna()).all()

    def test_a_mean_does_not_leave_its_box_by_rounding(self):
        table = pd.DataFrame({"x": [0.1] * 3 + [5.0] * 3})
        out = MondrianAnonymizer(k=3, output="center").fit_transform(table)
        assert out["x"].tolist() == [0.1] * 3 + [5.0] * 3


class TestModels:
    @given(table=tables, k=ks, n_jobs=st.integers(1, 4))
    def test_every_class_keeps_every_promise(
        self, oracle, distinct_values, table, k, n_jobs
    ):
        people = oracle.people(*table)
        done = mondrian(oracle, k, models=[distinct_values(n_jobs)])
        if len(people) < k or people["job"].nunique() < n_jobs:
            with pytest.raises(InfeasibleError):
                done.fit(people)
            return
        out = done.fit_transform(people)
        grouped = out.groupby(oracle.known, dropna=False, observed=True)["job"]
        assert grouped.nunique().min() >= n_jobs
        assert grouped.size().min() >= k
        assert [model["passed"] for model in done.report_.models] == [True, True]

    @settings(max_examples=30)
    @given(table=tables, k=ks, n_persons=st.integers(1, 30))
    def test_k_counts_persons(self, oracle, distinct_values, table, k, n_persons):
        people = oracle.people(*table)
        who = np.random.default_rng(table[0]).integers(0, n_persons, len(people))
        people = people.assign(who=who.astype(str))
        done = mondrian(oracle, k, subject="who", models=[distinct_values(2)])
        if people["who"].nunique() < k or people["job"].nunique() < 2:
            with pytest.raises(InfeasibleError):
                done.fit(people)
            return
        out = done.fit_transform(people)
        assert "who" not in out
        grouped = out.assign(who=people["who"]).groupby(
            oracle.known, dropna=False, observed=True
        )
        assert grouped["who"].nunique().min() >= k
        assert grouped["job"].nunique().min() >= 2

    def test_a_stricter_second_k_is_kept_too(self, oracle):
        people = oracle.people(3, 100)
        done = mondrian(oracle, 2, models=[KAnonymity(7)]).fit(people)
        assert done.report_.classes["smallest"] >= 7
        plain = mondrian(oracle, 7).fit(people)
        assert done.report_.classes == plain.report_.classes

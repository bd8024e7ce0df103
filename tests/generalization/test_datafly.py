"""Datafly: worked numbers, its twin by hand, and what holds for every table."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import ExtraSuppressionWarning, InfeasibleError
from anon_transformers.generalization import DataflyAnonymizer, FullDomainAnonymizer
from anon_transformers.hierarchies import ByDataType, Hierarchy
from anon_transformers.privacy import KAnonymity

FILE = Path(__file__).parents[1] / "data" / "vectors" / "mondrian-datafly.json"
VECTORS = {v["name"]: v for v in json.loads(FILE.read_text("utf-8"))["vectors"]}
SIX = pd.DataFrame({"A0": [10] * 3 + [19] * 3, "A1": [10, 11, 21] * 2})

tables = st.tuples(st.integers(0, 10**6), st.integers(1, 60), st.sampled_from([0, 0.1]))
ks = st.sampled_from([1, 2, 3, 5, 10])
rules = st.sampled_from(["at_most_k", "less_than_k"])


def datafly(oracle, k, **options):
    given_options = {"sensitive": ["job"], "hierarchies": oracle.trees, **options}
    return DataflyAnonymizer(oracle.known, k=k, **given_options)


class TestWorkedExamples:
    @pytest.mark.parametrize(
        ("k", "rule", "levels", "classes", "suppressed"),
        [
            (2, "at_most_k", (0, 1), {("10", "10"): 2, ("19", "10"): 2}, [2, 5]),
            (2, "less_than_k", (1, 1), {("10", "10"): 4, ("10", "20"): 2}, []),
            (3, "at_most_k", (1, 1), {("10", "10"): 4}, [2, 5]),
            (3, "less_than_k", (1, 1), {("10", "10"): 4}, [2, 5]),
            (4, "at_most_k", (1, 1), {("10", "10"): 4}, [2, 5]),
            (4, "less_than_k", (1, 1), {("10", "10"): 4}, [2, 5]),
            (5, "at_most_k", (1, 2), {("10", "0"): 6}, []),
            (5, "less_than_k", (1, 2), {("10", "0"): 6}, []),
            # Without the guard, at_most_k would suppress the whole table at once.
            (6, "at_most_k", (1, 2), {("10", "0"): 6}, []),
            (6, "less_than_k", (1, 2), {("10", "0"): 6}, []),
        ],
    )
    def test_section_2_5(self, class_sizes_of, k, rule, levels, classes, suppressed):
        done = DataflyAnonymizer(k=k, stop_rule=rule, suppression="drop")
        out = done.fit_transform(SIX)
        assert tuple(done.levels_.values()) == levels
        assert class_sizes_of(out, ["A0", "A1"]) == classes
        assert np.flatnonzero(done.suppressed_mask_).tolist() == suppressed

    @pytest.mark.parametrize(
        "name",
        [
            "intro_example_datafly_at_most_k",
            "intro_example_datafly_less_than_k",
            "datafly_worked_example_less_than_k",
        ],
    )
    def test_every_step_of_the_vectors(self, name):
        vector = VECTORS[name]
        table, given_parameters = pd.DataFrame(vector["input"]), vector["parameters"]
        names = list(table.columns)
        done = DataflyAnonymizer(
            k=given_parameters["k"],
            types=dict(zip(names, given_parameters["types"], strict=True)),
            stop_rule=given_parameters["stop_rule"],
            suppression="drop",
        )
        out = done.fit_transform(table)
        expected = vector["expected"]
        assert list(done.levels_.values()) == expected["levels"]
        gone = np.flatnonzero(done.suppressed_mask_).tolist()
        assert gone == expected["suppressed_rows"]
        kept = [row for row in range(len(table)) if row not in gone]
        found = dict(zip(map(str, kept), out.to_numpy().tolist(), strict=True))
        assert found == expected["published"]
        trace = done.report_.details["trace"]
        # The vectors list what was generalized; our last step tells that nothing was.
        *raised, last = trace
        for step, stated in zip(raised, expected["trace"], strict=True):
            assert step["violating"] == stated["violating_tuples"]
            assert list(step["distinct"].values()) == stated["distinct_values"]
            assert step["generalized"] == names[stated["generalized_attribute"]]
        assert last["generalized"] is None
        assert last["violating"] == len(gone)
        assert list(last["levels"].values()) == expected["levels"]

    def test_the_trace_of_figure_1(self):
        done = DataflyAnonymizer(k=2, suppression="drop").fit(SIX)
        assert done.report_.details == {
            "levels": {"A0": 0, "A1": 1},
            "trace": [
                {
                    "violating": 6,
                    "distinct": {"A0": 2, "A1": 3},
                    "levels": {"A0": 0, "A1": 0},
                    "generalized": "A1",
                },
                {
                    "violating": 2,
                    "distinct": {"A0": 2, "A1": 2},
                    "levels": {"A0": 0, "A1": 1},
                    "generalized": None,
                },
            ],
        }

    def test_the_order_of_the_columns_decides_ties(self):
        table = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
        for known, tie, raised in (
            (["a", "b"], "first", "a"),
            (["b", "a"], "first", "b"),
            (["a", "b"], "last", "b"),
        ):
            done = DataflyAnonymizer(known, k=2, attribute_tie=tie).fit(table)
            assert done.report_.details["trace"][0]["generalized"] == raised

    def test_values_with_hyphens_do_not_collide(self):
        # Joined with hyphens, both rows would be one combination.
        table = pd.DataFrame({"x": ["a-b", "a"], "y": ["c", "b-c"]})
        done = DataflyAnonymizer(k=2).fit(table)
        assert done.report_.details["trace"][0]["violating"] == 2

    def test_a_hierarchy_is_preferred_and_types_can_be_declared(self, oracle):
        table = pd.DataFrame({"land": ["at", "ch"] * 3, "code": ["12", "34"] * 3})
        done = DataflyAnonymizer(
            k=6, hierarchies={"land": oracle.trees["land"]}, types={"code": "string"}
        )
        out = done.fit_transform(table)
        assert set(out["land"]) == {"alps"}
        assert set(out["code"]) == {"*"}
        assert done.hierarchies_["code"].n_levels == 3

    def test_dates_go_up_by_calendar(self):
        days = pd.to_datetime(["2020-01-01", "2020-01-31", "2021-05-01", "2021-05-02"])
        out = DataflyAnonymizer(k=2).fit_transform(pd.DataFrame({"d": days}))
        assert out["d"].tolist() == ["2020-01", "2020-01", "2021-05", "2021-05"]


class TestSuppressedClass:
    """With ``mask`` the suppressed rows are a class that keeps the promise too."""

    LEFT = pd.DataFrame({"x": [1] * 4 + [2] * 6 + [3] * 9 + [55]})

    def test_smallest_classes_join_it(self):
        done = DataflyAnonymizer(k=4)
        with pytest.warns(ExtraSuppressionWarning, match="5 rows .* though 1 break"):
            out = done.fit_transform(self.LEFT)["x"]
        assert out.tolist() == ["*"] * 4 + ["2"] * 6 + ["3"] * 9 + ["*"]
        assert (done.n_suppressed_, done.n_extra_suppressed_) == (5, 4)
        assert done.levels_ == {"x": 0}

    def test_dropped_rows_need_no_company(self):
        done = DataflyAnonymizer(k=4, suppression="drop")
        assert done.fit_transform(self.LEFT)["x"].tolist() == (
            ["1"] * 4 + ["2"] * 6 + ["3"] * 9
        )
        assert (done.n_suppressed_, done.n_extra_suppressed_) == (1, 0)

    def test_if_nothing_were_left_generalization_goes_on(self):
        table = pd.DataFrame({"x": [1, 1, 1, 1, 1, 99]})
        done = DataflyAnonymizer(k=5, suppression="mask")
        assert done.fit_transform(table)["x"].tolist() == ["0"] * 6
        dropped = DataflyAnonymizer(k=5, suppression="drop").fit_transform(table)
        assert dropped["x"].tolist() == ["1"] * 5

    def test_a_rare_value_beside_large_classes(self):
        table = pd.DataFrame({"sex": ["m"] * 50 + ["f"] * 40 + ["x"]})
        with pytest.warns(ExtraSuppressionWarning, match="suppression='drop'"):
            assert DataflyAnonymizer(k=5).fit(table).n_suppressed_ == 41
        dropping = DataflyAnonymizer(k=5, suppression="drop").fit(table)
        assert dropping.n_suppressed_ == 1

    def test_blank_empties_sensitive_cells(self):
        table = self.LEFT.assign(s=range(20))
        out = DataflyAnonymizer(
            ["x"], k=4, sensitive=["s"], suppression="blank"
        ).fit_transform(table)
        hidden = (out["x"] == "*").to_numpy()
        assert hidden.sum() == 5
        assert out["s"].isna().to_numpy().tolist() == hidden.tolist()


class TestSuppressionLimit:
    def test_it_replaces_the_stop_rule(self):
        # 29 rows of 100 stand alone: as a product, 0.29 * 100 falls below 29.
        table = pd.DataFrame({"x": [7] * 71 + list(range(100, 129))})
        done = DataflyAnonymizer(k=5, suppression_limit=0.29, suppression="drop")
        assert set(done.fit_transform(table)["x"]) == {"7"}
        assert done.n_suppressed_ == 29
        less = DataflyAnonymizer(k=5, suppression_limit=0.28, suppression="drop")
        assert less.fit(table).n_suppressed_ < 29

    def test_a_whole_number_counts_rows(self):
        table = pd.DataFrame({"x": [7] * 71 + list(range(100, 129))})
        done = DataflyAnonymizer(k=5, suppression_limit=29).fit(table)
        assert (done.levels_, done.n_suppressed_) == ({"x": 0}, 29)
        less = DataflyAnonymizer(k=5, suppression_limit=28).fit(table)
        assert less.levels_["x"] > 0
        assert less.n_suppressed_ <= 28

    def test_zero_means_none(self):
        done = DataflyAnonymizer(k=2, suppression_limit=0.0).fit(SIX)
        assert done.n_suppressed_ == 0
        assert done.levels_ == {"A0": 1, "A1": 1}

    def test_all_of_them_is_no_result(self):
        done = DataflyAnonymizer(k=3, suppression_limit=1.0).fit(SIX)
        assert done.report_.classes["count"] >= 1

    def test_more_persons_than_there_are(self):
        people = pd.DataFrame({"x": range(6), "who": list("aabbcc")})
        with pytest.raises(InfeasibleError, match=r"k=4 needs .* 3 persons"):
            DataflyAnonymizer(["x"], k=4, subject="who").fit(people)


class TestTwin:
    @given(table=tables, k=ks, rule=rules, last=st.booleans(), data=st.data())
    def test_steps_levels_and_rows_are_those_of_the_twin(
        self, oracle, table, k, rule, last, data
    ):
        people = oracle.people(*table)
        if len(people) < k:
            return
        budget = k if rule == "at_most_k" else k - 1
        limit = data.draw(st.none() | st.sampled_from([0.0, 0.1, 0.5]))

        def stops(violating, frequency):
            if limit is None:
                return violating <= budget and violating < len(people)
            return violating / len(people) <= limit and violating < len(people)

        done = datafly(
            oracle,
            k,
            stop_rule=rule,
            attribute_tie="last" if last else "first",
            suppression="drop",
            suppression_limit=limit,
        )
        out = done.fit_transform(people)
        hand = oracle.by_hand(people, done.hierarchies_)
        trace, rows, frequency = hand.run(k, stops, last)
        seen = [
            (
                step["violating"],
                list(step["distinct"].values()),
                list(step["levels"].values()),
                step["generalized"],
            )
            for step in done.report_.details["trace"]
        ]
        assert seen == trace
        kept = [row for row in rows if frequency[row] >= k]
        found = out[oracle.known].astype(object)
        found = found.where(found.notna(), None)
        assert list(found.itertuples(index=False, name=None)) == kept


class TestEveryTable:
    @given(
        table=tables,
        k=ks,
        rule=rules,
        suppression=st.sampled_from(["mask", "drop", "blank"]),
    )
    def test_every_class_holds_k_rows_and_cells_are_ancestors(
        self, oracle, class_sizes_of, table, k, rule, suppression
    ):
        people = oracle.people(*table)
        if len(people) < k:
            return
        done = datafly(oracle, k, stop_rule=rule, suppression=suppression)
        out = done.fit_transform(people)
        assert min(class_sizes_of(out, oracle.known).values()) >= k
        source = people if suppression != "drop" else people[~done.suppressed_mask_]
        shown = ~done.suppressed_mask_[: len(out)]
        if suppression == "drop":
            assert done.n_suppressed_ <= (k if rule == "at_most_k" else k - 1)
            shown = np.ones(len(out), dtype=bool)
        by_hand = oracle.by_hand(source, done.hierarchies_, people)
        expected = by_hand.at(done.levels_.values())
        for row, cells, visible in zip(
            out[oracle.known].to_numpy(dtype=object), expected, shown, strict=True
        ):
            found = tuple(None if pd.isna(cell) else cell for cell in row)
            assert found == (cells if visible else ("*",) * 4)
        note = source["note"].to_numpy()
        assert out["note"].to_numpy().tobytes() == note.tobytes()

    @given(table=tables, k=ks, suppression=st.sampled_from(["mask", "drop"]))
    def test_fit_and_transform_is_fit_transform(self, oracle, table, k, suppression):
        people = oracle.people(*table)
        if len(people) < k:
            return
        one = datafly(oracle, k, suppression=suppression).fit_transform(people)
        other = datafly(oracle, k, suppression=suppression).fit(people)
        pd.testing.assert_frame_equal(one, other.transform(people))

    @given(table=tables, k=ks, seed=st.integers(0, 99))
    def test_the_order_of_rows_does_not_matter(self, oracle, table, k, seed):
        people = oracle.people(*table)
        if len(people) < k:
            return
        order = np.random.default_rng(seed).permutation(len(people))
        one = datafly(oracle, k, suppression="mask").fit_transform(people)
        other = datafly(oracle, k, suppression="mask").fit_transform(people.iloc[order])
        # Which of two equally small classes joins the suppressed one may differ.
        assert one.groupby(oracle.known, dropna=False).size().shape == (
            other.groupby(oracle.known, dropna=False).size().shape
        )
        dropped = datafly(oracle, k, suppression="drop")
        one, other = (
            dropped.fit_transform(people),
            dropped.fit_transform(people.iloc[order]),
        )
        columns = list(one.columns)
        pd.testing.assert_frame_equal(
            one.sort_values("note")[columns].reset_index(drop=True),
            other.sort_values("note")[columns].reset_index(drop=True),
        )

    @given(table=tables, k=ks)
    def test_less_would_not_have_done(self, oracle, table, k):
        """Minimality: one step earlier the stop rule was broken."""
        people = oracle.people(*table)
        if len(people) < k:
            return
        trace = (
            datafly(oracle, k, suppression="drop").fit(people).report_.details["trace"]
        )
        for step in trace[:-1]:
            assert step["violating"] > k or step["violating"] == len(people)
        assert trace[-1]["violating"] <= k


class TestModels:
    @given(table=tables, k=ks, n_jobs=st.integers(1, 4))
    def test_every_class_keeps_every_promise(
        self, oracle, distinct_values, table, k, n_jobs
    ):
        people = oracle.people(*table)
        done = datafly(oracle, k, models=[distinct_values(n_jobs)])
        if len(people) < k or people["job"].nunique() < n_jobs:
            with pytest.raises(InfeasibleError):
                done.fit(people)
            return
        out = done.fit_transform(people)
        classes = Classes.from_frame(out, oracle.known, ["job"])
        assert distinct_values(n_jobs).level(classes) >= n_jobs
        assert KAnonymity(k).level(classes) >= k
        assert all(verdict.passed for verdict in done.check(out))

    @given(
        table=tables,
        k=ks,
        n_persons=st.integers(1, 30),
        suppression=st.sampled_from(["mask", "drop"]),
    )
    def test_k_counts_persons(self, oracle, table, k, n_persons, suppression):
        people = oracle.people(*table)
        who = np.random.default_rng(table[0]).integers(0, n_persons, len(people))
        people = people.assign(who=who.astype(str))
        done = datafly(oracle, k, subject="who", suppression=suppression)
        if people["who"].nunique() < k:
            with pytest.raises(InfeasibleError):
                done.fit(people)
            return
        out = done.fit_transform(people)
        assert "who" not in out
        who = people["who"].to_numpy()
        who = who if suppression == "mask" else who[~done.suppressed_mask_]
        grouped = out.assign(who=who).groupby(oracle.known, dropna=False)
        assert grouped["who"].nunique().min() >= k


class TestMissing:
    def test_a_missing_value_is_its_own_group_below_the_top(self):
        tree = Hierarchy([("a", "g", "any"), ("b", "g", "any")])
        table = pd.DataFrame({"x": ["a", "b", None, None, "a", "b"]})
        done = DataflyAnonymizer(k=2, hierarchies={"x": tree})
        assert done.fit_transform(table)["x"].isna().tolist() == [0, 0, 1, 1, 0, 0]
        top = DataflyAnonymizer(k=5, hierarchies={"x": tree}, suppression_limit=0.0)
        assert set(top.fit_transform(table)["x"]) == {"any"}

    def test_a_column_without_any_value(self):
        table = pd.DataFrame({"x": [None] * 4, "z": [np.nan] * 4, "y": [1, 1, 2, 2]})
        out = DataflyAnonymizer(k=2).fit_transform(table)
        assert out[["x", "z"]].isna().all(axis=None)
        assert out["y"].tolist() == ["1", "1", "2", "2"]


class TestOtherRows:
    def test_a_class_that_was_not_approved_is_suppressed(self):
        table = pd.DataFrame({"x": [1, 1, 2, 2], "y": [1, 1, 2, 2]})
        other = pd.DataFrame({"x": [1, 1], "y": [1, 2]})
        masked = DataflyAnonymizer(k=2, suppression="mask").fit(table).transform(other)
        assert masked.to_numpy().tolist() == [["1", "1"], ["*", "*"]]
        dropping = DataflyAnonymizer(k=2, suppression="drop")
        dropped = dropping.fit(table).transform(other)
        assert dropped.to_numpy().tolist() == [["1", "1"]]


class TestMissingAtTheTop:
    """The root of numbers by data type is 0, which is no missing value."""

    TABLE = pd.DataFrame({"x": [1, 12, 123, None]}).astype({"x": "Int64"})

    @pytest.mark.parametrize("make", [DataflyAnonymizer, FullDomainAnonymizer])
    def test_the_label_says_that_it_may_be_missing(self, make):
        trees = (
            {} if make is DataflyAnonymizer else {"hierarchies": {"x": ByDataType()}}
        )
        done = make(k=4, **trees).fit(self.TABLE)
        assert done.transform(self.TABLE)["x"].tolist() == ["0 or missing"] * 4
        assert done.transform(self.TABLE[:1])["x"].tolist() == ["0 or missing"]

    @pytest.mark.parametrize("make", [DataflyAnonymizer, FullDomainAnonymizer])
    def test_a_missing_value_that_fit_did_not_see_is_suppressed(self, make):
        trees = (
            {} if make is DataflyAnonymizer else {"hierarchies": {"x": ByDataType()}}
        )
        done = make(k=3, **trees).fit(self.TABLE[:3])
        assert done.transform(self.TABLE)["x"].tolist() == ["0", "0", "0", "*"]

    def test_a_root_that_is_anything_takes_it(self):
        table = pd.DataFrame({"x": ["a", "b", "c", None]})
        tree = Hierarchy([(value, "any") for value in "abc"])
        done = DataflyAnonymizer(k=4, hierarchies={"x": tree})
        assert done.fit_transform(table)["x"].tolist() == ["any"] * 4

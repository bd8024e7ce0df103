"""Mondrian: rows it has not seen, and requests it refuses."""

import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import DataError, InfeasibleError, ParameterError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.partitioning import MondrianAnonymizer
from anon_transformers.privacy import KAnonymity

SECRET = "s3cret"


class TestUnseenRows:
    def labels(self, fitted, more, **options):
        done = MondrianAnonymizer(k=2, **options).fit(pd.DataFrame({"x": fitted}))
        return done.transform(pd.DataFrame({"x": more}))["x"]

    def test_numbers_inside_a_box_are_covered_and_others_are_not(self):
        found = self.labels([20, 22, 40, 44], [21, 20, 22, 30, 19, 45, 43.5])
        assert found.tolist() == ["[20, 22]"] * 3 + ["*", "*", "*", "[40, 44]"]

    def test_centers_too(self):
        options = {"output": "center", "outside": "suppress"}
        found = self.labels([20, 22, 40, 44], [21, 30, 44], **options)
        np.testing.assert_array_equal(found, [21.0, np.nan, 42.0])

    def test_dates(self):
        days = pd.to_datetime(["2020-01-01", "2020-01-03", "2021-01-01", "2021-01-02"])
        more = pd.to_datetime(["2020-01-02", "2020-06-01", "2021-01-02", None])
        assert self.labels(days, more).tolist() == [
            "[2020-01-01, 2020-01-03]",
            "*",
            "[2021-01-01, 2021-01-02]",
            "*",
        ]

    def test_categories(self):
        found = self.labels(list("abcd"), ["a", "d", "bb", "", None])
        assert found.tolist() == ["{a, b}", "{c, d}", "*", "*", "*"]

    def test_a_missing_value_needs_a_box_with_missing_ones(self):
        assert self.labels([1, 2, 3, 4], [np.nan]).tolist() == ["*"]
        assert self.labels([1, 2, None, None], [np.nan, 1]).isna().tolist() == [
            True,
            False,
        ]

    def test_leaves_of_a_hierarchy_between_the_members(self):
        tree = Hierarchy([(x, "any") for x in "abcde"], unknown="suppress")
        done = MondrianAnonymizer(k=2, hierarchies={"x": tree})
        done.fit(pd.DataFrame({"x": list("aaceee")}))
        more = pd.DataFrame({"x": ["a", "b", "c", "d", "e", "z", None]})
        found = done.transform(more)["x"].tolist()
        assert found == ["any"] * 3 + ["*", "e", "*", "*"]

    def test_another_combination_is_not_covered(self):
        table = pd.DataFrame({"x": [1, 1, 9, 9], "y": [1, 1, 9, 9]})
        done = MondrianAnonymizer(k=2).fit(table)
        more = pd.DataFrame({"x": [1, 9, 1], "y": [1, 1, 9]})
        assert done.transform(more).to_numpy().tolist() == [
            ["1", "1"],
            ["*", "*"],
            ["*", "*"],
        ]

    def test_dropping_drops_them(self):
        done = MondrianAnonymizer(k=2, suppression="drop").fit([[1], [2]])
        assert done.transform([[1], [99], [2]]).tolist() == [["[1, 2]"]] * 2

    def test_another_kind_of_value_is_refused_without_the_value(self):
        done = MondrianAnonymizer(k=2).fit(pd.DataFrame({"x": [1, 2]}))
        with pytest.raises(DataError, match="'x' was fitted as number") as caught:
            done.transform(pd.DataFrame({"x": [SECRET]}))
        assert SECRET not in str(caught.value)


def table():
    return pd.DataFrame(
        {"age": [20, 30, 40, 50], "land": [SECRET, "b", "b", "b"], "job": list("abab")}
    )


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"quasi_identifiers": ["agee"]}, ParameterError,
         "quasi_identifiers: unknown column 'agee'; did you mean 'age'"),
        ({"sensitive": ["jobs"]}, ParameterError, "sensitive: unknown column 'jobs'"),
        ({"identifiers": ["nme"]}, ParameterError, "identifiers: .*'nme'"),
        ({"subject": "nme"}, ParameterError, "subject: .*'nme'.*choices: 'age'"),
        ({"quasi_identifiers": ["age", "age"]}, ParameterError, "twice: age"),
        ({"quasi_identifiers": []}, ParameterError, "quasi_identifiers is empty"),
        ({"k": 0}, ParameterError, "k must be a whole number of at least 1, got 0"),
        ({"k": "5"}, ParameterError, "k must be .* got '5'"),
        ({"k": 5}, InfeasibleError, "k=5 .* has 4 rows"),
        ({"output": "box"}, ParameterError,
         "output: unknown option 'box'.*'center', 'interval'"),
        ({"output": ["center"]}, ParameterError, "output: unknown option"),
        ({"mode": "loose"}, ParameterError, "mode: .*'loose'.*'relaxed', 'strict'"),
        ({"boxes": "wide"}, ParameterError, "boxes: .*'cuts', 'tight'"),
        ({"tie_side": "right"}, ParameterError, "tie_side: .*'both', 'left'"),
        ({"on_failed_cut": "next"}, ParameterError,
         "on_failed_cut: .*'next_attribute', 'stop'"),
        ({"mode": "relaxed", "boxes": "cuts"}, ParameterError,
         "boxes='cuts' needs mode='strict'"),
        ({"mode": "relaxed", "k": 5}, InfeasibleError, "k=5 .* has 4 rows"),
        ({"suppression": "masks"}, ParameterError,
         "suppression: .*'masks'; did you mean 'mask'"),
        ({"suppression_limit": 2.5}, ParameterError, "suppression_limit .*got 2.5"),
        ({"hierarchies": {"lnad": Hierarchy([("b", "*")])}}, ParameterError,
         "hierarchies: unknown column 'lnad'; did you mean 'land'"),
        ({"hierarchies": {"land": Hierarchy([("b", "*")])}}, DataError,
         "'land' holds values in 1 rows that its hierarchy does not have"),
        ({"suppression_label": SECRET}, DataError,
         "'land' holds the suppression label"),
        ({"suppression_label": "20"}, DataError, "'age' holds the suppression label"),
    ],
)  # fmt: skip
def test_a_request_is_refused_with_key_and_choices(options, error, said):
    with pytest.raises(error, match=said) as caught:
        MondrianAnonymizer(**{"k": 2, **options}).fit(table())
    if options.get("suppression_label") != SECRET:
        assert SECRET not in str(caught.value)


def test_a_literal_star_is_refused_unless_the_mark_is_another():
    starred = table().assign(land=["*", "b", "*", "b"])
    with pytest.raises(
        DataError, match=r"'land' holds the suppression label .* in 2 rows"
    ):
        MondrianAnonymizer(k=2).fit(starred)
    assert MondrianAnonymizer(k=2, suppression_label="#").fit(starred).report_
    # In a sensitive column it is a value like any other.
    assert MondrianAnonymizer(["age"], k=2, sensitive=["land"]).fit(starred).report_


def test_an_empty_table_is_refused():
    for empty in (table().iloc[:0], pd.DataFrame({"age": []})):
        with pytest.raises(ValueError, match="empty"):
            MondrianAnonymizer(k=1).fit(empty)
    with pytest.raises(ValueError, match=r"0 (sample|feature)"):
        MondrianAnonymizer(k=1).fit(np.empty((0, 2)))


def test_a_column_twice_is_refused():
    twice = pd.concat([table()[["age"]], table()[["age"]]], axis=1)
    with pytest.raises(DataError, match=r"of one name \(columns 1 and 2\)"):
        MondrianAnonymizer(k=2).fit(twice)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_numbers_are_refused_and_counted(value):
    infinite = pd.DataFrame({"pay": [1.0, value, value, 2.0]})
    with pytest.raises(DataError, match="'pay' holds infinite numbers in 2 rows"):
        MondrianAnonymizer(k=2).fit(infinite)
    with pytest.raises(ValueError, match="infinity"):
        MondrianAnonymizer(k=2).fit(infinite.to_numpy())


def test_a_model_that_merging_may_break_is_refused(distinct_values):
    class Fragile(distinct_values):
        name = "fragile"
        merging = "none"

    with pytest.raises(ParameterError, match="models: fragile may be lost"):
        MondrianAnonymizer(["age"], k=2, models=[Fragile(2)], sensitive=["job"]).fit(
            table()
        )


def test_a_model_without_evidence_is_refused(distinct_values):
    with pytest.raises(ValueError, match="no sensitive column"):
        MondrianAnonymizer(["age"], k=2, models=[distinct_values(2)]).fit(table())


def test_more_persons_than_there_are_cannot_be_promised():
    persons = table().assign(who=list("ppqq"))
    with pytest.raises(InfeasibleError, match=r"k=3 needs .* 2 persons"):
        MondrianAnonymizer(["age"], k=3, subject="who").fit(persons)


def test_rows_of_nobody_count_as_nobody():
    persons = table().assign(who=["p", "q", None, None])
    with pytest.raises(InfeasibleError):
        MondrianAnonymizer(["age"], k=3, subject="who").fit(persons)
    done = MondrianAnonymizer(["age"], k=2, subject="who").fit(persons)
    assert done.report_.classes["count"] == 1


def test_k_of_all_rows_is_one_class():
    out = MondrianAnonymizer(["age"], k=4).fit_transform(table())
    assert out["age"].tolist() == ["[20, 50]"] * 4


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "Int64", "bool"])
def test_a_constant_column_is_published_as_it_is(dtype):
    constant = pd.DataFrame({"x": pd.Series([1] * 4, dtype=dtype), "y": [1, 2, 3, 4]})
    out = MondrianAnonymizer(k=2).fit_transform(constant)
    assert out["x"].nunique() == 1
    assert out["y"].tolist() == ["[1, 2]"] * 2 + ["[3, 4]"] * 2


def test_a_column_without_any_value_is_published_without_any():
    nothing = pd.DataFrame({"x": [None] * 4, "z": [np.nan] * 4, "y": [1, 2, 3, 4]})
    for output in ("interval", "center"):
        out = MondrianAnonymizer(k=2, output=output).fit_transform(nothing)
        assert out[["x", "z"]].isna().all(axis=None)
        assert out["y"].nunique() == 2


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([2**60, 2**60 + 1, 2**60 + 2, 2**60 + 3], id="beyond 2**53"),
        pytest.param([-(2**63), -1, 0, 2**63 - 1], id="all of int64"),
        pytest.param([-1.7e308, -1e308, 1e308, 1.7e308], id="all of float64"),
        pytest.param([0, 5e-324, 1e-323, 1.5e-323], id="denormal"),
    ],
)
def test_extreme_numbers_are_cut_like_any_others(values):
    done = MondrianAnonymizer(k=2)
    out = done.fit_transform(pd.DataFrame({"x": values}))
    assert (
        out["x"].tolist()
        == [f"[{values[0]}, {values[1]}]"] * 2 + [f"[{values[2]}, {values[3]}]"] * 2
    )
    assert 0 < done.report_.loss < 1


def test_models_must_be_a_list():
    with pytest.raises(ValueError, match="models must be a list"):
        MondrianAnonymizer(models=KAnonymity(2)).fit([[1], [2]])


def test_a_hierarchy_must_be_one():
    with pytest.raises(ValueError, match="'a' has is no Hierarchy"):
        MondrianAnonymizer(k=1, hierarchies={"a": "x"}).fit(pd.DataFrame({"a": ["x"]}))

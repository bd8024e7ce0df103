"""Published labels as features for scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from anon_transformers import Hierarchy, MondrianAnonymizer
from anon_transformers.datasets import load_adult
from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.published import LabelParser, parse_table


@parametrize_with_checks(
    [
        LabelParser(),
        LabelParser(missing="nan"),
        LabelParser(features=["center"]),
    ]
)
def test_scikit_learns_contract(estimator, check):
    check(estimator)


def features(table, more=None, **options):
    parser = LabelParser(**options).set_output(transform="pandas").fit(table)
    return parser.transform(table if more is None else more)


def test_ranges_of_numbers():
    table = pd.DataFrame({"age": ["[20, 30)", "35", ">= 40", "< 20"]})
    found = features(table)
    assert list(found) == ["age_lower", "age_upper", "age_width"]
    assert found["age_lower"].tolist() == [20, 35, 40, 20]
    assert found["age_upper"].tolist() == [30, 35, 40, 20]
    assert found["age_width"].tolist() == [10, 0, 0, 0]


def test_an_open_end_is_the_outermost_fitted_one():
    table = pd.DataFrame({"age": ["< 20", "[0, 60)", ">= 40", "any"]})
    found = features(table)
    assert found["age_lower"].tolist() == [0, 0, 40, 0]
    assert found["age_upper"].tolist() == [20, 60, 60, 60]
    later = features(table, pd.DataFrame({"age": [">= 80", "any"]}))
    assert later.to_numpy().tolist() == [[80, 80, 0], [0, 60, 60]]


def test_raw_rows_are_ranges_of_width_0():
    table = pd.DataFrame({"age": ["[20, 29]", "[30, 39]"]})
    found = features(table, pd.DataFrame({"age": [25, 99]}))
    assert found.to_numpy().tolist() == [[25, 25, 0], [99, 99, 0]]


def test_dates_are_days():
    table = pd.DataFrame({"born": ["[1970-01-02, 1970-01-11]", "*"]})
    found = features(table, missing="nan")
    assert found.iloc[0].tolist() == [1, 10, 9]
    assert found.iloc[1].isna().all()
    raw = pd.DataFrame({"born": pd.to_datetime(["1970-01-03", None])})
    assert features(table, raw).to_numpy().tolist() == [[2, 2, 0], [1, 10, 9]]


def test_sets_are_shares_and_an_unknown_value_is_none():
    table = pd.DataFrame({"job": ["{a, b}", "c", "*", "[a, b] or missing"]})
    found = features(table, pd.DataFrame({"job": ["{a, b}", "c", "*", "d", "[a, b]"]}))
    assert list(found) == ["job_a", "job_b", "job_c"]
    third = 1 / 3
    assert found.to_numpy().tolist() == [
        [0.5, 0.5, 0],
        [0, 0, 1],
        [third, third, third],
        [0, 0, 0],
        [0.5, 0.5, 0],
    ]


def test_a_hierarchy_tells_what_lies_below_a_name():
    continents = Hierarchy(
        [("fr", "Europe", "*"), ("de", "Europe", "*"), ("jp", "Asia", "*")]
    )
    table = pd.DataFrame({"land": ["Europe", "Asia", "*", "fr"]})
    found = features(table, hierarchies={"land": continents})
    assert list(found) == ["land_fr", "land_de", "land_jp"]
    assert found.iloc[:2].to_numpy().tolist() == [[0.5, 0.5, 0], [0, 0, 1]]
    assert found.iloc[3].tolist() == [1, 0, 0]
    ages = Hierarchy([("1", "young", "*"), ("9", "young", "*"), ("70", "old", "*")])
    found = features(
        pd.DataFrame({"age": ["young", "old", "*"]}), hierarchies={"age": ages}
    )
    assert found.to_numpy().tolist() == [[1, 9, 8], [70, 70, 0], [1, 70, 69]]


def test_a_parsed_table_gives_the_same_features():
    table = pd.DataFrame(
        {
            "age": ["[20, 30)", "35", ">= 40", "any", "*"],
            "born": [
                "< 2020-01-01",
                "[2020-01-01, 2021-01-01)",
                "*",
                "*",
                "2022-01-01",
            ],
            "job": ["a", "{a, b}", "*", "b", "a"],
        }
    )
    parsed = features(parse_table(table))
    pd.testing.assert_frame_equal(parsed, features(table))


def test_missing_as_nan():
    found = features(
        pd.DataFrame({"age": ["[1, 2]", "*"], "job": ["a", None]}), missing="nan"
    )
    assert found.iloc[1].isna().all()
    assert found.iloc[0].notna().all()


def test_other_kinds_are_refused_with_their_rows_and_no_value():
    parser = LabelParser().fit(pd.DataFrame({"age": ["[1, 2]", "3"]}))
    with pytest.raises(DataError, match=r"fitted as number.* in 2 rows") as e:
        parser.transform(pd.DataFrame({"age": ["Berlin", "4", "Berlin"]}))
    assert "Berlin" not in str(e.value)
    with pytest.raises(DataError, match="in 1 rows"):
        parser.transform(pd.DataFrame({"age": pd.to_datetime(["2020-01-01"])}))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": "lower"}, "features must be a list of lower, upper"),
        ({"features": ["low"]}, "features.*'low'.*lower"),
        ({"features": ["lower", "lower"]}, "names one twice"),
        ({"missing": "zero"}, "missing.*'zero'"),
        ({"hierarchies": {"agee": None}}, "hierarchies: unknown column 'agee'"),
        ({"suppression_label": ""}, "suppression_label"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ParameterError, match=message):
        LabelParser(**options).fit(pd.DataFrame({"age": [1]}))


def test_names_and_clone():
    parser = LabelParser(features=("center",), missing="nan")
    assert clone(parser).get_params() == parser.get_params()
    parser.fit(pd.DataFrame({"age": ["[1, 3]"], "job": ["x"]}))
    assert parser.get_feature_names_out().tolist() == ["age_center", "job_x"]
    assert parser.kinds_ == {"age": "number", "job": "category"}


@pytest.fixture(scope="module")
def adult():
    table = load_adult().sample(1500, random_state=0).reset_index(drop=True)
    columns = ["age", "sex", "race", "education", "marital-status"]
    return table[columns], (table["salary-class"] == ">50K").astype(int)


@pytest.mark.parametrize(
    "last",
    [HistGradientBoostingClassifier(max_iter=20), LogisticRegression(max_iter=5000)],
)
def test_a_grid_search_behind_an_anonymizer(adult, last):
    X, y = adult
    search = GridSearchCV(
        make_pipeline(MondrianAnonymizer(), LabelParser(), last),
        {"mondriananonymizer__k": [5, 25]},
        cv=3,
        error_score="raise",
    ).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_score_ > max(y.mean(), 1 - y.mean())


def test_a_model_of_published_rows_predicts_raw_ones(adult):
    X, y = adult
    published = MondrianAnonymizer(k=10).fit_transform(X)
    model = make_pipeline(LabelParser(), HistGradientBoostingClassifier(max_iter=30))
    assert model.fit(published, y).score(X, y) > max(y.mean(), 1 - y.mean())


def test_only_the_most_frequent_values_give_features():
    table = pd.DataFrame({"job": ["c", "c", "{a, b}", "b", "d", "*"]})
    parser = LabelParser(max_values=2).set_output(transform="pandas")
    found = parser.fit_transform(table)
    assert list(found) == ["job_b", "job_c"]
    assert found.to_numpy().tolist() == [
        [0, 1], [0, 1], [1, 0], [1, 0], [0, 0], [0.5, 0.5]
    ]  # fmt: skip


@pytest.mark.parametrize("given", [0, -1, 2.5, "3", True])
def test_how_many_values_must_be_a_number(given):
    with pytest.raises(ParameterError, match="max_values must be a whole number"):
        LabelParser(max_values=given).fit([["a"]])

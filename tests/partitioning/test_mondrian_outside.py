"""Other rows that no fitted box covers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

from anon_transformers import Hierarchy, MondrianAnonymizer
from anon_transformers.datasets import load_adult
from anon_transformers.exceptions import ParameterError
from anon_transformers.privacy import DistinctLDiversity

FITTED = [[20], [22], [40], [44]]


@pytest.mark.parametrize("boxes", ["tight", "cuts"])
def test_centers_of_rows_beyond_and_between(boxes):
    fitted = MondrianAnonymizer(k=2, output="center", boxes=boxes).fit(FITTED)
    found = fitted.transform([[1], [21], [30], [40], [99]]).ravel()
    between = 42 if boxes == "tight" else 21
    assert found.tolist() == [21, 21, between, 42, 42]


def test_suppress_leaves_them_missing():
    fitted = MondrianAnonymizer(k=2, output="center", outside="suppress").fit(FITTED)
    found = fitted.transform([[1], [22], [30], [99]]).ravel()
    assert np.isnan(found).tolist() == [True, False, True, True]


def test_labels_are_suppressed_unless_asked_for():
    rows = pd.DataFrame({"age": [1, 22, 99]})
    table = pd.DataFrame(FITTED, columns=["age"])
    default = MondrianAnonymizer(k=2).fit(table).transform(rows)
    assert default["age"].tolist() == ["*", "[20, 22]", "*"]
    asked = MondrianAnonymizer(k=2, outside="cuts").fit(table).transform(rows)
    assert asked["age"].tolist() == ["[20, 22]", "[20, 22]", "[40, 44]"]


def test_rows_outside_a_declared_domain():
    options = {"boxes": "cuts", "step": {"age": 10}, "domain": {"age": [20, 50]}}
    table = pd.DataFrame(FITTED, columns=["age"])
    fitted = MondrianAnonymizer(k=2, output="center", **options).fit(table)
    found = fitted.transform(pd.DataFrame({"age": [5, 60]}))
    assert found["age"].tolist() == [21, 42]


def test_a_category_that_was_not_fitted():
    table = pd.DataFrame({"age": [20, 22, 40, 44], "sex": ["f", "f", "m", "m"]})
    fitted = MondrianAnonymizer(k=2, output="center").fit(table)
    found = fitted.transform(pd.DataFrame({"age": [41], "sex": ["x"]}))
    assert found["age"].notna().all()


def test_what_nothing_tells_stays_suppressed():
    sexes = Hierarchy([("f", "*"), ("m", "*")], unknown="suppress")
    table = pd.DataFrame({"age": [20, 22, 40, 44], "sex": ["f", "f", "m", "m"]})
    fitted = MondrianAnonymizer(k=2, output="center", hierarchies={"sex": sexes}).fit(
        table
    )
    rows = pd.DataFrame({"age": [20, np.nan], "sex": ["x", "f"]})
    assert fitted.transform(rows)["age"].isna().all()


def test_the_fitted_table_is_the_same_with_both():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "age": rng.integers(0, 50, 200).astype(float),
            "pay": rng.normal(size=200),
            "ill": rng.choice(list("abc"), 200),
        }
    )
    table.loc[:20, "age"] = np.nan
    options = {
        "sensitive": ["ill"],
        "k": 5,
        "models": [DistinctLDiversity(2)],
        "output": "center",
    }
    published = []
    for outside in ("cuts", "suppress"):
        anonymizer = MondrianAnonymizer(outside=outside, **options)
        published.append(anonymizer.fit_transform(table))
        pd.testing.assert_frame_equal(anonymizer.transform(table), published[-1])
    pd.testing.assert_frame_equal(*published)


def test_an_unknown_choice_is_named():
    with pytest.raises(ParameterError, match=r"outside.*'nearest'.*'cuts', 'suppress'"):
        MondrianAnonymizer(outside="nearest", k=1).fit(FITTED)


def test_a_grid_search_on_adult_with_a_model_that_takes_no_nan():
    adult = load_adult().sample(3000, random_state=0)
    columns = ["sex", "race", "education", "marital-status"]
    search = GridSearchCV(
        make_pipeline(
            make_column_transformer(
                (
                    OrdinalEncoder(
                        handle_unknown="use_encoded_value", unknown_value=-1
                    ),
                    columns,
                ),
                remainder="passthrough",
            ),
            MondrianAnonymizer(output="center"),
            StandardScaler(),
            LogisticRegression(),
        ),
        {"mondriananonymizer__k": [5, 50]},
        error_score="raise",
    )
    X, y = adult[["age", *columns]], adult["salary-class"]
    search.fit(X, y)
    assert search.best_score_ > y.value_counts(normalize=True).max()
    search.set_params(estimator__mondriananonymizer__outside="suppress")
    with pytest.raises(ValueError, match="NaN"):
        search.fit(X, y)

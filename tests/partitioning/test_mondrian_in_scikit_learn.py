"""Mondrian inside scikit-learn: pipelines, searches, column transformers, pickles."""

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import check_estimator

from anon_transformers.partitioning import MondrianAnonymizer


@pytest.fixture(scope="module")
def people(oracle):
    return oracle.people(7, 300)


@pytest.fixture(scope="module")
def target(people):
    noise = np.random.default_rng(0).normal(0, 5, len(people))
    return (people["age"] + noise > 38).astype(int)


class TestPipelines:
    def test_numbers_go_on_to_a_classifier(self, people, target):
        model = make_pipeline(
            MondrianAnonymizer(k=5, output="center"),
            SimpleImputer(),
            LogisticRegression(),
        )
        known = people[["age", "pay"]]
        assert model.fit(known, target).score(known, target) > 0.8

    def test_labels_go_on_to_an_encoder(self, people, target):
        model = make_pipeline(
            MondrianAnonymizer(k=20),
            OneHotEncoder(handle_unknown="ignore"),
            LogisticRegression(),
        )
        known = people[["age", "sex"]]
        assert model.fit(known, target).score(known, target) > 0.75

    def test_a_grid_search_over_k(self, people, target):
        search = GridSearchCV(
            make_pipeline(
                MondrianAnonymizer(output="center"),
                SimpleImputer(),
                LogisticRegression(),
            ),
            {"mondriananonymizer__k": np.array([2, 10, 60])},
            cv=3,
            error_score="raise",
        )
        search.fit(people[["age", "pay"]], target)
        assert search.best_params_["mondriananonymizer__k"] in {2, 10, 60}
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        best = search.best_estimator_[0]
        assert best.report_.classes["smallest"] >= best.k

    def test_cross_validation_meets_rows_that_no_box_covers(self, people):
        train, test = train_test_split(people[["age", "pay"]], random_state=0)
        done = MondrianAnonymizer(k=5, output="center", outside="suppress").fit(train)
        uncovered = done.transform(test).isna().all(axis=1)
        assert 0 < uncovered.sum() < len(test)
        default = MondrianAnonymizer(k=5, output="center").fit(train).transform(test)
        assert default.notna().all(axis=None)


class TestColumnTransformer:
    def test_only_its_columns_are_recoded(self, people):
        columns = ColumnTransformer(
            [("anon", MondrianAnonymizer(k=5, output="center"), ["age", "pay"])],
            remainder="drop",
        )
        out = columns.fit_transform(people)
        plain = MondrianAnonymizer(k=5, output="center").fit_transform(
            people[["age", "pay"]]
        )
        np.testing.assert_array_equal(out, plain.to_numpy())

    @pytest.mark.parametrize("output", ["interval", "center"])
    def test_rows_stay_together_after_a_split(self, people, output):
        train, test = train_test_split(people, random_state=1)
        assert not train.index.is_monotonic_increasing
        columns = ColumnTransformer(
            [("anon", MondrianAnonymizer(k=5, output=output), ["age", "pay"])],
            remainder="passthrough",
            verbose_feature_names_out=False,
        ).set_output(transform="pandas")
        out = columns.fit_transform(train)
        assert len(out) == len(train)
        assert out.index.tolist() == train.index.tolist()
        pd.testing.assert_series_equal(out["note"], train["note"])
        later = columns.transform(test)
        assert later.index.tolist() == test.index.tolist()
        pd.testing.assert_series_equal(later["note"], test["note"])

    def test_an_index_with_repeats_does_no_harm(self, people):
        twice = people.set_axis(np.arange(len(people)) // 2)
        columns = ColumnTransformer(
            [("anon", MondrianAnonymizer(k=5), ["age"])], remainder="passthrough"
        )
        assert len(columns.fit_transform(twice)) == len(people)


class TestSetOutput:
    def test_pandas_from_an_array(self):
        done = MondrianAnonymizer(k=2).set_output(transform="pandas")
        out = done.fit_transform(np.array([[1.0, 5.0], [2.0, 6.0]]))
        assert out.columns.tolist() == ["x0", "x1"]
        assert out["x0"].tolist() == ["[1, 2]"] * 2

    def test_polars_from_pandas(self, people):
        polars = pytest.importorskip("polars")
        done = MondrianAnonymizer(["age"], k=5).set_output(transform="polars")
        out = done.fit_transform(people[["age", "note"]])
        assert isinstance(out, polars.DataFrame)
        plain = MondrianAnonymizer(["age"], k=5).fit_transform(people[["age", "note"]])
        assert out["age"].to_list() == plain["age"].tolist()

    def test_the_global_setting_keeps_the_index_too(self, people):
        shuffled = people.sample(frac=1, random_state=0)
        with config_context(transform_output="pandas"):
            out = MondrianAnonymizer(["age"], k=5).fit_transform(shuffled)
        assert out.index.tolist() == shuffled.index.tolist()
        out = MondrianAnonymizer(["age"], k=5).fit_transform(shuffled)
        assert isinstance(out.index, pd.RangeIndex)

    def test_default_takes_it_back(self, people):
        done = MondrianAnonymizer(["age"], k=5).set_output(transform="pandas")
        done.set_output(transform="default")
        shuffled = people.sample(frac=1, random_state=0)
        assert isinstance(done.fit_transform(shuffled).index, pd.RangeIndex)


class TestKindsOfInput:
    def test_polars_in_polars_out(self, oracle):
        polars = pytest.importorskip("polars")
        people = oracle.people(5, 120, 0.1).drop(columns=["grade"])
        known = ["age", "pay", "sex", "flag", "born"]
        table = polars.from_pandas(people)
        out = MondrianAnonymizer(known, k=4).fit_transform(table)
        assert isinstance(out, polars.DataFrame)
        assert out["note"].equals(table["note"])
        assert out.schema["job"] == table.schema["job"]
        assert out.group_by(known).len()["len"].min() >= 4
        plain = MondrianAnonymizer(known, k=4).fit_transform(people)
        assert out["sex"].to_list() == [None if pd.isna(x) else x for x in plain["sex"]]

    def test_pyarrow_in_pyarrow_out(self, people):
        pyarrow = pytest.importorskip("pyarrow")
        table = pyarrow.Table.from_pandas(people[["age", "job"]], preserve_index=False)
        out = MondrianAnonymizer(["age"], k=5).fit_transform(table)
        assert isinstance(out, pyarrow.Table)
        assert out["job"].equals(table["job"])

    def test_lists_and_arrays_agree_with_frames(self):
        rows = [[1, 5.5], [2, 6.5], [8, 1.5], [9, 2.5]]
        plain = MondrianAnonymizer(k=2).fit_transform(pd.DataFrame(rows))
        for kind in (list, np.array, lambda r: np.array(r, dtype=object)):
            out = MondrianAnonymizer(k=2).fit_transform(kind(rows))
            assert out.tolist() == plain.to_numpy().tolist()

    def test_texts_in_an_object_array(self):
        rows = np.array([["a", 1], ["b", 2], [None, 3], ["a", 4]], dtype=object)
        out = MondrianAnonymizer(k=2).fit_transform(rows)
        assert out[:, 0].tolist() == ["a", "b or missing", "b or missing", "a"]


class TestCopies:
    def test_clones_are_unfitted_twins(self, oracle):
        done = MondrianAnonymizer(
            ["age"], k=7, output="center", hierarchies=oracle.hierarchies
        )
        twin = clone(done)
        assert twin.get_params() == done.get_params()
        assert not hasattr(twin, "report_")

    def test_joblib_brings_it_back(self, oracle, tmp_path):
        people = oracle.people(3, 150, 0.1)
        done = MondrianAnonymizer(
            oracle.known, k=5, sensitive=["job"], hierarchies=oracle.hierarchies
        ).fit(people)
        joblib.dump(done, tmp_path / "done.joblib")
        again = joblib.load(tmp_path / "done.joblib")
        pd.testing.assert_frame_equal(again.transform(people), done.transform(people))
        assert again.report_ == done.report_

    def test_two_fits_of_one_table_agree(self, people):
        done = MondrianAnonymizer(["age", "pay"], k=5)
        pd.testing.assert_frame_equal(
            done.fit_transform(people), done.fit_transform(people)
        )

    def test_a_second_fit_forgets_the_first(self, people):
        done = MondrianAnonymizer(["age"], k=5).fit(people)
        done.fit(people.assign(age=people["age"] + 1000))
        assert (done.transform(people)["age"] == "*").all()


@pytest.mark.parametrize("k", [1, 5])
def test_no_check_is_excused_for_any_k(k):
    check_estimator(MondrianAnonymizer(k=k, output="center"), on_skip=None)


def test_what_is_excused_fails_for_no_other_reason_than_texts():
    results = check_estimator(MondrianAnonymizer(k=2), on_fail=None, on_skip=None)
    failed = [result for result in results if result["status"] == "failed"]
    assert len(failed) == 9
    for result in failed:
        message = str(result["exception"])
        assert "'str' and 'str'" in message or "subtract" in message, result[
            "check_name"
        ]

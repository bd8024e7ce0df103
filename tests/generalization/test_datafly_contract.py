"""Datafly: refusals, and the contracts of the house and of scikit-learn."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

from anon_transformers.exceptions import DataError, InfeasibleError, ParameterError
from anon_transformers.generalization import DataflyAnonymizer
from anon_transformers.hierarchies import Hierarchy, Intervals, Masking
from anon_transformers.testing import anonymizer_checks, expected_failed_checks

SECRET = "s3cret"


def table():
    return pd.DataFrame(
        {"age": [20, 30, 40, 50], "land": [SECRET, "b", "b", "b"], "job": list("abab")}
    )


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"k": 0}, ParameterError, "k must be a whole number of at least 1, got 0"),
        ({"k": 5}, InfeasibleError, "k=5 .* has 4 rows"),
        ({"stop_rule": "at_most"}, ParameterError,
         "stop_rule: .*'at_most'; did you mean 'at_most_k'"),
        ({"attribute_tie": "any"}, ParameterError, "attribute_tie: .*'first', 'last'"),
        ({"types": {"age": "integer"}}, ParameterError,
         "types, age: unknown data type 'integer'.*'int'"),
        ({"types": {"aeg": "int"}}, ParameterError,
         "types: unknown quasi-identifier 'aeg'; did you mean 'age'"),
        ({"types": {"land": "int"}}, DataError,
         "column 'land': 2 values do not look like int"),
        ({"types": {"age": "int"}, "hierarchies": {"age": Intervals(widths=[5])}},
         ParameterError, "types, age: it has a hierarchy already"),
        ({"hierarchies": {"lnad": Masking()}}, ParameterError,
         "hierarchies: .*'lnad'; did you mean 'land'"),
        ({"hierarchies": {"land": Hierarchy([("b", "*")])}}, DataError,
         "'land' holds values in 1 rows that its hierarchy does not have"),
        ({"suppression_limit": 1.5}, ParameterError, "suppression_limit .*got 1.5"),
        ({"suppression_limit": True}, ParameterError, "suppression_limit .*got True"),
        ({"suppression_limit": -1}, ParameterError, "suppression_limit .*got -1"),
        ({"suppression": "masks"}, ParameterError, "suppression: .*'masks'"),
        ({"suppression_label": "b"}, DataError, "'land' holds the suppression label"),
    ],
)  # fmt: skip
def test_a_request_is_refused_with_key_and_choices(options, error, said):
    with pytest.raises(error, match=said) as caught:
        DataflyAnonymizer(**{"k": 2, **options}).fit(table())
    assert SECRET not in str(caught.value)


def test_nothing_passes_for_fitted_after_a_refusal():
    done = DataflyAnonymizer(k=2).fit(table())
    done.set_params(k=9)
    with pytest.raises(InfeasibleError):
        done.fit(table())
    with pytest.raises(ValueError, match="not fitted"):
        done.transform(table())


class TestInScikitLearn:
    def test_labels_go_on_to_an_encoder(self, oracle):
        people = oracle.people(1, 200)[["age", "land"]]
        model = make_pipeline(
            DataflyAnonymizer(k=10, hierarchies=oracle.trees),
            OneHotEncoder(sparse_output=False),
        )
        assert model.fit_transform(people).sum(axis=0).min() >= 10

    def test_clones_keep_hierarchies_builders_and_types(self, oracle):
        done = DataflyAnonymizer(k=3, hierarchies=oracle.trees, types={"zip": "string"})
        assert clone(done).get_params() == done.get_params()

    def test_fitted_ones_can_be_stored(self, oracle, tmp_path):
        people = oracle.people(3, 150, 0.1)
        done = DataflyAnonymizer(oracle.known, k=5, hierarchies=oracle.trees)
        expected = done.fit_transform(people)
        joblib.dump(done, tmp_path / "done.joblib")
        for again in (
            joblib.load(tmp_path / "done.joblib"),
            pickle.loads(pickle.dumps(done)),
        ):
            pd.testing.assert_frame_equal(again.transform(people), expected)
            assert again.report_ == done.report_
            assert again.levels_ == done.levels_

    def test_arrays_and_frames_agree(self):
        rows = [[11, 5.5], [12, 6.5], [81, 1.25], [82, 2.5]]
        plain = DataflyAnonymizer(k=2).fit_transform(pd.DataFrame(rows))
        for kind in (list, np.array, lambda r: np.array(r, dtype=object)):
            out = DataflyAnonymizer(k=2).fit_transform(kind(rows))
            assert out.tolist() == plain.to_numpy().tolist()

    def test_polars_in_polars_out(self, oracle):
        polars = pytest.importorskip("polars")
        people = oracle.people(5, 120)[["age", "land", "note"]]
        trees = oracle.trees
        out = DataflyAnonymizer(["age", "land"], k=4, hierarchies=trees).fit_transform(
            polars.from_pandas(people)
        )
        assert isinstance(out, polars.DataFrame)
        assert out.group_by(["age", "land"]).len()["len"].min() >= 4


INSTANCES = [
    *DataflyAnonymizer.test_instances(),
    DataflyAnonymizer(k=3, suppression_limit=0.1, attribute_tie="last"),
]


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{number}-{name}")
        for number, instance in enumerate(INSTANCES)
        for name, check in anonymizer_checks(instance)
    ],
)
def test_the_contract_of_the_house(check):
    check()


@parametrize_with_checks(
    INSTANCES, expected_failed_checks=expected_failed_checks, xfail_strict=True
)
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)

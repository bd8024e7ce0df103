"""Prefixes: worked examples, properties, refusals, contract."""

import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from anon_transformers.exceptions import DataError, InfeasibleError, ParameterError
from anon_transformers.testing import (
    anonymizer_checks,
    expected_failed_checks,
)
from anon_transformers_template.prefix import PrefixAnonymizer
from anon_transformers_template.range_diversity import RangeDiversity


def publish(table, **params):
    anonymizer = PrefixAnonymizer(**params)
    return anonymizer, anonymizer.fit_transform(pd.DataFrame(table))


@pytest.mark.parametrize(
    ("codes", "k", "expected"),
    [
        (["1234", "1299", "1307", "1355"], 2, ["12##", "12##", "13##", "13##"]),
        (["1234", "1234", "1235"], 1, ["1234", "1234", "1235"]),
        (["1234", "1239", "1299"], 3, ["12##", "12##", "12##"]),
        (["12", "1234", "1299"], 3, ["12##", "12##", "12##"]),
        (["1234", "5678"], 2, ["####", "####"]),
        (["1234", "1299", None, None], 2, ["12##", "12##", None, None]),
        (["1234", "1234", None], 3, ["####", "####", "####"]),
    ],
)
def test_worked_examples(codes, k, expected):
    _, output = publish({"zip": codes}, k=k)
    assert output["zip"].astype(object).where(output["zip"].notna(), None).tolist() == (
        expected
    )


def test_the_column_with_most_values_is_cut_first():
    table = {"zip": ["11", "12", "13", "14"], "ward": ["aa", "aa", "bb", "bb"]}
    anonymizer, output = publish(table, k=2)
    assert anonymizer.cuts_ == [1, 0]
    assert output["zip"].tolist() == ["1#"] * 4
    assert output["ward"].tolist() == table["ward"]
    assert anonymizer.report_.details == {"cuts": [1, 0]}


def test_suppression_saves_characters():
    codes = ["1234"] * 4 + ["1299"] * 4 + ["9900", "8800"]
    anonymizer, output = publish({"zip": codes}, k=2, suppression_limit=0.2)
    assert output["zip"].tolist() == [*codes[:8], "*", "*"]
    assert anonymizer.n_suppressed_ == 2
    whole, _ = publish({"zip": codes}, k=2)
    assert whole.cuts_ == [4]


def test_the_search_goes_on_where_the_suppressed_rows_would_be_too_few():
    codes = ["1234"] * 4 + ["1299"] * 4 + ["1300", "8800", "8801"]
    anonymizer, output = publish({"zip": codes}, k=4, suppression_limit=0.3)
    assert anonymizer.cuts_ == [4]
    assert set(output["zip"]) == {"####"}


def test_loss_is_the_share_of_values_that_a_label_covers():
    anonymizer, _ = publish({"zip": ["1234", "1299", "1307", "1355"]}, k=2)
    assert anonymizer.report_.loss == pytest.approx(1 / 3)
    anonymizer, _ = publish({"zip": ["1234", "5678"]}, k=2)
    assert anonymizer.report_.loss == 1
    anonymizer, _ = publish({"zip": ["1234", "5678"]}, k=1)
    assert anonymizer.report_.loss == 0


def test_further_models_are_kept():
    table = {"zip": ["1234", "1235", "1236", "1239"], "income": [100, 900, 100, 110]}
    params = {"quasi_identifiers": ["zip"], "sensitive": ["income"], "k": 2}
    models = [RangeDiversity(e=500)]
    anonymizer, output = publish(table, **params, models=models)
    assert output["zip"].tolist() == ["123#"] * 4
    assert [verdict.passed for verdict in anonymizer.check(output)] == [True, True]
    with pytest.raises(InfeasibleError, match="range-diversity"):
        publish(table, **params, models=[RangeDiversity(e=5000)])


def test_unseen_codes_are_suppressed():
    anonymizer, _ = publish({"zip": ["1234", "1299", "1307", "1355"]}, k=2)
    other = pd.DataFrame({"zip": ["1299", "1298", None]})
    assert anonymizer.transform(other)["zip"].tolist() == ["12##", "*", "*"]


@pytest.mark.parametrize("fill", ["", "##", None, "*"])
def test_bad_fill_is_refused(fill):
    with pytest.raises(ParameterError, match="fill"):
        publish({"zip": ["1234", "1299"]}, k=2, fill=fill)


def test_fill_in_the_input_is_refused():
    with pytest.raises(DataError, match="'zip' holds the fill character '#' in 2 rows"):
        publish({"zip": ["12#4", "12#4", "1299"]}, k=2)
    _, output = publish({"zip": ["12#4", "12#5"]}, k=2, fill="x")
    assert output["zip"].tolist() == ["12#x", "12#x"]


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=name)
        for name, check in anonymizer_checks(PrefixAnonymizer)
    ],
)
def test_anonymizer_contract(check):
    check()


def test_a_further_model_holds_on_the_tables_of_the_contract():
    checks = dict(anonymizer_checks(PrefixAnonymizer(models=[RangeDiversity(e=1000)])))
    checks["check_every_model_holds"]()


@parametrize_with_checks(
    [PrefixAnonymizer(k=2)], expected_failed_checks=expected_failed_checks
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)

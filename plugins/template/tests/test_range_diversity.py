"""Range diversity: worked examples, refusals, contract."""

import pandas as pd
import pytest

from anon_transformers import Classes
from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.testing import privacy_model_checks
from anon_transformers_template.range_diversity import RangeDiversity


def classes(incomes, **columns):
    table = pd.DataFrame({"zip": list("aaabbbcc"), "income": incomes, **columns})
    return Classes.from_frame(table, ["zip"], sensitive=["income", *columns])


INCOMES = [100, 900, 200, 400, 400, None, None, None]


@pytest.mark.parametrize(
    ("e", "expected"),
    [
        (0, [True, True, False]),
        (1, [True, False, False]),
        (800, [True, False, False]),
        (800.5, [False, False, False]),
    ],
)
def test_worked_examples(e, expected):
    assert RangeDiversity(e=e).satisfied(classes(INCOMES)).tolist() == expected


def test_the_level_is_the_narrowest_span():
    assert RangeDiversity(e=1).level(classes([1, 4, 2, 9, 9, 7, 5, 10])) == 2
    assert RangeDiversity(e=1).level(classes(INCOMES)) == -1


def test_every_sensitive_column_is_judged_unless_one_is_named():
    both = classes([1, 4, 2, 9, 9, 7, 5, 10], wealth=[0] * 8)
    assert RangeDiversity(e=2).satisfied(both).tolist() == [False] * 3
    assert RangeDiversity(e=2, sensitive="income").satisfied(both).all()


def test_values_that_are_no_numbers_cannot_be_judged():
    with pytest.raises(NotEvaluable, match="judges numbers"):
        RangeDiversity(e=1).satisfied(classes(list("abcdefgh")))


@pytest.mark.parametrize("e", [-1, float("inf"), float("nan"), "5", None, True])
def test_bad_parameters_are_refused(e):
    with pytest.raises(ParameterError, match="e must be a number of at least 0"):
        RangeDiversity(e=e)


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=name)
        for name, check in privacy_model_checks(RangeDiversity)
    ],
)
def test_privacy_model_contract(check):
    check()

"""(α, k)-anonymity and β-likeness: definitions and refusals."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.privacy import AlphaKAnonymity, BetaLikeness


@given(
    data=st.data(),
    alpha=st.sampled_from([0.2, 1 / 3, 0.5, 0.75, 1.0]),
    k=st.integers(1, 4),
)
def test_no_value_takes_more_than_its_share(tools, data, alpha, k):
    frame = data.draw(tools.tables())
    classes = tools.evidence(frame)
    expected, shares = [], []
    for counts in tools.class_counts(frame).values():
        rows = sum(counts.values())
        most = max((n for v, n in counts.items() if v is not None), default=0)
        shares.append((most + counts[None]) / rows)
        expected.append(rows >= k and shares[-1] <= alpha + 1e-12)
    model = AlphaKAnonymity(alpha, k)
    assert model.satisfied(classes).tolist() == expected
    assert model.level(classes) == pytest.approx(max(shares))


def test_one_value_may_be_protected_alone(table_of):
    classes = Classes.from_frame(table_of("aab", "abb", "ab."), ["q"], ["s"])
    found = AlphaKAnonymity(0.5, 1, value="b").satisfied(classes)
    assert found.tolist() == [True, False, False]


@pytest.mark.parametrize("value", [1, 1.0, "1"])
def test_a_number_is_found_by_its_text(value):
    frame = pd.DataFrame({"q": [1, 1, 1], "s": [1.0, 2.0, np.nan]})
    classes = Classes.from_frame(frame, ["q"], ["s"])
    assert AlphaKAnonymity(1, 1, value=value).level(classes) == pytest.approx(2 / 3)


def test_a_value_that_does_not_occur_cannot_be_judged(table_of):
    classes = Classes.from_frame(table_of("ab"), ["q"], ["s"])
    with pytest.raises(NotEvaluable, match="does not occur"):
        AlphaKAnonymity(0.5, 1, value="z").satisfied(classes)


def test_persons_count_where_there_is_a_subject():
    frame = pd.DataFrame({"q": [1, 1], "s": ["a", "b"], "who": ["p", "p"]})
    classes = Classes.from_frame(frame, ["q"], ["s"], subject="who")
    # One person holds both values: each is held by everybody.
    assert AlphaKAnonymity(0.5, 1).satisfied(classes).tolist() == [False]
    assert AlphaKAnonymity(1, 1).satisfied(classes).tolist() == [True]
    assert AlphaKAnonymity(1, 2).satisfied(classes).tolist() == [False]


@given(
    data=st.data(),
    beta=st.sampled_from([0.25, 1.0, 2.0]),
    form=st.sampled_from(["basic", "enhanced"]),
)
def test_gains_are_bounded(tools, data, beta, form):
    frame = data.draw(tools.tables())
    lost = data.draw(st.lists(st.sampled_from(["a", "b", "c", None]), max_size=9))
    classes = tools.evidence(frame, lost=lost)
    whole = sum(tools.class_counts(frame).values(), start=Counter(lost))
    table = {value: n / whole.total() for value, n in whole.items()}
    expected = []
    for counts in tools.class_counts(frame).values():
        rows = sum(counts.values())
        fine = True
        for value, n in counts.items():
            gain = (n / rows - table[value]) / table[value]
            bound = beta
            if form == "enhanced":
                bound = min(beta, -math.log(table[value]))
            fine = fine and (n == 0 or gain <= bound + 1e-9)
        expected.append(fine)
    model = BetaLikeness(beta, form)
    assert model.satisfied(classes).tolist() == expected
    level = model.level(classes)
    assert (level <= beta + 1e-9) == all(expected)


def test_a_rare_value_is_protected_where_t_is_small(tools, table_of):
    frame = table_of("a" * 48 + "bb", "a" * 50)
    classes = tools.evidence(frame)
    assert BetaLikeness(1, "basic").satisfied(classes).tolist() == [True, True]
    assert BetaLikeness(0.99, "basic").satisfied(classes).tolist() == [False, True]


def test_the_enhanced_form_keeps_a_frequent_value_from_filling_a_class(tools, table_of):
    frame = table_of("aaaa", "aabb")
    classes = tools.evidence(frame)
    # 3/4 to 1 is a gain of 1/3, above -ln(3/4) = 0.288.
    basic = BetaLikeness(1, "basic")
    assert basic.satisfied(classes).tolist() == [True, True]
    assert BetaLikeness(1).satisfied(classes).tolist() == [False, True]
    assert BetaLikeness(1).level(classes) == math.inf


def test_blanked_cells_gain_without_bound(tools, table_of):
    classes = tools.evidence(table_of("ab", "ab")).blanked(1)
    assert BetaLikeness(100).satisfied(classes).tolist() == [True, False]


def test_the_input_must_be_known(table_of):
    classes = Classes.from_frame(table_of("ab"), ["q"], ["s"])
    with pytest.raises(NotEvaluable, match="beta-likeness compares with the input"):
        BetaLikeness(1).satisfied(classes)
    assert BetaLikeness(1, reference="released").satisfied(classes).all()


@pytest.mark.parametrize("alpha", [0, -1, 1.5, True, "1", None, math.nan])
def test_alpha_is_a_share(alpha):
    with pytest.raises(ParameterError, match="alpha must be a number above 0 and at m"):
        AlphaKAnonymity(alpha, 2)


@pytest.mark.parametrize("k", [0, 1.5, True, None])
def test_k_is_a_whole_number(k):
    with pytest.raises(ParameterError, match="k must be a whole number"):
        AlphaKAnonymity(0.5, k)


@pytest.mark.parametrize("beta", [0, -1, True, "1", None, math.nan, math.inf])
def test_beta_is_positive(beta):
    with pytest.raises(ParameterError, match="beta must be a number above 0, got"):
        BetaLikeness(beta)


def test_forms():
    with pytest.raises(ParameterError, match="form: unknown option 'better'"):
        BetaLikeness(1, "better")

"""The three kinds of l-diversity: definitions, missing values, refusals."""

import json
import math
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import (
    InfeasibleError,
    NotEvaluable,
    ParameterError,
)
from anon_transformers.privacy import (
    DistinctLDiversity,
    EntropyLDiversity,
    PrivacyModel,
    RecursiveCLDiversity,
    judge,
)

MODELS = [
    DistinctLDiversity(2),
    DistinctLDiversity(3),
    EntropyLDiversity(1.5),
    EntropyLDiversity(2),
    RecursiveCLDiversity(1.5, 2),
    RecursiveCLDiversity(3, 2),
    RecursiveCLDiversity(0.9, 1),
]


def holds(model, counts):
    """From the definitions; missing values count as the most frequent one."""
    known = sorted((n for value, n in counts.items() if value is not None and n))[::-1]
    if not known:
        return False
    if isinstance(model, DistinctLDiversity):
        return len(known) >= model.l
    known[0] += counts[None]
    total = sum(known)
    if isinstance(model, EntropyLDiversity):
        entropy = -sum(n / total * math.log(n / total) for n in known)
        return entropy >= math.log(model.l) - 1e-9
    return known[0] < Fraction(str(model.c)) * sum(known[model.l - 1 :])


@pytest.mark.parametrize("model", MODELS, ids=repr)
@given(data=st.data())
def test_classes_are_judged_by_the_definition(tools, model, data):
    frame = data.draw(tools.tables())
    classes = Classes.from_frame(frame, ["q"], ["s"])
    expected = [holds(model, c) for c in tools.class_counts(frame).values()]
    assert model.satisfied(classes).tolist() == expected


@pytest.mark.parametrize("model", MODELS, ids=repr)
@given(data=st.data())
def test_a_value_made_missing_never_helps(tools, model, data):
    frame = data.draw(tools.tables())
    before = Classes.from_frame(frame, ["q"], ["s"])
    row = data.draw(st.integers(0, len(frame) - 1))
    cells = frame["s"].to_numpy(dtype=object, copy=True)
    cells[row] = None
    after = Classes.from_frame(frame.assign(s=cells), ["q"], ["s"])
    gained = model.satisfied(after) & ~model.satisfied(before)
    assert not gained.any()
    assert model.level(after) <= model.level(before) + 1e-9


@pytest.mark.parametrize("model", MODELS, ids=repr)
@given(data=st.data())
def test_others_join_the_quasi_identifiers(tools, model, data):
    frame = data.draw(tools.tables())
    classes = Classes.from_frame(frame, ["q"], ["s", "u"])
    extended = type(model)(
        **{**vars(model), "multiple": "extended", "sensitive": "s"}
    ).satisfied(classes)
    finer = tools.class_counts(frame, "s", ["q", "u"])
    for number, q in enumerate(dict.fromkeys(frame["q"])):
        parts = [counts for key, counts in finer.items() if key[0] == q]
        assert extended[number] == all(holds(model, counts) for counts in parts)


@pytest.mark.parametrize("model", MODELS, ids=repr)
@given(data=st.data())
def test_every_sensitive_column_must_pass(tools, model, data):
    frame = data.draw(tools.tables())
    both = Classes.from_frame(frame, ["q"], ["s", "u"])
    alone = [
        type(model)(**{**vars(model), "sensitive": name}).satisfied(both)
        for name in ("s", "u")
    ]
    np.testing.assert_array_equal(model.satisfied(both), alone[0] & alone[1])


def test_finer_classes_that_come_new_may_fail(table_of):
    frame = table_of("ab", "c").assign(u=["x", "x", "y"])
    classes = Classes.from_frame(frame, ["q"], ["s", "u"])
    each = DistinctLDiversity(2, sensitive="s")
    extended = DistinctLDiversity(2, sensitive="s", multiple="extended")
    union = classes.merge(np.array([0, 0]), 1)
    assert each.satisfied(classes)[0]
    assert each.satisfied(union).all()
    assert extended.satisfied(classes)[0]
    assert not extended.satisfied(union).any()
    assert (each.merging, extended.merging) == ("any", "satisfying")


def test_entropy_of_a_satisfying_class_may_fall_when_another_joins(table_of):
    classes = Classes.from_frame(table_of("ab", "aaaaaaaa"), ["q"], ["s"])
    union = classes.merge(np.array([0, 0]), 1)
    for model in (EntropyLDiversity(2), RecursiveCLDiversity(2, 2)):
        assert model.satisfied(classes)[0]
        assert not model.satisfied(union)[0]
        assert model.merging == "satisfying"


@pytest.mark.parametrize("n_values", range(1, 30))
def test_equally_frequent_values_count_as_so_many(n_values):
    frame = pd.DataFrame({"q": 1, "s": np.arange(n_values).repeat(7)})
    classes = Classes.from_frame(frame, ["q"], ["s"])
    assert EntropyLDiversity(n_values).satisfied(classes).all()
    assert not EntropyLDiversity(n_values + 0.001).satisfied(classes).any()


def test_levels_are_plain_and_verdicts_can_be_written(table_of):
    classes = Classes.from_frame(table_of("aaabbcd", "ab"), ["q"], ["s"])
    assert DistinctLDiversity(1).level(classes) == 2
    assert EntropyLDiversity(1).level(classes) == pytest.approx(2)
    assert RecursiveCLDiversity(2, 1).level(classes) == 2
    for model in MODELS:
        found = judge(model, classes).to_dict()
        assert json.loads(json.dumps(found)) == found
        assert isinstance(model, PrivacyModel)


def test_missing_values_alone_satisfy_nothing(table_of):
    classes = Classes.from_frame(table_of("....", "ab"), ["q"], ["s"])
    easiest = (DistinctLDiversity(1), EntropyLDiversity(1), RecursiveCLDiversity(9, 1))
    for model in easiest:
        assert model.satisfied(classes).tolist() == [False, True]
        assert model.level(classes) == 0


class TestFeasibility:
    @pytest.mark.parametrize(
        ("model", "feasible"),
        [
            (DistinctLDiversity(3), True),
            (DistinctLDiversity(4), False),
            (EntropyLDiversity(3), True),
            (EntropyLDiversity(3.1), False),
            (RecursiveCLDiversity(100, 3), True),
            (RecursiveCLDiversity(100, 4), False),
        ],
    )
    def test_an_l_above_the_number_of_values_is_told(self, table_of, model, feasible):
        classes = Classes.from_frame(table_of("abc", "a."), ["q"], ["s"])
        if feasible:
            model.check_feasible(classes)
        else:
            with pytest.raises(InfeasibleError, match="'s' has 3 distinct values"):
                model.check_feasible(classes)
        assert not model.satisfied(classes).all()

    def test_an_unknown_column_cannot_be_evaluated(self, table_of):
        classes = Classes.from_frame(table_of("abc"), ["q"], ["s"])
        with pytest.raises(NotEvaluable, match="unknown sensitive column 't'"):
            DistinctLDiversity(2, sensitive="t").check_feasible(classes)


class TestRefusals:
    @pytest.mark.parametrize("l", [0, -1, 2.5, True, "3", None])
    @pytest.mark.parametrize(
        "build", [DistinctLDiversity, partial(RecursiveCLDiversity, 2)]
    )
    def test_a_whole_l(self, build, l):  # noqa: E741
        with pytest.raises(ParameterError, match="l must be a whole number of at leas"):
            build(l)

    @pytest.mark.parametrize("l", [0.99, -1, True, "3", None, math.nan, math.inf])
    def test_a_real_l(self, l):  # noqa: E741
        with pytest.raises(ParameterError, match="l must be a number of at least 1"):
            EntropyLDiversity(l)

    @pytest.mark.parametrize("c", [0, -1, True, "3", None, math.nan, math.inf])
    def test_c(self, c):
        with pytest.raises(ParameterError, match="c must be a number above 0, got"):
            RecursiveCLDiversity(c, 2)

    def test_options(self):
        with pytest.raises(ParameterError, match="multiple: unknown option 'all'"):
            DistinctLDiversity(2, multiple="all")
        with pytest.raises(ParameterError, match="sensitive must be one column"):
            DistinctLDiversity(2, sensitive=["job"])

    @pytest.mark.parametrize("model", MODELS, ids=repr)
    def test_an_empty_table(self, model):
        empty = Classes.from_frame(pd.DataFrame({"q": [], "s": []}), ["q"], ["s"])
        with pytest.raises(NotEvaluable, match="empty"):
            model.level(empty)
        with pytest.raises(NotEvaluable, match="empty"):
            judge(model, empty)

    def test_columns_that_were_counted_one_by_one(self):
        frame = pd.DataFrame({"q": [1], "s": ["x"], "u": ["y"]})
        classes = Classes.from_frame(frame, ["q"], ["s", "u"])
        bare = Classes(classes.sizes, classes.rows, sensitive=classes.sensitive)
        with pytest.raises(NotEvaluable, match="counted one by one"):
            DistinctLDiversity(1, multiple="extended").satisfied(bare)

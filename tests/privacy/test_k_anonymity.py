"""k-anonymity: sizes, levels, merging, and what it refuses."""

import json
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.privacy import KAnonymity, PrivacyModel, judge


def sized(sizes):
    rows = np.repeat(np.arange(len(sizes)), sizes)
    return Classes.from_frame(pd.DataFrame({"q": rows}), ["q"])


sizes = st.lists(st.integers(1, 9), min_size=1, max_size=10)


@given(sizes, st.integers(1, 9))
def test_a_class_is_fine_from_k_rows_on(found, k):
    classes = sized(found)
    assert KAnonymity(k).satisfied(classes).tolist() == [size >= k for size in found]
    assert KAnonymity(k).level(classes) == min(found)


@given(sizes, st.integers(1, 9), st.data())
def test_a_fine_class_stays_fine_whatever_joins_it(found, k, data):
    classes = sized(found)
    into = np.array([data.draw(st.integers(0, 2)) for _ in found])
    merged = KAnonymity(k).satisfied(classes.merge(into, 3))
    assert merged[into[KAnonymity(k).satisfied(classes)]].all()


def test_persons_count_where_there_is_a_subject():
    frame = pd.DataFrame({"q": [1, 1, 1, 2], "who": ["p", "p", "q", None]})
    classes = Classes.from_frame(frame, ["q"], subject="who")
    assert KAnonymity(2).satisfied(classes).tolist() == [True, False]
    assert KAnonymity(1).level(classes) == 0


def test_it_is_a_privacy_model():
    model = KAnonymity(3)
    assert isinstance(model, PrivacyModel)
    assert (model.name, model.evidence, model.better) == (
        "k-anonymity",
        "classes",
        "higher",
    )
    assert (model.merging, model.tighter) == ("any", {"k": "higher"})


def test_models_are_values():
    assert KAnonymity(3) == KAnonymity(k=3)
    assert len({KAnonymity(3), KAnonymity(3), KAnonymity(4)}) == 2
    assert pickle.loads(pickle.dumps(KAnonymity(3))) == KAnonymity(3)
    assert repr(KAnonymity(3)) == "KAnonymity(k=3)"
    with pytest.raises(FrozenInstanceError):
        KAnonymity(3).k = 1


def test_a_numpy_k_can_be_written_as_json():
    verdict = judge(KAnonymity(np.int64(2)), sized([2, 3]))
    assert json.loads(json.dumps(verdict.to_dict()))["params"] == {"k": 2}


@pytest.mark.parametrize("k", [0, -1, 2.0, True, "3", None, np.nan])
def test_k_must_be_a_whole_number_of_at_least_one(k):
    with pytest.raises(ParameterError, match="k must be a whole number of at least 1"):
        KAnonymity(k)


def test_an_empty_table_has_no_level():
    empty = Classes.from_frame(pd.DataFrame({"q": []}), ["q"])
    with pytest.raises(NotEvaluable, match="empty"):
        KAnonymity(2).level(empty)

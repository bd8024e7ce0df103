"""δ-presence and k-map: what stands behind a class, and nothing without it."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.privacy import DeltaPresence, KMap, judge

people = st.lists(
    st.tuples(st.sampled_from(["a", "b", None]), st.integers(0, 1), st.booleans()),
    min_size=1,
    max_size=20,
).filter(lambda rows: any(row[2] for row in rows))


@given(people, st.integers(1, 6), st.sampled_from([0, 0.25, 0.5]))
def test_everybody_is_counted(rows, k, low):
    everyone = pd.DataFrame(rows, columns=["q", "r", "inside"]).astype({"q": object})
    released = everyone[everyone["inside"]]
    classes = Classes.from_frame(released, ["q", "r"], population=everyone)
    tuples = list(everyone[["q", "r"]].fillna("none").itertuples(index=False))
    inside = list(released[["q", "r"]].fillna("none").itertuples(index=False))
    order = list(dict.fromkeys(inside))
    persons = [tuples.count(key) for key in order]
    assert classes.population_sizes.tolist() == persons
    assert classes.population_outside == sum(key not in order for key in tuples)
    assert KMap(k).satisfied(classes).tolist() == [n >= k for n in persons]
    assert KMap(k).level(classes) == min(persons)
    shares = [inside.count(key) / tuples.count(key) for key in order]
    everywhere = low == 0 or set(tuples) <= set(inside)
    expected = [everywhere and low <= share <= 0.75 for share in shares]
    assert DeltaPresence(low, 0.75).satisfied(classes).tolist() == expected
    assert DeltaPresence(low, 0.75).level(classes) == pytest.approx(max(shares))


@pytest.mark.parametrize("model", [KMap(2), DeltaPresence(0, 0.5)], ids=repr)
def test_nothing_is_said_without_a_population(model):
    classes = Classes.from_frame(pd.DataFrame({"q": [1, 1]}), ["q"])
    for ask in (model.satisfied, model.level, lambda c: judge(model, c)):
        with pytest.raises(NotEvaluable, match="not available without a population"):
            ask(classes)


@pytest.mark.parametrize("model", [KMap(2), DeltaPresence(0, 0.5)], ids=repr)
def test_an_empty_table(model):
    empty = pd.DataFrame({"q": []})
    classes = Classes.from_frame(empty, ["q"], population=pd.DataFrame({"q": [1, 2]}))
    assert classes.population_outside == 2
    with pytest.raises(NotEvaluable, match="empty"):
        model.level(classes)


def test_persons_who_lose_their_class_are_outside():
    frame = pd.DataFrame({"q": ["a", "b"]})
    everyone = pd.DataFrame({"q": ["a", "a", "b", "b"]})
    classes = Classes.from_frame(frame, ["q"], population=everyone)
    model = DeltaPresence(0.5, 0.5)
    assert model.satisfied(classes).all()
    assert not model.satisfied(classes.merge(classes.labels * 0 + [0, -1], 1)).any()


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        (-0.1, 0.5, "low must be a number of at least 0 and at most 1"),
        (0, 1.5, "high must be a number of at least 0 and at most 1"),
        (0.6, 0.5, "low must be at most high"),
        (None, 0.5, "low must be a number"),
    ],
)
def test_shares_out_of_order(low, high, message):
    with pytest.raises(ParameterError, match=message):
        DeltaPresence(low, high)


@pytest.mark.parametrize("k", [0, 1.5, True, None])
def test_k_is_a_whole_number(k):
    with pytest.raises(ParameterError, match="k must be a whole number"):
        KMap(k)

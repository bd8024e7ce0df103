"""t-closeness: whose distribution, which distance, and what it refuses."""

import math
from collections import Counter
from datetime import date
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers import MondrianAnonymizer
from anon_transformers.evidence import Classes, distribution
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.privacy import AllOf, KAnonymity, TCloseness, judge

VALUES = ["a", "b", "c", "d", None]


def shares(counts):
    return np.array([counts[value] for value in VALUES]) / sum(counts.values())


def equal(p, q):
    return np.abs(p - q).sum() / 2


def by_tree(p, q):
    """Mean of the equal distances of values, of inner groups, and of low and high."""
    inner = np.array([[1, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]])
    outer = np.array([[1, 1, 0, 0, 0], [0, 0, 1, 1, 0]])
    missing = np.array([[0, 0, 0, 0, 1]])
    levels = [np.eye(5), np.vstack((inner, missing)), np.vstack((outer, missing))]
    return np.mean([equal(groups @ p, groups @ q) for groups in levels])


@pytest.mark.parametrize("distance", ["equal", "hierarchical"])
@given(data=st.data())
def test_distance_from_the_input(tools, distance, data):
    frame = data.draw(tools.tables())
    lost = data.draw(st.lists(st.sampled_from(VALUES), max_size=9))
    classes = tools.evidence(frame, lost=lost)
    counted = tools.class_counts(frame)
    reference = shares(sum(counted.values(), start=Counter(lost)))
    measure = equal if distance == "equal" else by_tree
    expected = [measure(shares(counts), reference) for counts in counted.values()]
    model = TCloseness(0.3, distance)
    np.testing.assert_allclose(
        model.distances(classes.sensitive["s"]), expected, atol=1e-12
    )
    assert model.level(classes) == pytest.approx(max(expected))
    near = np.isclose(expected, 0.3, atol=1e-9)
    found = model.satisfied(classes)
    np.testing.assert_array_equal(found[~near], (np.array(expected) <= 0.3)[~near])


@given(data=st.data())
def test_ordered_distance_from_what_is_released(tools, data):
    frame = data.draw(tools.tables(values=("a", "b", "c", "d")))
    classes = Classes.from_frame(tools.ranked(frame), ["q"], ["s"])
    used = sorted(set(frame["s"]))
    counted = tools.class_counts(frame)
    whole = np.array([(frame["s"] == v).sum() for v in used]) / len(frame)
    for found, counts in zip(
        TCloseness(1, "ordered", reference="released").distances(
            classes.sensitive["s"]
        ),
        counted.values(),
        strict=True,
    ):
        own = np.array([counts[v] for v in used]) / sum(counts.values())
        moved = np.abs(np.cumsum(own - whole))[:-1].sum()
        assert found == pytest.approx(moved / max(len(used) - 1, 1), abs=1e-12)


def test_values_that_were_lost_still_count(tools, table_of):
    frame = tools.ranked(table_of("ab"))
    classes = Classes.from_frame(
        frame, ["q"], ["s"], references={"s": {"a": 1, "b": 1, "c": 2}}
    )
    assert TCloseness(1).level(classes) == pytest.approx(0.5)
    assert TCloseness(1, reference="released").level(classes) == 0
    assert TCloseness(1, "ordered").level(classes) == pytest.approx(0.375)
    # Of two values that are released, the second is one step away, not half a step.
    both = Classes.from_frame(
        tools.ranked(table_of("a", "b")),
        ["q"],
        ["s"],
        references={"s": {"a": 1, "b": 1, "c": 2}},
    )
    released = TCloseness(1, "ordered", reference="released")
    assert released.level(both) == pytest.approx(0.5)
    assert TCloseness(1, "ordered").level(both) == pytest.approx(0.625)


def test_equal_distance_is_a_tree_without_inner_groups(table_of):
    flat = Hierarchy([(v, "*") for v in "abcd"])
    classes = Classes.from_frame(
        table_of("aab.", "cd", "abcd"), ["q"], ["s"], hierarchies={"s": flat}
    )
    column = classes.sensitive["s"]
    np.testing.assert_allclose(
        TCloseness(1, "hierarchical", reference="released").distances(column),
        TCloseness(1, reference="released").distances(column),
    )


def test_values_beyond_the_tree_are_far_from_all(table_of):
    tree = Hierarchy([("a", "low", "*"), ("b", "low", "*")], unknown="root")
    frame = table_of("ay", "bz")
    classes = Classes.from_frame(frame, ["q"], ["s"], hierarchies={"s": tree})
    # a for b is half a step, y for z a whole one.
    model = TCloseness(1, "hierarchical", reference="released")
    assert model.level(classes) == pytest.approx(0.25 * 0.5 + 0.25)


def test_numbers_are_found_in_their_tree():
    tree = Hierarchy([("1", "low", "*"), ("2", "low", "*"), ("9", "high", "*")])
    frame = pd.DataFrame({"q": [1, 1, 2, 2], "s": [1.0, 2.0, 9.0, np.nan]})
    classes = Classes.from_frame(frame, ["q"], ["s"], hierarchies={"s": tree})
    model = TCloseness(1, "hierarchical", reference="released")
    assert model.distances(classes.sensitive["s"]).tolist() == [0.5, 0.5]


def test_the_merged_classes_of_a_search_keep_the_input(table_of):
    frame = table_of("aab", "ccc")
    classes = Classes.from_frame(
        frame, ["q"], ["s"], references={"s": distribution(frame["s"])}
    )
    dropped = classes.merge(np.array([0, -1]), 1)
    assert TCloseness(1).level(dropped) == pytest.approx(0.5)
    # What is released alone is like itself: a search cannot be asked for that.
    assert TCloseness(1, reference="released").level(dropped) == 0


def test_a_released_reference_moves_when_a_class_is_left_out(table_of):
    classes = Classes.from_frame(table_of("aabb", "aabb", "abbb"), ["q"], ["s"])
    model = TCloseness(0.15, reference="released")
    kept = classes.merge(np.array([0, -1, 1]), 2)
    assert model.satisfied(classes)[0]
    assert TCloseness(0.1, reference="released").satisfied(classes)[0]
    assert not TCloseness(0.1, reference="released").satisfied(kept)[0]
    assert model.merging == "none"
    assert not model.for_search


def test_only_the_input_is_for_a_search():
    input_, released = TCloseness(0.1), TCloseness(0.1, reference="released")
    assert (input_.for_search, released.for_search) == (True, False)
    assert AllOf((KAnonymity(2), input_)).for_search
    assert not AllOf((KAnonymity(2), released)).for_search


class TestNotEvaluable:
    def test_the_input_of_a_release_that_came_without(self, table_of):
        classes = Classes.from_frame(table_of("ab"), ["q"], ["s"])
        with pytest.raises(NotEvaluable, match=r"references=.*reference='released'"):
            TCloseness(0.5).satisfied(classes)

    def test_no_tree(self, table_of):
        classes = Classes.from_frame(table_of("ab"), ["q"], ["s"])
        with pytest.raises(NotEvaluable, match="hierarchies="):
            TCloseness(1, "hierarchical", reference="released").satisfied(classes)

    def test_a_value_that_the_tree_lacks(self, table_of):
        tree = Hierarchy([("a", "*")])
        with pytest.raises(DataError, match=r"'s' holds values in 2 rows .* hierarchy"):
            Classes.from_frame(table_of("abb"), ["q"], ["s"], hierarchies={"s": tree})


class TestRefusals:
    @pytest.mark.parametrize("t", [-0.1, 1.1, True, "1", None, math.nan])
    def test_t(self, t):
        with pytest.raises(ParameterError, match="t must be a number of at least 0 an"):
            TCloseness(t)

    def test_options(self):
        with pytest.raises(ParameterError, match=r"distance: .* 'ordered'"):
            TCloseness(0.1, "order")
        with pytest.raises(ParameterError, match=r"reference: .* 'released'"):
            TCloseness(0.1, reference="release")


@given(data=st.data())
def test_the_level_is_the_smallest_t_that_holds(tools, data):
    classes = tools.evidence(tools.ranked(data.draw(tools.tables())))
    for distance in ("equal", "ordered", "hierarchical"):
        level = TCloseness(1, distance).level(classes)
        assert 0 <= level <= 1 + 1e-12
        assert TCloseness(min(level, 1.0), distance).satisfied(classes).all()
        if level > 1e-6:
            assert not TCloseness(level - 1e-6, distance).satisfied(classes).all()


ORDERS = {
    "numbers": pd.Series([3, 1, 2, 10]),
    "numbers as objects": pd.Series([3, 1, 2, 10], dtype=object),
    "dates": pd.Series(pd.to_datetime(["2020-01-03", "2020-01-01", "2021-01-02"])),
    "dates as objects": pd.Series([date(2020, 1, 3), date(2020, 1, 1)], dtype=object),
    "an ordered categorical": pd.Series(
        pd.Categorical(["low", "high"], ["low", "high"], ordered=True)
    ),
    "truths": pd.Series([True, False]),
}
TEXTS = {
    "texts": pd.Series(["low", "medium", "high"], dtype=object),
    "strings": pd.Series(["low", "medium", "high"], dtype="string"),
    "two texts": pd.Series(["+", "-"], dtype=object),
    "a categorical": pd.Series(["low", "medium", "high"], dtype="category"),
    "numbers as texts": pd.Series(["9", "10"], dtype=object),
}


@pytest.mark.parametrize("values", ORDERS.values(), ids=ORDERS)
def test_what_has_an_order_is_ranked_by_it(values):
    frame = pd.DataFrame({"q": 1, "s": values})
    classes = Classes.from_frame(frame, ["q"], ["s"])
    level = TCloseness(1, "ordered", reference="released").level(classes)
    assert level == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("values", TEXTS.values(), ids=TEXTS)
def test_texts_have_no_rank(values):
    frame = pd.DataFrame({"q": 1, "s": values})
    classes = Classes.from_frame(frame, ["q"], ["s"])
    model = TCloseness(1, "ordered", reference="released")
    for ask in (
        model.level,
        model.satisfied,
        model.check_feasible,
        partial(judge, model),
    ):
        with pytest.raises(NotEvaluable, match="ordered categorical"):
            ask(classes)
    with pytest.raises(NotEvaluable, match="column 's' holds texts"):
        model.check_feasible(classes)
    assert TCloseness(1, reference="released").level(classes) == 0


def test_an_anonymizer_refuses_to_promise_it_before_it_searches():
    frame = pd.DataFrame({"age": [20, 20, 30, 30], "s": ["low", "high", "low", "high"]})
    model = TCloseness(0.5, "ordered")
    made = MondrianAnonymizer(["age"], k=2, sensitive=["s"], models=[model])
    with pytest.raises(NotEvaluable, match="column 's' holds texts"):
        made.fit(frame)
    ranked = frame.assign(s=pd.Categorical(frame["s"], ["low", "high"], ordered=True))
    assert len(made.fit_transform(ranked)) == 4

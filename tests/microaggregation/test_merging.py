"""Groups that break a promise join others, and no more than they must."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._data.columns import identify
from anon_transformers.evidence import Classes
from anon_transformers.microaggregation._merging import RowGroups, merge_until_kept
from anon_transformers.privacy import (
    AllOf,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    TCloseness,
)

PROMISES = [
    AllOf((KAnonymity(2), DistinctLDiversity(l=2))),
    AllOf((KAnonymity(2), DistinctLDiversity(l=3))),
    AllOf((KAnonymity(2), EntropyLDiversity(l=1.8))),
    AllOf((KAnonymity(2), TCloseness(t=0.3))),
    AllOf((KAnonymity(5),)),
]


def merged(places, labels, values, promise):
    """Where each group ends, and the evidence of the groups as they were."""
    labels = np.array(labels)
    points = np.array(places, dtype=float).reshape(len(labels), -1)
    n_groups = int(labels.max()) + 1
    job = identify(pd.Series(list(values), name="job"))
    classes = Classes.from_labels(labels, n_groups, sensitive=[job])
    into = merge_until_kept(RowGroups.of(points, labels, n_groups), classes, promise)
    return into, classes


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from("abc")),
        min_size=2,
        max_size=40,
    ),
    st.sampled_from(PROMISES),
)
def test_every_group_keeps_the_promise_or_one_is_left(rows, promise):
    points = [row[:2] for row in rows]
    labels = np.arange(len(rows)) // 2
    labels[-1] = labels[-2]
    into, classes = merged(points, labels, [row[2] for row in rows], promise)
    n_left = int(into.max()) + 1
    assert sorted(set(into.tolist())) == list(range(n_left))
    kept = promise.satisfied(classes.merge(into, n_left))
    assert kept.all() or n_left == 1


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.sampled_from("ab")), min_size=2, max_size=30
    ),
    st.sampled_from([p for p in PROMISES if p.merging == "any"]),
)
def test_no_part_can_go_alone(rows, promise):
    """What keeps the promise alone stays only where the others need it.

    A refusal is final where a smaller rest is no better than a larger one.
    """
    labels = np.arange(len(rows)) // 2
    labels[-1] = labels[-2]
    into, classes = merged([row[0] for row in rows], labels,
                           [row[1] for row in rows], promise)  # fmt: skip
    fine = promise.satisfied(classes)
    n_left = int(into.max()) + 1
    if not promise.satisfied(classes.merge(into, n_left)).all():
        return
    for part in np.flatnonzero(fine & (np.bincount(into)[into] > 1)):
        tried = into.copy()
        tried[part] = n_left
        kept = promise.satisfied(classes.merge(tried, n_left + 1))
        assert not kept[into[part]]


def test_groups_that_keep_it_stay_as_they_are():
    into, _ = merged([0, 0, 5, 5, 9, 9], [0, 0, 1, 1, 2, 2], "ababab", PROMISES[0])
    assert into.tolist() == [0, 1, 2]


def test_the_nearest_is_joined():
    into, _ = merged([0, 0, 5, 5, 9, 9], [0, 0, 1, 1, 2, 2], "abaaab", PROMISES[0])
    assert into.tolist() == [0, 1, 1]


def test_a_small_neighbor_costs_less_than_a_large_one():
    # One away from four rows, or a little more than one from two rows.
    places = [0, 0, 1, 1, 1, 1, -1.1, -1.1]
    into, _ = merged(places, [0, 0, 1, 1, 1, 1, 2, 2], "aaababab", PROMISES[0])
    assert into.tolist() == [0, 1, 0]


def test_who_is_not_needed_goes_again():
    # 0 and 2 both join 1, which they no longer need once they have each other.
    places = [0, 0, 1, 1, 2.1, 2.1]
    into, _ = merged(places, [0, 0, 1, 1, 2, 2], "aaabbb", PROMISES[0])
    assert into.tolist() == [0, 1, 0]


def test_what_no_merging_can_keep_ends_in_one_group():
    into, _ = merged([0, 0, 5, 5], [0, 0, 1, 1], "aaaa", PROMISES[0])
    assert into.tolist() == [0, 0]


def test_equal_groups_merge_in_few_rounds():
    n_groups = 3000
    labels = np.repeat(np.arange(n_groups), 2)
    asked = []

    class Counting(AllOf):
        def satisfied(self, evidence):
            asked.append(evidence.n_classes)
            return super().satisfied(evidence)

    into, _ = merged(
        np.zeros(2 * n_groups),
        labels,
        list("ab") * n_groups,
        Counting((KAnonymity(8),)),
    )
    assert len(asked) <= 4
    assert np.bincount(into).tolist() == [4] * (n_groups // 4)


@pytest.mark.parametrize("promise", PROMISES)
def test_the_sums_go_with_the_groups(promise):
    rng = np.random.default_rng(4)
    points, labels = rng.normal(size=(60, 3)), np.arange(60) // 3
    groups = RowGroups.of(points, labels, 20)
    into, _ = merged(points, labels, rng.choice(list("abc"), 60), promise)
    whole = groups.merge(into, int(into.max()) + 1)
    for group, (size, center) in enumerate(
        zip(whole.sizes, whole.centers, strict=True)
    ):
        members = into[labels] == group
        assert size == members.sum()
        np.testing.assert_allclose(center, points[members].mean(axis=0))

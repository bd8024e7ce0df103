"""Minimal nodes: what the same estimator accepts while it accepts nothing below."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from anon_transformers import FullDomainAnonymizer, Hierarchy
from anon_transformers.exceptions import InfeasibleError, WithoutKWarning

SUPPRESSIONS = ["mask", "drop", "blank"]


def accepted(estimator, frame):
    """Every node that the estimator publishes if it is given these levels."""
    trees = estimator.hierarchies
    found = set()
    names = estimator.quasi_identifiers
    for node in itertools.product(*(range(trees[name].n_levels) for name in names)):
        one = clone(estimator).set_params(
            levels=dict(zip(names, node, strict=True)), find_minimal=False
        )
        try:
            one.fit(frame)
        except InfeasibleError:
            continue
        found.add(node)
    return found


def nodes_of(estimator, frame):
    estimator.fit(frame)
    return [tuple(node.values()) for node in estimator.minimal_nodes_]


@pytest.mark.parametrize("search", ["optimal", "incognito"])
def test_too_few_rows_to_be_a_class_of_marks_are_no_minimal_node(search):
    # At the bottom one row would go; masked, it would be a class of one.
    tree = Hierarchy([("1", "x", "*"), ("2", "x", "*"), ("3", "y", "*")])
    cells = ["1"] * 3 + ["2"] + ["3"] * 3
    frame = pd.DataFrame({"q": cells}, dtype=object)
    options = {"hierarchies": {"q": tree}, "suppression_limit": 0.2, "k": 2}
    made = FullDomainAnonymizer(["q"], search=search, find_minimal=True, **options)
    assert nodes_of(made, frame) == [(1,)]
    assert nodes_of(made.set_params(suppression="drop"), frame) == [(0,)]


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_they_are_the_lowest_of_all_that_are_accepted(slow, draws, data):
    frame = slow.frame_of(data.draw(draws.rows))
    estimator = slow.anonymizer(
        k=data.draw(draws.ks),
        models=data.draw(draws.models),
        suppression_limit=data.draw(st.sampled_from([0.0, 0.2, 0.5, 1.0, 1, 3])),
        suppression=data.draw(st.sampled_from(SUPPRESSIONS)),
        find_minimal=True,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WithoutKWarning)
        expected = slow.lowest(accepted(estimator, frame))
        if not expected:
            with pytest.raises(InfeasibleError):
                estimator.fit(frame)
            return
        found = nodes_of(estimator, frame)
    assert sorted(found) == sorted(expected)
    assert found == sorted(found, key=lambda node: (sum(node), node))


@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_persons_are_counted_where_they_are_told_apart(slow, draws, data):
    frame = slow.frame_of(data.draw(draws.rows))
    frame["who"] = data.draw(
        st.lists(st.sampled_from("pqrstuv"), min_size=len(frame), max_size=len(frame))
    )
    estimator = slow.anonymizer(
        k=data.draw(st.integers(1, 3)),
        subject="who",
        suppression_limit=data.draw(st.sampled_from([0.0, 0.3, 2])),
        suppression=data.draw(st.sampled_from(SUPPRESSIONS)),
        find_minimal=True,
    )
    expected = slow.lowest(accepted(estimator, frame))
    if not expected:
        with pytest.raises(InfeasibleError):
            estimator.fit(frame)
        return
    assert sorted(nodes_of(estimator, frame)) == sorted(expected)


def test_a_count_of_rows_finds_what_its_share_finds(slow):
    rng = np.random.default_rng(7)
    frame = slow.frame_of(
        [(rng.choice([*"01234567"]), rng.choice([*"abc"]), "f", "u") for _ in range(40)]
    )
    share = slow.anonymizer(k=3, suppression_limit=0.1, find_minimal=True)
    count = clone(share).set_params(suppression_limit=4)
    assert nodes_of(count, frame) == nodes_of(share, frame)
    assert count.levels_ == share.levels_
    assert count.n_suppressed_ == share.n_suppressed_ <= 4

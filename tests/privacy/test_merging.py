"""What every model promises of merged classes is tried on random merges."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.privacy import (
    AlphaKAnonymity,
    BeliefBound,
    BetaLikeness,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    KMap,
    RecursiveCLDiversity,
    TCloseness,
)

MODELS = [
    DistinctLDiversity(2),
    DistinctLDiversity(2, multiple="extended"),
    EntropyLDiversity(1.6),
    EntropyLDiversity(1.6, multiple="extended"),
    RecursiveCLDiversity(2, 2),
    RecursiveCLDiversity(1.2, 1, multiple="extended"),
    TCloseness(0.4),
    TCloseness(0.3, "ordered"),
    TCloseness(0.3, "hierarchical", sensitive="s"),
    TCloseness(0.6, multiple="extended"),
    AlphaKAnonymity(0.6, 2),
    AlphaKAnonymity(0.8, 2, multiple="extended"),
    BetaLikeness(1.5, "basic"),
    BetaLikeness(1.5, "enhanced"),
    BeliefBound(0.7),
    BeliefBound(0.9, 0.1),
    BeliefBound(1.0, 0.05, multiple="extended"),
    DeltaPresence(0.2, 0.6),
    KMap(4),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
@given(data=st.data())
def test_unions_keep_what_the_flag_says(tools, merges, model, data):
    frame = tools.ranked(data.draw(tools.tables(min_rows=2)))
    classes = tools.evidence(frame, sensitive=("s", "u"))
    n = classes.n_classes
    more = data.draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))
    classes = replace(classes, population_sizes=classes.sizes + more)
    into, n_groups = merges(data, classes)
    before = model.satisfied(classes)
    after = model.satisfied(classes.merge(into, n_groups))
    for group in set(into):
        members = before[into == group]
        if members.all() or (model.merging == "any" and members.any()):
            assert after[group]


def test_no_model_is_called_safer_than_it_is(tools, table_of):
    """For each that says "satisfying": one that joins a class can break it."""
    frame = table_of("ab", "aaaaaaaaaaaaaaaaaa").assign(u="x")
    classes = tools.evidence(frame, population=np.array([4, 18]))
    union = classes.merge(np.array([0, 0]), 1)
    for model in (
        EntropyLDiversity(1.6),
        RecursiveCLDiversity(2, 2),
        AlphaKAnonymity(0.6, 2),
        BeliefBound(0.7),
        DeltaPresence(0.2, 0.6),
    ):
        assert model.merging == "satisfying"
        assert model.satisfied(classes)[0]
        assert not model.satisfied(union)[0]


@pytest.mark.parametrize(
    "model",
    [
        TCloseness(0.2, reference="released"),
        BetaLikeness(0.5, reference="released"),
        BeliefBound(1.0, 0.35, reference="released"),
    ],
    ids=repr,
)
def test_a_released_reference_promises_nothing(tools, table_of, model):
    """A class that satisfies in one table does not in the table without another."""
    classes = tools.evidence(table_of("aab", "aaaaaaaa", "bbb"))
    without = classes.merge(np.array([0, -1, 1]), 2)
    assert model.satisfied(classes)[0]
    assert not model.satisfied(without)[0]
    assert model.merging == "none"
    assert not model.for_search

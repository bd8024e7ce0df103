"""Beliefs of an intruder: Bayes by counting worlds, and the bound on beliefs."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.privacy import (
    BeliefBound,
    class_belief,
    posterior_belief,
    prior_belief,
)


def counted_worlds(joint, released):
    """Belief about one person of quasi-identifier 0 by counting every world.

    Each of as many persons as ``released`` has values draws a quasi-identifier and a
    value from the joint distribution; worlds that show the released values are kept,
    and the first person is known to have quasi-identifier 0.
    """
    joint = np.array(joint) / np.sum(joint)
    weights = np.zeros(joint.shape[1])
    worlds = set(permutations(released))
    for values in worlds:
        for rest in product(range(len(joint)), repeat=len(values) - 1):
            chance = 1.0
            for q, s in zip((0, *rest), values, strict=True):
                chance *= joint[q, s]
            weights[values[0]] += chance
    return weights / weights.sum()


@pytest.mark.parametrize(
    ("joint", "released"),
    [
        ([[1, 3], [2, 2]], [0, 1, 1]),
        ([[5, 1, 2], [1, 1, 6]], [0, 1, 2]),
        ([[1, 0, 3], [1, 2, 1], [2, 2, 2]], [0, 1, 2, 2]),
    ],
)
def test_the_posterior_is_what_counting_worlds_gives(joint, released):
    counts = np.bincount(released, minlength=len(joint[0]))
    classes = np.zeros(len(joint), dtype=int)
    found = posterior_belief(counts, prior_belief(joint), class_belief(joint, classes))
    np.testing.assert_allclose(found[0], counted_worlds(joint, released))


shares = st.lists(st.integers(1, 9), min_size=3, max_size=3)


@given(st.lists(shares, min_size=1, max_size=5), shares, st.data())
def test_beliefs_are_distributions(joint, counts, data):
    classes = [data.draw(st.integers(0, 2)) for _ in joint]
    prior, above = prior_belief(joint), class_belief(joint, classes)
    found = posterior_belief(counts, prior, above)
    for belief in (prior, above, found):
        np.testing.assert_allclose(belief.sum(axis=1), 1)
    for number in set(classes):
        rows = np.array(classes) == number
        own = np.array(joint)[rows].sum(axis=0)
        np.testing.assert_allclose(
            above[rows], np.tile(own / own.sum(), (rows.sum(), 1))
        )


@given(shares, shares)
def test_without_knowledge_it_is_the_share_of_the_class(counts, prior):
    found = posterior_belief(counts, prior, prior)
    np.testing.assert_allclose(found, np.array(counts) / sum(counts))


class TestDistributionsThatCannotBe:
    def test_a_row_of_zeros(self):
        with pytest.raises(DataError, match="zero in 1 rows"):
            prior_belief([[0, 0], [1, 1]])

    def test_negative_shares(self):
        with pytest.raises(DataError, match="1 entries that are no share"):
            prior_belief([[1, -1]])

    def test_a_published_value_that_f_rules_out(self):
        with pytest.raises(DataError, match="rules out there"):
            posterior_belief([1, 1], [1, 0], [1, 0])

    def test_every_published_value_ruled_out(self):
        with pytest.raises(DataError, match="every published value in 1 rows"):
            posterior_belief([1, 0], [0, 1], [1, 1])


@given(
    data=st.data(),
    positive=st.sampled_from([0.5, 2 / 3, 0.9, 1.0]),
    negative=st.sampled_from([None, 0.0, 0.1, 0.25]),
)
def test_beliefs_are_bounded_from_both_sides(tools, data, positive, negative):
    frame = data.draw(tools.tables())
    lost = data.draw(st.lists(st.sampled_from(["a", "b", None]), max_size=6))
    classes = tools.evidence(frame, lost=lost)
    whole = [None if v != v else v for v in [*frame["s"], *lost]]  # noqa: PLR0124
    expected = []
    for counts in tools.class_counts(frame).values():
        rows = sum(counts.values())
        fine = counts[None] < rows
        for value in "abcd":
            prior = whole.count(value) / len(whole)
            most, least = (counts[value] + counts[None]) / rows, counts[value] / rows
            fine = fine and most < positive - 1e-9
            if negative is not None and prior > negative + 1e-9:
                fine = fine and least > negative + 1e-9
        expected.append(fine)
    model = BeliefBound(positive, negative)
    assert model.satisfied(classes).tolist() == expected
    assert (model.level(classes) < positive - 1e-9) == all(expected)


def test_a_value_that_is_ruled_out(tools, table_of):
    classes = tools.evidence(table_of("aab", "aac", "abc"))
    model = BeliefBound(1.0, 0.0)
    assert model.satisfied(classes).tolist() == [False, False, True]
    assert model.level(classes) == 1
    assert BeliefBound(1.0).satisfied(classes).all()


def test_a_value_too_rare_to_care_for_may_be_absent(tools, table_of):
    classes = tools.evidence(table_of("aaaabbbb", "aaabbbbc"))
    assert BeliefBound(0.9, 0.1).satisfied(classes).all()
    assert not BeliefBound(0.9, 0.01).satisfied(classes).all()


def test_a_prior_needs_the_input(table_of):
    classes = Classes.from_frame(table_of("ab"), ["q"], ["s"])
    with pytest.raises(NotEvaluable, match="belief-bound compares with the input"):
        BeliefBound(1.0, 0.1).satisfied(classes)
    assert BeliefBound(1.0).satisfied(classes).all()
    assert BeliefBound(1.0, 0.1, reference="released").satisfied(classes).all()


@pytest.mark.parametrize("bound", [0, -0.1, 1.1, True, "1", None])
def test_the_positive_bound_is_a_share(bound):
    with pytest.raises(
        ParameterError, match="positive must be a number above 0 and at"
    ):
        BeliefBound(bound)


@pytest.mark.parametrize("bound", [-0.1, 1, 1.1, True, "1"])
def test_the_negative_bound_is_a_share(bound):
    with pytest.raises(
        ParameterError, match=r"negative must be .* at least 0 and below 1"
    ):
        BeliefBound(1.0, bound)

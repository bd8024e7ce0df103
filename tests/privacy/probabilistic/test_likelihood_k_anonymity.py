"""Posteriors of any mechanism, and the model that bounds them."""

import itertools
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.evidence import Classes, Likelihoods
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.privacy import KAnonymity, LikelihoodKAnonymity, judge

DATA = Path(__file__).parents[2] / "data"
KNOWN = json.loads((DATA / "vectors/probabilistic.json").read_text(encoding="utf-8"))
VECTORS = {vector["name"]: vector for vector in KNOWN["vectors"]}


@pytest.mark.parametrize("name", ["example_2_posterior_a", "example_2_posterior_b"])
def test_additive_noise(name):
    given_, expected = VECTORS[name]["input"], VECTORS[name]["expected"]
    law = given_["mechanism"]["additive_noise"]
    likelihoods = Likelihoods.from_mechanism(
        given_["E"],
        [given_["released_qi"]],
        np.vectorize(lambda known, seen: law.get(str(seen - known), 0.0)),
    )
    assert likelihoods.matrix.ravel().tolist() == expected["likelihood"]
    assert likelihoods.posterior().ravel() == pytest.approx(expected["posterior"])
    for text, holds in expected["satisfies"].items():
        k = int(text.removeprefix("k="))
        assert judge(LikelihoodKAnonymity(k=k), likelihoods).passed is holds
    level = LikelihoodKAnonymity(k=1).level(likelihoods)
    assert level == pytest.approx(1 / expected["max_posterior"])


@pytest.mark.parametrize(
    "name",
    ["probability_matrix_uniform_groups_k3", "probability_matrix_uneven_groups_k2"],
)
def test_permutations_inside_groups_by_enumeration(name):
    groups, n = VECTORS[name]["input"]["groups"], VECTORS[name]["input"]["N"]
    expected, k = VECTORS[name]["expected"], VECTORS[name]["parameters"]["k"]
    times, count = np.zeros((n, n)), 0
    for orders in itertools.product(*(itertools.permutations(g) for g in groups)):
        for members, order in zip(groups, orders, strict=True):
            times[members, order] += 1
        count += 1
    assert count == expected["permutations_enumerated"]
    likelihoods = Likelihoods(times / count)
    wanted = [[float(Fraction(c)) for c in r] for r in expected["matrix_as_fractions"]]
    posterior = likelihoods.posterior()
    assert posterior == pytest.approx(np.array(wanted))
    assert posterior.sum(axis=1) == pytest.approx(np.ones(n))
    assert np.trace(posterior) == pytest.approx(
        expected["expected_correct_links_of_the_naive_intruder"]
    )
    assert judge(LikelihoodKAnonymity(k=k), likelihoods).passed
    assert not judge(LikelihoodKAnonymity(k=k + 1), likelihoods).passed
    assert LikelihoodKAnonymity(k=k).level(likelihoods) == pytest.approx(k)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=20))
def test_a_k_anonymous_table_has_the_level_of_its_classes(ages):
    """Behind a row of x may be everybody whose age is published as x, and no other."""
    likelihoods = Likelihoods.from_mechanism(ages, ages, np.equal)
    table = pd.DataFrame({"age": ages})
    k = KAnonymity(k=1).level(Classes.from_frame(table, ["age"]))
    assert LikelihoodKAnonymity(k=1).level(likelihoods) == pytest.approx(k)
    for wanted in range(1, len(ages) + 2):
        passed = judge(LikelihoodKAnonymity(k=wanted), likelihoods).passed
        assert passed is (wanted <= k)


def test_several_columns_are_handed_over_pair_by_pair():
    external = np.array([[20, 0], [30, 1]])
    made = Likelihoods.from_mechanism(
        external, external[:1], lambda known, seen: (known == seen).all(axis=2)
    )
    assert made.matrix.tolist() == [[1.0], [0.0]]


def test_tiny_densities_do_not_vanish():
    assert Likelihoods([[1e-320], [1e-320]]).posterior().ravel().tolist() == [0.5, 0.5]
    assert Likelihoods([[1e308], [1e308]]).posterior().ravel().tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([0.5, 0.5], "1 dimensions"),
        ([[0.5], [-0.1]], "1 likelihoods are negative"),
        ([[np.nan, 1.0]], "1 likelihoods are negative or not finite"),
        ([[0.0, 1.0], [0.0, 1.0]], "1 published records have likelihood 0"),
        (np.empty((0, 3)), "3 published records"),
    ],
)
def test_what_is_no_likelihood_is_refused(matrix, message):
    with pytest.raises(DataError, match=message):
        Likelihoods(matrix)


def test_the_matrix_is_a_copy_that_cannot_be_changed():
    given_ = np.array([[0.5], [0.5]])
    likelihoods = Likelihoods(given_)
    given_[0] = 1
    assert likelihoods.matrix[0, 0] == 0.5
    with pytest.raises(ValueError, match="read-only"):
        likelihoods.matrix[0] = 1


def test_nothing_to_judge_is_not_passed():
    with pytest.raises(NotEvaluable, match="nothing to judge"):
        judge(LikelihoodKAnonymity(k=1), Likelihoods(np.empty((2, 0))))
    with pytest.raises(NotEvaluable, match="there is no record"):
        LikelihoodKAnonymity(k=1).level(Likelihoods(np.empty((2, 0))))
    with pytest.raises(ParameterError, match="k must be"):
        LikelihoodKAnonymity(k=0)

"""The synthetic tables: as printed, what tells rows apart, the random forms."""

import json
from pathlib import Path

import numpy as np
import pytest

from anon_transformers.datasets import dataset_name, make_dependent, make_independent
from anon_transformers.exceptions import ParameterError

VECTORS = {
    vector["name"]: vector["expected"]
    for vector in json.loads(
        (Path(__file__).parents[1] / "data/vectors/mondrian-datafly.json").read_text(
            encoding="utf-8"
        )
    )["vectors"]
}


def test_the_printed_table_of_both_generators():
    printed = VECTORS["table_5_generators"]
    assert make_independent(4, 2).to_numpy().tolist() == printed["independent"]
    assert make_dependent(2, 2).to_numpy().tolist() == printed["dependent"]


def test_columns_are_numbered_from_zero():
    assert list(make_independent(2, 3)) == ["A_0", "A_1", "A_2"]
    assert list(make_dependent(2, 3)) == ["A_0", "A_1", "A_2"]


def test_squares():
    assert make_independent(4, 1, func="quadratic")["A_0"].tolist() == [1, 4, 9, 16]
    assert make_dependent(3, 1, func="quadratic")["A_0"].tolist() == [1, 4, 9]


def test_large_squares_do_not_overflow():
    assert make_independent(100_000, 1, func="quadratic")["A_0"].iloc[-1] == 10**10


def test_any_values_may_be_given():
    assert make_dependent([7, -1], 2).to_numpy().tolist() == [
        [7, 7], [7, -1], [-1, 7], [-1, -1],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("size", "n_attributes", "n_rows"),
    [(300, 2, 90_000), (10, 5, 100_000), (3, 10, 59_049)],
)
def test_dependent_tables_of_the_source(size, n_attributes, n_rows):
    table = make_dependent(size, n_attributes)
    assert table.shape == (n_rows, n_attributes)
    assert not table.duplicated().any()
    assert table.iloc[:, :-1].duplicated().any()


def test_names():
    assert dataset_name(1000, 10) == "datasetlinear-1000-10"
    assert dataset_name(3, 10, func="quadratic") == "datasetquadratic-3-10"


@pytest.mark.parametrize("func", ["linear", "quadratic"])
def test_random_independent_columns_hold_the_same_numbers(func):
    plain = make_independent(200, 3, func=func)
    table = make_independent(200, 3, func=func, random_state=5)
    assert all(sorted(table[name]) == plain[name].tolist() for name in table)
    assert not table["A_0"].equals(table["A_1"])


def test_random_dependent_cells_are_drawn_from_the_values():
    table = make_dependent(4, 3, func="quadratic", random_state=5)
    assert table.shape == (64, 3)
    assert set(np.unique(table)) == {1, 4, 9, 16}


@pytest.mark.parametrize("make", [make_independent, make_dependent])
def test_a_seed_decides_the_table(make):
    assert make(6, 3, random_state=1).equals(make(6, 3, random_state=1))
    assert not make(6, 3, random_state=1).equals(make(6, 3, random_state=2))
    rng = np.random.default_rng(1)
    assert make(6, 3, random_state=rng).equals(make(6, 3, random_state=1))
    assert not make(6, 3, random_state=rng).equals(make(6, 3, random_state=1))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_independent(0, 1), "n_rows must be .* of at least 1, got 0"),
        (lambda: make_independent(3, 0), "n_attributes"),
        (lambda: make_independent(3, 1, func="cubic"), "func: unknown option 'cubic'"),
        (lambda: make_dependent(0, 1), "values must be"),
        (lambda: make_dependent([], 1), "at least one"),
        (lambda: make_dependent([1, -1], 1, func="quadratic"), "differ"),
        (lambda: make_dependent(2, 1.5), "got 1.5"),
        (lambda: dataset_name(3, 1, func="linaer"), "did you mean 'linear'"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize(
    ("values", "n_attributes", "message"),
    [
        pytest.param(["a", "b"], 2, "whole numbers, got 'a'", id="texts"),
        pytest.param([1.5, 2], 2, "whole numbers, got 1.5", id="fractions"),
        pytest.param("12", 2, "got '12'", id="one-text"),
        pytest.param(100, 10, r"100 \*\* 10 rows", id="too-large"),
    ],
)
def test_values_that_make_no_table_are_refused(values, n_attributes, message):
    with pytest.raises(ParameterError, match=message):
        make_dependent(values, n_attributes)

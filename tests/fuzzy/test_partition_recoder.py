"""Fuzzy sets by hand: the source's tables, even sets, refusals."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from anon_transformers.evidence import Memberships
from anon_transformers.exceptions import DataError, InfeasibleError, ParameterError
from anon_transformers.fuzzy import FuzzyPartition, FuzzyPartitionRecoder
from anon_transformers.privacy import QAnonymity

INF = float("inf")
AGES = FuzzyPartition(
    {"Young": (-INF, 30, 36), "Adult": (30, 36, 54, 60), "Old": (54, 60, INF)}
)
PAY = FuzzyPartition.from_peaks([2, 5, 8, 11], ["Low", "Medium", "High", "Very high"])
OLD = FuzzyPartition.from_peaks(
    [30, 42, 54, 66], ["Low", "Medium", "High", "Very high"]
)


def test_the_nine_ages_of_the_source():
    table = pd.DataFrame({"age": [21, 24, 32, 36, 45, 56, 58, 62, 65]})
    recoder = FuzzyPartitionRecoder(
        partitions={"age": AGES}, k=3, models=[QAnonymity(3)], keep_memberships=True
    )
    published = recoder.fit_transform(table)
    names = ["Young"] * 3 + ["Adult"] * 3 + ["Old"] * 3
    assert published["age"].tolist() == names
    third = float(Fraction(1, 3))
    assert recoder.degrees_[2] == pytest.approx([2 * third, third, 0])
    assert recoder.degrees_[5] == pytest.approx([0, 2 * third, third])
    assert [m["model"] for m in recoder.report_.models] == [
        "k-anonymity",
        "q-anonymity",
    ]
    assert recoder.report_.models[1]["level"] == 3


def test_crisp_columns_are_crossed_with_fuzzy_ones():
    # Rows 1, 4 and 9 of Table 3.1; the ZIP prefix is a crisp attribute.
    table = pd.DataFrame(
        {"zip": ["476", "479", "479"], "age": [29, 43, 55], "pay": [3.5, 7, 9]}
    )
    recoder = FuzzyPartitionRecoder(
        partitions={"age": OLD, "pay": PAY}, k=1, keep_memberships=True
    ).fit(table)
    degrees = pd.DataFrame(recoder.degrees_, columns=recoder.class_names_)
    assert degrees.shape == (3, 32)
    assert degrees[("476", "Low", "Low")][0] == pytest.approx(1 / 2)
    assert degrees[("479", "Medium", "High")][1] == pytest.approx(11 / 18)
    assert degrees[("479", "High", "High")].tolist() == pytest.approx(
        [0, 1 / 18, 11 / 18]
    )
    assert degrees.sum(axis=1).tolist() == pytest.approx([1, 1, 1])
    assert Memberships(recoder.degrees_).n_rows == 3


def test_other_columns_of_numbers_get_even_sets():
    table = pd.DataFrame({"x": [0, 1, 4, 5, 6, 9, 10]})
    recoder = FuzzyPartitionRecoder(n_sets=3, k=1, keep_memberships=True)
    found = recoder.fit_transform(table)["x"]
    assert found.tolist() == ["Low", "Low", *["Medium"] * 3, "High", "High"]
    assert recoder.degrees_[1] == pytest.approx([0.8, 0.2, 0])


def test_even_sets_of_dates():
    days = pd.date_range("2020-01-01", periods=11)
    recoder = FuzzyPartitionRecoder(n_sets=2, k=5)
    found = recoder.fit_transform(pd.DataFrame({"day": days}))["day"]
    assert found.tolist() == ["Low"] * 6 + ["High"] * 5


def test_values_as_they_are():
    table = pd.DataFrame({"town": [*"aabb", None, None], "x": [1, 9] * 3})
    recoder = FuzzyPartitionRecoder(n_sets=2, k=1)
    published = recoder.fit_transform(table)
    assert published["town"].tolist()[:4] == list("aabb")
    assert published["town"].isna().tolist() == [False] * 4 + [True] * 2
    assert recoder.report_.column_losses["town"] == 0
    other = pd.DataFrame({"town": ["a", "c"], "x": [1, 1]})
    assert recoder.transform(other)["town"].tolist() == ["a", "*"]


def test_a_partition_stays_as_it_is_where_values_are_few():
    table = pd.DataFrame({"age": [20, 20, 40, 40]})
    recoder = FuzzyPartitionRecoder(partitions={"age": AGES}, k=2)
    assert recoder.fit_transform(table)["age"].unique().tolist() == ["Young", "Adult"]
    assert recoder.report_.details["n_sets"] == {"age": 3}


POOR = {
    "gap": {"Low": (-INF, 1, 2), "High": (3, 4, INF)},
    "below": {"Low": (0, 1, 2), "High": (1, 2, INF)},
    "above": {"Low": (-INF, 1, 2), "High": (1, 2, 3)},
    "overlap": {"Low": (-INF, 3, 4), "High": (1, 2, INF)},
    "ramp": {"Low": (-INF, 1, 3), "High": (1, 2, INF)},
}


@pytest.mark.parametrize("sets", POOR.values(), ids=POOR)
def test_sets_with_gaps_or_overlaps_are_refused_before_a_table_is_seen(sets):
    recoder = FuzzyPartitionRecoder(partitions={"age": sets}, k=1)
    with pytest.raises(ParameterError, match="'age' has sets whose degrees do not add"):
        recoder._check_parameters()
    assert not FuzzyPartition(sets).is_complete


def test_one_set_is_no_partition():
    whole = {"All": (-INF, -INF, INF, INF)}
    assert FuzzyPartition(whole).is_complete
    with pytest.raises(ParameterError, match="partitions: column 'age' has one set"):
        FuzzyPartitionRecoder(partitions={"age": whole}, k=1)._check_parameters()


def test_a_partition_of_a_column_without_values():
    table = pd.DataFrame({"age": [np.nan] * 4, "pay": [1.0, 2, 8, 9]})
    recoder = FuzzyPartitionRecoder(partitions={"age": AGES}, n_sets=2, k=2)
    published = recoder.fit_transform(table)
    assert published["age"].isna().all()
    assert published["pay"].tolist() == ["Low", "Low", "High", "High"]


def test_sets_of_numbers_that_a_double_cannot_hold():
    start, width = 2**60, 2**20
    numbers = np.array([start, start + 9, start + width - 9, start + width])
    sets = FuzzyPartition.from_peaks([start, start + width])
    recoder = FuzzyPartitionRecoder(partitions={"x": sets}, k=2)
    published = recoder.fit_transform(pd.DataFrame({"x": numbers}))
    assert published["x"].tolist() == ["Low", "Low", "High", "High"]


def test_numbers_too_near_are_refused_in_terms_of_what_there_is():
    table = pd.DataFrame({"x": [0.0, 5e-324] * 3})
    with pytest.raises(DataError, match="'x' holds numbers that differ by") as error:
        FuzzyPartitionRecoder(n_sets=2, k=2).fit(table)
    assert "scale=" not in str(error.value)


def test_a_column_given_by_mistake_is_not_quoted():
    pay = pd.Series([31337.0, 31338.0])
    for given in (pay, pay.tolist() * 9, {"Low": pay}, {"Low": [pay, 1, 2]}):
        with pytest.raises(ParameterError, match="object of type") as error:
            FuzzyPartitionRecoder(partitions={"pay": given}, k=1)._check_parameters()
        assert "31337" not in str(error.value)


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"partitions": {"y": AGES}}, ParameterError, "partitions: unknown column 'y'"),
        ({"partitions": {"town": AGES}}, DataError, "'town' holds no numbers"),
        ({"partitions": {"age": [1, 2]}}, ParameterError, "'age' must have a Fuzzy"),
        ({"partitions": AGES}, ParameterError, "must be a dict"),
        (
            {"partitions": {"age": AGES}, "n_sets": {"age": 2}},
            ParameterError,
            "'age' has a partition",
        ),
    ],
)
def test_bad_partitions(params, error, message):
    table = pd.DataFrame({"age": [20, 60], "town": ["a", "b"]})
    with pytest.raises(error, match=message):
        FuzzyPartitionRecoder(k=1, **params).fit(table)


def test_a_partition_too_fine_for_k():
    table = pd.DataFrame({"age": np.arange(20, 70, 10)})
    with pytest.raises(InfeasibleError, match=r"n_sets=\{'age': 3\}.*k=2"):
        FuzzyPartitionRecoder(partitions={"age": AGES}, k=2).fit(table)

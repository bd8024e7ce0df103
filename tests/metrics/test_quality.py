"""The report of data quality: the same numbers as its parts, and what is left out."""

import json

import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import DataError
from anon_transformers.metrics import (
    correlation_differences,
    distinguishability,
    moment_changes,
    quality,
    squared_error_share,
)


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    age = rng.integers(18, 80, 40)
    return pd.DataFrame(
        {
            "age": age,
            "size": rng.normal(170, 9, 40),
            "pay": age * 30 + rng.integers(0, 900, 40),
            "land": rng.choice(["FR", "IT"], 40),
        }
    )


@pytest.fixture
def safe(people):
    return people.assign(age=people["age"] // 10 * 10, pay=people["pay"][::-1].array)


def test_every_topic_is_what_its_function_says(people, safe):
    report = quality(
        people, safe, sensitive=["pay", "size"], quasi_identifiers=["age", "land"],
        aligned=True, permutations=2, random_state=3,
    )  # fmt: skip
    assert report.rows == {"original": 40, "published": 40}
    assert report.numbers == ("age", "size", "pay")
    assert report.nominal == ("land",)
    assert report.left_out == ()
    assert report.not_available == {}
    inner = correlation_differences(people, safe, columns=["pay", "size"])
    assert report.correlations["sensitive"].to_dict() == inner.to_dict()
    assert (
        report.correlations["all"].to_dict()
        == correlation_differences(people, safe).to_dict()
    )
    assert report.moments == moment_changes(people, safe)
    assert report.squared_error == squared_error_share(people, safe)
    assert report.distinguishability == distinguishability(
        people, safe, aligned=True, permutations=2, random_state=3
    )


def test_named_columns_only(people, safe):
    report = quality(people, safe, quasi_identifiers=["age", "size"], permutations=0)
    assert report.numbers == ("age", "size")
    assert report.nominal == ()
    assert set(report.correlations) == {"all"}
    both = quality(people, safe, sensitive=["pay", "size"], permutations=0)
    assert both.numbers == ("age", "size", "pay")
    assert len(both.correlations["sensitive"].entries) == 1
    with pytest.raises(DataError, match="did you mean 'age'"):
        quality(people, safe, sensitive=["agee"])


def test_squared_errors_need_aligned_rows(people, safe):
    report = quality(people, safe.sample(frac=1, random_state=0), permutations=0)
    assert report.squared_error is None
    assert "aligned" in report.not_available["squared error"]


@pytest.mark.parametrize("columns", [["age", "size", "pay"], ["land"]])
def test_rows_in_another_order_are_noticed(people, columns):
    for seed in range(20):
        other = people[columns].sample(frac=1, random_state=seed)
        assert quality(people, other, aligned=True, permutations=0).order_shown is False


@pytest.mark.parametrize("changed", ["nothing", "means", "swapped", "texts", "noise"])
def test_rows_in_their_order_are_believed(people, changed):
    ranks = people["age"].rank(method="first").astype(int) // 8
    published = {
        "nothing": people,
        "means": people[["age", "pay"]].groupby(ranks).transform("mean"),
        "swapped": people.assign(pay=people["pay"].to_numpy()[::-1]),
        "texts": people[["land"]],
        "noise": people[["pay"]] + np.random.default_rng(1).normal(0, 300, (40, 1)),
    }[changed]
    assert quality(people, published, aligned=True, permutations=0).order_shown is True


@pytest.mark.parametrize("why", ["constant", "few", "not asked"])
def test_nothing_is_said_of_an_order_that_nobody_can_see(people, why):
    published = people[["age", "land"]]
    if why == "constant":
        published = published.assign(age=published["age"].mean(), land="*")
    if why == "few":
        people, published = people[:19], published[18::-1]
    report = quality(people, published, aligned=why != "not asked", permutations=0)
    assert report.order_shown is None


def test_ranges_are_left_out_and_listed(people, safe):
    ranges = safe.assign(age="[18, 79]")
    report = quality(people, ranges, permutations=0, aligned=True)
    assert report.left_out == ("age",)
    assert report.numbers == ("size", "pay")
    assert set(report.moments) == set(report.squared_error.columns) == {"size", "pay"}
    # The classifier does not see the ranges, either.
    assert report.distinguishability.auc < 0.9


def test_what_cannot_be_taken_says_why(people):
    texts = people.astype(str)
    report = quality(people, texts[:5])
    assert report.numbers == ()
    assert report.correlations == report.moments == {}
    assert report.distinguishability is report.squared_error is None
    assert set(report.not_available) == {
        "correlations, all", "moments", "squared error", "distinguishability",
    }  # fmt: skip
    found = report.to_dict()
    assert found["squared_error"] is found["distinguishability"] is None
    assert found["left_out"] == ["age", "size", "pay"]


def test_the_report_is_plain_json(people, safe):
    flat = safe.assign(pay=1)
    report = quality(people, flat, aligned=True, permutations=0)
    found = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert found["moments"]["pay"]["skewness"] is None
    assert found["moments"]["pay"]["quantiles"]["0.5"] < 0
    assert found["distinguishability"]["ratio"] is None
    assert found["correlations"]["all"]["entries"] == 3
    total = squared_error_share(people, flat).total
    assert found["squared_error"]["total"] == pytest.approx(total)


def test_polars_frames_are_taken(people, safe):
    polars = pytest.importorskip("polars")
    report = quality(
        polars.from_pandas(people), polars.from_pandas(safe), permutations=0
    )
    assert report.numbers == ("age", "size", "pay")

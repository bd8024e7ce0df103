"""Differences of correlations: published statistics, a slow twin, properties."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from anon_transformers._kernels import mdav
from anon_transformers.evidence import Linkage
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.metrics import (
    CorrelationDifference,
    correlation_differences,
    measure,
)

DATA = Path(__file__).parents[1] / "data"
VECTORS = {
    vector["name"]: vector
    for vector in json.loads(
        (DATA / "vectors" / "probabilistic.json").read_text(encoding="utf-8")
    )["vectors"]
}
CENSUS = pd.read_csv(DATA / "casc_census.csv")
OPEN, SENSITIVE = list(CENSUS.columns[:6]), list(CENSUS.columns[6:])
ATTRIBUTES = VECTORS["table_V_reproduction"]["input"]["attributes"]
EIA = pd.read_csv(DATA / "casc_eia.csv")[ATTRIBUTES]

cells = st.one_of(st.integers(-9, 9), st.none())
tables = st.lists(st.tuples(cells, cells, cells), min_size=3, max_size=12)


def centroids(frame, k, *, standardize=False):
    """MDAV-ID: each group of near rows becomes its mean."""
    points = frame.to_numpy(dtype=float)
    if standardize:
        points = (points - points.mean(axis=0)) / points.std(axis=0)
    groups = mdav.group(np.ascontiguousarray(points), k)
    return frame.groupby(groups).transform("mean")


def rows_of(name):
    expected = VECTORS[name]["expected"]
    return [
        dict(zip(expected["columns"], row, strict=True)) for row in expected["rows"]
    ]


def frame_of(rows):
    return pd.DataFrame(rows, columns=["a", "b", "c"], dtype=float)


def pearson(pairs):
    """Correlation by its definition; 0 without spread."""
    known = [(x, y) for x, y in pairs if not (math.isnan(x) or math.isnan(y))]
    if len({x for x, _ in known}) < 2 or len({y for _, y in known}) < 2:
        return 0.0
    n = len(known)
    mean_x, mean_y = sum(x for x, _ in known) / n, sum(y for _, y in known) / n
    both = sum((x - mean_x) * (y - mean_y) for x, y in known)
    square_x = sum((x - mean_x) ** 2 for x, _ in known)
    square_y = sum((y - mean_y) ** 2 for _, y in known)
    return both / math.sqrt(square_x * square_y)


def test_what_total_loss_would_be():
    expected = VECTORS["total_loss_baselines"]["expected"]
    choices = {
        "census_21_pairs": (CENSUS, {"columns": SENSITIVE}),
        "census_78_pairs_nonconfidential_zero": (CENSUS, {"zero_among": OPEN}),
        "eia_45_pairs": (EIA, {}),
        "eia_55_entries_with_diagonal": (EIA, {"counted": "triangle"}),
    }
    assert set(choices) == set(expected)
    for name, (frame, options) in choices.items():
        found = correlation_differences(frame, frame * 0, **options)
        assert str(len(found.entries)) in name
        assert found.total_loss == pytest.approx(expected[name], abs=1e-6)
        # Constant columns correlate with nothing: all is lost.
        assert found.mean == pytest.approx(found.total_loss, abs=1e-12)
        assert found.ratio == pytest.approx(1.0)


@pytest.mark.parametrize("row", rows_of("table_V_reproduction"), ids=lambda r: r["k"])
def test_all_entries_of_a_published_table(row):
    found = correlation_differences(EIA, centroids(EIA, row["k"]), counted="triangle")
    assert found.mean == pytest.approx(row["MDAV-ID mean"], abs=1e-5)
    assert found.sd() == pytest.approx(row["MDAV-ID sd"], abs=1e-5)


@pytest.mark.parametrize(
    "row", rows_of("eia_mdav_id_offdiagonal"), ids=lambda r: r["k"]
)
def test_all_pairs_of_a_published_table(row):
    found = correlation_differences(EIA, centroids(EIA, row["k"]))
    assert found.mean == pytest.approx(row["mean"], abs=1e-5)
    assert found.sd(ddof=1) == pytest.approx(row["sd"], abs=1e-5)


@pytest.mark.parametrize("row", rows_of("table_IV_reproduction"), ids=lambda r: r["k"])
def test_pairs_that_count_as_zero(row):
    found = correlation_differences(
        CENSUS, centroids(CENSUS, row["k"]), zero_among=OPEN
    )
    assert len(found.entries) == 78
    assert found.mean == pytest.approx(row["MDAV-ID mean"], abs=1e-5)
    assert found.sd() == pytest.approx(row["MDAV-ID sd"], abs=1e-5)


@pytest.mark.parametrize("scale", ["raw", "z-score"])
@pytest.mark.parametrize(
    "row", rows_of("census_literal_statistic"), ids=lambda r: r["k"]
)
def test_pairs_of_sensitive_columns(row, scale):
    published = centroids(CENSUS, row["k"], standardize=scale == "z-score")
    found = correlation_differences(CENSUS, published, columns=SENSITIVE)
    assert len(found.entries) == 21
    assert found.mean == pytest.approx(row[f"MDAV-ID {scale} mean"], abs=1e-5)
    assert found.sd(ddof=1) == pytest.approx(row[f"MDAV-ID {scale} sd"], abs=1e-5)


@given(tables, tables)
def test_a_slow_twin_agrees(before, after):
    original, published = frame_of(before), frame_of(after)
    if original.isna().all().any():
        with pytest.raises(DataError, match="hold no numbers"):
            correlation_differences(original, published, columns=list("abc"))
        return
    found = correlation_differences(original, published)
    expected = []
    for one, other in (("a", "b"), ("a", "c"), ("b", "c")):
        old, new = (
            pearson(zip(table[one], table[other], strict=True))
            for table in (original, published)
        )
        expected.append(abs(old - new))
    assert found.values == pytest.approx(expected, abs=1e-9)
    assert found.entries == (("a", "b"), ("a", "c"), ("b", "c"))
    assert found.max == pytest.approx(max(expected), abs=1e-9)


@given(tables)
def test_a_table_in_another_order_is_the_same(rows):
    original = frame_of(rows).fillna(1.0)
    found = correlation_differences(original, original[::-1])
    assert found.mean == pytest.approx(0, abs=1e-9)


@given(st.integers(0, 10**6), st.floats(1e-100, 1e100))
def test_units_do_not_matter(seed, unit):
    rng = np.random.default_rng(seed)
    original, published = (
        pd.DataFrame(rng.normal(size=(20, 3)), columns=list("abc")) for _ in range(2)
    )
    plain = correlation_differences(original, published)
    scaled = correlation_differences(original * unit, published * unit)
    assert scaled.values == pytest.approx(plain.values, abs=1e-9)


@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_very_small_and_very_large_numbers(unit):
    original = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [2.0, 1, 4, 3]})
    found = correlation_differences(original * unit, original.assign(b=0.0))
    expected = stats.pearsonr(original["a"], original["b"]).statistic
    assert found.values == pytest.approx([expected])


def test_missing_cells_leave_out_their_row_only():
    original = pd.DataFrame({"a": [1.0, 2, 3, 9], "b": [1.0, 2, 3, 0]})
    published = original.astype(object)
    published.loc[3, "b"] = None
    found = correlation_differences(original, published)
    expected = 1 - stats.pearsonr(original["a"], original["b"]).statistic
    assert found.mean == pytest.approx(expected)


def test_nothing_to_lose():
    flat = pd.DataFrame({"a": [1, 2, 1, 2], "b": [1, 1, 2, 2]})
    same = correlation_differences(flat, flat)
    assert (same.total_loss, same.ratio) == (0, 0)
    tilted = correlation_differences(flat, flat.assign(b=flat["a"]))
    assert tilted.mean == pytest.approx(1)
    assert math.isnan(tilted.ratio)
    assert math.isnan(tilted.sd(ddof=1))


def test_dates_and_decimals_are_numbers():
    days = pd.to_datetime(["2020-01-01", "2020-01-05", "2020-03-01", "2020-01-02"])
    original = pd.DataFrame({"born": days, "pay": [1, 5, 61, 2]})
    exact = correlation_differences(original, original.assign(pay=[61, 5, 1, 2]))
    assert exact.total_loss == pytest.approx(
        stats.pearsonr([0, 4, 60, 1], [1, 5, 61, 2]).statistic
    )
    zoned = original.assign(born=days.tz_localize("Europe/Vienna"))
    texts = original.assign(born=days.strftime("%Y"))
    assert correlation_differences(original, zoned).mean == pytest.approx(0, abs=1e-9)
    with pytest.raises(NotEvaluable, match="'born'"):
        correlation_differences(original, texts)


def test_what_cannot_be_compared_is_named():
    original = pd.DataFrame({"age": [1, 2], "pay": [1, 2], "sex": ["f", "m"]})
    ranges = original.assign(age=["[1, 2]"] * 2)
    with pytest.raises(NotEvaluable, match="'age'"):
        correlation_differences(original, ranges)
    with pytest.raises(NotEvaluable, match="two columns"):
        correlation_differences(original, ranges, columns=["pay"])
    with pytest.raises(NotEvaluable, match="share no numbers"):
        correlation_differences(original[["sex"]], ranges)
    with pytest.raises(NotEvaluable, match="share no numbers"):
        correlation_differences(original, original[:0])
    with pytest.raises(DataError, match="hold no numbers: 'sex'"):
        correlation_differences(original, original, columns=["age", "sex"])
    with pytest.raises(DataError, match="did you mean 'pay'"):
        correlation_differences(original, original, columns=["payy"])
    with pytest.raises(DataError, match=r"zero_among.*'sex'"):
        correlation_differences(original, original, zero_among=["sex"])
    with pytest.raises(ParameterError, match="did you mean 'pairs'"):
        correlation_differences(original, original, counted="pair")
    with pytest.raises(DataError, match="infinite numbers in 1 rows"):
        correlation_differences(original, original.assign(age=[1, np.inf]))
    twice = pd.concat([original, original[["age"]]], axis=1)
    with pytest.raises(DataError, match="the original has a column twice"):
        correlation_differences(twice, original)


def test_the_metric_takes_one_statistic():
    published = centroids(CENSUS, 25)
    linkage = Linkage(CENSUS, published)
    found = correlation_differences(CENSUS, published)
    for statistic, value in (
        ("mean", found.mean), ("sd", found.sd()), ("max", found.max),
    ):  # fmt: skip
        metric = CorrelationDifference(statistic=statistic)
        assert measure(metric, linkage) == value
    inner = CorrelationDifference(columns=["TAXINC", "FICA"])
    assert measure(inner, linkage) < found.max
    assert hash(inner) == hash(CorrelationDifference(columns=("TAXINC", "FICA")))
    with pytest.raises(ParameterError, match="did you mean 'mean'"):
        CorrelationDifference(statistic="means")


def test_the_metric_does_not_judge_less_in_silence():
    ranges = Linkage(CENSUS, CENSUS.assign(FICA="[0, 9]"))
    with pytest.raises(NotEvaluable, match="'FICA'"):
        measure(CorrelationDifference(), ranges)
    assert measure(CorrelationDifference(columns=OPEN), ranges) == 0


def test_columns_far_from_zero_keep_their_digits():
    rng = np.random.default_rng(0)
    far = pd.DataFrame(1e9 + 1e-3 * rng.normal(size=(1000, 2)), columns=["a", "b"])
    shuffled = far.sample(frac=1, random_state=0)
    assert correlation_differences(far, shuffled).mean < 1e-12

"""SSE/SST: records of the literature, a slow twin, what a missing cell costs."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import StandardScaler

from anon_transformers._kernels import mdav
from anon_transformers.evidence import Linkage
from anon_transformers.exceptions import DataError, NotEvaluable
from anon_transformers.metrics import SquaredErrorShare, measure, squared_error_share

DATA = Path(__file__).parents[1] / "data"

cells = st.one_of(st.integers(-9, 9), st.none())
rows = st.tuples(cells, cells, cells, cells)
tables = st.lists(rows, min_size=2, max_size=12)


@pytest.mark.parametrize(
    ("file", "k", "expected"),
    [
        ("casc_census.csv", 3, 5.6922),
        ("casc_census.csv", 10, 14.1559),
        ("casc_tarragona.csv", 5, 22.4619),
        ("casc_eia.csv", 3, 0.5919),
    ],
)
def test_records_of_microaggregation(file, k, expected):
    frame = pd.read_csv(DATA / file)
    if file == "casc_eia.csv":
        vectors = json.loads((DATA / "vectors/probabilistic.json").read_text("utf-8"))
        named = {vector["name"]: vector for vector in vectors["vectors"]}
        frame = frame[named["table_V_reproduction"]["input"]["attributes"]]
    points = StandardScaler().fit_transform(frame)
    groups = mdav.group(np.ascontiguousarray(points), k)
    found = squared_error_share(frame, frame.groupby(groups).transform("mean"))
    assert 100 * found.total == pytest.approx(expected, abs=1e-4)


def slow_shares(before, after):
    """Sums of squares of one column, cell by cell."""
    known = [x for x in before if not math.isnan(x)]
    mean = sum(known) / len(known)
    scale = math.sqrt(sum((x - mean) ** 2 for x in known) / len(known)) or 1.0
    error = square = 0.0
    for old, new in zip(before, after, strict=True):
        if math.isnan(old):
            continue
        guess = mean if math.isnan(new) else new
        error += ((old - guess) / scale) ** 2
        square += ((old - mean) / scale) ** 2
    return error, square


@given(tables)
def test_a_slow_twin_agrees(cells):
    frame = pd.DataFrame(cells, dtype=float)
    original = frame[[0, 1]]
    published = frame[[2, 3]].set_axis([0, 1], axis=1)
    compared = [n for n in original if original[n].notna().any()]
    if not compared:
        with pytest.raises(NotEvaluable, match="share no numbers"):
            squared_error_share(original, published)
        return
    found = squared_error_share(original, published)
    parts = {name: slow_shares(original[name], published[name]) for name in compared}
    assert list(found.columns) == compared
    for name, (error, square) in parts.items():
        share = error / square if square else (math.inf if error > 1e-12 else 0)
        assert found.columns[name] == pytest.approx(share, abs=1e-9)
    error, square = (sum(part[i] for part in parts.values()) for i in (0, 1))
    share = error / square if square else (math.inf if error > 1e-12 else 0)
    assert found.total == pytest.approx(share, abs=1e-9)


def test_from_nothing_to_all():
    frame = pd.DataFrame({"a": [1, 2, 3, 7], "b": [0, 0, 0, 1], "c": [5, 5, 5, 5]})
    mean = frame.assign(**frame.mean())
    assert squared_error_share(frame, frame).total == 0
    assert squared_error_share(frame, mean).total == pytest.approx(1)
    blank = frame.astype(object).mask(np.ones(frame.shape, dtype=bool), None)
    assert squared_error_share(frame, blank).total == pytest.approx(1)
    one = squared_error_share(frame, frame.assign(a=frame["a"].mean()))
    assert one.columns == pytest.approx({"a": 1, "b": 0, "c": 0})
    # The constant column has no variation that could be lost.
    assert one.total == pytest.approx(1 / 2)


def test_a_changed_constant_is_no_finite_share():
    frame = pd.DataFrame({"a": [1, 1]})
    linkage = Linkage(frame, frame + 1)
    assert squared_error_share(frame, frame + 1).columns == {"a": math.inf}
    with pytest.raises(NotEvaluable, match="no number"):
        measure(SquaredErrorShare(), linkage)


def test_rows_must_belong_together():
    frame = pd.DataFrame({"a": [1, 2, 3]})
    with pytest.raises(DataError, match="3 rows and the published table 2"):
        squared_error_share(frame, frame[:2])


def test_the_metric_is_the_total():
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": [4, 4, 5, 9]})
    published = frame.assign(a=[1.5, 1.5, 3.5, 3.5])
    linkage = Linkage(frame, published)
    # 4 * 0.25 of 5, in one of two columns.
    assert measure(SquaredErrorShare(), linkage) == pytest.approx(0.1)
    assert measure(SquaredErrorShare(columns="b"), linkage) == 0
    assert SquaredErrorShare(columns="b").columns == ("b",)

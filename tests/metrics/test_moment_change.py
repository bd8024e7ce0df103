"""Changes of moments: scipy beside them, and what swapping keeps."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from anon_transformers.evidence import Linkage
from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.metrics import MeanChange, measure, moment_changes

columns = st.lists(
    st.floats(-1e3, 1e3).map(lambda x: round(x, 3)), min_size=2, max_size=30
)


def is_plain(values):
    """Whether scipy can say something of its shape without a doubt."""
    return np.ptp(values) > 1e-2


@given(columns, columns)
def test_scipy_agrees(before, after):
    if not (is_plain(before) and is_plain(after)):
        return
    found = moment_changes(pd.DataFrame({"a": before}), pd.DataFrame({"a": after}))
    scale = np.std(before)
    change = found["a"]
    assert change.mean == pytest.approx(
        (np.mean(after) - np.mean(before)) / scale, abs=1e-7
    )
    assert change.variance == pytest.approx(np.var(after) / scale**2 - 1, abs=1e-7)
    assert change.skewness == pytest.approx(
        stats.skew(after) - stats.skew(before), abs=1e-6
    )
    assert change.kurtosis == pytest.approx(
        stats.kurtosis(after) - stats.kurtosis(before), abs=1e-6
    )
    for share, shift in change.quantiles.items():
        expected = (np.quantile(after, share) - np.quantile(before, share)) / scale
        assert shift == pytest.approx(expected, abs=1e-7)


@given(columns, st.randoms())
def test_swapping_inside_a_column_keeps_everything(cells, random):
    swapped = random.sample(cells, len(cells))
    change = moment_changes(pd.DataFrame({"a": cells}), pd.DataFrame({"a": swapped}))[
        "a"
    ].to_dict()
    quantiles = change.pop("quantiles")
    assert set(quantiles.values()) == {0.0}
    shapes = [change.pop("skewness"), change.pop("kurtosis")]
    if len(set(cells)) == 1:  # without spread there is no shape
        assert all(math.isnan(shape) for shape in shapes)
        shapes = []
    assert [*change.values(), *shapes] == pytest.approx(
        [0] * (2 + len(shapes)), abs=1e-8
    )


def test_groups_that_become_their_mean_shrink_the_variance_only():
    original = pd.DataFrame({"a": [0, 2, 10, 12]})
    change = moment_changes(original, pd.DataFrame({"a": [1, 1, 11, 11]}))["a"]
    assert change.mean == pytest.approx(0)
    assert change.variance == pytest.approx(25 / 26 - 1)
    assert change.skewness == pytest.approx(0)


def test_a_constant_column_is_told_in_its_own_unit():
    original = pd.DataFrame({"a": [0.1] * 7})
    change = moment_changes(original, original + 3)["a"]
    assert change.mean == pytest.approx(3)
    assert change.variance == 0
    assert math.isnan(change.skewness)
    assert math.isnan(change.kurtosis)


def test_missing_cells_are_left_out():
    original = pd.DataFrame({"a": [1.0, 2, 3, None], "b": [1.0, 2, 3, 4]})
    published = pd.DataFrame({"a": [2.0, None, 2], "b": [None] * 3})
    found = moment_changes(original, published, quantiles=[0.5])
    assert found["a"].mean == pytest.approx(0)
    assert found["a"].quantiles == {0.5: pytest.approx(0)}
    assert math.isnan(found["b"].mean)
    assert math.isnan(found["b"].quantiles[0.5])
    with pytest.raises(NotEvaluable, match="1 columns hold no number any more"):
        measure(MeanChange(), Linkage(original, published.reindex(range(4))))


def test_quantiles_are_shares():
    frame = pd.DataFrame({"a": [1, 2]})
    with pytest.raises(ParameterError, match="of at least 0 and at most 1, got 50"):
        moment_changes(frame, frame, quantiles=[50])


def test_quantiles_go_into_a_file():
    frame = pd.DataFrame({"a": [1, 2, 5]})
    found = moment_changes(frame, frame, quantiles=[0.5, 1])["a"].to_dict()
    assert json.loads(json.dumps(found))["quantiles"] == {"0.5": 0.0, "1": 0.0}


def test_the_metric_is_the_largest_change_of_a_mean():
    original = pd.DataFrame({"a": [0, 2], "b": [0, 20], "c": ["x", "y"]})
    published = original.assign(a=[1, 3], b=[-15, 5])
    linkage = Linkage(original, published)
    assert measure(MeanChange(), linkage) == pytest.approx(1.5)
    assert measure(MeanChange(columns=["a"]), linkage) == pytest.approx(1)
    with pytest.raises(NotEvaluable, match="'a'"):
        measure(MeanChange(), Linkage(original, original.assign(a="[0, 2]")))

"""Rows whose risk stands out: published numbers, and what is always so."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.metrics import MeasureRisk, measure, measure_risk

DATA = Path(__file__).parents[1] / "data" / "vectors" / "fuzzy-microdata.json"
VECTORS = {
    vector["name"]: vector
    for vector in json.loads(DATA.read_text(encoding="utf-8"))["vectors"]
    if vector["name"].startswith("measure_risk")
}
SIZES = st.lists(st.integers(1, 30), min_size=1, max_size=12)


@pytest.mark.parametrize("name", VECTORS)
def test_vectors(name):
    vector = VECTORS[name]
    found = measure_risk(vector["input"]["class_sizes"])
    expected = vector["expected"]
    assert found.count == expected["measure_risk"]
    printed = vector.get("printed_in_source")
    if printed is not None:
        assert (found.count == printed) is vector["source_correct"]
    if "threshold" in expected:
        assert found.limit == pytest.approx(expected["threshold"], abs=1e-12)
    if "risk_by_class" in expected:
        assert found.risks.tolist() == expected["risk_by_class"]


@given(
    sizes=SIZES,
    n_mad=st.sampled_from([0, 1, 2, 3]),
    min_risk=st.sampled_from([0, 0.1, 0.5]),
)
def test_row_by_row(sizes, n_mad, min_risk):
    risks = np.repeat(1 / np.array(sizes), sizes)
    middle = np.median(risks)
    spread = 1.4826 * np.median(np.abs(risks - middle))
    rows = (risks > middle + n_mad * spread) & (risks > min_risk)
    found = measure_risk(sizes, n_mad, min_risk)
    assert found.count == rows.sum()
    assert np.repeat(found.flagged, sizes).tolist() == rows.tolist()
    assert found.rows is None


@given(sizes=SIZES, data=st.data())
def test_whole_small_classes_and_at_most_half_of_the_rows(sizes, data):
    found = measure_risk(sizes)
    assert found.count == 0 or min(sizes) <= found.count <= sum(sizes) / 2
    assert found.count == np.array(sizes)[found.flagged].sum()
    kept = np.array(sizes)[~found.flagged]
    assert (np.array(sizes)[found.flagged] < kept.min()).all()
    assert measure_risk(data.draw(st.permutations(sizes))).count == found.count
    assert measure_risk([sizes[0]] * len(sizes)).count == 0


@given(labels=st.lists(st.integers(0, 4), min_size=1, max_size=30))
def test_classes_tell_which_rows(labels):
    classes = Classes.from_frame(pd.DataFrame({"q": labels}), ["q"])
    found = measure_risk(classes)
    assert found.rows.sum() == found.count == MeasureRisk().measure(classes)
    assert found.rows.tolist() == found.flagged[classes.labels].tolist()


def test_suppressed_rows_are_left_out():
    frame = pd.DataFrame({"q": ["a"] * 6 + ["b"] * 6 + ["c"] + ["*"]})
    classes = Classes.from_frame(frame, ["q"])
    found = measure_risk(classes)
    assert found.count == 1
    assert np.flatnonzero(found.rows).tolist() == [12]


def test_persons_are_at_risk_and_counted():
    frame = pd.DataFrame(
        {"q": [1] * 6 + [2] * 4, "who": [1, 2, 3, 4, 5, 6, 7, 7, 7, 7]}
    )
    classes = Classes.from_frame(frame, ["q"], subject="who")
    assert measure_risk(classes).risks.tolist() == [1 / 6, 1]
    assert measure_risk(classes).count == 1


def test_as_a_metric():
    classes = Classes.from_frame(
        pd.DataFrame({"q": [1] * 20 + [2] * 19 + [3] * 9}), ["q"]
    )
    assert measure(MeasureRisk(), classes) == 9
    assert measure(MeasureRisk(min_risk=0.2), classes) == 0
    assert MeasureRisk(n_mad=3).name == "measure-risk"


def test_illegal_input_is_refused():
    with pytest.raises(ParameterError, match="n_mad"):
        MeasureRisk(n_mad=-1)
    with pytest.raises(ParameterError, match="min_risk"):
        measure_risk([1], min_risk=2)
    with pytest.raises(DataError, match="1 classes have no row"):
        measure_risk([3, 0])
    with pytest.raises(DataError, match="one whole number per class"):
        measure_risk([0.5])
    with pytest.raises(NotEvaluable, match="no class"):
        measure_risk([])

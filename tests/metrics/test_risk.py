"""Risk, loss and class statistics: recomputed row by row."""

import json
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.metrics import (
    AverageRisk,
    HighestRisk,
    Loss,
    Metric,
    RecordsAtRisk,
    SuppressedShare,
    class_statistics,
    domain_share_loss,
    measure,
)

tables = st.lists(st.sampled_from(["a", "b", "c", "*"]), min_size=1, max_size=40)


def classes_of(cells):
    return Classes.from_frame(pd.DataFrame({"q": cells}), ["q"])


def row_risks(cells):
    return [1 / cells.count(cell) for cell in cells if cell != "*"]


@given(tables)
def test_risk_is_that_of_the_kept_rows(cells):
    risks, classes = row_risks(cells), classes_of(cells)
    if not risks:
        for metric in (AverageRisk(), HighestRisk(), RecordsAtRisk()):
            with pytest.raises(NotEvaluable, match="no row was kept"):
                measure(metric, classes)
        return
    assert measure(AverageRisk(), classes) == pytest.approx(np.mean(risks))
    assert measure(HighestRisk(), classes) == max(risks)


@given(tables, st.sampled_from([0.0, 0.1, 0.2, 1 / 3, 0.5, 1.0]))
def test_records_at_risk_are_those_above_the_threshold(cells, threshold):
    risks = row_risks(cells)
    if risks:
        found = measure(RecordsAtRisk(threshold), classes_of(cells))
        assert found == pytest.approx(np.mean([risk > threshold for risk in risks]))


@pytest.mark.parametrize("size", [3, 10, 49, 93, 98])
def test_a_class_of_exactly_the_threshold_is_not_at_risk(size):
    assert measure(RecordsAtRisk(1 / size), classes_of(["a"] * size)) == 0.0


@given(tables)
def test_the_suppressed_share_counts_rows(cells):
    assert measure(SuppressedShare(), classes_of(cells)) == pytest.approx(
        cells.count("*") / len(cells)
    )


@given(tables)
def test_statistics_are_those_of_the_kept_classes(cells):
    sizes = [cells.count(cell) for cell in sorted(set(cells) - {"*"})]
    found = class_statistics(classes_of(cells))
    assert found.count == len(sizes)
    assert found.suppressed_rows == cells.count("*")
    assert found.kept_rows == sum(sizes)
    assert (found.smallest, found.largest) == (
        (min(sizes), max(sizes)) if sizes else (0, 0)
    )
    assert found.mean == pytest.approx(np.mean(sizes) if sizes else 0)
    assert found.variance == pytest.approx(np.var(sizes) if sizes else 0)
    assert json.loads(json.dumps(asdict(found)))["count"] == len(sizes)


def test_persons_make_the_risk_and_the_mean():
    frame = pd.DataFrame({"q": list("aaab"), "who": list("ppqr")})
    classes = Classes.from_frame(frame, ["q"], subject="who")
    assert measure(HighestRisk(), classes) == 1.0
    assert measure(AverageRisk(), classes) == pytest.approx((2 / 2 + 1) / 3)


def test_rows_of_nobody_have_no_risk():
    frame = pd.DataFrame({"q": list("ab"), "who": ["p", None]})
    classes = Classes.from_frame(frame, ["q"], subject="who")
    with pytest.raises(NotEvaluable, match="no person"):
        measure(AverageRisk(), classes)


@pytest.mark.parametrize(
    "metric", [AverageRisk(), HighestRisk(), RecordsAtRisk(), SuppressedShare()]
)
class TestEveryMetric:
    def test_it_is_a_metric(self, metric):
        assert isinstance(metric, Metric)
        assert metric.better == "lower"

    def test_an_empty_table_cannot_be_measured(self, metric):
        with pytest.raises(NotEvaluable):
            measure(metric, classes_of([]))

    def test_other_evidence_cannot_be_measured(self, metric):
        with pytest.raises(NotEvaluable, match=r"needs the classes, not None"):
            measure(metric, pd.DataFrame())


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_is_a_share(threshold):
    with pytest.raises(
        ParameterError, match="threshold must be a number of at least 0 and at most 1"
    ):
        RecordsAtRisk(threshold)


@pytest.mark.parametrize(
    ("losses", "expected"),
    [
        ([0.0, 0.0], 0.0),
        ([1.0, 1.0], 1.0),
        ([0.5], 0.5),
        ([0.0, 1.0], 2**0.5 - 1),
        ([0.25, 0.5, 0.75], (1.25 * 1.5 * 1.75) ** (1 / 3) - 1),
    ],
)
def test_losses_are_joined_by_a_geometric_mean(losses, expected):
    assert domain_share_loss(losses) == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_the_loss_lies_between_the_losses(losses):
    found = domain_share_loss(losses)
    assert min(losses) - 1e-12 <= found <= max(losses) + 1e-12


def test_loss_is_taken_from_the_report_alone():
    with pytest.raises(NotEvaluable, match="loss needs the report, not classes"):
        measure(Loss(), classes_of(["a"]))

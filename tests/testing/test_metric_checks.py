"""The contract checks of metrics: the built-in ones pass, broken ones fail."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.registry import HOME, registry
from anon_transformers.testing import check_metric, metric_checks

BUILT_IN = [
    pytest.param(check, id=f"{name}-{check_name}")
    for name, cls in registry().metrics.items()
    if registry().metrics.owner(name) == HOME
    for check_name, check in metric_checks(cls)
]


@pytest.mark.parametrize("check", BUILT_IN)
def test_registered_metrics_keep_the_contract(check):
    check()


@dataclass(frozen=True)
class LargestClass:
    """Persons of the largest class, for others to break."""

    name: ClassVar[str] = "largest-class"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "higher"

    def measure(self, evidence):
        if not evidence.n_classes:
            raise NotEvaluable("nothing to measure.")
        return int(evidence.sizes.max())


class CountsRows(LargestClass):
    def measure(self, evidence):
        super().measure(evidence)
        return int(evidence.rows.max())


@dataclass(frozen=True)
class SaysSo(CountsRows):
    counts_rows: ClassVar[bool] = True


def test_a_sound_metric_passes():
    check_metric(LargestClass)
    check_metric(LargestClass())
    check_metric(SaysSo)


def test_a_metric_of_rows_says_so():
    with pytest.raises(AssertionError, match=r"- Persons are.*check_persons_are_co"):
        check_metric(CountsRows())


class NumpyNumber(LargestClass):
    def measure(self, evidence):
        return evidence.rows.max()


class Infinite(LargestClass):
    def measure(self, evidence):
        return float("inf")


class Mutates(LargestClass):
    def measure(self, evidence):
        evidence.rows.sort()
        return int(evidence.rows[-1])


class FirstClass(LargestClass):
    def measure(self, evidence):
        return int(evidence.rows[0])


@dataclass(frozen=True)
class RoundsAroundZero(LargestClass):
    def measure(self, evidence):
        super().measure(evidence)
        return 1e-16 * float(evidence.sizes[0] % 5)


def test_a_rounding_error_around_zero_is_no_order():
    check_metric(RoundsAroundZero)


class MeasuresNothing(LargestClass):
    def measure(self, evidence):
        return int(evidence.rows.max(initial=0))


class CapitalName(LargestClass):
    name = "LargestClass"


class OddBetter(LargestClass):
    better = "bigger"


@dataclass
class Changeable:
    name: ClassVar[str] = "changeable"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "higher"
    measure = LargestClass.measure


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (NumpyNumber, "plain finite number.*numpy.int64"),
        (Infinite, "plain finite number"),
        (Mutates, "leaves the evidence as it is"),
        (FirstClass, "order of the classes does not matter"),
        (MeasuresNothing, "0.0 for an empty table"),
        (CapitalName, "lower case with hyphens"),
        (OddBetter, "better is one of"),
        (Changeable, "Changeable can be changed"),
    ],
)
def test_a_broken_metric_fails(broken, message):
    with pytest.raises(AssertionError, match=message):
        check_metric(broken)


@dataclass(frozen=True)
class CellsChanged:
    """Share of the cells that are others than before, for others to break."""

    name: ClassVar[str] = "cells-changed"
    evidence: ClassVar[str] = "linkage"
    better: ClassVar[str] = "lower"

    def measure(self, evidence):
        if not evidence.n_rows:
            raise NotEvaluable("nothing to measure.")
        return float((evidence.original != evidence.published).to_numpy().mean())


class MeasuresNoRow(CellsChanged):
    def measure(self, evidence):
        return 0.0


class MutatesTables(CellsChanged):
    def measure(self, evidence):
        value = super().measure(evidence)
        evidence.published["salary"] = 0
        return value


class MutatesGroups(CellsChanged):
    def measure(self, evidence):
        value = super().measure(evidence)
        for labels in evidence.groups.values():
            labels[:] = 0
        return value


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (MeasuresNoRow, "0.0 for an empty table"),
        (MutatesTables, "leaves the evidence as it is"),
        (MutatesGroups, "leaves the evidence as it is"),
    ],
)
def test_metrics_of_two_tables_are_tried_too(broken, message):
    check_metric(CellsChanged)
    with pytest.raises(AssertionError, match=message):
        check_metric(broken)


class OfOtherEvidence(LargestClass):
    evidence = "reports"


def test_uncurrent_evidence_is_refused():
    with pytest.raises(ParameterError, match="did you mean 'report'"):
        check_metric(OfOtherEvidence)

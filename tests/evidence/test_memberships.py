"""Degrees in fuzzy sets as evidence: what is held, counted and refused."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.evidence import Classes, Memberships
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.privacy import KAnonymity, judge
from anon_transformers.testing import check_privacy_model

HALF = Fraction(1, 2)
VALUES = ["a", "b", None]


@st.composite
def cases(draw):
    """Degrees in eighths, often one half, and a sensitive value for each row."""
    n_sets = draw(st.integers(1, 4))
    cuts = st.lists(st.integers(0, 8), min_size=n_sets - 1, max_size=n_sets - 1)
    eighths = cuts.map(lambda points: np.diff([0, *sorted(points), 8]).tolist())
    rows = draw(st.lists(st.tuples(eighths, st.sampled_from(VALUES)), min_size=1))
    degrees = [[Fraction(part, 8) for part in parts] for parts, _ in rows]
    return degrees, [value for _, value in rows]


def memberships_of(degrees, values):
    frame = pd.DataFrame({"s": pd.Series(values, dtype=object)})
    return Memberships.from_frame(np.array(degrees, dtype=float), frame, ["s"])


def test_it_holds_a_copy_that_nobody_can_change():
    degrees = np.array([[0.5, 0.5]])
    memberships = Memberships(degrees)
    degrees[0] = [1, 0]
    assert memberships.degrees.tolist() == [[0.5, 0.5]]
    with pytest.raises(ValueError, match="read-only"):
        memberships.degrees[0, 0] = 1


def test_a_read_only_array_is_not_copied():
    degrees = np.array([[0.5, 0.5]])
    degrees.setflags(write=False)
    assert np.shares_memory(Memberships(degrees).degrees, degrees)


@given(case=cases())
def test_counts_without_fuzziness(case):
    degrees, values = case
    found = memberships_of(degrees, values)
    known = [*found.sensitive["s"].values.tolist(), None]
    for i in range(found.n_sets):
        for place, value in enumerate(known):
            own = [
                d[i] if v == value else 0 for d, v in zip(degrees, values, strict=True)
            ]
            above, ties = sum(d > HALF for d in own), sum(d == HALF for d in own)
            assert found.counts("s")[i, place] == above + min(ties, 1)


@given(case=cases())
def test_counts_by_the_sum_of_degrees(case):
    degrees, values = case
    found = memberships_of(degrees, values)
    known = [*found.sensitive["s"].values.tolist(), None]
    expected = [
        [
            float(sum(d[i] for d, v in zip(degrees, values, strict=True) if v == value))
            for value in known
        ]
        for i in range(found.n_sets)
    ]
    np.testing.assert_allclose(found.counts("s", "sigma"), expected)


@given(case=cases())
def test_a_set_is_shown_by_a_label_or_a_row_at_one_half(case):
    degrees, values = case
    found = memberships_of(degrees, values)
    labels = [row.index(max(row)) for row in degrees]
    assert found.labels().tolist() == labels
    for i, shown in enumerate(found.shown()):
        assert shown == (i in labels or any(row[i] >= HALF for row in degrees))


def test_one_half_is_one_half_with_its_rounding():
    almost = 0.5 - 4e-13
    found = memberships_of([[almost, 1 - almost], [0.5 - 1e-9, 0.5 + 1e-9]], ["a", "b"])
    assert found.at_half().tolist() == [[True, True], [False, True]]
    assert found.counts("s").tolist() == [[1, 0, 0], [1, 1, 0]]


def test_the_reference_is_the_table_or_what_is_given():
    frame = pd.DataFrame({"s": ["a", "b", "b", None]})
    degrees = np.ones((4, 1))
    own = Memberships.from_frame(degrees, frame, ["s"])
    assert own.reference("s").tolist() == [1, 2, 1]
    rows = {"a": 5, "b": 2, "c": 1, None: 1}
    wider = Memberships.from_frame(degrees, frame, ["s"], references={"s": rows})
    assert wider.reference("s").tolist() == [5, 2, 1, 1]
    assert wider.counts("s").tolist() == [[1, 2, 0, 1]]


@pytest.mark.parametrize(
    ("degrees", "message"),
    [
        ([[0.5, 0.4], [1, 0]], "of 1 rows do not add up to 1"),
        ([[1.5, -0.5]], "degrees: 1 rows"),
        ([[np.nan, 1.0], [0, 1]], "degrees: 1 rows"),
        ([0.5, 0.5], "1 dimensions"),
        (np.empty((2, 0)), "of 2 rows do not add up"),
    ],
)
def test_what_is_no_partition_is_refused(degrees, message):
    with pytest.raises(DataError, match=message):
        Memberships(np.array(degrees))


def test_a_small_rounding_of_the_sum_passes():
    assert Memberships(np.array([[0.5, 0.5 + 9e-7]])).n_rows == 1


def test_other_columns_are_refused():
    frame = pd.DataFrame({"s": ["a", "b"]})
    with pytest.raises(DataError, match="'s' has 2 rows, the degrees have 1"):
        Memberships.from_frame([[1.0]], frame, ["s"])
    with pytest.raises(DataError, match="unknown column 'z'"):
        Memberships.from_frame([[1.0], [1.0]], frame, ["z"])
    found = Memberships.from_frame([[1.0], [1.0]], frame, ["s"])
    with pytest.raises(ParameterError, match="cardinality"):
        found.counts("s", "fuzzy")
    with pytest.raises(NotEvaluable, match="unknown sensitive column 'z'"):
        found.sensitive_names("z")


def test_models_of_classes_do_not_judge_it():
    with pytest.raises(NotEvaluable, match="judges classes, not memberships"):
        judge(KAnonymity(2), Memberships([[1.0]]))


def test_classes_refuse_unknown_names_alike():
    classes = Classes.from_frame(pd.DataFrame({"q": [1], "s": [1]}), ["q"], ["s"])
    with pytest.raises(NotEvaluable, match="unknown sensitive column 'z'"):
        classes.sensitive_columns("z")


@dataclass(frozen=True)
class OfTheFirstSet:
    """Judges one set only, whichever comes first."""

    rows: float = 2.0
    name: ClassVar[str] = "of-the-first-set"
    evidence: ClassVar[str] = "memberships"
    better: ClassVar[str] = "higher"
    merging: ClassVar[str] = "none"
    tighter: ClassVar[dict[str, str]] = {"rows": "higher"}

    def satisfied(self, evidence):
        return np.array([self.level(evidence) >= self.rows])

    def level(self, evidence):
        if not evidence.n_rows:
            raise NotEvaluable("nothing to judge.")
        return float(evidence.degrees[:, 0].sum())


def test_the_contract_of_models_is_tried_on_memberships():
    with pytest.raises(AssertionError, match="order of the classes does not matter"):
        check_privacy_model(OfTheFirstSet())

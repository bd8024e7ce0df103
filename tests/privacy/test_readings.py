"""Every model is asked about values as they are and as people read them."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from anon_transformers import MondrianAnonymizer
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import InfeasibleError, NotEvaluable
from anon_transformers.privacy import (
    AllOf,
    AlphaKAnonymity,
    KAnonymity,
    judge,
    may_judge_values,
)

SPELLED = ["HIV", "hiv", "HIV ", "flu"]


@dataclass(frozen=True)
class Largest:
    """No value is held by more than a share of a class; sees no spellings."""

    share: float = 0.5
    name: ClassVar[str] = "largest"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "lower"
    merging: ClassVar[str] = "satisfying"
    tighter: ClassVar[dict[str, str]] = {"share": "lower"}

    def _shares(self, classes):
        (column,) = classes.sensitive_columns(None)
        return column.counts.toarray().max(axis=1) / classes.sizes

    def satisfied(self, classes):
        return self._shares(classes) <= self.share

    def level(self, classes):
        return float(self._shares(classes).max())


class Itself(Largest):
    """Looks at readings itself, it says."""

    judges_readings = True


class Moody(Largest):
    """Answers once for the table when it has few values."""

    def satisfied(self, classes):
        answer = super().satisfied(classes)
        return answer if len(classes.sensitive["ill"].values) > 2 else answer[:1]


def table(ages, ills, **others):
    return pd.DataFrame({"age": ages, "ill": ills, **others})


def classes_of(ills, ages=(20, 20, 20, 20)):
    return Classes.from_frame(table(list(ages), ills), ["age"], sensitive=["ill"])


def test_a_strangers_model_sees_spellings_as_one_value():
    classes = classes_of(SPELLED)
    alpha = judge(AlphaKAnonymity(alpha=0.5, k=1), classes)
    verdict = judge(Largest(), classes)
    assert (verdict.passed, verdict.level) == (alpha.passed, alpha.level)
    assert (verdict.passed, verdict.level) == (False, 0.75)
    assert not AllOf((Largest(),)).satisfied(classes).any()


def test_the_values_as_they_are_count_where_they_are_worse():
    # As read, the mark is a missing value, which this model takes for one of its own.
    verdict = judge(Largest(), classes_of(["NA", "NA", "NA", "flu"]))
    assert (verdict.passed, verdict.level) == (False, 0.75)


def test_a_model_that_reads_itself_is_asked_once():
    assert judge(Itself(), classes_of(SPELLED)).level == 0.25


def test_a_search_keeps_the_promise_in_every_reading():
    ages = [20, 21, 22, 23, 30, 31, 32, 33]
    people = table(ages, [*SPELLED, "a", "b", "c", "d"])
    mondrian = MondrianAnonymizer(["age"], sensitive=["ill"], k=2, models=[Largest()])
    published = mondrian.fit_transform(people)
    classes = Classes.from_frame(published, ["age"], sensitive=["ill"])
    assert judge(AlphaKAnonymity(alpha=0.5, k=2), classes).passed
    with pytest.raises(InfeasibleError, match=r"largest.* level 0\.75"):
        mondrian.fit(people[:4])


def test_other_units_for_another_reading_are_not_evaluable():
    with pytest.raises(NotEvaluable, match="alike for every reading"):
        judge(Moody(), classes_of(SPELLED, ages=(20, 20, 30, 30)))


def test_columns_are_read_together():
    people = table([20] * 4, SPELLED, job=["X", "x", "y", "Y"])
    read = Classes.from_frame(people, ["age"], sensitive=["ill", "job"]).as_read()
    column, owner = read.finer("ill")
    jobs = {tuple(row) for row in column.counts.toarray().tolist()}
    assert jobs == {(2, 0, 0), (1, 1, 0)}
    np.testing.assert_array_equal(owner, [0, 0])


def test_persons_are_counted_in_readings():
    people = table([20] * 4, SPELLED, person=[1, 1, 2, 3])
    classes = Classes.from_frame(people, ["age"], sensitive=["ill"], subject="person")
    assert judge(Largest(), classes).level == pytest.approx(2 / 3)


def test_nothing_differs():
    assert classes_of(["flu", "cold", "HIV", None]).as_read() is None


def test_searches_take_a_strangers_model_for_one_of_values():
    # It has no parameter ``sensitive``, and looks at values all the same.
    assert may_judge_values(Largest())
    assert may_judge_values(AlphaKAnonymity(alpha=0.5, k=2))
    assert not may_judge_values(KAnonymity(k=2))

"""Judging: what has no unit, or cannot be judged, does not pass."""

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.privacy import (
    AllOf,
    AlphaKAnonymity,
    BeliefBound,
    BetaLikeness,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    FuzzyLDiversity,
    FuzzyTCloseness,
    KAnonymity,
    KMap,
    LikelihoodKAnonymity,
    ProbabilisticKAnonymity,
    QAnonymity,
    RecursiveCLDiversity,
    TCloseness,
    describe_model,
    judge,
    stands_alone,
)

CLASSES = Classes.from_frame(pd.DataFrame({"q": [1, 1, 2]}), ["q"])
EMPTY = Classes.from_frame(pd.DataFrame({"q": []}), ["q"])


@dataclass(frozen=True)
class Odd:
    """Answers what it is told to."""

    answer: object = True
    measured: object = 1.0
    merging: str = "any"
    evidence: ClassVar[str] = "classes"
    name: ClassVar[str] = "odd"
    better: ClassVar[str] = "higher"

    def satisfied(self, evidence):
        return self.answer

    def level(self, evidence):
        return self.measured


@pytest.mark.parametrize(
    ("k", "passed", "failing"), [(1, True, 0), (2, False, 1), (3, False, 2)]
)
def test_a_verdict_counts_the_units_that_fail(k, passed, failing):
    verdict = judge(KAnonymity(k), CLASSES)
    assert (verdict.passed, verdict.failing, verdict.units) == (passed, failing, 2)
    assert verdict.level == 1


def test_a_verdict_is_written_as_plain_values():
    found = judge(KAnonymity(2), CLASSES).to_dict()
    assert json.loads(json.dumps(found)) == {
        "model": "k-anonymity",
        "params": {"k": 2},
        "level": 1,
        "passed": False,
        "units": 2,
        "failing": 1,
    }


def test_a_model_is_named_with_parameters_that_equal_their_defaults():
    assert describe_model(Odd()) == "odd(answer=True, measured=1.0, merging='any')"
    asked = describe_model(DistinctLDiversity(l=3))
    assert asked == "distinct-l-diversity(multiple='each', l=3)"  # no None


def test_an_empty_table_cannot_be_judged():
    with pytest.raises(NotEvaluable, match="k-anonymity has nothing to judge"):
        judge(KAnonymity(1), EMPTY)


@pytest.mark.parametrize("evidence", [None, object(), pd.DataFrame(), [1, 2]])
def test_other_evidence_cannot_be_judged(evidence):
    with pytest.raises(NotEvaluable, match="judges classes, not None"):
        judge(KAnonymity(1), evidence)


@pytest.mark.parametrize(
    "answer",
    [True, np.array(True), np.array([1, 1]), np.array([0.9, 1.0]),
     np.array([["x"]]), np.array([[True, True]]), None],
)  # fmt: skip
def test_an_answer_that_is_no_boolean_a_unit_fails(answer):
    with pytest.raises(NotEvaluable, match="one boolean per unit"):
        judge(Odd(answer), CLASSES)


@pytest.mark.parametrize("answer", [[], [True] * 3])
def test_an_answer_for_another_number_of_classes_fails(answer):
    with pytest.raises(NotEvaluable, match="odd did not answer for every class"):
        judge(AllOf((KAnonymity(1), Odd(np.array(answer, dtype=bool)))), CLASSES)


def test_an_answer_about_nothing_fails():
    with pytest.raises(NotEvaluable, match="odd has nothing to judge"):
        judge(Odd(np.array([], dtype=bool)), CLASSES)


def test_a_level_that_is_no_number_fails():
    with pytest.raises(NotEvaluable, match="no level"):
        judge(Odd(np.array([True, True]), float("nan")), CLASSES)


class TestAllOf:
    def test_every_part_must_hold(self):
        both = AllOf((KAnonymity(1), KAnonymity(2)))
        assert both.satisfied(CLASSES).tolist() == [True, False]
        assert both.level(CLASSES) == 1
        assert judge(both, CLASSES).failing == 1

    @pytest.mark.parametrize(
        ("flags", "merging"),
        [
            (["any", "any"], "any"),
            (["any", "satisfying"], "satisfying"),
            (["satisfying", "none", "any"], "none"),
        ],
    )
    def test_the_weakest_part_decides_on_merging(self, flags, merging):
        assert AllOf([Odd(merging=flag) for flag in flags]).merging == merging

    def test_it_may_hold_another(self):
        nested = AllOf((AllOf((KAnonymity(2),)), KAnonymity(1)))
        assert nested.satisfied(CLASSES).tolist() == [True, False]

    def test_a_model_of_the_whole_table_answers_for_every_class(self):
        for answer in (True, False):
            both = AllOf((KAnonymity(1), Odd(np.array([answer]))))
            assert both.satisfied(CLASSES).tolist() == [answer, answer]

    def test_a_list_becomes_a_value(self):
        assert AllOf([KAnonymity(2)]) == AllOf((KAnonymity(2),))
        assert hash(AllOf([KAnonymity(2)])) == hash(AllOf((KAnonymity(2),)))

    def test_nothing_promises_nothing(self):
        with pytest.raises(ParameterError, match="models is empty"):
            AllOf(())

    @pytest.mark.parametrize("model", ["k-anonymity", None, object(), KAnonymity])
    def test_what_is_no_model_of_classes_is_refused(self, model):
        with pytest.raises(ParameterError, match="models: "):
            AllOf((model,))


@pytest.mark.parametrize(
    "model",
    [
        KAnonymity(2),
        KMap(2),
        LikelihoodKAnonymity(2),
        ProbabilisticKAnonymity(2),
        QAnonymity(2),
        DistinctLDiversity(2),
        EntropyLDiversity(2),
        RecursiveCLDiversity(100, 2),
        FuzzyLDiversity(2),
        AlphaKAnonymity(1, 2),
    ],
    ids=lambda model: model.name,
)
def test_two_persons_or_two_values_stand_alone(model):
    assert stands_alone(model)


@pytest.mark.parametrize(
    "model",
    [
        KAnonymity(1),
        KMap(1),
        LikelihoodKAnonymity(1),
        ProbabilisticKAnonymity(1, 0.1, 0.1),
        QAnonymity(1, threshold=0.9),
        DistinctLDiversity(1),
        EntropyLDiversity(1.9),
        RecursiveCLDiversity(0.1, 1),
        FuzzyLDiversity(1),
        AlphaKAnonymity(0.1, 1, 3),
        TCloseness(0.1),
        FuzzyTCloseness(0.1),
        BetaLikeness(0.1),
        BetaLikeness(50),
        BeliefBound(),
        BeliefBound(0.1, 0.1),
        DeltaPresence(0.4, 0.5),
        AllOf((KAnonymity(5),)),
    ],
    ids=repr,
)
def test_what_one_person_may_satisfy_does_not_stand_alone(model):
    assert not stands_alone(model)

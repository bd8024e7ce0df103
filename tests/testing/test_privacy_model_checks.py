"""The contract checks of privacy models: the built-in ones pass, broken ones fail."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest

from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.privacy import AllOf, KAnonymity
from anon_transformers.registry import HOME, registry
from anon_transformers.testing import check_privacy_model, privacy_model_checks
from tests.testing.instances import sorted_by_instance

BUILT_IN = [
    check
    for name, cls in registry().privacy_models.items()
    if registry().privacy_models.owner(name) == HOME
    # The first one often asks for nothing, as k = 1 does.
    for check in sorted_by_instance(name, privacy_model_checks(cls), quick=1)
]


@pytest.mark.parametrize("check", BUILT_IN)
def test_registered_models_keep_the_contract(check):
    check()


@dataclass(frozen=True)
class Sized:
    """k-anonymity again, for others to break."""

    k: int = 3
    name: ClassVar[str] = "sized"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "higher"
    merging: ClassVar[str] = "any"
    tighter: ClassVar[dict[str, str]] = {"k": "higher"}

    def satisfied(self, evidence):
        return evidence.sizes >= self.k

    def level(self, evidence):
        if not evidence.n_classes:
            raise NotEvaluable("nothing to judge.")
        return int(evidence.sizes.min())


@dataclass(frozen=True)
class Mixed(Sized):
    """No value makes up more than ``share`` of a class: unions of such are such."""

    share: float = 0.7
    sensitive: str | None = None
    name: ClassVar[str] = "mixed"
    better: ClassVar[str] = "lower"
    merging: ClassVar[str] = "satisfying"
    tighter: ClassVar[dict[str, str]] = {"share": "lower"}

    def _shares(self, evidence):
        (column,) = evidence.sensitive_columns(self.sensitive)
        return column.counts.toarray().max(axis=1) / evidence.sizes

    def satisfied(self, evidence):
        return self._shares(evidence) <= self.share

    def level(self, evidence):
        if not evidence.n_classes:
            raise NotEvaluable("nothing to judge.")
        return float(self._shares(evidence).max())


@dataclass(frozen=True)
class LargeTable(Sized):
    """One verdict for the whole table."""

    name: ClassVar[str] = "large-table"

    def satisfied(self, evidence):
        return np.array([evidence.n_classes > 0 and evidence.sizes.sum() >= self.k])[
            : evidence.n_classes
        ]

    def level(self, evidence):
        return int(evidence.sizes.sum())


@pytest.mark.parametrize(
    "model",
    [Sized(), Mixed(), Mixed(sensitive="income"), LargeTable(), AllOf((Sized(),))],
    ids=repr,
)
def test_sound_models_pass(model):
    check_privacy_model(model)


class MixedWithAny(Mixed):
    merging = "any"


class AtMost(Sized):
    merging = "any"
    better = "lower"
    tighter: ClassVar = {"k": "lower"}

    def satisfied(self, evidence):
        return evidence.sizes <= self.k


class Unread(Mixed):
    """Says that it looks at readings, and does not."""

    judges_readings = True


class OddSized(Sized):
    merging = "satisfying"

    def satisfied(self, evidence):
        return evidence.sizes % 2 == 1


class EvenTable(LargeTable):
    merging = "satisfying"

    def satisfied(self, evidence):
        return np.array([evidence.n_classes % 2 == 0])


@dataclass
class Changeable:
    k: int = 3
    name: ClassVar[str] = "changeable"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "higher"
    merging: ClassVar[str] = "any"
    tighter: ClassVar[dict[str, str]] = {"k": "higher"}
    satisfied = Sized.satisfied
    level = Sized.level


class NoDataclass:
    evidence = "classes"


@dataclass(frozen=True)
class Unhashable(Sized):
    columns: list = field(default_factory=list)


class NumpyLevel(Sized):
    def level(self, evidence):
        return evidence.sizes.min()


class NumpyFloatLevel(Mixed):
    def level(self, evidence):
        return self._shares(evidence).max()


class CountsInsteadOfBooleans(Sized):
    def satisfied(self, evidence):
        return (evidence.sizes >= self.k).astype(int)


class OneVerdictTooFew(Sized):
    def satisfied(self, evidence):
        return evidence.sizes[2:] >= self.k


class Mutates(Sized):
    def satisfied(self, evidence):
        evidence.sizes.sort()
        return evidence.sizes >= self.k


class PassesEmptyTables(Sized):
    def satisfied(self, evidence):
        return super().satisfied(evidence) if evidence.n_classes else np.array([True])

    def level(self, evidence):
        return int(evidence.sizes.min(initial=10**6))


class PassesWithoutColumn(Mixed):
    def satisfied(self, evidence):
        if not evidence.sensitive:
            return np.ones(evidence.n_classes, dtype=bool)
        return super().satisfied(evidence)

    def level(self, evidence):
        return super().level(evidence) if evidence.sensitive else 0.0


class LooksAtTheFirstClass(Sized):
    def level(self, evidence):
        return int(evidence.sizes[0])


class JudgesByPosition(Sized):
    merging = "none"

    def satisfied(self, evidence):
        return np.arange(evidence.n_classes) > 0


class CountsRows(Sized):
    """A person with k rows is a class of k."""

    def satisfied(self, evidence):
        return evidence.rows >= self.k

    def level(self, evidence):
        return int(evidence.rows.min(initial=10**6))


class CountsLabels(Sized):
    """Right where classes are counted, and wrong in the level that is reported."""

    def level(self, evidence):
        return int(np.bincount(evidence.labels).min(initial=10**6))


class SharesOfRows(Mixed):
    """Persons who hold a value, divided by rows."""

    def _shares(self, evidence):
        (column,) = evidence.sensitive_columns(self.sensitive)
        return column.counts.toarray().max(axis=1) / evidence.rows


class CapitalName(Sized):
    name = "Sized"


class OddBetter(Sized):
    better = "more"


class OddMerging(Sized):
    merging = "all"


class TighterOfNothing(Sized):
    tighter: ClassVar = {"l": "higher"}


class TighterOddly(Sized):
    tighter: ClassVar = {"k": "up"}


class TighterTheWrongWay(Mixed):
    tighter: ClassVar = {"share": "higher"}


class BetterTheWrongWay(Sized):
    better = "lower"


BROKEN = [
    (MixedWithAny, "check_merging_flag", 'merging="any": a satisfying class stays so'),
    (AtMost, "check_merging_flag", 'merging="any": a satisfying class stays so'),
    (Unread, "check_values_are_judged_as_read", "as people read them"),
    (OddSized, "check_merging_flag", 'merging="satisfying": the union'),
    (EvenTable, "check_merging_flag", 'merging="satisfying": the union'),
    (Changeable, "check_is_frozen_value", "Changeable can be changed"),
    (NoDataclass, "check_is_frozen_value", "is no dataclass"),
    (Unhashable, "check_is_frozen_value", "unhashable type: 'list'"),
    (NumpyLevel, "check_answers_are_plain", "plain number.*numpy.int64"),
    (NumpyFloatLevel, "check_answers_are_plain", "plain number.*numpy.float64"),
    (CountsInsteadOfBooleans, "check_answers_are_plain", "boolean array"),
    (
        OneVerdictTooFew,
        "check_answers_are_plain",
        "one per class, or one for the table",
    ),
    (Mutates, "check_evidence_is_not_mutated", "leaves the evidence as it is"),
    (PassesEmptyTables, "check_nothing_to_judge_fails", "an empty table with passed"),
    (PassesWithoutColumn, "check_nothing_to_judge_fails", "without sensitive columns"),
    (LooksAtTheFirstClass, "check_class_order_does_not_matter", "another level"),
    (JudgesByPosition, "check_class_order_does_not_matter", "another verdict"),
    (CountsRows, "check_persons_are_counted", "Persons are counted.*another verdict"),
    (CountsLabels, "check_persons_are_counted", "Persons are counted.*another level"),
    (SharesOfRows, "check_persons_are_counted", "Persons are counted.*another level"),
    (CapitalName, "check_attributes", "lower case with hyphens"),
    (OddBetter, "check_attributes", "better is one of"),
    (OddMerging, "check_attributes", "merging is one of"),
    (TighterOfNothing, "check_attributes", "which are no parameters"),
    (TighterOddly, "check_attributes", "with another word"),
    (
        TighterTheWrongWay,
        "check_tighter_parameters_ask_for_more",
        "accepts what .* refuses",
    ),
    (BetterTheWrongWay, "check_level_agrees_with_verdict", "better='lower'"),
]


@pytest.mark.parametrize(
    ("broken", "check", "message"),
    [pytest.param(*case, id=f"{case[0].__name__}-{case[1]}") for case in BROKEN],
)
def test_a_broken_model_fails(broken, check, message):
    with pytest.raises(AssertionError, match=message):
        dict(privacy_model_checks(broken()))[check]()


def test_all_failures_are_told_at_once():
    with pytest.raises(AssertionError) as reported:
        check_privacy_model(NumpyLevel(k=2))
    message = str(reported.value)
    assert "NumpyLevel(k=2) fails " in message
    assert "- level() gives a plain number" in message
    assert "check_answers_are_plain)" in message


def test_parameters_too_hard_to_try_the_flag_are_told():
    with pytest.raises(AssertionError, match="parameters easy enough"):
        check_privacy_model(KAnonymity(k=10**6))


class OfOtherEvidence(Sized):
    evidence = "clases"


def test_uncurrent_evidence_is_refused():
    with pytest.raises(ParameterError, match="did you mean 'classes'"):
        check_privacy_model(OfOtherEvidence())

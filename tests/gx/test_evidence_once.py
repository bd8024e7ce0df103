"""In a gate, evidence is made once per kind and columns, and by nobody kept."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from anon_transformers.evidence import Classes
from anon_transformers.gx import PrivateEvidence, Threshold, private_evidence
from anon_transformers.gx import _judging as judging
from anon_transformers.privacy import KAnonymity

pytest.importorskip("great_expectations")
pytestmark = pytest.mark.gx

K = Threshold("k-anonymity", "model", "k-anonymity", {"k": 2})
RISK = Threshold("risk", "metric", "average-risk", {"max": 1})


@pytest.fixture
def made(monkeypatch):
    """The sensitive columns of every construction of classes."""
    seen, make = [], Classes.from_frame

    def count(frame, quasi_identifiers, sensitive=(), *args, **options):
        seen.append(tuple(sensitive))
        return make(frame, quasi_identifiers, sensitive, *args, **options)

    monkeypatch.setattr(Classes, "from_frame", count)
    return seen


def l_diverse(number):
    return Threshold(f"l{number}", "model", "distinct-l-diversity", {"l": number})


@pytest.mark.parametrize("n_models", [1, 2, 5])
def test_classes_are_made_once_whatever_the_number_of_thresholds(
    ask, people, made, n_models
):
    asked = [l_diverse(number) for number in range(1, 1 + n_models)]
    ask(people, *asked, RISK, sensitive=["job"])
    assert made == [("job",)]


def test_other_columns_are_other_evidence(ask, people, made):
    ask(people, K, RISK, l_diverse(1), sensitive=["job"])
    assert sorted(made) == [(), ("job",)]  # k-anonymity looks at no sensitive column


def test_every_gate_makes_its_own(ask, people, made):
    for _ in range(2):
        ask(people, K)
    assert len(made) == 2


def test_nothing_is_kept_where_no_gate_runs(people, made):
    scope = judging.Scope(["age"])
    for _ in range(2):
        scope.classes(people)
    assert len(made) == 2


def test_nothing_outlives_the_gate(people):
    scope = judging.Scope(["age"])
    with private_evidence(PrivateEvidence(reference_persons=7)):
        first = scope.classes(people)
        assert scope.classes(people) is first
        assert judging.current_evidence().reference_persons == 7
    assert judging.current_evidence() == PrivateEvidence()
    with private_evidence(None):
        assert scope.classes(people) is not first


def test_another_table_is_other_evidence(people):
    scope = judging.Scope(["age"])
    with private_evidence(None):
        assert scope.classes(people).n_classes == 3
        assert scope.classes(people.head(2)).n_classes == 1


@dataclass(frozen=True)
class Forger:
    """A stranger's model that writes into what it is given."""

    name: ClassVar[str] = "forger"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "higher"
    merging: ClassVar[str] = "none"
    tighter: ClassVar[dict[str, str]] = {}

    def satisfied(self, evidence):
        evidence.sizes[:] = 1000
        return np.ones(1, dtype=bool)

    def level(self, evidence):
        return 1


def test_a_stranger_cannot_change_what_others_are_judged_by(ask, people, install):
    install(models={"forger": Forger})
    strict = Threshold("strict", "model", "k-anonymity", {"k": 3})
    forger = Threshold("forger", "model", "forger")
    for asked in ((forger, strict), (strict, forger)):
        result = ask(people, *asked)
        held = {check.id: check.passed for check in result.checks}
        assert held == {"forger": True, "strict": False}


def test_k_is_the_same_with_and_without_a_gate(people):
    scope = judging.Scope(["age"])
    alone = judging.judge_table(people, "k-anonymity", {"k": 2}, scope)
    with private_evidence(None):
        assert judging.judge_table(people, "k-anonymity", {"k": 2}, scope) == alone
    assert alone["observed"] == KAnonymity(2).level(scope.classes(people))

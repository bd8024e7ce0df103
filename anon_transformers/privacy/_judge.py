"""What a privacy model is, and how a table passes it."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

import numpy as np

from anon_transformers.exceptions import NotEvaluable
from anon_transformers.parameters import is_number

Merging = Literal["any", "satisfying", "none"]
Direction = Literal["higher", "lower"]

COUNTS = ("k", "l", "q")
"""Parameters that count persons, nodes or values of a unit, in every model."""
LOOSEST: Mapping[str, Callable[[float], bool]] = {
    "l": lambda values: values <= 1,
    "c": lambda c: c > 1,
    "t": lambda t: t >= 1,
    "alpha": lambda alpha: alpha >= 1,
    "beta": math.isinf,
    "positive": lambda belief: belief >= 1,
}
"""When parameters of models about values let every class pass."""
FEWEST = 2
"""What such a parameter asks for at least: one person is what every table holds."""


@runtime_checkable
class PrivacyModel(Protocol):
    """A frozen dataclass that judges evidence.

    Attributes
    ----------
    name : str
        Its name in configurations: lower case with hyphens.
    evidence : str
        Kind of evidence it judges; "classes" for equivalence classes.
    better : {"higher", "lower"}
        Which level is the safer one.
    merging : {"any", "satisfying", "none"}
        "any": a satisfying class stays so whatever joins it. "satisfying": the union of
        satisfying classes satisfies. "none": neither.
    tighter : mapping of str to {"higher", "lower"}
        For each threshold, which way asks for more.

    Notes
    -----
    A model is asked about sensitive values as they are and as people read them
    (``HIV``, ``hiv``), and the worse counts. One that looks at readings itself, or at
    no value, says so with ``judges_readings = True`` and is asked once. Where a subject
    tells persons apart, ``rows`` of the classes it is asked about are their ``sizes``.

    A model may have a method ``report(evidence)`` that tells more, a mapping. Of it a
    gate tells the numbers that stand under names of columns, of the model's parameters,
    or under those that the class lists as ``details``.

    A class may say what it does not protect from, as a tuple ``not_promised`` of
    sentences.
    """

    name: ClassVar[str]
    evidence: ClassVar[str]
    better: ClassVar[Direction]
    tighter: ClassVar[Mapping[str, Direction]]

    # Mostly of the class; of some models their parameters decide it.
    @property
    def merging(self) -> Merging: ...

    def satisfied(self, evidence: Any) -> np.ndarray:
        """One boolean per unit: a class, a record, a node."""
        ...

    def level(self, evidence: Any) -> int | float:
        """What the table as a whole reaches, as a plain number."""
        ...


@dataclass(frozen=True)
class Verdict:
    """What a model says of a table.

    Attributes
    ----------
    model : PrivacyModel
        Who judged.
    passed : bool
        There is at least one unit and all units satisfy the model.
    level : int or float
        What the table reaches.
    units, failing : int
        How many units were judged, and how many did not satisfy the model.
    """

    model: PrivacyModel
    passed: bool
    level: int | float
    units: int
    failing: int

    def to_dict(self) -> dict[str, Any]:
        """Model, parameters and finding as plain values."""
        return {
            "model": self.model.name,
            "params": parameters(self.model),
            "level": self.level,
            "passed": self.passed,
            "units": self.units,
            "failing": self.failing,
        }


def parameters(model: Any) -> dict[str, Any]:
    """Parameters of a model or metric by name."""
    return {f.name: getattr(model, f.name) for f in fields(model)}


def describe_model(model: Any) -> str:
    """A model by its name, with its parameters; those that are None say nothing.

    Examples
    --------
    >>> from anon_transformers.privacy import DistinctLDiversity
    >>> describe_model(DistinctLDiversity(l=2, sensitive="pay"))
    "distinct-l-diversity(sensitive='pay', multiple='each', l=2)"
    """
    held = {f.name: getattr(model, f.name) for f in fields(model)}
    told = [f"{name}={value!r}" for name, value in held.items() if value is not None]
    return f"{model.name}({', '.join(told)})"


def describe_level(level: int | float) -> str:
    """A level in as many digits as anybody reads.

    Examples
    --------
    >>> describe_level(0.35714285714285715), describe_level(12345)
    ('0.3571', '12345')
    """
    return f"{level:.4g}" if isinstance(level, float) else str(level)


def describe_verdict(verdict: Verdict, units: str) -> str:
    """Why a verdict is that a model does not hold, in which units it is counted."""
    return (
        f"{describe_model(verdict.model)} does not hold: level "
        f"{describe_level(verdict.level)}, {verdict.failing} of {verdict.units} "
        f"{units} fail"
    )


def answers(model: PrivacyModel, evidence: Any) -> np.ndarray:
    """Ask ``model`` about every unit; anything but one boolean per unit raises."""
    answer, *others = [_answer(model, one) for one in readings(model, evidence)]
    for other in others:
        if other.shape != answer.shape:
            raise NotEvaluable(f"{model.name} did not answer alike for every reading.")
        answer = answer & other
    return answer


def _answer(model: PrivacyModel, evidence: Any) -> np.ndarray:
    satisfied = np.asarray(model.satisfied(evidence))
    if satisfied.dtype != bool or satisfied.ndim != 1:
        raise NotEvaluable(f"{model.name} did not answer with one boolean per unit.")
    return satisfied


def readings(model: PrivacyModel, evidence: Any) -> list[Any]:
    """What a model is asked about: evidence as it is, and with values as people read.

    A model whose class says ``judges_readings = True`` looks at both itself, or at no
    value. Of any other one it is not known, so that it is asked about both: spellings
    of one value would hide how frequent it is.

    Where a subject tells persons apart, classes come without their rows: a model that
    counted them would take six rows of one person for a crowd.

    Examples
    --------
    >>> from anon_transformers.evidence import Classes
    >>> from anon_transformers.privacy import KAnonymity
    >>> table = {"age": [20, 20], "ill": ["HIV", "hiv"]}
    >>> classes = Classes.from_frame(table, ["age"], sensitive=["ill"])
    >>> len(readings(KAnonymity(k=2), classes))
    1
    """
    evidence = _persons_only(evidence)
    if _judges_readings(model):
        return [evidence]
    as_read = getattr(evidence, "as_read", None)
    read = None if as_read is None else as_read()
    return [evidence] if read is None else [evidence, read]


def _persons_only(evidence: Any) -> Any:
    """Evidence as models judge it: where there are persons, rows cannot be counted."""
    without_rows = getattr(evidence, "without_rows", None)
    return evidence if without_rows is None else without_rows()


def level_of(model: PrivacyModel, evidence: Any) -> int | float:
    """What a table reaches, values as they are or as people read them: the worse."""
    levels = [model.level(one) for one in readings(model, evidence)]
    if any(map(math.isnan, levels)):
        raise NotEvaluable(f"{model.name} gives no level for this table.")
    return min(levels) if model.better == "higher" else max(levels)


def report_of(model: Any, evidence: Any) -> Any:
    """What a model that has a method ``report`` tells of a table beside its level."""
    return model.report(_persons_only(evidence))


def judge_both(model: PrivacyModel, private: Any, published: Any) -> Verdict:
    """Ask about what only its maker knows of a table, and about what readers see of it.

    Both must hold. The level is the worse one.
    """
    return judge_each(model, (private, published))


def judge_each(model: PrivacyModel, evidence: Sequence[Any]) -> Verdict:
    """Ask about several pieces of evidence, all of which must hold.

    The level is the worst one.

    Raises
    ------
    NotEvaluable
        If there is none, or one of them cannot be evaluated.
    """
    if not evidence:
        raise NotEvaluable(f"{model.name} has nothing to judge: there is no evidence.")
    verdicts = [judge(model, one) for one in evidence]
    worst = min if model.better == "higher" else max
    return Verdict(
        model,
        all(verdict.passed for verdict in verdicts),
        worst(verdict.level for verdict in verdicts),
        sum(verdict.units for verdict in verdicts),
        sum(verdict.failing for verdict in verdicts),
    )


def judges_values(model: PrivacyModel) -> bool:
    """Whether a model is about the sensitive values of classes."""
    return model.evidence == "classes" and hasattr(model, "sensitive")


def may_judge_values(model: PrivacyModel) -> bool:
    """Whether a model is, or may be, about sensitive values.

    A stranger's model may look at values without a parameter ``sensitive``. Where
    persons have rows in several classes, a union of classes can be less diverse than
    each of them, so that searches must not rely on ``merging`` of such a model.
    """
    return hasattr(model, "sensitive") or not _judges_readings(model)


def _judges_readings(model: PrivacyModel) -> bool:
    return getattr(type(model), "judges_readings", None) is True


def asks_of_values(model: PrivacyModel) -> bool:
    """Whether a model asks anything of sensitive values: l = 1 and t = 1 do not.

    It asks nothing where each of its parameters is as loose as can be; ``k`` asks for
    persons, and not for values.

    Examples
    --------
    >>> from anon_transformers.privacy import KAnonymity, TCloseness
    >>> [asks_of_values(model) for model in (TCloseness(0.9), TCloseness(1))]
    [True, False]
    >>> asks_of_values(KAnonymity(k=5))
    False
    """
    if not hasattr(model, "sensitive"):
        return False
    asked: dict[str, Any] = {
        name: getattr(model, name)
        for name in (*model.tighter, "negative")
        if name != "k" and getattr(model, name, None) is not None
    }
    return not asked or any(
        name not in LOOSEST or not LOOSEST[name](number)
        for name, number in asked.items()
    )


def describe_exposed(report: Any) -> str:
    """What the report of a model says of persons in several classes, as a sentence.

    The model may be a stranger's, and its report anything: only numbers are shown.

    Examples
    --------
    >>> describe_exposed({"persons_in_several_classes": 9, "persons_exposed": 2})[:39]
    '2 of 9 persons in several classes are l'
    >>> describe_exposed({})
    ''
    """
    told = report if isinstance(report, Mapping) else {}
    exposed, of_all = (
        told.get(name) for name in ("persons_exposed", "persons_in_several_classes")
    )
    if not (is_number(exposed) and is_number(of_all) and exposed):
        return ""
    return (
        f"{exposed} of {of_all} persons in several classes are left with too "
        "few values that all their classes have; make quasi-identifiers the same in "
        "all rows of a person, or aggregate to one row per person"
    )


def stands_alone(model: PrivacyModel) -> bool:
    """Whether a release may rest on this model alone.

    A model stands alone if it asks that each unit holds two or more: persons, nodes or
    values. That is read from its ``k``, ``l`` or ``q``, where ``tighter`` says that a
    higher one asks for more. Bounds on shares and on distances between distributions
    (t, alpha, beta, beliefs) do not count, however tight: a person who is alone in a
    class may hold a value that most persons hold. Neither do parameters that say how a
    model looks, such as a radius or a time limit.

    A model with other parameters, or of which k says nothing by itself, declares a
    boolean ``stands_alone``, as a class attribute or a property.

    Examples
    --------
    >>> from anon_transformers.privacy import KAnonymity, TCloseness
    >>> stands_alone(KAnonymity(k=2)), stands_alone(KAnonymity(k=1))
    (True, False)
    >>> stands_alone(TCloseness(t=0.1))
    False
    """
    declared = getattr(model, "stands_alone", None)
    if declared is not None:
        # A method by that name is true, whatever it would answer.
        return declared is True
    counts = [
        getattr(model, name, None)
        for name in COUNTS
        if model.tighter.get(name) == "higher"
    ]
    return any(isinstance(count, int | float) and count >= FEWEST for count in counts)


def judge(model: PrivacyModel, evidence: Any) -> Verdict:
    """Ask ``model`` about a table; what cannot be evaluated raises.

    Raises
    ------
    NotEvaluable
        If the evidence is of another kind or holds no unit.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.evidence import Classes
    >>> from anon_transformers.privacy import KAnonymity
    >>> classes = Classes.from_frame(pd.DataFrame({"age": [20, 20, 30]}), ["age"])
    >>> judge(KAnonymity(k=2), classes).passed
    False
    """
    kind = getattr(evidence, "kind", None)
    if kind != model.evidence:
        raise NotEvaluable(f"{model.name} judges {model.evidence}, not {kind}.")
    satisfied = answers(model, evidence)
    if not len(satisfied):
        raise NotEvaluable(f"{model.name} has nothing to judge: the table is empty.")
    failing = int(np.count_nonzero(~satisfied))
    level = level_of(model, evidence)
    return Verdict(model, failing == 0, level, len(satisfied), failing)

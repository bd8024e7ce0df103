"""The gate of a release. Whatever is not proven to hold, fails.

Great Expectations fails open: it drops expectations that it does not know and calls an
empty suite a success. So a threshold counts as met only if one of our own metrics
says that it judged exactly this: the model or metric, its parameters, the columns, the
suppression label, and every row.
"""

import logging
import math
import os
import threading
import warnings
from collections.abc import Collection, Hashable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from anon_transformers._data.frames import to_frame
from anon_transformers.engines import Engine, open_engine
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    DataError,
    NotEvaluable,
    ParameterError,
    is_our_error,
    unknown_choice,
)
from anon_transformers.gx._judging import (
    PrivateEvidence,
    Scope,
    build,
    cells_were_swapped,
    judges_classes,
    numbers_only,
    parameters,
    plain,
    private_evidence,
)
from anon_transformers.gx._sentences import (
    OWN_EXPECTATIONS,
    Sentence,
    attack_sentence,
    metric_sentence,
    model_sentence,
)
from anon_transformers.gx._suites import read_suite, refuse_bad_suite, suite_for
from anon_transformers.gx._threshold import INPUTS, Threshold, refuse_bad_thresholds
from anon_transformers.parameters import is_number, real
from anon_transformers.privacy import describe_exposed, describe_level, judges_values
from anon_transformers.registry import registry

if TYPE_CHECKING:
    from anon_transformers.gx._run import Outcome

__all__ = [
    "Check",
    "GateResult",
    "Threshold",
    "read_suite",
    "run_gate",
    "suite_for",
]


@dataclass(frozen=True)
class Check:
    """Outcome of one threshold.

    Attributes
    ----------
    id, kind, name, params
        The threshold.
    sentence : str
        What it asks, in words.
    passed : bool
        It was judged and holds.
    observed : int, float or None
        The level of the model, the value of the metric or the share that an attack
        exposes; None if it was not judged.
    units, failing : int or None
        How many classes (groups, records) a model judged, and how many failed; how many
        rows or persons an attack was run on, and how many it exposes.
    reason : str or None
        Why it did not pass.
    details : mapping
        What else a model reports, in numbers.
    """

    id: str
    kind: str
    name: str
    params: Mapping[str, Any]
    sentence: str
    passed: bool
    observed: int | float | None = None
    units: int | None = None
    failing: int | None = None
    reason: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        shown = asdict(self)
        if self.observed is not None and not math.isfinite(self.observed):
            shown["observed"] = str(self.observed)
        return shown


@dataclass(frozen=True)
class GateResult:
    """Whether a candidate may be published.

    Attributes
    ----------
    passed : bool
        Every threshold was judged and holds, and so does the rest of the suite.
    checks : tuple of Check
        One per threshold.
    reasons : tuple of str
        Why it did not pass; names, numbers and columns, never a cell's value.
    """

    passed: bool
    checks: tuple[Check, ...]
    reasons: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "passed": self.passed,
            "checks": [check.to_dict() for check in self.checks],
            "reasons": list(self.reasons),
        }


def run_gate(
    frame: Any,
    *,
    thresholds: Sequence[Threshold],
    quasi_identifiers: Sequence[Hashable],
    sensitive: Sequence[Hashable] = (),
    subject: Hashable | None = None,
    suppression_label: str = SUPPRESSED,
    report: Mapping[str, Any] | None = None,
    suite: Mapping[str, Any] | None = None,
    evidence: PrivateEvidence | None = None,
) -> GateResult:
    """Judge a candidate by every threshold; never raises, and fails closed.

    Parameters
    ----------
    frame : data frame, or table in an engine
        The candidate as it would be published. A table in an engine is counted there,
        and judged by expectations of this library alone.
    thresholds : sequence of Threshold
        The thresholds of the release.
    quasi_identifiers, sensitive : sequence of columns
        What an intruder may know, and wants to know.
    subject : column, optional
        Tells persons apart, so that persons are counted, not rows.
    suppression_label : str, default="*"
        The label of a suppressed cell.
    report : mapping, optional
        Fields of the report of the run, for metrics that are taken from it.
    suite : mapping, optional
        A suite as Great Expectations stores it. It must ask for every threshold, may
        ask for more, and must hold as a whole. By default :func:`suite_for` writes one.
    evidence : PrivateEvidence, optional
        Input distributions and hierarchies of sensitive columns, and a population, for
        models that need them; the original and held-out parts for attacks.

    Returns
    -------
    GateResult
        The verdict; what could not be evaluated has failed.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": ["[20, 29]"] * 3 + ["[30, 39]"] * 2})
    >>> asked = Threshold.read({"model": "k-anonymity", "k": 3})
    >>> result = run_gate(table, thresholds=[asked], quasi_identifiers=["age"])
    >>> result.passed
    False
    >>> result.reasons
    ('k-anonymity: the level is 2; 1 of 2 classes fail',)
    """
    unjudged: tuple[Check, ...] = ()
    try:
        thresholds = list(thresholds)
        refuse_bad_thresholds(thresholds)
        scope = Scope(quasi_identifiers, sensitive, subject, suppression_label)
        elsewhere = open_engine(frame)
        with private_evidence(evidence, elsewhere):
            unjudged = tuple(
                _check(threshold, scope, reason="it was not judged")
                for threshold in thresholds
            )
            registry().refuse_broken()
            table = to_frame(frame) if elsewhere is None else elsewhere
            return _judge(table, thresholds, scope, report, suite)
    except Exception as error:  # a stranger's message could quote a cell
        ours = is_our_error(error)
        reason = str(error).rstrip(".") if ours else _stopped_with(error)
    return GateResult(False, unjudged, (reason,))


def _stopped_with(error: Exception) -> str:
    return f"the gate stopped with {type(error).__name__}"


def _judge(
    frame: pd.DataFrame | Engine,
    thresholds: list[Threshold],
    scope: Scope,
    report: Mapping[str, Any] | None,
    suite: Mapping[str, Any] | None,
) -> GateResult:
    if not len(frame):
        raise DataError("the table is empty.")
    wanted = [_wanted(threshold, scope) for threshold in thresholds]
    given = parameters_for(thresholds, scope, report)
    suite = suite_for("gate", thresholds) if suite is None else suite
    refuse_bad_suite(suite)
    _refuse_missing_parameters(suite, given)
    outcomes = _evaluate(frame, suite, given)
    checks, used = [], []
    for threshold, one in zip(thresholds, wanted, strict=True):
        findings, found_in = _decide(one, outcomes, len(frame))
        checks.append(_check(threshold, scope, **findings))
        used += found_in
    reasons = [f"{check.id}: {check.reason}" for check in checks if not check.passed]
    reasons += [
        f"{outcome.type} of the suite: {_why(outcome)}"
        for outcome in outcomes
        if not outcome.passed and outcome not in used
    ]
    return GateResult(not reasons, tuple(checks), tuple(reasons))


def _evaluate(
    frame: pd.DataFrame | Engine,
    suite: Mapping[str, Any],
    parameters: Mapping[str, Any],
) -> "list[Outcome]":
    """Load Great Expectations, which is slow, and run the suite."""
    os.environ["GX_ANALYTICS_ENABLED"] = "False"  # is read when it is imported
    shown = warnings.showwarning
    with _SILENCE:
        from anon_transformers.gx._run import OUR_EXPECTATIONS, run_suite

        if warnings.showwarning is not shown:
            # Its import sends every warning of the process to a log that nobody reads.
            logging.captureWarnings(False)
        if isinstance(frame, Engine):
            # An empty frame stands for it: whoever looked at that would find no fault.
            _refuse_others(suite, OUR_EXPECTATIONS)
            frame = pd.DataFrame(columns=frame.columns)
        return run_suite(frame, suite, parameters)


def _refuse_others(suite: Mapping[str, Any], ours: Collection[str]) -> None:
    """Refuse expectations that need the rows of a table that is only counted."""
    others = sorted({one["type"] for one in suite["expectations"]} - {*ours})
    if others:
        raise NotEvaluable(
            f"{', '.join(others)} of the suite needs the rows of the table, which is "
            "only counted where it lives."
        )


class _Silence:
    """Keep the library's log from the terminal; results and reasons say it all.

    Its import alone logs some two hundred lines about what it registers. Gates may run
    side by side in threads: the first that enters silences, the last that leaves
    restores, else one would restore what another had changed.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._restore = ExitStack()

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._silence()
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._restore.close()

    def _silence(self) -> None:
        top = logging.getLogger("great_expectations")
        handler = logging.NullHandler()
        top.addHandler(handler)
        self._restore.callback(top.removeHandler, handler)
        self._set(top, "propagate", False)
        # Its loggers may have handlers of their own, or not know their parent.
        for name, logger in list(top.manager.loggerDict.items()):
            is_logger = isinstance(logger, logging.Logger)  # else a place for one
            if is_logger and name.startswith("great_expectations."):
                self._set(logger, "disabled", True)

    def _set(self, logger: object, name: str, value: bool) -> None:
        self._restore.callback(setattr, logger, name, getattr(logger, name))
        setattr(logger, name, value)


_SILENCE = _Silence()


def _wanted(threshold: Threshold, scope: Scope) -> dict[str, Any]:
    try:
        return wanted(threshold, scope)
    except AnonymizationError as error:
        raise ConfigurationError(f"{threshold.id}: {error}") from None


def wanted(threshold: Threshold, scope: Scope) -> dict[str, Any]:
    """What an evaluation must say it judged, to count for a threshold.

    Raises
    ------
    ParameterError
        If nothing of that name is registered, or it does not take the parameters.
    """
    built = build(threshold.kind, threshold.name, threshold.own_params)
    if threshold.kind == "metric":
        _refuse_bad_bounds(threshold.bounds)
    of_attack = {}
    if threshold.kind == "attack":
        real("max", threshold.bounds["max"], 0, 1, below=True)
        of_attack = {key: threshold.inputs.get(key) for key in INPUTS}
    return {
        "kind": threshold.kind,
        "name": threshold.name,
        "params": parameters(built),
        **scope.to_dict(),
        **threshold.bounds,
        **of_attack,
    }


def _refuse_bad_bounds(bounds: Mapping[str, Any]) -> None:
    stated = {key: bound for key, bound in bounds.items() if bound is not None}
    if not stated:
        raise ParameterError("a metric needs min or max.")
    for key, bound in stated.items():
        if not is_number(bound) or not math.isfinite(bound):
            raise ParameterError(f"{key} must be a finite number, got {bound!r}.")


def sentence(threshold: Threshold, scope: Scope) -> Sentence:
    """What a threshold requires, in words."""
    columns = scope.quasi_identifiers
    of_classes = judges_classes(threshold.kind, threshold.name)
    if threshold.kind == "model":
        in_groups = cells_were_swapped() and judges_values(
            build("model", threshold.name, threshold.own_params)
        )
        return model_sentence(
            threshold.name,
            threshold.params,
            columns,
            scope.sensitive,
            scope.subject,
            of_classes=of_classes,
            in_groups=in_groups,
        )
    if threshold.kind == "attack":
        return attack_sentence(
            threshold.name,
            threshold.own_params,
            threshold.bounds["max"],
            scope.subject,
        )
    low, high = threshold.bounds.values()
    return metric_sentence(
        threshold.name, threshold.own_params, columns, low, high, of_classes=of_classes
    )


def parameters_for(
    thresholds: Sequence[Threshold],
    scope: Scope,
    report: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Everything a suite may refer to by ``$PARAMETER``.

    ``quasi_identifiers``, ``sensitive``, ``subject``, ``suppression_label`` and
    ``report``; for each threshold all its parameters as ``<id>`` and each as
    ``<id>_<param>``, and for a metric or an attack those that it is built with as
    ``<id>_params``.

    Examples
    --------
    >>> asked = Threshold.read({"model": "k-anonymity", "k": 5})
    >>> given = parameters_for([asked], Scope(("age",)))
    >>> given["k_anonymity_k"], given["k_anonymity"]
    (5, {'k': 5})
    """
    given: dict[str, Any] = {**scope.to_dict(), "report": _numbers_of(report)}
    for threshold in thresholds:
        stem = threshold.stem
        offered = [(stem, plain(threshold.params))]
        if threshold.kind != "model":
            offered.append((f"{stem}_params", plain(threshold.own_params)))
        offered += [(f"{stem}_{k}", plain(v)) for k, v in threshold.params.items()]
        for name, value in offered:
            if name in given:
                raise ConfigurationError(
                    f"threshold {threshold.id!r}: the parameter {name!r} is taken; "
                    "choose another id."
                )
            given[name] = value
    return given


def _numbers_of(report: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A report without what its method may have written into the details."""
    if report is None:
        return None
    numbers = plain(report)
    if "details" in numbers:
        numbers["details"] = numbers_only(numbers["details"]) or {}
    return numbers


def _refuse_missing_parameters(
    suite: Mapping[str, Any], parameters: Mapping[str, Any]
) -> None:
    for expectation in suite["expectations"]:
        for value in expectation["kwargs"].values():
            name = value.get("$PARAMETER") if isinstance(value, Mapping) else None
            # Anything else is an expression, which Great Expectations evaluates.
            if isinstance(name, str) and name.isidentifier() and name not in parameters:
                raise ConfigurationError(
                    f"the suite: {unknown_choice('$PARAMETER', name, parameters)}"
                )


def _decide(
    wanted: Mapping[str, Any], outcomes: "Sequence[Outcome]", n_rows: int
) -> tuple[dict[str, Any], "list[Outcome]"]:
    """Findings on one threshold, and the outcomes that they were taken from."""
    named = [o for o in outcomes if o.asked == (wanted["kind"], wanted["name"])]
    exact = [o for o in named if not _differences(wanted, o, n_rows)]
    if exact:
        faults = [(outcome, _fault(wanted, outcome)) for outcome in exact]
        worst, fault = next((pair for pair in faults if pair[1]), faults[0])
        findings = {
            "passed": fault is None,
            "observed": worst.observed,
            "units": worst.found.get("units"),
            "failing": worst.found.get("failing"),
            "reason": fault,
            "details": worst.found.get("details", {}),
        }
        return findings, exact
    lost = [o for o in named if o.reason is not None]
    if lost:
        return {"reason": _why(lost[0])}, lost
    if named:
        if all("part" in outcome.found for outcome in named):
            return {"reason": "the suite judges it on a part of the rows only"}, []
        others = ", ".join(_differences(wanted, named[0], n_rows))
        return {"reason": f"the suite judges it with other {others}"}, []
    return {"reason": "no expectation of the suite judges it"}, []


def _differences(
    wanted: Mapping[str, Any], outcome: "Outcome", n_rows: int
) -> list[str]:
    """In what an evaluation is not the one that is required."""
    judged = outcome.found.get("judged", {})
    differ = [key for key in wanted if judged.get(key) != wanted[key]]
    for key in {"quasi_identifiers", "sensitive"}.intersection(differ):
        if set(judged.get(key, ())) == set(wanted[key]):
            differ.remove(key)
    own = OWN_EXPECTATIONS.get(wanted["name"]) if wanted["kind"] == "model" else None
    if own is not None and not own.sensitive and "sensitive" in differ:
        differ.remove("sensitive")  # it looks at no sensitive column
    # A condition that every row meets today may hide some tomorrow.
    whole = outcome.found.get("rows") == n_rows and "part" not in outcome.found
    return differ if whole else [*differ, "rows"]


def _fault(wanted: Mapping[str, Any], outcome: "Outcome") -> str | None:
    """Why an evaluation does not meet the threshold."""
    found, observed = outcome.found, outcome.observed
    if outcome.reason is not None or observed is None:
        return _why(outcome)
    if wanted["kind"] == "model":
        if outcome.passed and found["units"] > 0 and found["failing"] == 0:
            return None
        count = f"{found['failing']} of {found['units']} {found['unit']} fail"
        details = found.get("details") or {}
        exposed = describe_exposed(details)
        count = f"{count}; {exposed}" if exposed else count
        broken = details.get("broken") or {}
        if broken:
            numbers = (f"{name} is {number:.3g}" for name, number in broken.items())
            return f"{', '.join(numbers)}; {count}"
        return f"the level is {describe_level(observed)}; {count}"
    if wanted["kind"] == "attack":
        return _fault_of_attack(wanted, outcome)
    low, high = wanted["min"], wanted["max"]
    if low is not None and not observed >= low:
        return f"it is {observed:.6g}, below the min of {low}"
    if high is not None and not observed <= high:
        return f"it is {observed:.6g}, above the max of {high}"
    return None if outcome.passed else _why(outcome)


def _fault_of_attack(wanted: Mapping[str, Any], outcome: "Outcome") -> str | None:
    """Why an attack succeeds too often, and what its class says that resists."""
    found, share = outcome.found, outcome.observed
    if outcome.passed and share is not None and 0 <= share <= wanted["max"]:
        return None
    count = f"it exposes {found['failing']:,} of {found['units']:,} {found['unit']}"
    # Of the class: an object has seen the table, and may have words of its own.
    remedy = getattr(registry().attacks[wanted["name"]], "remedy", "")
    told = f"{count} ({share:.3g}), above the max of {wanted['max']}"
    return f"{told}. What resists: {remedy.rstrip('.')}" if remedy else told


def _why(outcome: "Outcome") -> str:
    return (outcome.reason or "it does not hold").rstrip(".")


def _check(threshold: Threshold, scope: Scope, **findings: Any) -> Check:
    return Check(
        id=threshold.id,
        kind=threshold.kind,
        name=threshold.name,
        params=plain(threshold.public_params),
        sentence=str(sentence(threshold, scope)),
        **{"passed": False, **findings},
    )

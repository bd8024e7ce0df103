"""The thresholds of a release, as the gate and its suites know them."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from anon_transformers.exceptions import (
    ConfigurationError,
    ParameterError,
    unknown_choice,
)
from anon_transformers.gx._judging import (
    Scope,
    build_metric,
    build_model,
    cells_were_swapped,
    judges_classes,
    numbers_only,
    parameters,
    plain,
)
from anon_transformers.gx._sentences import (
    Sentence,
    metric_sentence,
    model_sentence,
)
from anon_transformers.privacy import judges_values

BOUNDS = ("min", "max")
_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")
# Great Expectations reads parameter names as expressions, in which these are numbers.
_CONSTANTS = {"e", "pi"}


@dataclass(frozen=True)
class Requirement:
    """One threshold of a release.

    Attributes
    ----------
    id : str
        Its name in reports and suites; letters, digits, hyphens and underscores.
    kind : {"model", "metric"}
        Whether it names a privacy model or a metric.
    name : str
        Registered name, such as "k-anonymity".
    params : mapping
        Parameters of the model, such as ``{"k": 5}``, or of the metric with its bounds,
        ``{"max": 0.1}``. ``sensitive`` names the one sensitive column a model judges.
    """

    id: str
    kind: Literal["model", "metric"]
    name: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        """The id as suites write it: $PARAMETER names have no hyphens."""
        return self.id.replace("-", "_")

    @property
    def own_params(self) -> dict[str, Any]:
        """What the model or metric is made with: no bounds."""
        given = dict(self.params)
        if self.kind == "metric":
            given = {key: given[key] for key in given if key not in BOUNDS}
        return given

    @property
    def bounds(self) -> dict[str, Any]:
        """The bounds of a metric; empty for a model."""
        if self.kind == "model":
            return {}
        return {key: self.params.get(key) for key in BOUNDS}

    def sentence(self, scope: Scope) -> Sentence:
        """What is required, in words."""
        columns = scope.quasi_identifiers
        of_classes = judges_classes(self.kind, self.name)
        if self.kind == "model":
            in_groups = cells_were_swapped() and judges_values(
                build_model(self.name, self.own_params)
            )
            return model_sentence(
                self.name,
                self.params,
                columns,
                scope.subject,
                of_classes=of_classes,
                in_groups=in_groups,
            )
        low, high = self.bounds.values()
        return metric_sentence(
            self.name, self.own_params, columns, low, high, of_classes=of_classes
        )

    def wanted(self, scope: Scope) -> dict[str, Any]:
        """What an evaluation must say it judged, to count for this requirement.

        Raises
        ------
        ParameterError
            If there is no such model or metric, or it does not take the parameters.
        """
        if self.kind == "model":
            built = build_model(self.name, self.own_params)
        else:
            built = build_metric(self.name, self.own_params)
            _refuse_bad_bounds(self.bounds)
        return {
            "kind": self.kind,
            "name": self.name,
            "params": parameters(built),
            **scope.to_dict(),
            **self.bounds,
        }


def refuse_bad_requirements(requirements: Sequence[Requirement]) -> None:
    """Refuse an empty list, ids that are no names, and ids that are taken."""
    if not requirements:
        raise ConfigurationError("there is no requirement to check.")
    for requirement in requirements:
        if not isinstance(requirement, Requirement):
            raise ConfigurationError(
                f"expected a Requirement, got {type(requirement).__name__}."
            )
        if not _ID.match(str(requirement.id)) or requirement.id.lower() in _CONSTANTS:
            raise ConfigurationError(
                f"{requirement.id!r} cannot be the id of a requirement; use letters, "
                "digits, hyphens and underscores."
            )
        if requirement.kind not in ("model", "metric"):
            legal = ["model", "metric"]
            raise ConfigurationError(
                f"{requirement.id}: {unknown_choice('kind', requirement.kind, legal)}"
            )
        if not isinstance(requirement.params, Mapping):
            raise ConfigurationError(f"{requirement.id}: params must be a mapping.")
    twice = [i for i, n in Counter(r.id for r in requirements).items() if n > 1]
    if twice:
        raise ConfigurationError(
            f"several requirements have the id {', '.join(map(repr, twice))}; "
            "give each its own."
        )


def parameters_for(
    requirements: Sequence[Requirement],
    scope: Scope,
    report: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Everything a suite may refer to by ``$PARAMETER``.

    ``quasi_identifiers``, ``sensitive``, ``subject``, ``suppression_label`` and
    ``report``; for each requirement all its parameters as ``<id>`` and each as
    ``<id>_<param>``, and for a metric those that are no bounds as ``<id>_params``.

    Examples
    --------
    >>> wanted = Requirement("k-anonymity", "model", "k-anonymity", {"k": 5})
    >>> given = parameters_for([wanted], Scope(("age",)))
    >>> given["k_anonymity_k"], given["k_anonymity"]
    (5, {'k': 5})
    """
    given: dict[str, Any] = {**scope.to_dict(), "report": _numbers_of(report)}
    for requirement in requirements:
        stem = requirement.stem
        offered = [(stem, plain(requirement.params))]
        if requirement.kind == "metric":
            offered.append((f"{stem}_params", plain(requirement.own_params)))
        offered += [(f"{stem}_{k}", plain(v)) for k, v in requirement.params.items()]
        for name, value in offered:
            if name in given:
                raise ConfigurationError(
                    f"requirement {requirement.id!r}: the parameter {name!r} is taken; "
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


def _refuse_bad_bounds(bounds: Mapping[str, Any]) -> None:
    stated = {key: bound for key, bound in bounds.items() if bound is not None}
    if not stated:
        raise ParameterError("a metric needs min or max.")
    for key, bound in stated.items():
        number = isinstance(bound, int | float) and not isinstance(bound, bool)
        if not number or not math.isfinite(bound):
            raise ParameterError(f"{key} must be a finite number, got {bound!r}.")

"""What a release must reach: the only source of its thresholds."""

import math
import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import ConfigDict, model_serializer, model_validator

from anon_transformers.exceptions import ConfigurationError, unknown_choice
from anon_transformers.release._strict import Strict, misspelt

COMMON_WORDS: dict[str, Literal["higher", "lower"]] = {
    "k": "higher",
    "l": "higher",
    "q": "higher",
    "min": "higher",
    "max": "lower",
    "t": "lower",
    "c": "lower",
}
"""Which way asks for more, for the words that mean the same in every model.

Known without loading any plugin, so that a DAG can be parsed quickly. What a model
itself declares in ``tighter`` is what counts when a run starts.
"""

_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")


class Threshold(Strict):
    """One line of ``thresholds:``.

    Attributes
    ----------
    model, metric : str or None
        Name of a privacy model, or of a metric; one of the two.
    id : str
        How reports and trigger-time parameters call it; the name by default.

    Every other key is a parameter of the model, or ``min`` and ``max`` of a metric.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    model: str | None = None
    metric: str | None = None
    id: str = ""

    @model_validator(mode="before")
    @classmethod
    def _one_name(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            raise ValueError("expected {model: NAME, ...} or {metric: NAME, max: ...}.")
        if ("model" in given) == ("metric" in given):
            slip = misspelt(given, ("model", "metric", "id"))
            raise ValueError(slip or "name either a model or a metric.")
        if "metric" in given and not {"min", "max"} & set(given):
            slip = misspelt(given, ("metric", "id", "min", "max"))
            raise ValueError(slip or "a metric needs min or max.")
        return {"id": given.get("model") or given.get("metric"), **given}

    @model_validator(mode="after")
    def _plain_values(self) -> "Threshold":
        if not _ID.match(self.id):
            raise ValueError(
                f"{self.id!r} cannot be an id; use letters, digits, hyphens and "
                "underscores."
            )
        for key, value in self.params.items():
            listed = isinstance(value, list) and all(isinstance(v, str) for v in value)
            if not isinstance(value, int | float | str) and not listed:
                raise ValueError(
                    f"{key}: expected a number, a text or a list of texts."
                )
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(f"{key}: not a finite number.")
        return self

    @model_serializer
    def to_dict(self) -> dict[str, Any]:
        """As the file states it, with its id."""
        return {"id": self.id, self.kind: self.name, **self.params}

    @property
    def kind(self) -> Literal["model", "metric"]:
        """Whether it names a privacy model or a metric."""
        return "metric" if self.model is None else "model"

    @property
    def name(self) -> str:
        """Registered name of the model or metric."""
        return self.metric if self.model is None else self.model  # type: ignore[return-value]

    @property
    def params(self) -> dict[str, Any]:
        """Parameters and bounds."""
        return dict(self.model_extra or {})

    @property
    def stem(self) -> str:
        """The id as names of parameters begin: without hyphens."""
        return self.id.replace("-", "_")

    def key(self, param: str) -> str:
        """Name of one number where it may be given when a run is triggered."""
        return f"{self.stem}_{param}".replace("-", "_")

    def numbers(self) -> dict[str, int | float]:
        """Parameters that are numbers, by name."""
        return {
            name: value
            for name, value in self.params.items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        }


def tighten(
    thresholds: tuple[Threshold, ...],
    parameters: Mapping[str, int | float] | None,
    tighter: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[Threshold, ...]:
    """Apply trigger-time numbers; they may only ask for more.

    Parameters
    ----------
    thresholds : tuple of Threshold
        What the file states.
    parameters : mapping, optional
        Numbers by key, such as ``{"k_anonymity_k": 10}``.
    tighter : mapping, optional
        For each threshold id which way asks for more, by parameter; one that is not
        listed there cannot be changed. Without it, the common words decide.

    Raises
    ------
    ConfigurationError
        For an unknown key, a value that is no number, or one that asks for less.

    Examples
    --------
    >>> asked = (Threshold(model="k-anonymity", k=5),)
    >>> tighten(asked, {"k_anonymity_k": 10})[0].params
    {'k': 10}
    >>> tighten(asked, {"k_anonymity_k": 2})
    Traceback (most recent call last):
        ...
    anon_transformers.exceptions.ConfigurationError: k_anonymity_k=2 would loosen \
the release, which asks for 5; a trigger may only tighten.
    """
    left = dict(parameters or {})
    legal = [t.key(param) for t in thresholds for param in t.numbers()]
    for key in left:
        if key not in legal:
            raise ConfigurationError(unknown_choice("threshold", key, legal))
    tightened = []
    for threshold in thresholds:
        ways = COMMON_WORDS if tighter is None else tighter.get(threshold.id, {})
        params = threshold.params
        for param, stated in threshold.numbers().items():
            asked = left.get(threshold.key(param), stated)
            _refuse_loosening(threshold.key(param), asked, stated, ways.get(param))
            if asked != stated:  # 5.0 is 5, and stays so
                params[param] = asked
        tightened.append(
            Threshold.model_validate(
                {threshold.kind: threshold.name, "id": threshold.id, **params}
            )
        )
    return tuple(tightened)


def _refuse_loosening(key: str, asked: Any, stated: Any, way: str | None) -> None:
    number = isinstance(asked, int | float) and not isinstance(asked, bool)
    if not number or (isinstance(asked, float) and not math.isfinite(asked)):
        raise ConfigurationError(f"{key} must be a finite number, got {asked!r}.")
    if asked == stated:
        return
    if way not in {"higher", "lower"}:
        raise ConfigurationError(
            f"{key} cannot be changed by a trigger: its model does not say which way "
            "asks for more."
        )
    if (asked < stated) == (way == "higher"):
        raise ConfigurationError(
            f"{key}={asked} would loosen the release, which asks for {stated}; "
            "a trigger may only tighten."
        )

"""One threshold of a release, from the file to the gate.

Nothing here imports pandas, Great Expectations or a plugin, so that a scheduler can
read thresholds as often as it likes.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal

from anon_transformers.exceptions import ConfigurationError, unknown_choice
from anon_transformers.parameters import is_number

BOUNDS = ("min", "max")
KINDS = ("model", "metric", "attack")
INPUTS = ("control",)
"""Keys of an attack that name a private file: no parameters, and never published."""
_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")
# Great Expectations reads parameter names as expressions, in which these are numbers.
_CONSTANTS = {"e", "pi"}


@dataclass(frozen=True)
class Threshold:
    """What a release must reach: a model, bounds of a metric, or the most of an attack.

    Attributes
    ----------
    id : str
        Its name in reports, suites and trigger-time parameters; letters, digits,
        hyphens and underscores.
    kind : {"model", "metric", "attack"}
        Whether it names a privacy model, a metric or an attack.
    name : str
        Registered name, such as "k-anonymity".
    params : mapping
        Parameters of the model, such as ``{"k": 5}``, or of the metric with its bounds,
        ``{"max": 0.1}``. ``sensitive`` names the one sensitive column a model judges.
        Of an attack, ``max`` is the largest share of rows, or of persons where a
        subject is named, that it may expose; ``control`` names a file with rows of
        the same population that are not in the source.

    Examples
    --------
    >>> Threshold.read({"model": "k-anonymity", "k": 5})
    Threshold(id='k-anonymity', kind='model', name='k-anonymity', params={'k': 5})
    """

    id: str
    kind: Literal["model", "metric", "attack"]
    name: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.params, Mapping):  # whoever gave them may change them
            object.__setattr__(self, "params", dict(self.params))

    @classmethod
    def read(cls, given: Any) -> "Threshold":
        """Read a line of ``thresholds:``, such as ``{"model": "k-anonymity", "k": 5}``.

        Raises
        ------
        ConfigurationError
            With the key and the nearest legal one.
        """
        if isinstance(given, Threshold):
            return given
        if not isinstance(given, Mapping):
            raise ConfigurationError(
                "expected {model: NAME, ...}, {metric: NAME, max: ...} or "
                "{attack: NAME, max: ...}."
            )
        kinds = [kind for kind in KINDS if kind in given]
        if len(kinds) != 1:
            slip = misspelled(given, (*KINDS, "id"))
            raise ConfigurationError(slip or "name a model, a metric or an attack.")
        kind: Any = kinds[0]
        _refuse_no_bound(kind, given)
        name, called = given[kind], given.get("id", given[kind])
        for key, text in ((kind, name), ("id", called)):
            if not isinstance(text, str):
                raise ConfigurationError(f"{key}: must be a text.")
        params = {key: given[key] for key in given if key not in {kind, "id"}}
        _refuse_bad_id(called)
        for key, value in params.items():
            _refuse_bad_value(key, value)
        return cls(called, kind, name, params)

    def to_dict(self) -> dict[str, Any]:
        """As the file states it, with its id."""
        return {"id": self.id, self.kind: self.name, **self.params}

    def public(self) -> dict[str, Any]:
        """The same without the places of private files."""
        return {"id": self.id, self.kind: self.name, **self.public_params}

    @property
    def stem(self) -> str:
        """The id as suites and triggers write it: their names have no hyphens."""
        return self.id.replace("-", "_")

    @property
    def own_params(self) -> dict[str, Any]:
        """Parameters that it is built with: no bounds, and no files of an attack."""
        others = {"metric": BOUNDS, "attack": ("max", *INPUTS)}.get(self.kind, ())
        return {key: self.params[key] for key in self.params if key not in others}

    @property
    def public_params(self) -> dict[str, Any]:
        """What may be published of the parameters: no place of a private file."""
        hidden = self.inputs
        return {key: self.params[key] for key in self.params if key not in hidden}

    @property
    def inputs(self) -> dict[str, Any]:
        """Private files that an attack is given; empty for all others."""
        if self.kind != "attack":
            return {}
        return {key: self.params[key] for key in INPUTS if key in self.params}

    @property
    def bounds(self) -> dict[str, Any]:
        """The bounds of a metric, the most of an attack; empty for a model."""
        keys = {"metric": BOUNDS, "attack": ("max",)}.get(self.kind, ())
        return {key: self.params.get(key) for key in keys}

    def key(self, param: str) -> str:
        """Name of one number where it may be given when a run is triggered."""
        return f"{self.stem}_{param}".replace("-", "_")

    def numbers(self) -> dict[str, int | float]:
        """Parameters that are numbers, by name."""
        return {name: value for name, value in self.params.items() if is_number(value)}


def _refuse_no_bound(kind: str, given: Mapping[str, Any]) -> None:
    """Refuse a metric without a bound, and an attack without the most it may expose."""
    legal = {"metric": BOUNDS, "attack": ("max",)}.get(kind)
    if legal is None or set(legal) & set(given):
        return
    slip = misspelled(given, (kind, "id", *legal))
    if kind == "metric":
        raise ConfigurationError(slip or "a metric needs min or max.")
    raise ConfigurationError(
        slip or "an attack needs max, the largest share that it may expose."
    )


def _refuse_bad_id(given: Any) -> None:
    text = given if isinstance(given, str) else ""
    if not _ID.match(text) or text.lower() in _CONSTANTS:
        raise ConfigurationError(
            f"{given!r} cannot be the id of a threshold; use letters, digits, hyphens "
            "and underscores."
        )


def _refuse_bad_value(key: str, value: Any) -> None:
    listed = isinstance(value, list) and all(isinstance(v, str) for v in value)
    if not isinstance(value, int | float | str) and not listed:
        raise ConfigurationError(
            f"{key}: expected a number, a text or a list of texts."
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigurationError(f"{key}: not a finite number.")


def refuse_bad_thresholds(thresholds: Sequence[Threshold]) -> None:
    """Refuse an empty list, ids that are no names, and ids that are taken."""
    if not thresholds:
        raise ConfigurationError("there is no threshold to check.")
    for threshold in thresholds:
        if not isinstance(threshold, Threshold):
            raise ConfigurationError(
                f"expected a Threshold, got {type(threshold).__name__}."
            )
        _refuse_bad_id(threshold.id)
        if threshold.kind not in KINDS:
            fault = unknown_choice("kind", threshold.kind, KINDS)
            raise ConfigurationError(f"{threshold.id}: {fault}")
        if not isinstance(threshold.params, Mapping):
            raise ConfigurationError(f"{threshold.id}: params must be a mapping.")
    twice = [i for i, n in Counter(t.id for t in thresholds).items() if n > 1]
    if twice:
        raise ConfigurationError(
            f"several thresholds have the id {', '.join(map(repr, twice))}; "
            "give each its own."
        )


def misspelled(given: Iterable[Any], legal: Iterable[str]) -> str | None:
    """Describe a key that looks like one that is wanted and not there."""
    given, legal = list(given), list(legal)
    wanted = [key for key in legal if key not in given]
    for key in given:
        if key not in legal and get_close_matches(str(key), wanted, n=1):
            return unknown_choice("key", key, legal)
    return None

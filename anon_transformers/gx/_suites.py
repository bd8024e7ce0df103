"""Expectation suites as Great Expectations stores them: JSON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import ConfigurationError
from anon_transformers.gx._sentences import GENERAL, OWN_EXPECTATIONS
from anon_transformers.gx._threshold import (
    BOUNDS,
    KINDS,
    Threshold,
    refuse_bad_thresholds,
)


def suite_for(name: str, thresholds: Sequence[Threshold]) -> dict[str, Any]:
    """Write a suite that asks for every threshold.

    Parameters
    ----------
    name : str
        Name of the suite.
    thresholds : sequence of Threshold
        The thresholds of a release.

    Returns
    -------
    dict
        The suite as Great Expectations stores it. Thresholds and columns stand in it as
        ``$PARAMETER``, which :func:`run_gate` fills in.

    Examples
    --------
    >>> wanted = Threshold.read({"model": "k-anonymity", "k": 5})
    >>> suite_for("release", [wanted])["expectations"][0]["kwargs"]["k"]
    {'$PARAMETER': 'k_anonymity_k'}
    """
    thresholds = list(thresholds)
    refuse_bad_thresholds(thresholds)
    return {
        "name": name,
        "expectations": [_expectation(threshold) for threshold in thresholds],
        "meta": {},
        "notes": None,
    }


def read_suite(path: str | Path) -> dict[str, Any]:
    """Read a suite as Great Expectations stores it.

    Parameters
    ----------
    path : str or Path
        A JSON file.

    Returns
    -------
    dict
        The suite.

    Raises
    ------
    ConfigurationError
        If the file cannot be read or holds no suite.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"suite {path}: it cannot be read ({type(error).__name__})."
        ) from None
    try:
        suite = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigurationError(
            f"suite {path}: line {error.lineno} is not JSON ({error.msg})."
        ) from None
    try:
        refuse_bad_suite(suite)
    except ConfigurationError as error:
        raise ConfigurationError(f"suite {path}: {error}") from None
    return suite


def refuse_bad_suite(suite: Any) -> None:
    """Refuse what is no suite, and a suite that asks for nothing."""
    if not isinstance(suite, Mapping):
        raise ConfigurationError("a suite is a mapping with a name and expectations.")
    if not isinstance(suite.get("name"), str) or not suite["name"]:
        raise ConfigurationError("the suite has no name.")
    listed = suite.get("expectations")
    if not isinstance(listed, list) or not listed:
        raise ConfigurationError("the suite lists no expectation.")
    for number, expectation in enumerate(listed, start=1):
        held = expectation if isinstance(expectation, Mapping) else {}
        typed = isinstance(held.get("type"), str)
        if not typed or not isinstance(held.get("kwargs"), Mapping):
            raise ConfigurationError(
                f"expectation {number} of the suite needs a type and kwargs."
            )


def refuse_unjudged(suite: Mapping[str, Any], thresholds: Iterable[Threshold]) -> None:
    """Refuse a suite that no expectation of could judge a threshold.

    Raises
    ------
    ConfigurationError
        With all such thresholds.
    """
    listed = suite["expectations"]
    lost = [t.id for t in thresholds if not any(_may_judge(one, t) for one in listed)]
    if lost:
        raise ConfigurationError(
            f"no expectation of the suite judges {', '.join(lost)}. Add one, or leave "
            "out 'suite': one is then made of the thresholds."
        )


def _may_judge(expectation: Mapping[str, Any], threshold: Threshold) -> bool:
    """Whether an expectation is about what a threshold names."""
    kind, asked = _asked(threshold)
    given, kwargs = expectation["type"], expectation["kwargs"]
    if given == kind and not set(KINDS) & set(asked):
        return True
    named = kwargs.get(threshold.kind)
    # A name that comes in as a parameter may be any.
    fits = isinstance(named, Mapping) or named == threshold.name
    return given == (GENERAL if threshold.kind == "model" else kind) and fits


def _expectation(threshold: Threshold) -> dict[str, Any]:
    kind, asked = _asked(threshold)
    scope = ("quasi_identifiers", "subject", "suppression_label")
    kwargs = {name: _parameter(name) for name in scope} | asked
    meta = {"threshold": threshold.id}
    return {"type": kind, "kwargs": kwargs, "meta": meta, "severity": "critical"}


def _asked(threshold: Threshold) -> tuple[str, dict[str, Any]]:
    """The expectation for a threshold, and what it is asked."""
    stem, sensitive = threshold.stem, {"sensitive": _parameter("sensitive")}
    own = OWN_EXPECTATIONS.get(threshold.name)
    if threshold.kind == "metric":
        asked = {"metric": threshold.name, "report": _parameter("report")} | sensitive
        asked |= {
            f"{bound}_value": _parameter(f"{stem}_{bound}")
            for bound in BOUNDS
            if threshold.params.get(bound) is not None
        }
        if threshold.own_params:
            asked["params"] = _parameter(f"{stem}_params")
        return "expect_privacy_metric_to_be_between", asked
    if threshold.kind == "attack":
        asked = {"attack": threshold.name, "max_value": _parameter(f"{stem}_max")}
        if threshold.own_params:
            asked["params"] = _parameter(f"{stem}_params")
        asked |= {key: _parameter(f"{stem}_{key}") for key in threshold.inputs}
        return "expect_privacy_attack_to_expose_at_most", asked | sensitive
    if own is None:
        asked = {"model": threshold.name, "params": _parameter(stem)}
        return GENERAL, asked | sensitive
    asked = {
        "column" if param == "sensitive" else param: _parameter(f"{stem}_{param}")
        for param in threshold.params
    }
    return own.type, asked | sensitive if own.sensitive else asked


def _parameter(name: str) -> dict[str, str]:
    return {"$PARAMETER": name}

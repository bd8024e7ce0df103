"""What a trigger may change of a release: its thresholds, and only to ask for more."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from anon_transformers.exceptions import ConfigurationError, unknown_choice
from anon_transformers.gx._threshold import Threshold
from anon_transformers.parameters import is_number, is_whole

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

It needs no plugin, so that a DAG can be parsed quickly. What a model
itself declares in ``tighter`` is what counts when a run starts.
"""


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
    >>> asked = (Threshold.read({"model": "k-anonymity", "k": 5}),)
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
        params = dict(threshold.params)
        for param, stated in threshold.numbers().items():
            asked = left.get(threshold.key(param), stated)
            _refuse_loosening(threshold.key(param), asked, stated, ways.get(param))
            if asked != stated:  # 5.0 is 5, and stays so
                params[param] = int(asked) if is_whole(asked) else float(asked)
        tightened.append(replace(threshold, params=params))
    return tuple(tightened)


def _refuse_loosening(key: str, asked: Any, stated: Any, way: str | None) -> None:
    # A whole number may be larger than any float.
    finite = is_whole(asked) or (is_number(asked) and math.isfinite(asked))
    if not finite:
        raise ConfigurationError(f"{key} must be a finite number, got {asked!r}.")
    if asked == stated:
        return
    if way not in {"higher", "lower"}:
        raise ConfigurationError(
            f"{key} cannot be changed by a trigger: its model does not say which way "
            "asks for more."
        )
    if asks_for(asked, stated, way) == "less":
        raise ConfigurationError(
            f"{key}={asked} would loosen the release, which asks for {stated}; "
            "a trigger may only tighten."
        )


def asks_for(
    asked: Any, stated: Any, way: str | None
) -> Literal["the same", "more", "less"] | None:
    """What a number asks for beside the one that is stated; None if nobody can say.

    Examples
    --------
    >>> asks_for(10, 5, "higher"), asks_for(0.2, 0.1, "lower"), asks_for(5, 5.0, None)
    ('more', 'less', 'the same')
    """
    if asked == stated:
        return "the same"
    if way not in {"higher", "lower"}:
        return None
    return "less" if (asked < stated) == (way == "higher") else "more"

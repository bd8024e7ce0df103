"""Expect every fuzzy class to hold q rows, as far as possible."""

from typing import ClassVar

from great_expectations.compatibility import pydantic

from anon_transformers.gx._expectation import (
    SCOPE,
    FuzzyExpectation,
    Whole,
    at_least_one,
)


class ExpectTableToBeQAnonymous(FuzzyExpectation):
    """Expect every fuzzy class to hold at least ``q`` rows with possibility one half.

    Classes are aggregated by their minimum: each of them must.

    Parameters
    ----------
    quasi_identifiers : list of columns
        What an intruder may know.
    q : int
        At least 1.
    sensitive : list of columns, default=[]
        What an intruder wants to know.
    subject : column, optional
        Tells persons apart.
    suppression_label : str, default="*"
        The mark of a suppressed cell; suppressed rows are in no class.

    Each may be given as ``{"$PARAMETER": name}``. Degrees of membership are private
    evidence: see ``knowing``.

    Examples
    --------
    >>> asked = ExpectTableToBeQAnonymous(quasi_identifiers=["age"], q=5)
    >>> str(asked.sentence(asked.configuration.kwargs))
    'q-anonymity (q = 5) must hold.'
    """

    q: Whole

    model_name: ClassVar[str] = "q-anonymity"
    model_params: ClassVar[dict[str, str]] = {"q": "q"}
    success_keys: ClassVar[tuple[str, ...]] = ("q", *SCOPE)
    args_keys: ClassVar[tuple[str, ...]] = ("quasi_identifiers", "q")

    _at_least_one = pydantic.validator("q", allow_reuse=True)(at_least_one)

"""Expect every fuzzy class to hold l sensitive values."""

from typing import ClassVar

from great_expectations.compatibility import pydantic

from anon_transformers.gx._expectation import (
    SCOPE,
    FuzzyExpectation,
    Name,
    Whole,
    at_least_one,
)


class ExpectTableToBeFuzzyLDiverse(FuzzyExpectation):
    """Expect ``l`` sensitive values to be represented in every fuzzy class.

    Parameters
    ----------
    quasi_identifiers, sensitive : list of columns
        What an intruder may know, and wants to know.
    l : int
        At least 1.
    column : str, optional
        The sensitive column that is judged; by default each of them.
    subject : column, optional
        Tells persons apart.
    suppression_label : str, default="*"
        The mark of a suppressed cell; suppressed rows are in no class.

    Each may be given as ``{"$PARAMETER": name}``. Degrees of membership are private
    evidence: see ``knowing``.

    Examples
    --------
    >>> asked = ExpectTableToBeFuzzyLDiverse(
    ...     quasi_identifiers=["age"], sensitive=["job"], l=3
    ... )
    >>> str(asked.sentence(asked.configuration.kwargs))
    'fuzzy-l-diversity (l = 3) must hold.'
    """

    l: Whole  # noqa: E741 - the model's own name
    column: Name | None = None

    model_name: ClassVar[str] = "fuzzy-l-diversity"
    model_params: ClassVar[dict[str, str]] = {"l": "l", "column": "sensitive"}
    success_keys: ClassVar[tuple[str, ...]] = ("l", "column", *SCOPE)
    args_keys: ClassVar[tuple[str, ...]] = ("quasi_identifiers", "sensitive", "l")

    _at_least_one = pydantic.validator("l", allow_reuse=True)(at_least_one)

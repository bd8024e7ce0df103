"""Expect what every row shows of the sensitive values to be near the whole table."""

from typing import ClassVar

from great_expectations.compatibility import pydantic

from anon_transformers.gx._expectation import (
    SCOPE,
    FuzzyExpectation,
    Name,
    Number,
    is_parameter,
)


class ExpectTableToBeFuzzyTClose(FuzzyExpectation):
    """Expect the mixture of classes that a row belongs to be spread like the table.

    The row that is farthest from the table decides.

    Parameters
    ----------
    quasi_identifiers, sensitive : list of columns
        What an intruder may know, and wants to know.
    t : float
        Largest distance, from 0 to 1.
    distance : {"equal", "ordered"}, default="equal"
        Whether all values are equally far apart, or lie on a line.
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
    >>> asked = ExpectTableToBeFuzzyTClose(
    ...     quasi_identifiers=["age"], sensitive=["job"], t=0.2
    ... )
    >>> str(asked.sentence({**asked.configuration.kwargs, "distance": "equal"}))
    'fuzzy-t-closeness (t = 0.2, distance = equal) must hold.'
    """

    t: Number
    distance: Name = "equal"
    column: Name | None = None

    model_name: ClassVar[str] = "fuzzy-t-closeness"
    model_params: ClassVar[dict[str, str]] = {
        "t": "t",
        "distance": "distance",
        "column": "sensitive",
    }
    success_keys: ClassVar[tuple[str, ...]] = ("t", "distance", "column", *SCOPE)
    args_keys: ClassVar[tuple[str, ...]] = ("quasi_identifiers", "sensitive", "t")

    @pydantic.validator("t")
    def _is_a_share(cls, value):
        if not is_parameter(value) and (isinstance(value, dict) or not 0 <= value <= 1):
            raise ValueError("t must be a number from 0 to 1.")
        return value

"""Expect a registered attack to expose no more than a share of a table."""

from collections.abc import Mapping
from typing import Any, ClassVar

from great_expectations.compatibility import pydantic

from anon_transformers.gx._conditions import condition_text
from anon_transformers.gx._expectation import (
    ATTACK_METRIC,
    Name,
    Number,
    NumberExpectation,
    is_parameter,
)
from anon_transformers.gx._sentences import Sentence, attack_sentence, on_part


class ExpectPrivacyAttackToExposeAtMost(NumberExpectation):
    """Expect a registered attack, also one of a plugin, to expose at most a share.

    Parameters
    ----------
    attack : str
        Its name in the registry, such as "homogeneity".
    params : dict, default={}
        Its parameters.
    quasi_identifiers : list of columns
        What an intruder may know. A missing value is a value of its own.
    max_value : number
        The largest share of the rows, or of the persons, that may be exposed: at least
        0 and below 1.
    sensitive : list of columns, default=[]
        What an intruder wants to know.
    subject : column, optional
        Tells persons apart, so that persons are counted, not rows.
    suppression_label : str, default="*"
        The label of a suppressed cell.
    control : str, optional
        The file of the held-out part, as a threshold of the release names it.

    Notes
    -----
    Each may be given as ``{"$PARAMETER": name}``. The original, the register and the
    held-out part are private evidence of a run: where they are not at hand, the result
    of an attack that needs them fails. So does that of an unknown attack.

    Examples
    --------
    >>> asked = ExpectPrivacyAttackToExposeAtMost(
    ...     attack="homogeneity", quasi_identifiers=["age"], max_value=0.1
    ... )
    >>> str(asked.sentence(asked.configuration.kwargs))
    'homogeneity may expose at most a share of 0.1 of the rows.'
    """

    answers: ClassVar[str] = ATTACK_METRIC

    attack: Name
    max_value: Number
    control: Name | None = None

    success_keys: ClassVar[tuple[str, ...]] = (
        "attack",
        "params",
        "quasi_identifiers",
        "max_value",
        "sensitive",
        "subject",
        "suppression_label",
        "control",
    )
    args_keys: ClassVar[tuple[str, ...]] = ("attack", "max_value", "quasi_identifiers")

    @pydantic.validator("max_value")
    def _a_share(cls, value):
        if is_parameter(value):
            return value
        if isinstance(value, dict) or not 0 <= value < 1:
            raise ValueError("max_value must be a share of at least 0 and below 1.")
        return value

    def allows(self, value: float) -> bool:
        """Whether a share is small enough; one that comes at run time is below 1."""
        return 0 <= value <= self.max_value < 1

    @classmethod
    def sentence(cls, arguments: Mapping[str, Any]) -> Sentence:
        """What is asked, in words."""
        asked = attack_sentence(
            arguments.get("attack"),
            arguments.get("params"),
            arguments.get("max_value"),
            arguments.get("subject"),
        )
        return on_part(asked, condition_text(arguments.get("row_condition")))

"""Expect every combination of quasi-identifiers to be shared by k rows."""

from collections.abc import Mapping
from typing import Any, ClassVar

from great_expectations.compatibility import pydantic

from anon_transformers.gx._expectation import ModelExpectation, Whole, is_parameter
from anon_transformers.gx._metrics import MODEL_METRIC
from anon_transformers.gx._sentences import Sentence, k_sentence


class ExpectTableToBeKAnonymous(ModelExpectation):
    """Expect every combination of quasi-identifiers to be shared by ``k`` rows.

    Parameters
    ----------
    quasi_identifiers : list of columns
        What an intruder may know. A missing value is a value of its own.
    k : int
        At least 1; 1 asks for nothing.
    subject : column, optional
        Tells persons apart, so that k counts persons, not rows.
    suppression_label : str, default="*"
        The mark of a suppressed cell.

    Each may be given as ``{"$PARAMETER": name}``.

    Examples
    --------
    >>> asked = ExpectTableToBeKAnonymous(quasi_identifiers=["age"], k=5)
    >>> asked.configuration.kwargs
    {'quasi_identifiers': ['age'], 'k': 5}
    """

    k: Whole

    model_name: ClassVar[str] = "k-anonymity"
    success_keys: ClassVar[tuple[str, ...]] = (
        "quasi_identifiers",
        "k",
        "subject",
        "suppression_label",
    )
    args_keys: ClassVar[tuple[str, ...]] = ("quasi_identifiers", "k")

    @pydantic.validator("k")
    def _at_least_one(cls, value):
        if not is_parameter(value) and (isinstance(value, dict) or value < 1):
            raise ValueError("k must be a whole number of at least 1.")
        return value

    def question(self) -> tuple[str, dict[str, Any]]:
        """The metric that answers, and what it is asked."""
        return MODEL_METRIC, {
            "model": self.model_name,
            "params": {"k": self.k},
            "quasi_identifiers": self.quasi_identifiers,
            "sensitive": [],
            "subject": self.subject,
            "suppression_label": self.suppression_label,
        }

    @classmethod
    def sentence(cls, arguments: Mapping[str, Any]) -> Sentence:
        """What is asked, in words."""
        return k_sentence(
            arguments.get("k"),
            arguments.get("quasi_identifiers"),
            arguments.get("subject"),
        )

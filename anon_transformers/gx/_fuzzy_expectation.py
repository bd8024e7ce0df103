"""What the expectations on fuzzy memberships have in common."""

from collections.abc import Mapping
from typing import Any, ClassVar

from great_expectations.compatibility import pydantic

from anon_transformers.gx._expectation import (
    Columns,
    ModelExpectation,
    Whole,
    is_parameter,
)
from anon_transformers.gx._metrics import MODEL_METRIC
from anon_transformers.gx._sentences import Sentence, model_sentence

SCOPE = ("quasi_identifiers", "sensitive", "subject", "suppression_label")


class FuzzyExpectation(ModelExpectation):
    """Ask a model of memberships, which only the run that made the table knows.

    Hand them over with ``knowing(PrivateEvidence(degrees=…))``; a release does so.
    Without them the expectation fails.
    """

    sensitive: Columns = pydantic.Field([])

    model_name: ClassVar[str]
    model_params: ClassVar[Mapping[str, str]]
    """Parameters of the model, by the argument of the expectation that gives each."""

    def question(self) -> tuple[str, dict[str, Any]]:
        """The metric that answers, and what it is asked."""
        given = {p: getattr(self, a) for a, p in self.model_params.items()}
        return MODEL_METRIC, {
            "model": self.model_name,
            "params": {
                name: value for name, value in given.items() if value is not None
            },
            **{key: getattr(self, key) for key in SCOPE},
        }

    @classmethod
    def sentence(cls, arguments: Mapping[str, Any]) -> Sentence:
        """What is asked, in words."""
        asked = {
            parameter: arguments[argument]
            for argument, parameter in cls.model_params.items()
            if arguments.get(argument) is not None
        }
        return model_sentence(cls.model_name, asked, None, of_classes=False)


def at_least_one(value: Whole) -> Whole:
    """Refuse a count below 1; what comes at run time is checked there."""
    if not is_parameter(value) and (isinstance(value, dict) or value < 1):
        raise ValueError("expected a whole number of at least 1.")
    return value

"""Expect a registered privacy model to hold."""

from collections.abc import Mapping
from typing import Any, ClassVar

from great_expectations.compatibility import pydantic

from anon_transformers.gx._conditions import condition_text
from anon_transformers.gx._expectation import (
    MODEL_METRIC,
    SCOPE,
    Columns,
    ModelExpectation,
    Name,
)
from anon_transformers.gx._judging import judges_classes
from anon_transformers.gx._sentences import Sentence, model_sentence, on_part


class ExpectPrivacyModelToHold(ModelExpectation):
    """Expect a registered privacy model, also one of a plugin, to hold.

    Parameters
    ----------
    model : str
        Its name in the registry, such as "k-anonymity".
    params : dict
        Its parameters, such as ``{"k": 5}``.
    quasi_identifiers : list of columns
        What an intruder may know. A missing value is a value of its own.
    sensitive : list of columns, default=[]
        What an intruder wants to know.
    subject : column, optional
        Tells persons apart, so that persons are counted, not rows.
    suppression_label : str, default="*"
        The label of a suppressed cell.
    row_condition : condition, optional
        Judge the rows that meet it as if they were the table, and say so.

    Notes
    -----
    Each but the condition may be given as ``{"$PARAMETER": name}``. An unknown model
    or parameter gives a failing result, for the suite may be read where a plugin is not
    installed.

    Examples
    --------
    >>> asked = ExpectPrivacyModelToHold(
    ...     model="k-anonymity", params={"k": 5}, quasi_identifiers=["age"]
    ... )
    >>> str(asked.sentence(asked.configuration.kwargs))
    'Every combination of age must be shared by at least 5 rows.'
    """

    model: Name
    params: dict
    sensitive: Columns = pydantic.Field([])

    success_keys: ClassVar[tuple[str, ...]] = ("model", "params", *SCOPE)
    args_keys: ClassVar[tuple[str, ...]] = ("model", "params", "quasi_identifiers")

    def question(self) -> tuple[str, dict[str, Any]]:
        """The metric that answers, and what it is asked."""
        return MODEL_METRIC, {key: getattr(self, key) for key in self.success_keys}

    @classmethod
    def sentence(cls, arguments: Mapping[str, Any]) -> Sentence:
        """What is asked, in words."""
        asked = model_sentence(
            arguments.get("model"),
            arguments.get("params"),
            arguments.get("quasi_identifiers"),
            arguments.get("sensitive"),
            arguments.get("subject"),
            of_classes=judges_classes("model", arguments.get("model")),
        )
        return on_part(asked, condition_text(arguments.get("row_condition")))

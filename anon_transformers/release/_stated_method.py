"""The ``anonymizer:`` section of a release file."""

import copy
from typing import Any

from pydantic import ConfigDict, model_validator

from anon_transformers.gx._threshold import misspelled
from anon_transformers.release._strict import Strict

NO_SEED = (
    "a release draws fresh entropy; the order of its rows, and swaps, are drawn from "
    "it, and whoever knew a seed could undo them."
)
"""Why neither a file nor a plugin states where randomness comes from."""

ROLE_PARAMETERS = (
    "quasi_identifiers",
    "sensitive",
    "identifiers",
    "insensitive",
    "dropped",
    "subject",
    "hierarchies",
)


class Method(Strict):
    """The anonymizer by name, and the parameters it states itself.

    Attributes
    ----------
    name : str
        Registered name, such as ``mondrian``. Every other key is a parameter of the
        anonymizer, such as ``suppression_limit``. It gets the models of ``thresholds``:
        a ``k`` that is stated here takes the place of theirs, ``models`` that of all
        others. Roles, hierarchies and a seed are refused here.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    name: str

    @property
    def params(self) -> dict[str, Any]:
        """Parameters beside the name; whoever gets them may change them."""
        return copy.deepcopy(self.model_extra or {})

    @model_validator(mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        if isinstance(given, dict) and "name" not in given:
            slip = misspelled(given, ["name"])
            if slip:
                raise ValueError(slip)
        return given

    @model_validator(mode="after")
    def _no_roles(self) -> "Method":
        for key in ROLE_PARAMETERS:
            if key in self.params:
                raise ValueError(
                    f"{key}: columns are declared once, under roles and hierarchies; "
                    "an anonymizer cannot see them otherwise."
                )
        return self

    @model_validator(mode="after")
    def _no_seed(self) -> "Method":
        if "random_state" in self.params:
            raise ValueError(f"random_state: {NO_SEED}")
        return self

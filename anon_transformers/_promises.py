"""What an anonymizer was asked to promise, and whether it can be had at all."""

import warnings
from collections.abc import Sequence

import numpy as np

from anon_transformers._recoding import Table
from anon_transformers.exceptions import (
    ParameterError,
    WithoutKWarning,
    level_of_caller,
)
from anon_transformers.privacy import AllOf, KAnonymity, PrivacyModel


def make_promise(k: int, models: Sequence[PrivacyModel] | None) -> AllOf:
    """Everything that was asked for, as one model."""
    if not isinstance(models, Sequence | None):
        raise ParameterError("models must be a list of privacy models.")
    promise = AllOf((KAnonymity(k), *(models or ())))
    for model in promise.models:
        if getattr(model, "needs_population", False):
            raise ParameterError(
                f"models: {model.name} needs a population, and an anonymizer has none; "
                "judge its output with Classes.from_frame(…, population=…)."
            )
    if not promise.for_search:
        raise ParameterError(
            "models: a reference='released' is known only when all is done, and cannot "
            "be promised before; use reference='input'."
        )
    return promise


def check_promise(promise: AllOf, table: Table) -> None:
    """Raise where not even the whole table as one class could keep the promise.

    Warns where values are protected, and persons can be told apart.
    """
    _warn_without_k(promise)
    asked = [m for m in promise.models if hasattr(m, "check_feasible")]
    if asked:
        whole = table.classes(np.zeros(table.n_rows, dtype=np.int64), 1)
        for model in asked:
            model.check_feasible(whole)


def _warn_without_k(promise: AllOf) -> None:
    of_values = [m.name for m in promise.models if hasattr(m, "sensitive")]
    if of_values and all(getattr(m, "k", 1) == 1 for m in promise.models):
        warnings.warn(
            f"{', '.join(of_values)} without k-anonymity does not keep anybody from "
            "being found; ask for k of at least 2 too.",
            WithoutKWarning,
            stacklevel=level_of_caller(),
        )

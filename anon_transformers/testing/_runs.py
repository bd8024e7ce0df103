"""One run of an anonymizer on an example, with what the checks ask of it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from anon_transformers._data.columns import identify
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import InfeasibleError
from anon_transformers.testing._contract import require
from anon_transformers.testing._example_tables import Example, examples
from anon_transformers.testing._published_texts import number_classes, row_texts

MODES: tuple[dict[str, Any], ...] = (
    {},
    {"suppression": "mask", "suppression_limit": 0.4},
    {"suppression": "drop", "suppression_limit": 0.4},
    {"suppression": "blank", "suppression_limit": 0.4},
)
"""As the author configured it, and with room to suppress."""


@dataclass(frozen=True)
class ExampleRun:
    """A fitted anonymizer and what it published of an example."""

    example: Example
    estimator: Any
    output: pd.DataFrame

    @property
    def description(self) -> str:
        """The run in a few words."""
        if self.suppression is None:
            return self.example.name
        return f"{self.example.name}, suppression={self.suppression!r}"

    @property
    def suppression(self) -> str | None:
        """What becomes of suppressed rows; None if the method suppresses none."""
        return getattr(self.estimator, "suppression", None)

    @property
    def source(self) -> pd.DataFrame:
        """The rows of the input that belong to those of the output."""
        if self.suppression != "drop":
            return self.example.table
        return self.example.table[~self.suppressed]

    @property
    def suppressed(self) -> np.ndarray:
        """Which rows of the input were suppressed."""
        if self.suppression is None:
            return np.zeros(len(self.example.table), dtype=bool)
        return np.asarray(self.estimator.suppressed_mask_, dtype=bool)

    @property
    def suppressed_output(self) -> np.ndarray:
        """Which rows of the output are suppressed ones."""
        if self.suppression == "drop":
            return np.zeros(len(self.output), dtype=bool)
        return self.suppressed

    @property
    def untouched(self) -> list[str]:
        """Columns that are published as they are."""
        if self.estimator.kind != "linked":
            return self.example.untouched
        moved = {name for columns in self.estimator.labels_ for name in columns}
        return [c for c in self.example.published_columns if c not in moved]

    @cached_property
    def combinations(self) -> list[tuple[str, ...]]:
        """Published texts of the quasi-identifiers, row by row."""
        return row_texts(self.output[list(self.example.quasi_identifiers)])

    def classes(self) -> Classes:
        """Evidence from the published texts; dropped rows count as reference only."""
        table = self.output
        numbers = np.array(number_classes(self.combinations))
        labels = numbers
        if self.suppression == "drop":
            table = self.example.table
            labels = np.full(len(table), -1)
            labels[~self.suppressed] = numbers
        hidden = numbers[self.suppressed_output]
        return Classes.from_labels(
            labels,
            int(numbers.max(initial=-1)) + 1,
            sensitive=[identify(table[name]) for name in self.example.sensitive],
            suppressed=int(hidden[0]) if len(hidden) else None,
        )


def publish(estimator: Any, example: Example, **params: Any) -> ExampleRun:
    """Fit a clone on the example; a promise that cannot be kept fails the check."""
    configured = example.configure(estimator, **params)
    table = example.table.copy(deep=True)
    try:
        output = configured.fit_transform(table)
    except InfeasibleError as error:
        raise AssertionError(
            f"The checks need parameters under which the table {example.name!r} of "
            f"{len(table)} rows can be published (a method that changes cells at "
            "random promises nothing that a model judges: it says publishes='noise', "
            f"and cannot be registered). Found: {error}"
        ) from error
    require(
        isinstance(output, pd.DataFrame),
        "A data frame is published as one of the same kind.",
        type(output).__name__,
    )
    return ExampleRun(example, configured, output)


_RUNS: WeakKeyDictionary[Any, tuple[str, list[ExampleRun]]] = WeakKeyDictionary()
"""Kept as long as the estimator lives, for a dozen checks look at the same runs."""


def every_run(estimator: Any) -> list[ExampleRun]:
    """Every example, as configured and in every suppression mode there is."""
    modes = MODES if hasattr(estimator, "suppression") else MODES[:1]
    params = repr(estimator.get_params())
    if estimator not in _RUNS or _RUNS[estimator][0] != params:
        runs = [
            publish(estimator, example, **mode)
            for example in examples(estimator)
            for mode in modes
        ]
        _RUNS[estimator] = params, runs
    return _RUNS[estimator][1]


def on_every_run(check: Callable[[ExampleRun], None]) -> Callable[[Any], None]:
    """Turn a check of one run into a check of an estimator."""

    def check_estimator(estimator: Any) -> None:
        for run in every_run(estimator):
            check(run)

    check_estimator.__name__ = check.__name__
    check_estimator.__doc__ = check.__doc__
    return check_estimator

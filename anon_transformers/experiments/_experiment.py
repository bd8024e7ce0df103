"""What an experiment is: it runs, and says what it found beside what was published."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import pandas as pd

from anon_transformers.exceptions import ParameterError
from anon_transformers.experiments._compare import Progress
from anon_transformers.experiments._plots import Panels

NUMBER_COLUMNS = (
    "where",
    "data_set",
    "method",
    "k",
    "measure",
    "published",
    "recomputed",
    "ours",
    "equal",
    "reason",
)

NOT_RUN = "not run"
"""Reason of a number that no run was made for."""


@dataclass(frozen=True)
class Findings:
    """What an experiment found.

    Attributes
    ----------
    title : str
        Heading.
    numbers : pandas.DataFrame
        One row a number, with the columns where, data_set, method, k, measure,
        published (printed in the source), recomputed (by others, from its rules),
        ours, equal (None: not run), and the reason of a difference.
    runs : pandas.DataFrame
        Everything that was measured.
    figures : sequence of Panels
        What to draw.
    notes : sequence of str
        What a reader must know; also what was not run, and how to run it.
    source : str
        Whose numbers these are.
    """

    title: str
    numbers: pd.DataFrame
    runs: pd.DataFrame
    figures: Sequence[Panels] = ()
    notes: Sequence[str] = ()
    source: str = ""

    def __post_init__(self) -> None:
        if tuple(self.numbers.columns) != NUMBER_COLUMNS:
            raise ParameterError(
                f"numbers must have the columns {', '.join(NUMBER_COLUMNS)}."
            )

    @property
    def different(self) -> pd.DataFrame:
        """Numbers that are not what was published or recomputed."""
        return self.numbers[self.numbers["equal"].eq(False)]

    @property
    def unexplained(self) -> pd.DataFrame:
        """Differences without a reason."""
        return self.different[self.different["reason"].eq("")]

    @property
    def not_run(self) -> pd.DataFrame:
        """Numbers that no run was made for."""
        return self.numbers[self.numbers["equal"].isna()]

    def summary(self) -> str:
        """One line: how many are equal, differ with a reason, or without."""
        reasons = len(self.different) - len(self.unexplained)
        compared = len(self.numbers) - len(self.not_run)
        return (
            f"{len(self.runs)} runs; {compared} of {len(self.numbers)} numbers "
            f"compared: {compared - len(self.different)} equal, {reasons} differ for "
            f"a known reason, {len(self.unexplained)} differ without one."
        )


@runtime_checkable
class Experiment(Protocol):
    """Runs a published experiment again; its constructor takes its options."""

    def run(self, progress: Progress | None = None) -> Findings:
        """Run it; ``progress`` is called as in :func:`compare`."""
        ...

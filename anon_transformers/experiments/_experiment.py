"""What an experiment is: it runs, and says what it found beside what was published."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Protocol, runtime_checkable

import pandas as pd

from anon_transformers.exceptions import DataError, ParameterError, unknown_choice
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


def reproduce(
    name: str, *, progress: Progress | None = None, **options: Any
) -> Findings:
    """Run a registered experiment.

    Parameters
    ----------
    name : str
        As registered, such as ``"mondrian-datafly"``.
    progress : callable, default=None
        Called with the number of runs that are done, that of all runs, and the name
        of the next one.
    **options : dict
        What the experiment takes, such as ``quick=True``.

    Returns
    -------
    Findings
    """
    from anon_transformers.registry import registry

    experiment = registry().experiments[name]
    _refuse_unknown(name, experiment, options)
    return experiment(**options).run(progress)


def _refuse_unknown(name: str, experiment: Any, options: Mapping[str, Any]) -> None:
    import inspect

    legal = inspect.signature(experiment).parameters
    if any(p.kind == p.VAR_KEYWORD for p in legal.values()):
        return
    for option in options:
        if option not in legal:
            raise ParameterError(f"{name}: {unknown_choice('option', option, legal)}")


def read_source(name: str) -> dict[str, Any]:
    """What a source published, and what is known about it: ``data/<name>.json``."""
    file = files("anon_transformers.experiments") / "data" / f"{name}.json"
    return json.loads(file.read_text(encoding="utf-8"))


def read_table(
    path: str | os.PathLike[str], columns: Sequence[str], n_rows: int, **options: Any
) -> pd.DataFrame:
    """Read the table of a source, and refuse any other.

    Parameters
    ----------
    path : path
        A CSV file.
    columns : sequence of str
        Columns that it must have, and that are returned.
    n_rows : int
        How many rows it must have.
    **options
        For :func:`pandas.read_csv`.

    Raises
    ------
    DataError
        With the file, and what is wrong with it.
    """
    file = os.fspath(path)
    try:
        table = pd.read_csv(path, **options)
    except (ValueError, OSError) as error:  # the message may quote the file
        raise DataError(
            f"{file}: cannot be read as CSV ({type(error).__name__})."
        ) from None
    absent = [name for name in columns if name not in table.columns]
    if absent:
        raise DataError(f"{file} lacks the columns {', '.join(absent)}.")
    if len(table) != n_rows:
        raise DataError(f"{file} has {len(table):,} rows, not {n_rows:,}.")
    return table[list(columns)]

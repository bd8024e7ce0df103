"""Forms of data that a release can have: a table, a table with swapped cells, a graph.

Each is one class with the same verbs. A step asks the form of its configuration, and
never what the form is.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from anon_transformers.base import BaseAnonymizer
from anon_transformers.evidence import Report
from anon_transformers.exceptions import ConfigurationError, NotEvaluable
from anon_transformers.gx._judging import (
    PrivateEvidence,
    Scope,
    judge_table,
    measure_table,
)
from anon_transformers.gx._threshold import Threshold
from anon_transformers.release._build import installed
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._file_kinds import known_kind, suffix_of
from anon_transformers.release._files import read_data, read_parquet
from anon_transformers.release._persons_in_classes import PersonsInClasses
from anon_transformers.release._run import CANDIDATE, Run, files_of

INPUT = "input"
"""Name of the table that was loaded; of a graph, that of its edges."""


@dataclass(frozen=True)
class Candidate:
    """What *anonymize* made in a run, as its readers will see it.

    Attributes
    ----------
    run : Run
        Where it was made.
    noted : dict
        What was noted of it.
    tables : tuple of data frames
        The table, or the edges and nodes of a graph.
    """

    run: Run
    noted: Mapping[str, Any]
    tables: tuple[pd.DataFrame, ...]

    @classmethod
    def read(cls, run: Run) -> "Candidate":
        """Read the candidate of a run; refuses bytes that changed since it was made."""
        noted = run.read_candidate()
        form = form_of(run.config.at_rung(noted.get("rung", 0)))
        tables = (form.open_candidate(run, noted, file) for file in files_of(noted))
        return cls(run, noted, tuple(tables))

    @property
    def config(self) -> ReleaseConfig:
        """The release as it was made: the file, or a rung of its ladder."""
        return self.run.config.at_rung(self.noted.get("rung", 0))

    @cached_property
    def source(self) -> pd.DataFrame:
        """The table that was loaded, read anew in this step."""
        return self.read_loaded(INPUT)

    def read_loaded(self, name: str) -> pd.DataFrame:
        """A table that was loaded, with the columns that it was made from."""
        return read_loaded(self.run, name, self.config)

    @property
    def suppression_label(self) -> str:
        """The label of a suppressed cell."""
        return self.noted["suppression_label"]


def read_loaded(run: Run, name: str, config: ReleaseConfig) -> pd.DataFrame:
    """A table that a run was loaded with.

    What the file drops was not loaded; what a rung of its ladder drops is left out.
    """
    table = read_parquet(run.path(f"{name}.parquet"))
    return table.drop(columns=[c for c in config.roles.dropped if c in table.columns])


@dataclass(frozen=True)
class GateInput:
    """What the gate judges: a table, its columns, and private evidence."""

    frame: pd.DataFrame
    quasi_identifiers: Sequence[Hashable]
    evidence: PrivateEvidence
    sensitive: Sequence[Hashable] = ()
    subject: Hashable | None = None
    linked: np.ndarray | None = None
    """The class of each row where pseudonyms link some, as an intruder sees it."""


class Form(ABC):
    """How one form of data goes through a release.

    Parameters
    ----------
    config : ReleaseConfig
        The release.
    """

    noun: ClassVar[str]
    """The form in a word, with its article."""
    kinds: ClassVar[frozenset[str]]
    """Kinds of anonymizers that make it."""
    counted: ClassVar[tuple[str, str]] = ("rows", "rows")
    """What a source has many of, and what its anonymizer reports on, in a word."""
    swaps: ClassVar[bool] = False
    """Whether cells are swapped, and nobody knows whose they are."""
    takes_pseudonyms: ClassVar[bool] = False
    """Whether identifiers may be published as pseudonyms of rows."""
    composes: ClassVar[bool] = False
    """Whether several releases can be judged together."""
    is_one_table: ClassVar[bool] = True
    """Whether what is published is one table, which a database can show."""
    private_files: ClassVar[tuple[str, ...]]
    """Files of a run that hold personal data, by their place in its folder."""

    def __init__(self, config: ReleaseConfig):
        self.config = config

    @property
    def counted_in(self) -> str:
        """What its classes, models and risks count, in a word."""
        return self.counted[1] if self.config.roles.subject is None else "persons"

    @property
    def method(self) -> type[BaseAnonymizer]:
        """Class of the anonymizer."""
        return installed().anonymizers[self.config.anonymizer.name]

    @property
    @abstractmethod
    def judged_columns(self) -> Sequence[str]:
        """Columns that thresholds are judged on, as far as the file states them."""

    @property
    @abstractmethod
    def published_columns(self) -> Sequence[str]:
        """Columns of the source whose names are published."""

    def judges(self, evidence: str) -> bool:
        """Whether it has this kind of evidence."""
        return evidence != "graph"

    def parameters(self) -> dict[str, Any]:
        """The declared columns as parameters of the anonymizer."""
        return {}

    def refuse_misspelled_columns(self) -> None:
        """Refuse other columns than those of the source, if that can be asked now."""
        return

    @abstractmethod
    def refuse_wrong_options(self) -> None:
        """Refuse options that the reader of the source does not take."""

    def refuse_too_small(
        self,
        anonymizer: BaseAnonymizer,
        thresholds: Sequence[Threshold],
        tables: Mapping[str, pd.DataFrame],
    ) -> None:
        """Refuse a source that is too small to be judged."""
        return

    def refuse_dropped_persons(
        self, tables: Mapping[str, pd.DataFrame], key: str = "roles.dropped"
    ) -> None:
        """Refuse to leave out, of what was read, a column that tells persons apart."""
        return

    def refuse_written(self, file: Path) -> None:
        """Refuse what was written of a streamed source, if it may not be released."""
        return

    def refuse_guessed_kinds(
        self, anonymizer: BaseAnonymizer, tables: Mapping[str, pd.DataFrame]
    ) -> None:
        """Refuse a column whose labels would be written by what others hold."""
        return

    def unjudged_columns(self) -> list[str]:
        """Sensitive columns whose values no threshold is about."""
        return []

    @abstractmethod
    def read(self) -> dict[str, pd.DataFrame]:
        """Read the source, by name of the table, and check its columns."""

    def open_candidate(
        self, run: Run, noted: Mapping[str, Any], file: Mapping[str, Any]
    ) -> Any:
        """A table of a candidate, as its readers will see it."""
        place = run.path(CANDIDATE) / file["data"]
        return read_data(place, noted["format"], file["schema"])

    @abstractmethod
    def write(
        self, run: Run, anonymizer: Any, draft: Path
    ) -> tuple[dict[str, pd.DataFrame], dict[str, Any], Report]:
        """Anonymize what was loaded, and write private evidence into ``draft``.

        Returns
        -------
        tuple
            The protected tables by name, the first one first, what is noted, and what
            was done.
        """

    @abstractmethod
    def numbers(
        self,
        tables: Sequence[pd.DataFrame],
        thresholds: Sequence[Threshold],
        suppression_label: str,
    ) -> dict[str, Any]:
        """Numbers of published tables that every reader can compute again.

        A number that was taken of the input, of dropped rows or of persons whose names
        are not published tells of them, however it is rounded: whoever knows all rows
        but one can try the values of the last until the number fits. So each number
        here is a function of the published tables, the configuration and its
        hierarchies, and of nothing else. Of what else was judged, the verdict alone is
        published.
        """

    @abstractmethod
    def evidence(self, candidate: Candidate) -> GateInput:
        """What the gate judges of a candidate."""

    def judged_losses(self, candidate: Candidate) -> dict[str, Any]:
        """``loss`` and ``column_losses`` that the gate judges, as readers see them.

        Empty where nobody can read them from what is published: the report of the
        method then says what was lost.
        """
        return {}

    def persons_in_classes(
        self, candidate: Candidate, columns: Sequence[str]
    ) -> PersonsInClasses:
        """Who is in which class, with their values in these sensitive columns."""
        raise NotEvaluable("this form of data has no classes of persons.")

    @abstractmethod
    def faults(self, candidate: Candidate) -> list[str]:
        """Everything that is wrong with a candidate beside its source, in words."""


def levels(
    table: pd.DataFrame, scope: Scope, thresholds: Sequence[Threshold]
) -> dict[str, dict[str, Any]]:
    """By id, what each threshold reaches, where the published table gives it.

    Asked within ``private_evidence`` of what is public, and of nothing else. Models are
    built anew here, and before any is asked to judge with what is private. A plugin
    that keeps what it saw elsewhere, in its module or in a file, could still write it
    into a number: install only plugins that you trust.
    """
    found: dict[str, dict[str, Any]] = {}
    for threshold in thresholds:
        if threshold.kind == "attack":  # an intruder may hold what is private
            continue
        ask: Any = judge_table if threshold.kind == "model" else measure_table
        try:
            answer: Mapping[str, Any] = ask(
                table, threshold.name, threshold.own_params, scope
            )
        except NotEvaluable:
            continue
        shown = ("observed", "unit", "units", "failing", "details")
        found[threshold.id] = {key: answer[key] for key in shown if key in answer}
    return found


def form_of(config: ReleaseConfig) -> Form:
    """The form of a release: of its source, and of the kind of its anonymizer."""
    if reads_graphs(config):
        from anon_transformers.release._graph import GraphTablesForm

        return GraphTablesForm(config)
    _refuse_unstated_graph(config)
    try:
        config.refuse_no_quasi_identifier()
    except ValueError as error:
        raise ConfigurationError(str(error)) from None
    if installed().anonymizers[config.anonymizer.name].kind == "linked":
        from anon_transformers.release._linked import LinkedForm

        return LinkedForm(config)
    if config.source.engine is not None:
        from anon_transformers.release._counted_table import CountedForm

        return CountedForm(config)
    from anon_transformers.release._table import TableForm

    return TableForm(config)


def reads_graphs(config: ReleaseConfig) -> bool:
    """Whether the reader that the source names says that it reads graphs."""
    return installed().reads_graphs(config.source.kind)


def _refuse_unstated_graph(config: ReleaseConfig) -> None:
    """Refuse a file whose kind only its suffix tells, and which holds a graph.

    What roles and thresholds of a release mean depends on it, so the file states it.
    """
    if config.source.kind:
        return
    for path in config.source.paths:
        kind = suffix_of(path)
        if known_kind(path) is None and installed().reads_graphs(kind):
            raise ConfigurationError(
                f"source: the suffix .{kind} belongs to a reader of graphs; state "
                f"kind: {kind}."
            )

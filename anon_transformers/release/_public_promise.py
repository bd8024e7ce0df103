"""What a table promises, judged where the table stands: the database counts.

Its classes are grouped there, and the models of the release judge these counts before
any reader sees them. Whose rows they are is private, and so are persons, links and
degrees: a threshold about these was judged before, on the same rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from anon_transformers._data.columns import to_text
from anon_transformers.engines import Counts, Engine
from anon_transformers.exceptions import DataError
from anon_transformers.gx._judging import PrivateEvidence
from anon_transformers.gx._threshold import Threshold
from anon_transformers.gx.gate import run_gate
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.privacy import judges_values
from anon_transformers.release._build import (
    evidence_kinds,
    make_hierarchies,
    make_model,
)
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._forms import Candidate, form_of
from anon_transformers.release._public_databases import as_before
from anon_transformers.release._run import Run
from anon_transformers.release._table_numbers import counts_rows


@dataclass(frozen=True)
class PublicPromise:
    """The thresholds of a release that the classes of its published rows show.

    Attributes
    ----------
    thresholds : sequence of Threshold
        What must hold; of a release that counts persons, what is about rows.
    table : data frame
        The published table, as it is read from its file.
    frame : data frame
        The same rows, with the types in which their values are judged.
    quasi_identifiers, sensitive : sequence of str
        What is judged.
    suppression_label : str
        The label of a suppressed cell.
    evidence : PrivateEvidence
        Of the input what models need that judge rows, such as its distributions.
    """

    thresholds: Sequence[Threshold]
    table: pd.DataFrame
    frame: pd.DataFrame
    quasi_identifiers: Sequence[str]
    sensitive: Sequence[str]
    suppression_label: str
    evidence: PrivateEvidence

    @classmethod
    def of_run(cls, run: Run, table: pd.DataFrame) -> "PublicPromise":
        """What the gate judged the table of a run by, with the evidence of the run."""
        candidate = Candidate.read(run)
        form = form_of(candidate.config)
        judged, counts_persons = form.evidence(candidate), form.counted_in == "persons"
        swapped = judged.evidence.swapped
        shown = [
            threshold
            for threshold in run.thresholds
            if _of_classes(threshold, counts_persons)
            # Of swapped cells, groups are judged, and nobody sees these in the rows.
            and not (swapped and judges_values(make_model(threshold)))
        ]
        columns = list(map(str, judged.quasi_identifiers))
        return cls(
            shown,
            table,
            judged.frame,
            columns,
            # How many persons hold a value is nothing to compare rows with.
            [] if counts_persons else list(map(str, judged.sensitive)),
            candidate.suppression_label,
            PrivateEvidence() if counts_persons else judged.evidence,
        )

    @classmethod
    def of_manifest(
        cls, config: ReleaseConfig, manifest: Mapping[str, Any], table: pd.DataFrame
    ) -> "PublicPromise":
        """What a version promised whose run is gone, where the manifest has the level.

        The manifest has the levels that anybody can compute from the published rows.
        """
        roles, checks = manifest["roles"], manifest["measured"]["checks"]
        shown = {check["id"] for check in checks if "observed" in check}
        in_force = map(Threshold.read, manifest["promised"]["in_force"])
        counts_persons = roles["subject"] is not None
        trees = make_hierarchies(config, roles["sensitive"])
        read = {name: h for name, h in trees.items() if isinstance(h, Hierarchy)}
        return cls(
            [t for t in in_force if t.id in shown and _of_classes(t, counts_persons)],
            table,
            table,
            roles["quasi_identifiers"],
            [] if counts_persons else roles["sensitive"],
            manifest["suppression_label"],
            PrivateEvidence(hierarchies=read),
        )

    def faults(self, table: Engine) -> Sequence[str]:
        """Why a table in a database may not be shown; nothing if it holds all."""
        if not self.thresholds:
            return ()
        return run_gate(
            _AsPublished(table, self.table, self.frame),
            thresholds=self.thresholds,
            quasi_identifiers=self.quasi_identifiers,
            sensitive=self.sensitive,
            suppression_label=self.suppression_label,
            evidence=self.evidence,
        ).reasons


def _of_classes(threshold: Threshold, counts_persons: bool) -> bool:
    """Whether the classes of the published rows show what a threshold asks for."""
    if evidence_kinds([threshold]) != {"classes"} or threshold.kind == "attack":
        return False
    return not counts_persons or counts_rows(threshold)


class _AsPublished(Engine):
    """A table that a database counts, with values in the types of the published file.

    A database has other types: an order of categories, or what is a date in SQLite, is
    known to the file alone, and distances between values depend on it.

    Parameters
    ----------
    counted : Engine
        The table in the database.
    table, frame : data frames
        The same rows as they are read from the file, and as they are judged.
    """

    name = "database"
    collected = "frame"

    def __init__(self, counted: Engine, table: pd.DataFrame, frame: pd.DataFrame):
        self._counted, self._table, self._frame = counted, table, frame

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._counted.columns

    def n_rows(self) -> int:
        """How many rows the table has."""
        return self._counted.n_rows()

    def n_combinations(self, columns: Sequence[Any]) -> int:
        """How many distinct combinations of some columns there are."""
        return self._counted.n_combinations(columns)

    def n_repeated(self, column: Any) -> int:
        """How many values of a column stand in several rows."""
        return self._counted.n_repeated(column)

    def count(self, columns: Sequence[Any]) -> Counts:
        """Count the rows of each combination of some columns, missing values too."""
        counts = self._counted.count(columns)
        cells = {
            name: as_judged(counts.frame[name], self._table[name], self._frame[name])
            for name in columns
        }
        return Counts(pd.DataFrame(cells), counts.rows)

    def recode(self, label_table: Any) -> Any:
        """Refused: the table is judged, and stays as it is."""
        raise NotImplementedError("a table that is judged stays as it is.")


def as_judged(cells: pd.Series, column: pd.Series, judged: pd.Series) -> pd.Series:
    """Cells that a database gave, as the rows of the same published text are judged.

    Examples
    --------
    >>> written = pd.Series(["low", "high"])
    >>> judged = written.astype(pd.CategoricalDtype(["low", "high"], ordered=True))
    >>> as_judged(pd.Series(["high"]), written, judged).dtype == judged.dtype
    True
    """
    place: dict[str | None, int] = {}
    for at, text in enumerate(_texts(column)):
        place.setdefault(text, at)
    try:
        rows = [place[text] for text in _texts(as_before(cells.tolist(), column))]
    except KeyError:
        rows = None
    if rows is None:  # out here nothing that quotes a cell is chained to it
        raise DataError(
            f"column {column.name!r} holds values there that were not judged."
        )
    return judged.iloc[rows].reset_index(drop=True)


def _texts(column: pd.Series) -> list[str | None]:
    texts = to_text(column).astype(object)
    return texts.where(texts.notna(), None).tolist()

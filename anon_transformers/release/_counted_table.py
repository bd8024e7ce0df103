"""A table that is counted and recoded in an engine: from the source to the gate.

What is in memory are the distinct combinations of its values. They hold single persons,
and so does the table of what is published of each combination of quasi-identifiers: it
is private evidence of the run, and goes with it.
"""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from anon_transformers.base import BaseAnonymizer
from anon_transformers.engines import Engine, LabelTable, open_engine
from anon_transformers.engines._duckdb import DuckDBEngine, quoted
from anon_transformers.engines._engine import COUNT, LABEL
from anon_transformers.evidence import Classes, Report, distribution
from anon_transformers.exceptions import ConfigurationError, DataError
from anon_transformers.gx._judging import PrivateEvidence
from anon_transformers.metrics._cell_faults import label_faults
from anon_transformers.release._anonymizer import (
    make_anonymizer,
    method_may_suppress,
    unknown_by_key,
)
from anon_transformers.release._build import make_hierarchies
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._databases import CHUNK
from anon_transformers.release._faults import column_faults
from anon_transformers.release._files import frame_of
from anon_transformers.release._forms import CANDIDATE, INPUT, Candidate, GateInput
from anon_transformers.release._hidden_columns import HIDDEN_SHARES, hidden_shares
from anon_transformers.release._identifying_columns import identifying_faults
from anon_transformers.release._recoverable_labels import recoverable_faults
from anon_transformers.release._run import Run, sha256, write_json
from anon_transformers.release._scratch import (
    ROW,
    as_table,
    open_scratch,
    parquet_file,
    scratch,
)
from anon_transformers.release._source import (
    refuse_unstated_dates,
    refuse_unstated_numbers,
)
from anon_transformers.release._stated_engine import refuse_uncountable
from anon_transformers.release._streamed import (
    StreamedSource,
    StreamedTable,
    open_private,
)
from anon_transformers.release._table import TableForm
from anon_transformers.release._table_evidence import REFERENCES
from anon_transformers.release._table_numbers import losses

if TYPE_CHECKING:
    import duckdb

LABELS = "labels.parquet"
"""What is published of each combination of quasi-identifiers; private."""
VALUE = "anon_value_{}"


class CountedForm(TableForm):
    """One table, of which an engine counts, recodes and compares the rows.

    Rows are what is counted, and each is published: no person is told apart, and no row
    is left out.
    """

    composes: ClassVar[bool] = False
    takes_pseudonyms: ClassVar[bool] = False
    has_private_report: ClassVar[bool] = False
    private_files: ClassVar[tuple[str, ...]] = (
        f"{INPUT}.parquet",
        f"candidate/{REFERENCES}",
        f"candidate/{LABELS}",
    )

    def __init__(self, config: ReleaseConfig):
        super().__init__(config)
        refuse_uncountable(config)

    # Loading.

    def read(self) -> dict[str, Any]:
        """The source, of which no cell was read yet."""
        return {INPUT: StreamedSource(self.config)}

    def refuse_dropped_persons(self, *_: Any) -> None:
        """Nothing: where columns are dropped, the file says that rows are persons."""

    def refuse_guessed_kinds(self, anonymizer: BaseAnonymizer, _: Any) -> None:
        """Refuse a method that needs the rows, or leaves some out."""
        name = self.config.anonymizer.name
        if not getattr(anonymizer, "fits_counts", False):
            raise ConfigurationError(
                f"source.engine: {name} needs the rows themselves, and they are only "
                "counted there; leave engine out, or take a method that learns from "
                "counts: full-domain, datafly or strict mondrian."
            )
        if anonymizer.publishes != "labels":
            raise ConfigurationError(
                f"source.engine: {name} publishes {anonymizer.publishes}; what an "
                "engine recodes are labels."
            )
        if getattr(anonymizer, "suppression", "mask") != "mask":
            raise ConfigurationError(
                "source.engine: every row is published there; state suppression: mask "
                "under anonymizer."
            )

    def refuse_written(self, file: Path) -> None:
        """Refuse a source without rows, or whose columns tell persons apart."""
        config, roles = self.config, self.config.roles
        with scratch(file.parent) as connection:
            engine = DuckDBEngine(parquet_file(connection, file))
            if not engine.n_rows():
                raise DataError("the source is empty: it has no rows.")
            asked = (*roles.quasi_identifiers, *roles.sensitive)
            values = {name: engine.count([name]).frame[name] for name in asked}
            refuse_unstated_dates(values, config)
            if method_may_suppress(make_anonymizer(config, config.thresholds)):
                refuse_unstated_numbers(values, config)
            faults = self._identifying(engine)
        if faults:
            raise DataError("\n".join(f"{fault}." for fault in faults))

    def _identifying(self, engine: Engine) -> list[str]:
        """Columns that tell rows apart."""
        roles = self.config.roles
        kept = [*roles.sensitive, *roles.insensitive]
        if not kept:
            return []
        counts = engine.count(kept)
        marks = self.stated_marks
        return identifying_faults(counts.frame, roles, marks=marks, weights=counts.rows)

    # Anonymizing.

    def write(
        self, run: Run, anonymizer: Any, draft: Path
    ) -> tuple[dict[str, Any], dict[str, Any], Report]:
        """Learn from counts, and note what is published of each combination."""
        anonymizer.set_output(transform="default")
        with scratch(run.folder) as connection:
            source = parquet_file(connection, run.path(f"{INPUT}.parquet"))
            engine = LabelWriter(source, draft / LABELS)
            unknown_by_key(partial(anonymizer.fit, engine))
            unknown_by_key(partial(anonymizer.transform, engine))
            write_json(draft / REFERENCES, self._references(engine))
            n_rows = engine.n_rows()
        noted = {
            "moved": [],
            "labels_sha256": sha256(draft / LABELS),
            "references_sha256": sha256(draft / REFERENCES),
        }
        table = RecodedTable(run, draft / LABELS, self, n_rows)
        return {"data": table}, noted, anonymizer.report_

    def _references(self, engine: Engine) -> dict[str, Any]:
        """How often the source has each sensitive value, in rows."""
        found = {}
        for name in self.config.roles.sensitive:
            counts = engine.count([name])
            held = distribution(counts.frame[name], weights=counts.rows)
            found[name] = list(held.items())
        return {"persons": None, "columns": found}

    def published(self, columns: Sequence[str], source: Path, labels: Path) -> str:
        """A query of every row as it is published, with its place in the source."""
        names = self.config.roles.quasi_identifiers
        cells = [
            f"m.{LABEL.format(names.index(name))} AS {quoted(name)}"
            if name in names
            else f"s.{quoted(name)}"
            for name in columns
        ]
        return (
            f"SELECT {', '.join(cells)}, s.{ROW} FROM {joined(names, source, labels)}"
        )

    # Judging.

    def open_candidate(
        self, run: Run, noted: Mapping[str, Any], file: Mapping[str, Any]
    ) -> Any:
        """The table of a candidate, where it is counted."""
        place = run.path(CANDIDATE) / file["data"]
        return OpenedCandidate(open_scratch(run.folder), place)

    def numbers(
        self, tables: Sequence[Any], thresholds: Any, suppression_label: str
    ) -> dict[str, Any]:
        """Rows, classes, risks and losses; levels of thresholds."""
        counted: list[Any] = [_counted(table) for table in tables]
        return super().numbers(counted, thresholds, suppression_label)

    def _attacked(self, table: Any, classes: Classes, label: str) -> dict[str, Any]:
        """Nothing: attacks need the rows."""
        return {}

    def _hidden(self, table: Any, method: Any, label: str) -> dict[str, Any]:
        """Columns of few values that are hidden in many rows; nothing if none is."""
        quasi = self.config.roles.quasi_identifiers
        counts = table.count(list(quasi))
        trees = make_hierarchies(self.config, quasi)
        shares = hidden_shares(counts.frame, quasi, trees, label, counts.rows)
        return {HIDDEN_SHARES: shares} if shares else {}

    def _losses(
        self, table: Any, method: Any, label: str, n_rows: int | None = None
    ) -> dict[str, Any]:
        """What a published table lost, of so many rows."""
        quasi = list(self.config.roles.quasi_identifiers)
        counts = table.count(quasi)
        trees = make_hierarchies(self.config, quasi)
        return losses(counts.frame, quasi, trees, label, n_rows, counts.rows)

    def judged_losses(self, candidate: Candidate) -> dict[str, Any]:
        """Losses of the published labels: every row is published."""
        lost = self._losses(candidate.tables[0], None, candidate.suppression_label)
        return lost if "loss" in lost else {}

    def evidence(self, candidate: Candidate) -> GateInput:
        """The table where it is counted, and private evidence."""
        roles = self.config.roles
        given, built, _ = self.sensitive_evidence(candidate)
        return GateInput(
            candidate.tables[0],
            list(roles.quasi_identifiers),
            PrivateEvidence(given, built),
            list(roles.sensitive),
        )

    def faults(self, candidate: Candidate) -> list[str]:
        """What differs from the source; what tells persons apart."""
        roles = self.config.roles
        table: Any = candidate.tables[0]
        wanted = {*roles.quasi_identifiers, *roles.sensitive, *roles.insensitive}
        faults = column_faults(table.columns, wanted)
        if candidate.noted["publishes"] != "labels":
            faults.append("the anonymizer does not say that it publishes labels")
        if faults:
            return faults
        run, noted = candidate.run, candidate.noted
        labels = run.evidence_file(LABELS, noted["labels_sha256"], "its labels")
        source = run.path(f"{INPUT}.parquet")
        data = run.path(CANDIDATE) / noted["data"]
        made = self.published(table.columns, source, labels)
        others = _others(table, made, data)
        if others:
            return [
                f"the candidate differs in {others} rows from what its labels make of "
                "the source"
            ]
        before, after, rows = self._combinations(table, source, labels)
        quasi = roles.quasi_identifiers
        label = candidate.suppression_label
        trees = make_hierarchies(self.config, quasi)
        faults = label_faults(
            before,
            after,
            np.arange(len(rows)),
            {name: trees.get(name) for name in quasi},
            label,
            self.config.stated_values,
            rows,
        )
        how: dict[str, Any] = {"marks": self.stated_marks, "weights": rows}
        return faults or [
            *identifying_faults(after, roles, **how),
            *recoverable_faults(before, after, roles, **how),
        ]

    def _combinations(
        self, table: "OpenedCandidate", source: Path, labels: Path
    ) -> tuple[pd.DataFrame, pd.DataFrame, np.ndarray]:
        """Distinct rows of the source, as they are published, and how many of each."""
        roles = self.config.roles
        quasi, kept = roles.quasi_identifiers, (*roles.sensitive, *roles.insensitive)
        cells = [f"s.{quoted(name)}" for name in (*quasi, *kept)]
        cells += [f"m.{LABEL.format(at)}" for at in range(len(quasi))]
        sql = f"SELECT {', '.join(cells)} FROM {joined(quasi, source, labels)}"
        engine = DuckDBEngine(table.connection.sql(sql))
        counts = engine.count(engine.columns)
        before = counts.frame[[*quasi, *kept]]
        shown = {name: counts.frame[LABEL.format(at)] for at, name in enumerate(quasi)}
        after = before[[*kept]].assign(**shown)
        return before, after, counts.rows


class OpenedCandidate(DuckDBEngine):
    """A candidate where it is counted, with its connection.

    Parameters
    ----------
    connection : DuckDB connection
        At work in the folder of the run.
    file : Path
        The candidate.
    """

    def __init__(self, connection: "duckdb.DuckDBPyConnection", file: Path):
        super().__init__(parquet_file(connection, file))
        self.connection = connection


class LabelWriter(DuckDBEngine):
    """A relation that is recoded later: its labels go into a file.

    Parameters
    ----------
    native : DuckDB relation
        The table.
    file : Path
        Where the labels of each combination go.
    """

    def __init__(self, native: Any, file: Path):
        super().__init__(native)
        self.file = file

    def recode(self, label_table: LabelTable) -> Any:
        """Write what is published of each combination."""
        keys = label_table.keys.drop_columns([COUNT])
        names = [VALUE.format(at) for at in range(len(keys.column_names))]
        table = keys.rename_columns(names)
        for at, name in enumerate(label_table.labels.columns):
            cells = pa.array(label_table.labels[name], from_pandas=True)
            table = table.append_column(LABEL.format(at), cells)
        with open_private(self.file) as file:
            pq.write_table(table.replace_schema_metadata(None), file)
        return self.native


class RecodedTable(StreamedTable):
    """What is published, written in an order that is drawn once.

    Parameters
    ----------
    run : Run
        With the source.
    labels : Path
        What is published of each combination.
    form : CountedForm
        Which columns there are.
    n_rows : int
        Rows of the source.
    """

    def __init__(self, run: Run, labels: Path, form: CountedForm, n_rows: int):
        self._run, self._labels, self._form = run, labels, form
        self.n_rows = n_rows

    def write(self, path: Path) -> None:
        """Write the rows in a fresh order; whoever has its key knows the old one."""
        key, writer = secrets.token_hex(16), None
        source = self._run.path(f"{INPUT}.parquet")
        with scratch(self._run.folder) as connection, open_private(path) as file:
            columns = parquet_file(connection, source).columns
            made = self._form.published(columns, source, self._labels)
            shuffled = connection.sql(
                f"SELECT * EXCLUDE ({ROW}) FROM ({made}) ORDER BY "
                f"md5_number_upper('{key}' || {ROW})"
            )
            n_rows = 0
            with ExitStack() as closed:
                for batch in shuffled.to_arrow_reader(CHUNK):
                    table = pa.Table.from_batches([batch])
                    if writer is None:
                        writer = pq.ParquetWriter(file, table.schema)
                        closed.enter_context(writer)
                        self.sample = frame_of(table)
                    writer.write_table(table)
                    n_rows += len(table)
        if n_rows != self.n_rows:
            raise DataError("the candidate has another number of rows than the source.")
        self.columns = list(self.sample.columns)


def joined(names: Sequence[str], source: Path, labels: Path) -> str:
    """The source, each row beside what is published of its combination."""
    alike = " AND ".join(
        f"s.{quoted(name)} IS NOT DISTINCT FROM m.{VALUE.format(at)}"
        for at, name in enumerate(names)
    )
    # A row without labels is one that no judgement saw: it lacks, and is missed.
    return f"{as_table(source)} s JOIN {as_table(labels)} m ON {alike}"


def _others(table: "OpenedCandidate", made: str, data: Path) -> int:
    """Rows that a candidate, or what its labels make of the source, has more often."""
    cells = ", ".join(quoted(name) for name in table.columns)
    found = table.connection.execute(
        f"SELECT coalesce(sum(abs(apart)), 0) FROM (SELECT sum(side) AS apart FROM ("
        f"SELECT {cells}, 1 AS side FROM ({made}) UNION ALL "
        f"SELECT {cells}, -1 FROM {as_table(data)}) GROUP BY {cells})"
    ).fetchall()
    return int(found[0][0])


def _counted(table: Any) -> Engine:
    """A published table where it is counted; one in memory is, too."""
    engine = open_engine(table)
    if engine is not None:
        return engine
    import duckdb

    return DuckDBEngine(duckdb.connect().from_df(table))

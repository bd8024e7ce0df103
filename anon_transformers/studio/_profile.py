"""What is in the columns of a table: a job, since a table may have many rows.

It leaves a copy of the table that pages read a few rows of, and for each column how
often each value occurs.
"""

import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import AnonymizationError, DataError, shortened
from anon_transformers.studio._jobs import Progress
from anon_transformers.studio._project import Project, private_folder
from anon_transformers.studio._source import StatedSource, source_of

if TYPE_CHECKING:
    import pandas as pd

PROFILE = "profile"
"""Kind of the job, and of its result."""
WORK = "anon_transformers.studio._profile:profile"
FORM = 3
"""Of what is kept: a profile of another form is made anew."""
ROWS, COUNTS = "rows.parquet", "counts"
GROUP = 2_000
"""Rows that are read at once when a page shows a few of them."""
WRITTEN = 50 * GROUP
"""Rows that are written at once: whole groups, so that all but the last are full."""
LONGEST_CELL = 120
COUNTED = ("value", "rows", "holders")


@dataclass(frozen=True)
class CountedValues:
    """How often each value of a column occurs, most often first.

    Attributes
    ----------
    values : list of str
        As a hierarchy has them.
    rows : list of int
        Rows that hold each.
    holders : list of int
        Persons who hold each, if the file names the subject; rows otherwise.
    """

    values: list[str]
    rows: list[int]
    holders: list[int]


@dataclass(frozen=True)
class TableProfile:
    """What the job found.

    Attributes
    ----------
    n_rows : int
        Rows of the table.
    n_kept : int
        The first of them, of which there is a copy: of a table in a database not all.
    n_persons : int or None
        Persons, if the file names the subject.
    columns : list of dict
        For each column ``name``, ``kind``, ``type``, ``fault``, ``missing``,
        ``values``, ``unique``, ``proposal``, and how many cells are ``marked`` by which
        ``marks`` that the file does not state yet.
    marks : list of str
        Texts that seem to stand for missing values.
    note : str
        Why there are no proposals; empty if there are.
    folder : Path
        Where the copies are.
    """

    n_rows: int
    n_kept: int
    n_persons: int | None
    columns: list[dict[str, Any]]
    marks: list[str]
    note: str
    folder: Path

    @property
    def names(self) -> list[str]:
        """Names of the columns, in the order of the table."""
        return [one["name"] for one in self.columns]

    def rows(self, first: int, count: int) -> list[list[str | None]]:
        """Some rows as texts; no others are read."""
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.folder / ROWS) as file:
            last = min(first + count, self.n_kept) - 1
            groups = list(range(first // GROUP, last // GROUP + 1)) if last >= 0 else []
            if not groups:
                return []
            table = file.read_row_groups(groups)
        part = table.slice(first - groups[0] * GROUP, count)
        columns = [column.to_pylist() for column in part.columns]
        return [
            [None if cell is None else shortened(cell, LONGEST_CELL) for cell in row]
            for row in zip(*columns, strict=True)
        ]

    def counts(self, column: str) -> CountedValues:
        """How often each value of a column occurs.

        Raises
        ------
        DataError
            If the table has no such column, or its cells are not what is stated.
        """
        import pyarrow.parquet as pq

        if column not in self.names:
            raise DataError(f"the table has no column {column!r}.")
        at = self.names.index(column)
        if self.columns[at]["fault"]:
            raise DataError(self.columns[at]["fault"])
        table = pq.read_table(self.folder / COUNTS / f"{at}.parquet")
        return CountedValues(*(table[name].to_pylist() for name in COUNTED))


def key_of(project: Project, source: StatedSource) -> str:
    """What a profile is of: the source, and the column that tells persons apart."""
    return f"{FORM}-{source.key}-{subject_of(project) or ''}"


def profile_of(project: Project, source: StatedSource) -> TableProfile | None:
    """The profile of the table as the file states it now; None if there is none."""
    result = project.result(PROFILE)
    if result is None or result.found["key"] != key_of(project, source):
        return None
    found = dict(result.found)
    folder = result.folder / found.pop("place")
    del found["key"]
    return TableProfile(**found, folder=folder) if folder.is_dir() else None


def subject_of(project: Project) -> str | None:
    """The column that tells persons apart, if the file names one."""
    roles = project.content.get("roles")
    found = roles.get("subject") if isinstance(roles, Mapping) else None
    return None if found is None else str(found)


def profile(
    project: Project, params: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Read the table, count its values and propose roles (a job).

    Raises
    ------
    DataError
        If it cannot be read, or is read in a wrong way, in the words of the library.
    """
    source = source_of(project)
    if source.is_database:
        from anon_transformers.studio._counted_profile import counted_profile

        return counted_profile(project, source, progress)
    key = key_of(project, source)
    progress(0, 0, "reading the table")
    cells = read_cells(source)
    proposals, marks, note = make_proposals(cells, source, progress)
    known = cells if not source.is_csv else _known(cells, source.missing)
    unstated = [mark for mark in marks if mark not in source.missing]
    subject = subject_of(project)
    persons = None if subject not in cells.columns else cells[subject]
    folder = new_folder(project)
    columns = []
    for at, name in enumerate(map(str, cells.columns)):
        progress(at, len(cells.columns), f"counting: {shortened(name, 40)}")
        file = folder / COUNTS / f"{at}.parquet"
        found = describe_column(known[name], source, persons, file)
        found |= _marked(known[name], unstated)
        columns.append({"name": name, **found, **proposals.get(name, NO_PROPOSAL)})
    keep_rows(known, folder / ROWS, progress)
    remove_others(folder)
    return {
        "key": key,
        "place": folder.name,
        "n_rows": len(cells),
        "n_kept": len(cells),
        "n_persons": None if persons is None else int(persons.nunique()),
        "columns": columns,
        "marks": unstated,
        "note": note,
    }


def new_folder(project: Project) -> Path:
    """A folder of its own: what a cancelled job leaves is named by no result."""
    place = project.results_folder(PROFILE) / secrets.token_hex(6)
    private_folder(place / COUNTS)
    return place


def remove_others(folder: Path) -> None:
    """Remove what earlier jobs left beside a folder."""
    for other in folder.parent.iterdir():
        if other.is_dir() and other != folder:
            shutil.rmtree(other, ignore_errors=True)


NO_PROPOSAL: Mapping[str, Any] = {"kind": "", "proposal": None}


def read_cells(source: StatedSource) -> "pd.DataFrame":
    """Every cell; refuses another separator, a table without a header, and none."""
    from anon_transformers.proposals._dialects import find_separator, refuse_headless

    if source.is_csv:
        for file in source.files:
            _ = source.columns()  # whether it is CSV in this encoding, the reader says
            shown = find_separator(file, source.separator, source.encoding)
            if shown != source.separator:
                raise DataError(
                    f"{file}: fields seem to be separated by {shown!r}, and the file "
                    f"is read with {source.separator!r}."
                )
    cells = source.read()
    if not len(cells):
        raise DataError("the table is empty: it has no rows.")
    if source.is_csv:
        refuse_headless(source.files[0], cells)
    return cells


def _known(cells: "pd.DataFrame", marks: Sequence[str]) -> "pd.DataFrame":
    import pandas as pd

    from anon_transformers.proposals._missing import known_cells

    return pd.DataFrame({name: known_cells(cells[name], marks) for name in cells})


def make_proposals(
    cells: "pd.DataFrame", source: StatedSource, progress: Progress
) -> tuple[dict[str, dict[str, Any]], list[str], str]:
    """Roles with reasons, by column; marks that were found; why there are no roles."""
    from anon_transformers.proposals import find_missing_marks, propose_table

    marks = find_missing_marks(cells) if source.is_csv else []
    every = [*dict.fromkeys([*source.missing, *marks])]
    try:
        table = propose_table(
            cells,
            missing=every if source.is_csv else None,
            dates=dates_of(source),
            progress=lambda done, total, at: progress(
                done, total, f"looking at: {shortened(at, 40)}"
            ),
        )
    except DataError as error:
        return {}, marks, str(error)
    found = {
        one.column: {
            "kind": one.kind,
            "proposal": {
                "role": one.role,
                "reason": one.reason,
                "confidence": one.confidence,
            },
        }
        for one in table.columns
    }
    return found, marks, ""


def dates_of(source: StatedSource) -> dict[str, dict[str, Any]]:
    """Columns of which the file states how their dates are written."""
    return {
        name: dict(kind)
        for name, kind in source.stated_kinds.items()
        if isinstance(kind, Mapping) and "date" in kind
    }


def describe_column(
    series: "pd.Series",
    source: StatedSource,
    persons: Any,
    file: Path,
    weights: Any = None,
) -> dict[str, Any]:
    """Facts of one column, whose counts go into a file.

    ``weights`` are the rows that each cell stands for.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from anon_transformers._data.columns import leaf_column
    from anon_transformers.release._files import as_kind, schema_of
    from anon_transformers.release._written_kinds import guess_kind

    stated: Any = None
    try:
        if source.is_csv:
            stated = source.stated_kinds.get(str(series.name))
            shown = stated if stated is not None else guess_kind(series, False)
            series = as_kind(series, shown)
        else:
            shown = schema_of(series.to_frame())[str(series.name)]
    except AnonymizationError as error:
        absent = int(series.isna().sum())
        return {"type": stated, "fault": str(error), "missing": absent,
                "values": int(series.nunique()), "unique": 0.0}  # fmt: skip
    column, texts, _ = leaf_column(series)
    known = column.codes < len(texts)
    n_rows = len(series) if weights is None else int(weights.sum())
    counted = None if weights is None else weights[known]
    held = _counted(column.codes[known], len(texts), counted)
    n_known = int(known.sum() if counted is None else counted.sum())
    order = held.argsort(kind="stable")[::-1]
    values = [str(texts[at]) for at in order]
    pairs = _pairs(column.codes, len(texts), persons)
    holders = held if pairs is None else _counted(pairs["value"], len(texts))
    numbers = (held[order].tolist(), holders[order].tolist())
    pq.write_table(pa.table([values, *numbers], names=list(COUNTED)), file)
    return {
        "type": shown,
        "fault": None,
        "missing": n_rows - n_known,
        "values": int((held > 0).sum()),
        "unique": _unique_share(holders, pairs, n_rows, persons),
    }


def _marked(series: "pd.Series", marks: Sequence[str]) -> dict[str, Any]:
    """How often marks occur that the file does not state: proposals leave them out."""
    held = series[series.isin(marks)]
    found = set(held)
    return {"marked": len(held), "marks": [mark for mark in marks if mark in found]}


def _counted(codes: Any, n_values: int, weights: Any = None) -> Any:
    import numpy as np

    return np.bincount(codes, weights, minlength=n_values).astype(np.int64)


def _pairs(codes: Any, n_values: int, persons: Any) -> Any:
    """Every value of every person once; None where rows are counted."""
    import pandas as pd

    if persons is None:
        return None
    held = pd.DataFrame({"value": codes, "person": pd.factorize(persons)[0]})
    return held[(held["value"] < n_values) & (held["person"] >= 0)].drop_duplicates()


def _unique_share(holders: Any, pairs: Any, n_rows: int, persons: Any) -> float:
    """Share of the rows, or of the persons, with a value that nobody else has."""
    if pairs is None:
        return float((holders == 1).sum() / max(n_rows, 1))
    alone = pairs.loc[holders[pairs["value"]] == 1, "person"].nunique()
    return float(alone / max(int(persons.nunique()), 1))


def keep_rows(cells: "pd.DataFrame", file: Path, progress: Progress) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from anon_transformers._data.columns import to_text

    said = "keeping a copy of the rows, to page in"
    n_columns, n_parts = len(cells.columns), -(-len(cells) // WRITTEN)
    columns = []
    for at, name in enumerate(cells.columns):
        progress(at, n_columns + n_parts, said)
        columns.append(pa.array(to_text(cells[name]), pa.string()))
    # Two columns may have names that are one text.
    table = pa.table(columns, names=[f"{at}" for at in range(n_columns)])
    with pq.ParquetWriter(file, table.schema) as writer:
        for part in range(n_parts):
            progress(n_columns + part, n_columns + n_parts, said)
            rows = table.slice(part * WRITTEN, WRITTEN)
            writer.write_table(rows, row_group_size=GROUP)

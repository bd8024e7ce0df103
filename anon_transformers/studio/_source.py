"""The table of a project as its file states it, before anything is decided of it.

A release reads what its roles declare. Here there may be no role yet, so that the
``source`` section alone decides, by the same readers and in the same words.
"""

import hashlib
import io
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from anon_transformers.exceptions import ConfigurationError, DataError
from anon_transformers.release import ReleaseConfig
from anon_transformers.release._file_kinds import DATABASE_KINDS
from anon_transformers.release._strict import explain
from anon_transformers.studio._project import Project, stamp_of, write_privately

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
ENCODINGS = ("utf-8", "latin-1", "cp1252", "utf-16")
HEAD = 1 << 17
"""Bytes of a file that a preview reads."""
PREVIEW_ROWS = 20
PREVIEW = "preview"


@dataclass(frozen=True)
class StatedSource:
    """Where the table is and how it is read.

    Attributes
    ----------
    config : ReleaseConfig
        A configuration whose source is the stated one, with all paths filled in.
    kind : str
        Name of the reader, such as ``csv``.
    """

    config: ReleaseConfig
    kind: str

    @property
    def files(self) -> list[Path]:
        """The files, one or several."""
        return [self.config.path(path) for path in self.config.source.paths]

    @property
    def is_csv(self) -> bool:
        """Whether separator, encoding and marks of missing values mean something."""
        return self.kind == "csv"

    @property
    def is_database(self) -> bool:
        """Whether it is a table of a database, which counts it."""
        return self.kind in DATABASE_KINDS

    @property
    def options(self) -> dict[str, Any]:
        """What the reader is told beside the path."""
        return self.config.source.options

    @property
    def separator(self) -> str:
        """Of a CSV file."""
        return str(self.options.get("separator", ","))

    @property
    def encoding(self) -> str:
        """Of a CSV file."""
        return str(self.options.get("encoding", "utf-8"))

    @property
    def missing(self) -> list[str]:
        """Texts that stand for missing values."""
        given = self.options.get("missing", ())
        return [given] if isinstance(given, str) else [str(one) for one in given]

    @property
    def stated_kinds(self) -> dict[str, Any]:
        """What the file says that columns are."""
        given = self.options.get("columns")
        return dict(given) if isinstance(given, Mapping) else {}

    @property
    def key(self) -> str:
        """Another one for other files, and for other ways to read them."""
        stated = self.config.source.model_dump(mode="json")
        seen = [(str(file), *stamp_of(file)) for file in self.files]
        text = json.dumps([stated, self.kind, seen], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def columns(self) -> list[str] | None:
        """The names in the header; None if only the reader knows them."""
        from anon_transformers.release._source import columns_of_source

        place: dict[str, Any] = {"path": self.files[0]} if self.files else {}
        if self.kind == "sql":
            place = {"folder": self.config.folder}
        return columns_of_source(self.kind, {**self.options, **place})

    def read(self) -> "pd.DataFrame":
        """Every cell: of a CSV file as it is written, with no mark taken as missing."""
        from anon_transformers.release._source import read_source

        names = self.columns() if self.files else None
        source = self.config.source.model_dump(mode="json")
        if self.is_csv:
            every = dict.fromkeys(names or [], "text")
            source |= {"columns": every, "missing": []}
        return read_source(_config(source, names or [], self.config.folder))


def source_of(project: Project) -> StatedSource:
    """The source that a release file states, though it may be no release yet.

    Raises
    ------
    ConfigurationError, DataError
        If there is none, in the words of a release.
    """
    from anon_transformers.registry import registry
    from anon_transformers.release._file_kinds import kind_of_file
    from anon_transformers.release._resolve import resolve

    refuse_without_period(project)
    config = resolve(stated_config(project), project.period)
    files = [config.path(path) for path in config.source.paths]
    for file in files:
        if not file.is_file():
            raise DataError(f"source.path: {file} does not exist.")
    kind = config.source.kind
    if not kind:
        kind = kind_of_file(files[0], registry().readers)
    return StatedSource(config, kind)


def stated_config(project: Project) -> ReleaseConfig:
    """Source and target as the file states them, though it may be no release yet."""
    content = project.content
    return _config(
        content.get("source"), [], str(project.file.parent), content.get("target")
    )


def refuse_without_period(project: Project) -> None:
    """Refuse to go on where a period is to be chosen first."""
    stated = stated_config(project)
    if stated.grain is not None and project.period is None:
        raise DataError(
            "the release file has periods: choose one at the top of the page, such as "
            f"{stated.example_period}."
        )


def _config(
    source: Any, columns: Sequence[str], folder: str, target: Any = None
) -> ReleaseConfig:
    """A configuration of which the source matters, and the columns it has."""
    known = list(dict.fromkeys(columns)) or ["any"]
    try:
        return ReleaseConfig.model_validate(
            {
                "source": source,
                "roles": {"quasi_identifiers": known},
                "anonymizer": {"name": "mondrian"},
                "thresholds": [{"model": "k-anonymity", "k": 2}],
                "target": target or {"path": "unused"},
                "composition": {"accept_unjudged": "nothing is published of it"},
                "name": "table",
                "folder": folder,
            }
        )
    except ValidationError as error:
        raise ConfigurationError(explain(error)) from None


@dataclass(frozen=True)
class TablePreview:
    """The first rows of a file, read in one way or another.

    Attributes
    ----------
    columns : list of str
        The header.
    rows : list of list of str or None
        Cells; None where one is missing.
    """

    columns: list[str]
    rows: list[list[str | None]]


def preview(
    project: Project,
    source: StatedSource,
    separator: str,
    encoding: str,
    missing: Sequence[str],
) -> TablePreview:
    """Read the first rows of a CSV file, strictly; nothing of the project changes.

    Raises
    ------
    DataError, ParameterError
        If the start of the file cannot be read so.
    """
    import pandas as pd

    from anon_transformers.release._files import csv_columns, csv_texts

    file = source.files[0]
    names = csv_columns(file, separator, encoding)
    # The start is read as a file of its own: the same reader, in the same words.
    start = project.results_folder(PREVIEW) / f"{secrets.token_hex(8)}.csv"
    write_privately(start, start_of_csv(file, encoding))
    try:
        frame = csv_texts(start, separator=separator, missing=list(missing))
    except DataError as error:
        said = str(error).replace(str(start), str(file))
        raise DataError(said) from None
    finally:
        start.unlink(missing_ok=True)
    shown = frame.head(PREVIEW_ROWS)
    cells = [[None if pd.isna(cell) else str(cell) for cell in row]
             for row in shown.itertuples(index=False)]  # fmt: skip
    return TablePreview(names, cells)


def start_of_csv(file: Path, encoding: str) -> str:
    """The start of a file, cut off between two rows."""
    import codecs

    import pyarrow as pa

    from anon_transformers.release._files import known_encoding

    with pa.input_stream(str(file)) as stream:
        read = stream.read(HEAD)
    is_whole = len(read) < HEAD
    decoder = codecs.getincrementaldecoder(known_encoding(encoding))()
    try:
        text = decoder.decode(read, final=is_whole)
    except UnicodeDecodeError:
        raise DataError(
            f"{file}: cannot be read as CSV in {encoding}; is it in another encoding?"
        ) from None
    if is_whole:
        return text
    rows: list[str] = []
    quotes = 0
    end = 0
    for at, line in enumerate(io.StringIO(text, newline="")):
        rows.append(line)
        quotes += line.count('"')
        # Within quotes the end of a line is no end of a row.
        if quotes % 2 == 0 and line.endswith(("\n", "\r")):
            end = at + 1
    return "".join(rows[:end]) or text

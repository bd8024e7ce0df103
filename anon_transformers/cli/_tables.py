"""Tables from files, of which a command names the columns that were typed only."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anon_transformers.cli._dialects import Dialect, existing_file
from anon_transformers.exceptions import ConfigurationError, DataError, ParameterError

if TYPE_CHECKING:
    import pandas as pd

FILES = "CSV, Parquet or a format of a plugin"
"""What commands read, in words."""
MANIFEST_KEYS = {"data", "format", "schema", "sha256"}
"""What the manifest of a release tells of its file."""


def typed_texts(*given: Any) -> Iterator[str]:
    """Every text in what was typed, however nested: it may be the name of a column.

    Examples
    --------
    >>> sorted(typed_texts(["age"], None, {"types": {"zip": 5}}))
    ['age', 'types', 'zip']
    """
    for one in given:
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            yield from typed_texts(*one.keys(), *one.values())
        elif isinstance(one, Iterable):
            yield from typed_texts(*one)


@dataclass(frozen=True)
class TableReader:
    """Reads the tables of one command, by their suffix, with the registered readers.

    The first line of a file without a header is a person. So a table that lacks a
    column is refused before anything else looks for it, and columns that were not typed
    go by where they stand, whatever is said of them later on.

    Parameters
    ----------
    missing : sequence of str, optional
        Texts that stand for a missing value in a CSV file.
    typed : collection of str
        Columns that were typed, or that a manifest names: messages may name these.
    show_names : bool, default=False
        Keep the names of the others, too, for a command that shows records.

    Examples
    --------
    >>> from anon_transformers.cli import Dialect, TableReader
    >>> reader = TableReader(missing=["?"], typed=["age"])
    >>> file = Path("bundled:adult/adult.csv.gz")
    >>> list(reader.read(file, Dialect(separator=","), ["age"]).columns[:2])
    ['column 1', 'age']
    """

    missing: Sequence[str] | None = None
    typed: Collection[str] = ()
    show_names: bool = False
    _called: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    def read(
        self,
        path: Path,
        dialect: Dialect,
        needed: Sequence[str] = (),
        *,
        as_text: Collection[str] = (),
        dates: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> "pd.DataFrame":
        """Read a table by its suffix; what begins with ``bundled:`` is the library's.

        A file of a published release is read by the schema of the manifest beside it,
        unless marks of missing values are stated.

        Parameters
        ----------
        path : Path
            A file, as it was typed.
        dialect : Dialect
            How it was written, if it is CSV.
        needed : sequence of str
            Columns that it must have.
        as_text : collection of str
            Columns that stay as they are written: 1 and 1.0 are two values.
        dates : mapping, optional
            How dates are written in columns of a CSV file.

        Raises
        ------
        DataError
            If there is no such file, no reader for it, or a column is lacking.
        """
        from anon_transformers.registry import registry
        from anon_transformers.release._file_kinds import by_ending, kind_of_file
        from anon_transformers.release._files import columns_of_file
        from anon_transformers.release._source import refuse_lacking
        from anon_transformers.roles import refuse_repeated_columns

        file = existing_file(path)
        readers = registry().readers
        kind = kind_of_file(file, by_ending(readers))
        if registry().reads_graphs(kind):
            raise DataError(f"{path} is a graph, and no table; see anon graph.")
        frame = None if self.missing else _published(file)
        if frame is not None:
            refuse_lacking(list(frame.columns), needed, str(path))
            self.declare(frame.columns)
            return frame
        options: dict[str, Any] = {}
        if kind == "csv":
            options = dict(dialect.as_options())
        with _advising(file, dialect, kind):
            names = columns_of_file(kind, file, options)
        if names is None:  # only its reader knows them
            frame = _read_with_plugin(kind, readers[kind], file)
            names = list(frame.columns)
        lacking = set(self.typed) - set(names)
        if kind == "csv" and len(names) == 1 and lacking:
            _refuse_other_separator(file, dialect)
        refuse_repeated_columns(names, {*self.typed, *needed}, f"{path}: the table")
        refuse_lacking(names, needed, str(path))
        if dates:
            typed = [name for name in names if name in self.typed]
            refuse_lacking(names, [*dates, *typed], f"--date: {path}")
        if kind == "csv":
            options["missing"] = self.missing or []
            as_text = [name for name in names if name in as_text]
            options["columns"] = {**dict.fromkeys(as_text, "text"), **(dates or {})}
        elif dates:
            raise ConfigurationError("--date: this is for CSV files.")
        if frame is None:
            with _advising(file, dialect, kind):
                frame = readers[kind](file, **options)
        return frame if self.show_names else self._by_position(frame, path)

    def declare(self, columns: Iterable[str]) -> None:
        """Take names of columns for public: a manifest names them."""
        self._called.update({name: name for name in columns})

    def _by_position(self, frame: "pd.DataFrame", path: Path) -> "pd.DataFrame":
        """Call columns that were not typed by where they stand.

        Columns of one name in several tables of the command stay columns of one name.
        """
        taken = {*self.typed, *self._called.values()}
        for at, name in enumerate(frame.columns, 1):
            if name not in self.typed and name not in self._called:
                called = f"column {at}"
                if called in taken:
                    called = f"column {at} of {path.name}"
                self._called[name] = called
        return frame.rename(columns=self._called)


def _read_with_plugin(kind: str, reader: Any, file: Path) -> "pd.DataFrame":
    """A table by the reader of a plugin, whose words may quote a cell."""
    import pandas as pd

    from anon_transformers.registry import refuse_wrong_parameters
    from anon_transformers.release._source import call_reader

    options = {"path": file}
    try:
        refuse_wrong_parameters(reader, options)
    except ParameterError as error:
        raise DataError(f"{file}: the reader {kind!r} {error}") from None
    found = call_reader(kind, reader, options)
    if not isinstance(found, pd.DataFrame):
        raise DataError(f"{file}: the reader {kind!r} gives no table.")
    return found


UNREADABLE = ("another number of fields", "cannot be read as CSV")
"""What the reader says of a file in another dialect."""


@contextmanager
def _advising(file: Path, dialect: Dialect, kind: str) -> Iterator[None]:
    """Name the option that helps where a CSV file is in another dialect."""
    try:
        yield
    except DataError as error:
        message = str(error)
        if kind != "csv" or not any(text in message for text in UNREADABLE):
            raise
    else:
        return
    raise DataError(f"{message} {dialect.advice(file)}")


def _refuse_other_separator(file: Path, dialect: Dialect) -> None:
    """Refuse a file of one column that shows another separator."""
    if dialect.shown_separator(file) != dialect.separator:
        raise DataError(f"{file} has one column only. {dialect.advice(file)}")


def _published(file: Path) -> "pd.DataFrame | None":
    """The table as it was published, if the manifest beside it tells of it."""
    from anon_transformers.release._reading import read_checked

    try:
        text = (file.parent / "manifest.json").read_text(encoding="utf-8")
        manifest = json.loads(text)
    except (OSError, ValueError):  # there is none, or it is about something else
        return None
    if not isinstance(manifest, dict) or not manifest.keys() >= MANIFEST_KEYS:
        return None
    for part in (manifest, manifest.get("nodes", {})):
        if part.get("data") == file.name:
            return read_checked(file.parent, manifest["format"], part)
    return None

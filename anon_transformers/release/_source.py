"""The source of a table, and what it must be: columns, persons, values, dates.

The first line of a file that has no header is a person. So names of columns are
personal data until they match the declared roles: messages of a release name declared
columns only, and others by where they stand.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.columns import identify, to_text
from anon_transformers._data.dates import looks_like_dates, refuse_written_dates
from anon_transformers._data.readings import read_values
from anon_transformers.base._base import (
    OVERLOOKED,
    describe_repeated,
    persons_in,
    repeated_identifiers,
    warn_of_repeated_identifiers,
)
from anon_transformers.exceptions import AnonymizationError, DataError, shortened
from anon_transformers.privacy import PrivacyModel
from anon_transformers.registry import refuse_wrong_parameters
from anon_transformers.release._build import installed
from anon_transformers.release._config import ReleaseConfig, refused_under
from anon_transformers.release._databases import columns_of_database
from anon_transformers.release._declared_roles import COLUMN_ROLES, DeclaredRoles
from anon_transformers.release._file_kinds import (
    DATABASE_KINDS,
    kind_of_file,
    known_kind,
)
from anon_transformers.release._files import (
    check_csv_options,
    columns_of_file,
    csv_texts,
    refuse_nested,
    type_texts,
)
from anon_transformers.release._identifying_columns import identifying_faults
from anon_transformers.release._one_state import (
    refuse_changed_files,
    states_of_files,
)
from anon_transformers.release._remote_files import is_address
from anon_transformers.release._several_files import (
    put_together,
    refuse_other_types,
    said_of_part,
)
from anon_transformers.release._written_kinds import holds_decimals
from anon_transformers.roles import list_positions, refuse_repeated_columns

OF_ALL_FILES = ("columns", "exact")
"""Options of CSV files that are about the cells of all files together."""
LOOK = " You see the header of a CSV file with: head -n 1 FILE."


def read_source(config: ReleaseConfig) -> pd.DataFrame:
    """Read the table with the reader that the source names.

    Raises
    ------
    DataError
        If a file of it was written meanwhile: what was read may be half of each state.
    """
    before = states_of_files(config)
    frame = _read_source(config)
    refuse_changed_files(config, before)
    return frame


def _read_source(config: ReleaseConfig) -> pd.DataFrame:
    options = config.source.options
    kind = config.source.kind
    if isinstance(config.source.path, tuple):
        return read_several(config)
    if is_address(config.source.path):
        options["path"] = config.source.path
        kind = kind or kind_of_file(options["path"], installed().readers)
    elif config.source.path is not None:
        options["path"] = config.path(config.source.path)
        kind = kind or kind_of_file(options["path"], installed().readers)
    reader = reader_of(config, kind, options)
    return read_one(config, kind, reader, options)


def refuse_wrong_options(config: ReleaseConfig) -> None:
    """Refuse options that the reader of a source does not take, before it is there."""
    source, options, kind = config.source, config.source.options, config.source.kind
    mapped = config.airflow.map
    if source.path is not None:
        options["path"] = source.paths[0]
    elif mapped is not None and mapped.tables is not None:
        options["path"] = mapped.tables
    if not kind:
        try:
            kind = kind_of_file(options["path"], installed().readers)
        except DataError:  # what fills in a path may bring its ending
            return
    reader_of(config, kind, options)
    if kind == "csv":
        with refused_under("source"):
            check_csv_options(config.roles.columns, **options)


def reader_of(
    config: ReleaseConfig, kind: str, options: dict[str, Any]
) -> Callable[..., Any]:
    """The reader of a kind; refuses options that it does not take."""
    with refused_under("source.kind"):
        reader = installed().readers[kind]
    if kind == "sql":
        options["folder"] = config.folder
    if kind == "csv":
        options.setdefault(
            "exact", (*config.roles.sensitive, *config.roles.insensitive)
        )
    # A stranger's TypeError could quote a cell, so its words are never passed on.
    with refused_under("source"):
        refuse_wrong_parameters(reader, options)
    return reader


def read_several(config: ReleaseConfig) -> pd.DataFrame:
    """Read files of one kind, and put them together."""
    places = [
        text if is_address(text) else config.path(text) for text in config.source.paths
    ]
    kind = config.source.kind or _one_kind(places)
    options = {**config.source.options, "path": places[0]}
    reader = reader_of(config, kind, options)
    # Cells of CSV files are typed together: one text makes a column of texts.
    stated = {k: options.pop(k) for k in OF_ALL_FILES if kind == "csv" and k in options}
    read = csv_texts if kind == "csv" else reader
    tables = {}
    for place in places:
        with said_of_part(place):
            how = {**options, "path": place}
            tables[str(place)] = read_one(config, kind, read, how)
    if kind == "csv":
        return type_texts(put_together(tables), **stated)
    refuse_other_types(tables)
    return put_together(tables)


def _one_kind(places: Sequence[Any]) -> str:
    readers = installed().readers
    kinds = {kind_of_file(place, readers): place for place in places}
    if len(kinds) > 1:
        named = "; ".join(f"{place} is {kind}" for kind, place in kinds.items())
        raise DataError(f"source.path: the files are of several kinds: {named}.")
    return next(iter(kinds))


def read_one(
    config: ReleaseConfig,
    kind: str,
    reader: Callable[..., Any],
    options: dict[str, Any],
) -> pd.DataFrame:
    """Read one file, or whatever else the reader of a kind reads."""
    names = columns_of_source(kind, options)
    if names is None:
        found = call_reader(kind, reader, options)
        if not isinstance(found, pd.DataFrame):
            raise DataError(
                f"source: the reader {kind!r} gives no data frame (one of graphs says "
                "so by its attribute kind)."
            )
        return found
    # Before any cell is read: what is said of one names its column.
    refuse_other_columns(names, config.roles)
    return reader(**options)


def columns_of_source(kind: str, options: Mapping[str, Any]) -> list[str] | None:
    """Its columns before any cell is read; None if only its reader knows."""
    if kind in DATABASE_KINDS:
        return columns_of_database(kind, options)
    return columns_of_file(kind, options.get("path", ""), options)


def call_reader(kind: str, reader: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Read with a stranger's reader; what it says may quote cells and columns."""
    try:
        return reader(**options)
    except AnonymizationError as error:
        fault = (
            f"source: the reader {kind!r} failed with {type(error).__name__}. Its "
            "words may quote the data and are not shown: call it by itself to see them."
        )
    # Out here nothing is chained to it: some loggers print all that is.
    raise DataError(fault)


def check_columns(
    frame: pd.DataFrame,
    roles: DeclaredRoles,
    *,
    exempt: Collection[str] = (),
    marks: Mapping[str, Collection[str] | None] | None = None,
) -> None:
    """Every column has a declared role, and none tells persons apart."""
    if not len(frame):
        raise DataError("the source is empty: it has no rows.")
    refuse_other_columns(list(frame.columns), roles)
    refuse_nested(frame)
    subject = None if roles.subject is None else frame[roles.subject]
    faults = identifying_faults(frame, roles, subject, exempt=exempt, marks=marks)
    if faults:
        raise DataError("\n".join(f"{fault}." for fault in faults))


def refuse_unstated_dates(
    frame: pd.DataFrame | Mapping[str, pd.Series], config: ReleaseConfig
) -> None:
    """Refuse texts that look like dates, unless the file says what they are."""
    stated = {*config.hierarchies, *config.stated_columns}
    types = config.anonymizer.params.get("types")
    typed = types if isinstance(types, dict) else {}
    for column in (*config.roles.quasi_identifiers, *config.roles.sensitive):
        if column in stated:
            continue
        if column in typed and looks_like_dates(frame[column]):
            raise DataError(
                f"column {column!r} holds texts that look like dates, and types of "
                f"{config.anonymizer.name} does not say how the gate may read its "
                f"labels. State hierarchies: {{{column}: {{kind: by-data-type, type: "
                f"{typed[column]}}}}} instead, or read the texts as dates with "
                f"source.columns: {{{column}: {{date: '%d/%m/%Y'}}}} or however they "
                "are written."
            )
        refuse_written_dates(frame[column])


def refuse_unstated_numbers(
    frame: pd.DataFrame | Mapping[str, pd.Series], config: ReleaseConfig
) -> None:
    """Refuse quasi-identifiers of a CSV file that may be numbers or texts.

    One text makes a column of texts: the label of ``1.50`` is 1.5 without it. If its
    row is suppressed, the labels of all others would tell that it was there. Where
    leaves of a file are the labels, they do not.
    """
    path, kind = next(iter(config.source.paths), None), config.source.kind
    if path is None or (kind or known_kind(path)) != "csv":
        return
    files = {
        name for name, stated in config.hierarchies.items() if stated.path is not None
    }
    settled = {*config.stated_columns, *files}
    for column in config.roles.quasi_identifiers:
        if column not in settled and holds_decimals(frame[column]):
            raise DataError(
                f"column {column!r} holds numbers with decimals. Where rows are "
                "suppressed, how the others are written must not tell what kind of "
                f"values they held: state source.columns: {{{column}: number}}, or "
                "text, which keeps 1.50 as it is."
            )


def refuse_odd_subjects(frame: pd.DataFrame, roles: DeclaredRoles) -> None:
    """Refuse rows of nobody, and persons who are written in several ways."""
    if roles.subject is None:
        return
    texts = to_text(frame[roles.subject])
    nobody = int(texts.isna().sum())
    if nobody:
        raise DataError(
            f"subject: column {roles.subject!r} is empty in {nobody} rows, which no "
            "count of persons would see; leave these rows out, or say whose they are."
        )
    distinct = texts.unique().tolist()
    n_persons = len(np.unique(persons_in(frame[roles.subject], distinct)))
    if n_persons < len(distinct):
        raise DataError(
            f"subject: the {len(distinct)} texts of column {roles.subject!r} are "
            f"{n_persons} persons to a reader, who overlooks {OVERLOOKED}; write each "
            "person one way."
        )


def refuse_repeated_identifiers(frame: pd.DataFrame, roles: DeclaredRoles) -> None:
    """Refuse to count rows where an identifier says that persons have several."""
    if roles.subject is not None or roles.rows_are_persons:
        return
    found = repeated_identifiers(frame, roles.identifiers)
    if found:
        raise DataError(
            "rows would be counted for persons. If persons have several rows, name the "
            "column that tells them apart under roles, such as 'subject: "
            f"{next(iter(found))}', and persons are counted; if every row is a person "
            "all the same, state 'rows_are_persons: true'. Here "
            f"{describe_repeated(found)}."
        )
    warn_of_repeated_identifiers(frame, roles.identifiers)


def refuse_several_values(
    frame: pd.DataFrame,
    roles: DeclaredRoles,
    marks: Mapping[str, Collection[str] | None],
) -> None:
    """Refuse persons with several values, as people read them, where one is declared.

    A missing value, and a mark of one that is usual or stated by a threshold, is none.
    """
    for name in roles.one_value_per_person:
        column = identify(frame[name])
        read = read_values(column.texts().tolist(), marks[name])
        codes = np.arange(column.cardinality) if read is None else read
        values = pd.Series(codes[column.codes])
        values = values.where(values != codes[-1])
        of_person = values.groupby(frame[roles.subject].to_numpy()).nunique()
        count = int((of_person > 1).sum())
        if count:
            raise DataError(
                f"one_value_per_person: {count} persons have several values in column "
                f"{name!r}, with spellings of one value taken for one and missing ones "
                "left out. Take the column out of the list, or mend the source; marks "
                "of missing values that are not usual are stated as missing_marks of a "
                "threshold that judges the column."
            )


def stated_marks(models: Iterable[PrivacyModel], column: str) -> tuple[str, ...] | None:
    """Marks of missing values that models add for a column; None: the usual."""
    stated = [
        text
        for model in models
        if getattr(model, "sensitive", column) in {None, column}
        for text in getattr(model, "missing_marks", None) or ()
    ]
    return tuple(dict.fromkeys(stated)) or None


def refuse_misspelled_columns(config: ReleaseConfig) -> None:
    """Refuse other columns than those of the source, if its file can be opened."""
    if config.source.kind == "sql":
        options = {**config.source.options, "folder": config.folder}
        refuse_other_columns(columns_of_database("sql", options), config.roles)
    for path in config.source.paths:
        file = config.path(path)
        if is_address(path) or not file.is_file():
            continue
        kind = config.source.kind or kind_of_file(file, installed().readers)
        options = {**config.source.options, "path": file}
        names = columns_of_source(kind, options)
        if names is not None:
            refuse_other_columns(names, config.roles)


def refuse_other_columns(names: Sequence[Hashable], roles: DeclaredRoles) -> None:
    """Refuse a source that has other columns than the declared ones.

    Parameters
    ----------
    names : sequence
        The columns of the source, in their order.
    roles : DeclaredRoles
        Every column that it should have.
    """
    refuse_repeated_columns(names, roles.columns, "the source")
    refuse_lacking(names, roles.columns, "roles")
    others = _undeclared(names, roles.columns)
    if others:
        present = [column for column in roles.columns if column in names]
        count = _count_undeclared(others, present)
        raise DataError(
            f"the source:{count} Every column of the source needs one "
            f"of: {', '.join(COLUMN_ROLES)}; or it is the "
            "subject, which tells persons apart."
        )


def refuse_lacking(
    names: Sequence[Hashable], declared: Collection[str], what: str
) -> None:
    """Refuse a table that lacks a column which was declared."""
    present = [column for column in declared if column in names]
    for column in declared:
        if column not in present:
            others = _undeclared(names, declared)
            hint = _misspelling(column, {at: str(names[at - 1]) for at in others})
            if not hint and (near := get_close_matches(column, present, n=1)):
                hint = f"; did you mean {near[0]!r}? It is declared already"
            count = _count_undeclared(others, present)
            look = LOOK if count else ""
            lacking = repr(shortened(column))
            raise DataError(f"{what}: unknown column {lacking}{hint}.{count}{look}")


def _misspelling(column: str, others: Mapping[int, str]) -> str:
    """Which undeclared column may be meant, by where it stands: never by its name."""
    near = get_close_matches(column, list(others.values()), n=1)
    if not near:
        return ""
    at = next(at for at, name in others.items() if name == near[0])
    return f"; column {at} of the header is nearly called so, and is not declared"


def refuse_undeclared(
    names: Sequence[Hashable], roles: DeclaredRoles, key: str
) -> None:
    """Refuse a file of a graph that has undeclared columns."""
    refuse_repeated_columns(names, roles.columns, f"{key}: the file")
    present = [column for column in roles.columns if column in names]
    others = _undeclared(names, roles.columns)
    if others:
        count = _count_undeclared(others, present)
        raise DataError(
            f"{key}:{count} Names of nodes are declared under "
            "roles.identifiers, weights of edges under roles.insensitive, labels of "
            "nodes under roles.quasi_identifiers."
        )


def _undeclared(names: Sequence[Hashable], declared: Collection[str]) -> list[int]:
    return [i for i, name in enumerate(names, 1) if name not in declared]


def _count_undeclared(others: Sequence[int], present: Sequence[str]) -> str:
    """How many columns are not declared, and where they stand."""
    if not others:
        return ""
    count = "1 column has" if len(others) == 1 else f"{len(others)} columns have"
    message = f" {count} no declared role ({list_positions(others)})."
    hint = " Not one name is declared: has it no header, or another separator?"
    return message if present else message + hint

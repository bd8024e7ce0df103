"""First step: take the source as it is now into the private folder of a run."""

import os
import secrets
import tempfile
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.columns import identify, to_text
from anon_transformers._data.dates import looks_like_dates, refuse_written_dates
from anon_transformers._data.readings import read_spellings, read_values
from anon_transformers.base import BaseAnonymizer
from anon_transformers.base._base import repeated_identifiers
from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    DataError,
    ParameterError,
    unknown_choice,
)
from anon_transformers.gx._threshold import Threshold
from anon_transformers.registry import refuse_wrong_parameters
from anon_transformers.release._build import (
    check_gate,
    check_threshold,
    installed,
    make_anonymizer,
    make_model,
    refuse_too_few_groups,
)
from anon_transformers.release._config import (
    DeclaredRoles,
    ReleaseConfig,
    is_address,
    read_config,
)
from anon_transformers.release._discretion import discreet
from anon_transformers.release._faults import INSENSITIVE_LIMIT, telling_faults
from anon_transformers.release._files import (
    columns_of_file,
    kind_of_file,
    refuse_nested,
    write_parquet,
)
from anon_transformers.release._graph import NODES, read_graph, weight_shares
from anon_transformers.release._names import refuse_other_columns
from anon_transformers.release._publish import recover, refuse_foreign_target
from anon_transformers.release._run import (
    RUNS,
    Ledger,
    Run,
    file_hashes,
    locked,
    make_private,
    next_run_id,
    now,
    refuse_links,
    remove_runs,
    remove_tree,
    sha256,
    write_json,
)
from anon_transformers.release._seals import make_key
from anon_transformers.release._spreadsheets import would_run
from anon_transformers.release._thresholds import tighten

INPUT = "input"
"""Name of the table that was loaded; of a graph, that of its edges."""


@discreet
def load(
    config_path: str | os.PathLike[str],
    run_id: str | None = None,
    parameters: Mapping[str, int | float] | None = None,
) -> str:
    """Start a run: check the configuration, read the source, check its columns.

    A newer run takes the place of an unfinished older one of the same release, whose
    private data are removed.

    Parameters
    ----------
    config_path : path
        The release file.
    run_id : str, optional
        Name of the run; a fresh one by default. The same name again gives the same run.
    parameters : mapping, optional
        Thresholds that this run tightens, such as ``{"k_anonymity_k": 10}``.

    Returns
    -------
    str
        The run's private folder.
    """
    config = read_config(config_path)
    ways = {threshold.id: check_threshold(threshold) for threshold in config.thresholds}
    thresholds = tighten(config.thresholds, parameters, ways)
    anonymizer = make_for_columns(config, thresholds)
    check_gate(config, thresholds)
    refuse_unwritable(config)
    refuse_foreign_target(config)
    order = {
        "file": str(Path(config_path).absolute()),
        "config": config.model_dump(mode="json"),
        "thresholds": [threshold.to_dict() for threshold in thresholds],
        "files": file_hashes(config),
    }
    found = find_run(config, run_id, order)
    if found is not None:
        return str(found)
    # Everything is checked before the first folder is made.
    tables = read_tables(config)
    refuse_too_few_groups(anonymizer, thresholds, len(tables[INPUT]))
    return str(start_run(config, run_id, order, tables))


def make_for_columns(
    config: ReleaseConfig, thresholds: tuple[Threshold, ...]
) -> BaseAnonymizer:
    """Make the anonymizer; what it refuses may be the name of a misspelt column."""
    try:
        return make_anonymizer(config, thresholds)
    except ConfigurationError as error:
        refused = error
    refuse_misspelt_columns(config)
    raise refused


def refuse_misspelt_columns(config: ReleaseConfig) -> None:
    """Refuse other columns than those of the source, if its file can be opened."""
    path = config.source.path
    if config.is_graph or path is None or is_address(path):
        return
    file = config.path(path)
    if not file.is_file():
        return
    kind = config.source.kind or kind_of_file(file, installed().readers)
    names = columns_of_file(kind, file, {**config.source.options, "path": file})
    if names is not None:
        refuse_other_columns(names, config.roles)


def find_run(
    config: ReleaseConfig, run_id: str | None, order: dict[str, Any]
) -> Path | None:
    """The unfinished run of that name, if it was started with the same order."""
    if run_id is None:
        return None
    run = Run(config.home / RUNS / next_run_id(run_id, Ledger(config.home)))
    return run.folder if run.has_order(order) else None


def start_run(
    config: ReleaseConfig,
    run_id: str | None,
    order: dict[str, Any],
    tables: Mapping[str, pd.DataFrame],
) -> Path:
    """Write the run's private folder; older unfinished runs go."""
    frame = tables[INPUT]
    runs = make_private(config.home) / RUNS
    with locked(config.home):
        recover(config)
        ledger = Ledger(config.home)
        folder = runs / next_run_id(run_id, ledger)
        # First, so that there are never two copies of personal data.
        remove_runs(config.home, again=folder.name)
        draft = runs / f".{folder.name}.{secrets.token_hex(3)}.draft"
        ledger.write(folder.name, "loading", draft=draft.name)
        make_private(draft)
        try:
            make_key(draft)
            inputs = {}
            for name, table in tables.items():
                write_parquet(table, draft / f"{name}.parquet")
                inputs[name] = sha256(draft / f"{name}.parquet")
            noted = {"started": now(), "inputs": inputs, **order}
            write_json(draft / "run.json", noted)
            ledger.write(folder.name, "loaded", rows=len(frame))
            draft.rename(folder)
        except BaseException:
            remove_tree(draft)
            ledger.abandon(folder.name)
            raise
    return folder


def refuse_unwritable(config: ReleaseConfig) -> None:
    """Refuse a target that could not be written, or read back, in the end."""
    for catalog in (installed().writers, installed().readers):
        if config.target.format not in catalog:
            told = unknown_choice("format", config.target.format, catalog)
            raise ConfigurationError(f"target.format: {told}")
    refuse_headers_that_run(config)
    # A link may lead the private folder into the public one.
    target, home = config.path(config.target.path), config.home.resolve()
    if target.is_relative_to(home) or home.is_relative_to(target):
        raise ConfigurationError(
            f"workspace: {home} and the target {target} must not hold one another; "
            "the workspace is private."
        )
    for key, given in config.source.files.items():
        if config.path(given).is_relative_to(target):
            raise ConfigurationError(
                f"source.{key}: the file lies in the target {target}, which is public."
            )
    refuse_links(home)
    Ledger(home).refuse_no_file()
    for key, path in (("target.path", target), ("workspace", home)):
        place = path
        while not place.exists():
            place = place.parent
        try:
            # Asking for permission is not enough: some file systems take nothing. A
            # file without a name leaves nothing behind, however this ends.
            tempfile.TemporaryFile(dir=place).close()
        except OSError:
            raise ConfigurationError(f"{key}: {path} cannot be written.") from None


def refuse_headers_that_run(config: ReleaseConfig) -> None:
    """Refuse names of published columns that a spreadsheet would run."""
    roles = config.roles
    published = (*roles.quasi_identifiers, *roles.sensitive, *roles.insensitive)
    # The names of the columns that name nodes are published, too.
    for name in roles.columns if config.is_graph else published:
        if config.target.guards_texts and would_run(name):
            raise ConfigurationError(
                f"roles: a spreadsheet would run {name!r} at the head of a column; "
                "rename it, or state target.spreadsheet_safe: false."
            )


def read_tables(config: ReleaseConfig) -> dict[str, pd.DataFrame]:
    """Read the source, one table or the two of a graph, and check its columns."""
    if config.is_graph:
        edges, nodes = read_graph(config)
        refuse_telling(weight_shares(edges, nodes, config), config.roles)
        return {INPUT: edges, NODES: nodes}
    frame = read_source(config)
    # What is swapped keeps its values, and hides whose they are.
    swaps = installed().anonymizers[config.anonymizer.name].kind == "linked"
    exempt = config.roles.sensitive if swaps else ()
    check_columns(frame, config.roles, exempt=exempt)
    refuse_odd_subjects(frame, config.roles)
    refuse_repeated_identifiers(frame, config.roles)
    refuse_several_values(frame, config)
    refuse_unstated_dates(frame, config)
    return {INPUT: frame}


def read_source(config: ReleaseConfig) -> pd.DataFrame:
    """Read the table with the reader that the source names."""
    readers = installed().readers
    options = config.source.options
    kind = config.source.kind
    if is_address(config.source.path):
        options["path"] = config.source.path
    elif config.source.path is not None:
        options["path"] = config.path(config.source.path)
        kind = kind or kind_of_file(options["path"], readers)
    reader = readers[kind]
    if kind == "csv":
        options.setdefault(
            "exact", (*config.roles.sensitive, *config.roles.insensitive)
        )
    # A stranger's TypeError could quote a cell, so its words are never passed on.
    try:
        refuse_wrong_parameters(reader, options)
    except ParameterError as error:
        raise ConfigurationError(f"source: {error}") from None
    if isinstance(options.get("path"), Path) and not options["path"].is_file():
        raise DataError(f"source.path: {options['path']} does not exist.")
    names = columns_of_file(kind, options.get("path", ""), options)
    if names is None:
        return call_reader(kind, reader, options)
    # Before any cell is read: what is said of one names its column.
    refuse_other_columns(names, config.roles)
    return reader(**options)


def call_reader(
    kind: str, reader: Callable[..., pd.DataFrame], options: dict[str, Any]
) -> pd.DataFrame:
    """Read with a stranger's reader; what it says may name undeclared columns."""
    try:
        return reader(**options)
    except ConfigurationError:
        raise
    except AnonymizationError as error:
        told = f"source: the reader {kind!r} failed with {type(error).__name__}."
    # Out here nothing is chained to it: some loggers print all that is.
    raise DataError(told)


def check_columns(
    frame: pd.DataFrame, roles: DeclaredRoles, *, exempt: Collection[str] = ()
) -> None:
    """Every column has a declared role, and none tells persons apart."""
    if not len(frame):
        raise DataError("the source is empty: it has no rows.")
    refuse_other_columns(list(frame.columns), roles)
    refuse_nested(frame)
    subject = None if roles.subject is None else frame[roles.subject]
    faults = telling_faults(frame, roles, subject, exempt=exempt)
    if faults:
        raise DataError("\n".join(f"{fault}." for fault in faults))


def refuse_unstated_dates(frame: pd.DataFrame, config: ReleaseConfig) -> None:
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
    codes = read_spellings(distinct)
    if codes is not None:
        raise DataError(
            f"subject: the {len(distinct)} texts of column {roles.subject!r} are "
            f"{int(codes[-1])} persons to a reader, who overlooks case, blanks and "
            "spellings of a number; write each person one way."
        )


def refuse_repeated_identifiers(frame: pd.DataFrame, roles: DeclaredRoles) -> None:
    """Refuse to count rows where an identifier says that persons have several."""
    if roles.subject is not None or roles.rows_are_persons:
        return
    found = repeated_identifiers(frame, roles.identifiers)
    if found:
        told = "; ".join(
            f"identifier {column!r} repeats: {count} of its values stand in several "
            "rows"
            for column, count in found.items()
        )
        raise DataError(
            f"{told}. Rows would be counted for persons. If every row is a person all "
            "the same, state 'rows_are_persons: true' under roles; if persons have "
            "several rows, name the column that tells them apart, such as 'subject: "
            f"{next(iter(found))}', and persons are counted."
        )


def refuse_several_values(frame: pd.DataFrame, config: ReleaseConfig) -> None:
    """Refuse persons with several values, as people read them, where one is declared.

    A missing value, and a mark of one that is usual or stated by a threshold, is none.
    """
    for name in config.roles.one_value_per_person:
        column = identify(frame[name])
        read = read_values(column.texts().tolist(), stated_marks(config, name))
        codes = np.arange(column.cardinality) if read is None else read
        values = pd.Series(codes[column.codes])
        values = values.where(values != codes[-1])
        of_person = values.groupby(frame[config.roles.subject].to_numpy()).nunique()
        count = int((of_person > 1).sum())
        if count:
            raise DataError(
                f"one_value_per_person: {count} persons have several values in column "
                f"{name!r}, with spellings of one value taken for one and missing ones "
                "left out. Take the column out of the list, or mend the source; marks "
                "of missing values that are not usual are stated as missing_marks of a "
                "threshold that judges the column."
            )


def stated_marks(config: ReleaseConfig, column: str) -> tuple[str, ...] | None:
    """Marks of missing values that thresholds add for a column; None: the usual."""
    models = [make_model(t) for t in config.thresholds if t.kind == "model"]
    stated = [
        mark
        for model in models
        if getattr(model, "sensitive", column) in {None, column}
        for mark in getattr(model, "missing_marks", None) or ()
    ]
    return tuple(dict.fromkeys(stated)) or None


def refuse_telling(shares: Mapping[str, float], roles: DeclaredRoles) -> None:
    """Refuse weights of edges that point at persons, unless they are accepted."""
    for column, share in shares.items():
        if share > INSENSITIVE_LIMIT and (column,) not in roles.accepted_sets:
            raise DataError(
                f"weights {column!r}: {share:.1%} of the nodes have weights around "
                f"them that no other node has (limit {INSENSITIVE_LIMIT:.0%}). Leave "
                "the column out, or accept it: roles.accept_unique."
            )

"""The held-out part of a threshold: persons of whom the release can tell nothing.

An attack that succeeds on strangers just as often learns nothing from the release. So
whoever is in the control part must not be in the source: a control part that is the
source would make every attack pass.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from anon_transformers._data.columns import to_text
from anon_transformers._data.persons import read_persons
from anon_transformers.exceptions import ConfigurationError, DataError
from anon_transformers.gx._threshold import Threshold
from anon_transformers.release._config import ReleaseConfig, Source
from anon_transformers.release._file_kinds import DATABASE_KINDS
from anon_transformers.release._source import read_source, refuse_other_columns

MISSING = "\0"
"""Stands for a missing cell where rows are compared; no text holds it."""


def read_controls(
    config: ReleaseConfig, source: pd.DataFrame, thresholds: Sequence[Threshold]
) -> dict[str, pd.DataFrame]:
    """The held-out parts that thresholds name, by file.

    Each is read as the source is, with its options, and has the same columns; beside a
    table of a database, as its name says.

    Raises
    ------
    DataError, ConfigurationError
        If a file cannot be read so, or persons of it are in the source.
    """
    found: dict[str, pd.DataFrame] = {}
    for threshold in thresholds:
        file = threshold.inputs.get("control")
        if file is None or file in found:
            continue
        what = f"thresholds, {threshold.id}, control"
        try:
            found[file] = _read(config, file)
        except (DataError, ConfigurationError) as error:
            raise type(error)(f"{what}: read as the source is, {error}") from None
        if not len(found[file]):
            raise DataError(f"{what}: the file has no rows.")
        refuse_shared_persons(what, config, source, found[file])
    return found


def _read(config: ReleaseConfig, file: str) -> pd.DataFrame:
    if config.source.kind in DATABASE_KINDS:  # a held-out part is a file all the same
        source = Source(path=file)
    else:
        source = config.source.model_copy(update={"path": file})
    table = read_source(config.model_copy(update={"source": source}))
    refuse_other_columns(list(table.columns), config.roles)
    return table.drop(columns=list(config.roles.dropped))


def refuse_shared_persons(
    what: str, config: ReleaseConfig, source: pd.DataFrame, control: pd.DataFrame
) -> None:
    """Refuse a held-out part with persons who are in the source.

    Persons are told apart by the subject, or by all identifiers together, as people
    read them: in another spelling they are the same. Without them nobody can tell, and
    only a part is refused whose every row is a row of the source.
    """
    roles = config.roles
    keys = [roles.subject] if roles.subject is not None else list(roles.identifiers)
    keys = [name for name in keys if name in source.columns]
    if keys:
        persons = pd.MultiIndex.from_arrays(
            [_persons(source[name], control[name]) for name in keys]
        )
        strangers = persons[len(source) :].unique()
        shared = int(strangers.isin(persons[: len(source)]).sum())
        if shared:
            raise DataError(
                f"{what}: {shared:,} persons of the file are in the source too, by "
                f"{', '.join(map(repr, keys))}; a held-out part has others."
            )
        return
    names = list(source.columns)
    own, held = _rows(source[names]), _rows(control[names])
    if (held <= own.reindex(held.index, fill_value=0)).all():
        raise DataError(
            f"{what}: every row of the file is a row of the source too; a held-out "
            "part has other persons. Where it does, declare a column that tells them "
            "apart as the subject or as an identifier."
        )


def _persons(source: pd.Series, control: pd.Series) -> np.ndarray:
    """Whom each cell of both columns names, one after the other; -1: nobody known."""
    codes, texts = pd.factorize(pd.concat([to_text(source), to_text(control)]))
    return np.append(read_persons([str(text) for text in texts]), -1)[codes]


def _rows(table: pd.DataFrame) -> pd.Series:
    """How often a table has each combination of cells."""
    texts = pd.DataFrame({name: to_text(table[name]) for name in table.columns})
    return texts.astype(object).fillna(MISSING).value_counts()

"""First step: take the source as it is now into the private folder of a run."""

import os
import secrets
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from anon_transformers.base import BaseAnonymizer
from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    DataError,
)
from anon_transformers.gx._threshold import Threshold
from anon_transformers.release._anonymizer import check_gate, make_anonymizer
from anon_transformers.release._back_off import check_ladder, name_of
from anon_transformers.release._build import check_threshold
from anon_transformers.release._cells import write_parquet
from anon_transformers.release._composition import refuse_no_key
from anon_transformers.release._config import ReleaseConfig, read_config
from anon_transformers.release._forms import INPUT, Form, form_of
from anon_transformers.release._ledger import refuse_unknown_sources, settle
from anon_transformers.release._log import stage, tell
from anon_transformers.release._policies import refuse_looser_thresholds
from anon_transformers.release._pseudonyms import pseudonym_secret
from anon_transformers.release._public_store import refuse_foreign_store
from anon_transformers.release._public_table import refuse_foreign_table
from anon_transformers.release._resolve import GIVEN_PERIOD, resolve
from anon_transformers.release._run import (
    RUNS,
    Journal,
    Run,
    file_hashes,
    locked,
    make_key,
    make_private,
    next_run_id,
    now,
    of_period,
    refuse_links,
    remove_tree,
    sha256,
    write_order,
)
from anon_transformers.release._spreadsheets import would_run
from anon_transformers.release._steps import (
    discreet,
    note_refusal,
    refuse_mapped,
    refuse_what_is_missing,
)
from anon_transformers.release._streamed import StreamedTable
from anon_transformers.release._target import (
    recover,
    refuse_expired,
    refuse_foreign_target,
)
from anon_transformers.release._tighten import tighten
from anon_transformers.release._under_way import (
    Turn,
    conflicting,
    driver_of,
    held,
    remove_runs,
)


@discreet
def load(
    config_path: str | os.PathLike[str],
    run_id: str | None = None,
    parameters: Mapping[str, int | float] | None = None,
    period: GIVEN_PERIOD | None = None,
) -> str:
    """Start a run: check the configuration, read the source, check its columns.

    A run of the same release and period that is under way is waited for, or this one is
    refused, as ``on_conflict`` of the file says. One that was cut off is given up, and
    its private data are removed.

    Parameters
    ----------
    config_path : path
        The release file.
    run_id : str, optional
        Name of the run; a fresh one by default. The same name again gives the same run.
    parameters : mapping, optional
        Thresholds that this run tightens, such as ``{"k_anonymity_k": 10}``.
    period : str, date, datetime or Period, optional
        What the run is about, if the file has periods: ``"2026-10"``, or a day or a
        moment in it, such as the logical date of a scheduler.

    Returns
    -------
    str
        The run's private folder.
    """
    stated = read_config(config_path)
    tell(stated.name)
    refuse_mapped(stated)
    try:
        return load_as_stated(stated, config_path, run_id, parameters, period)
    except DataError:
        note_refusal(stated, run_id, period, first=_may_begin(stated, period))
        raise


def _may_begin(stated: ReleaseConfig, period: GIVEN_PERIOD | None) -> bool:
    """Whether a journal may be begun for a run whose source was refused."""
    try:
        config = resolve(stated, period)
        refuse_what_is_missing(config)
        refuse_unwritable(form_of(config))
    except (AnonymizationError, OSError):
        return False
    return True


def load_as_stated(
    stated: ReleaseConfig,
    config_path: str | os.PathLike[str],
    run_id: str | None,
    parameters: Mapping[str, int | float] | None,
    period: GIVEN_PERIOD | None,
) -> str:
    """Check everything and read the source; the folder of the run that begins."""
    stage("checking the release file")
    config = resolve(stated, period, file=config_path)
    refuse_what_is_missing(config)
    ways = {threshold.id: check_threshold(threshold) for threshold in config.thresholds}
    refuse_looser_thresholds(config, ways)
    thresholds = tighten(config.thresholds, parameters, ways)
    form = form_of(config)
    anonymizer = make_for_columns(form, thresholds)
    check_gate(form, thresholds)
    refuse_no_key(config, thresholds)
    refuse_unknown_sources(config)
    ladder = check_ladder(form, thresholds)
    refuse_unwritable(form)
    try:
        refuse_foreign_target(config)
        refuse_unfit_for_database(form)
    except ConfigurationError:
        note_refusal(stated, run_id, period, first=True)
        raise
    refuse_expired(config)
    order = {
        "file": str(Path(config_path).absolute()),
        "config": stated.model_dump(mode="json"),
        "filled": config.filling,
        "thresholds": [threshold.to_dict() for threshold in thresholds],
        "files": file_hashes(config),
    }
    if config.pseudonyms is not None:
        pseudonym_secret()  # refuses now, and not once the table is made
    tell(config.title)
    turn = Turn(config, run_id)
    while True:
        turn.wait()
        found = find_run(config, run_id, order)
        if found is not None:
            tell(run=found.name, again="was loaded before")
            return str(found)
        # Everything is checked before the first folder is made.
        stage("reading and checking the source")
        tables = read_expected(form)
        for rung, (of_rung, method) in enumerate([(form, anonymizer), *ladder]):
            of_rung.refuse_guessed_kinds(method, tables)
            of_rung.refuse_dropped_persons(tables, f"{name_of(rung)}, drop")
        if not ladder:
            form.refuse_too_small(anonymizer, thresholds, tables)
        started = start_run(config, run_id, order, tables)
        if started is not None:
            return str(started)
        del tables  # whoever waits holds no personal data


def refuse_unfit_for_database(form: Form) -> None:
    """Refuse a database in which the release cannot be shown."""
    if form.config.target.database is not None and not form.is_one_table:
        raise ConfigurationError(
            f"target.database: shows one table, and {form.noun} has two; publish it in "
            "a folder alone."
        )
    refuse_foreign_table(form.config)
    refuse_foreign_store(form.config)


def read_expected(form: Form) -> dict[str, pd.DataFrame]:
    """Read the source; refuses one that is not as the file expects it."""
    config = form.config
    config.expect.refuse_old([*map(config.path, config.source.files.values())])
    tables = form.read()
    if not isinstance(tables[INPUT], StreamedTable):
        refuse_other_size(form, tables[INPUT])
    return tables


def refuse_other_size(form: Form, table: pd.DataFrame | StreamedTable) -> None:
    """Say how much there is, and refuse what the file does not expect."""
    many, _ = form.counted
    tell(**{many: len(table)})
    subject = form.config.roles.subject
    if isinstance(table, pd.DataFrame) and [*table.columns].count(subject) == 1:
        tell(persons=int(table[subject].nunique()))
    tell(columns=table.shape[1])
    before = Journal(form.config.home).rows_before(form.config.period)
    form.config.expect.refuse_other_size(len(table), before)


def write_loaded(form: Form, table: pd.DataFrame | StreamedTable, file: Path) -> None:
    """Write a table of the run; one that is streamed is checked as it is written."""
    if not isinstance(table, StreamedTable):
        write_parquet(table, file)
        return
    table.write(file)
    refuse_other_size(form, table)
    form.refuse_written(file)


def make_for_columns(form: Form, thresholds: tuple[Threshold, ...]) -> BaseAnonymizer:
    """Make the anonymizer; what it refuses may be the name of a misspelled column."""
    try:
        return make_anonymizer(form.config, thresholds)
    except ConfigurationError as error:
        refused = error
    form.refuse_misspelled_columns()
    raise refused


def find_run(
    config: ReleaseConfig, run_id: str | None, order: dict[str, Any]
) -> Path | None:
    """The unfinished run of that name, if it was started with the same order."""
    if run_id is None:
        return None
    run = Run(config.home / RUNS / _named(config, run_id, Journal(config.home)))
    if not run.has_order(order):
        return None
    with held(run.folder):  # its lease begins anew
        return None if run.is_gone else run.folder


def _named(config: ReleaseConfig, run_id: str | None, journal: Journal) -> str:
    return next_run_id(run_id, journal, config.period)


def start_run(
    config: ReleaseConfig,
    run_id: str | None,
    order: dict[str, Any],
    tables: Mapping[str, pd.DataFrame],
) -> Path | None:
    """Write the run's private folder; older runs that were cut off go.

    None if another run that is in the way began meanwhile.
    """
    frame = tables[INPUT]
    stage("writing the run")
    runs = make_private(config.home) / RUNS
    with locked(config.home):
        recover(config)
        journal = Journal(config.home)
        folder = runs / _named(config, run_id, journal)
        if conflicting(config.home, folder.name, config.period) is not None:
            return None
        # First, so that there are never two copies of personal data.
        remove_runs(config.home, folder.name, config.period)
        settle(config)
        if os.path.lexists(folder):  # with somebody else's files
            journal.abandon(folder.name)
            folder = runs / _named(config, run_id, journal)
        draft = runs / f".{folder.name}.{secrets.token_hex(3)}.draft"
        about = of_period(config.period)
        journal.write(
            folder.name, "loading", draft=draft.name, driver=driver_of(run_id), **about
        )
        make_private(draft)
        try:
            with held(folder, made_in=draft):
                make_key(draft)
                inputs = {}
                for name, table in tables.items():
                    write_loaded(form_of(config), table, draft / f"{name}.parquet")
                    inputs[name] = sha256(draft / f"{name}.parquet")
                noted = {"started": now(), "inputs": inputs, **order}
                write_order(draft, folder.name, noted)
                journal.write(folder.name, "loaded", rows=len(frame), **about)
                draft.rename(folder)
            tell(run=folder.name)
        except BaseException:
            remove_tree(draft)
            journal.abandon(folder.name)
            raise
    return folder


def refuse_unwritable(form: Form) -> None:
    """Refuse a target that could not be written, or read back, in the end."""
    config = form.config
    refuse_headers_that_run(form)
    refuse_overlap(config)
    target, home = config.target_root, config.home.resolve()
    refuse_links(home)
    Journal(home).refuse_no_file()
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


def refuse_overlap(config: ReleaseConfig) -> None:
    """Refuse a target that holds what is private, or lies in it."""
    # A link may lead the private folder into the public one.
    target, home = config.target_root, config.home.resolve()
    if target.is_relative_to(home) or home.is_relative_to(target):
        raise ConfigurationError(
            f"workspace: {home} and the target {target} must not hold one another; "
            "the workspace is private."
        )
    private = {f"source.{key}": given for key, given in config.source.files.items()}
    for threshold in config.thresholds:
        for key, given in threshold.inputs.items():
            private[f"thresholds, {threshold.id}, {key}"] = given
    for key, given in private.items():
        if config.path(given).is_relative_to(target):
            raise ConfigurationError(
                f"{key}: the file lies in the target {target}, which is public."
            )


def refuse_headers_that_run(form: Form) -> None:
    """Refuse names of published columns that a spreadsheet would run."""
    for name in form.published_columns:
        if form.config.target.guards_texts and would_run(name):
            raise ConfigurationError(
                f"roles: a spreadsheet would run {name!r} at the head of a column; "
                "rename it, or state target.spreadsheet_safe: false."
            )

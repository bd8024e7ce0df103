"""Settings of a release that are tried in private, as a release would run them.

A try is made by the release's own method and judged by its own gate, in a folder that
the journal names before it is made, like that of a run, and that goes when all is
tried. Nothing of it is published.
"""

import secrets
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    ParameterError,
    safe_words,
)
from anon_transformers.gx._threshold import Threshold
from anon_transformers.gx.gate import GateResult
from anon_transformers.release._anonymize import write_draft
from anon_transformers.release._anonymizer import check_gate, make_anonymizer
from anon_transformers.release._back_off import DraftRun
from anon_transformers.release._cells import write_parquet
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._faults import suppressed_rows
from anon_transformers.release._forms import Candidate, Form, form_of
from anon_transformers.release._log import warnings_unheard
from anon_transformers.release._run import (
    RUNS,
    Journal,
    file_hashes,
    locked,
    make_key,
    make_private,
    next_run_id,
    now,
    of_period,
    refuse_links,
    remove_run,
    sha256,
    write_order,
)
from anon_transformers.release._steps import refuse_what_is_missing
from anon_transformers.release._table import TableForm
from anon_transformers.release._table_evidence import read_rows
from anon_transformers.release._under_way import held
from anon_transformers.release._validate import judge_candidate


@dataclass(frozen=True)
class Try:
    """What became of a setting.

    Attributes
    ----------
    passed : bool
        A release with this setting would be published.
    reason : str
        Why not; names of columns and numbers, never a cell.
    usable : bool
        A release may state it at all.
    candidate : Candidate or None
        What the method made; its files last until the next try.
    result : GateResult or None
        What the gate says of it.
    loss, column_losses, suppressed_rows, suppressed_persons
        What it costs, where that is known.
    """

    passed: bool
    reason: str = ""
    usable: bool = True
    candidate: Candidate | None = None
    result: GateResult | None = None
    loss: float | None = None
    column_losses: Mapping[str, float] | None = None
    suppressed_rows: int | None = None
    suppressed_persons: int | None = None


class Trials:
    """The private folder in which settings are tried, one after another.

    Parameters
    ----------
    folder : Path
        Where the loaded tables lie, and each candidate while it is judged.
    tables : mapping of str to data frame
        What was read from the source.
    """

    def __init__(self, folder: Path, tables: Mapping[str, pd.DataFrame]):
        self.folder, self.tables = folder, tables
        self.inputs: dict[str, str] = {}
        for name, table in tables.items():
            file = folder / f"{name}.parquet"
            write_parquet(table, file)
            self.inputs[name] = sha256(file)

    def attempt(self, config: ReleaseConfig, thresholds: tuple[Threshold, ...]) -> Try:
        """Make the candidate of a setting and judge it; never raises for its sake."""
        try:
            form = self._checked(config, thresholds)
        except (ConfigurationError, DataError, ParameterError) as error:
            return Try(False, safe_words(error), usable=False)
        except Exception as error:  # a stranger's, and what it says may quote a cell
            return Try(False, safe_words(error))
        order = {
            "started": now(),
            "inputs": self.inputs,
            "file": "",
            "config": config.stated.model_dump(mode="json"),
            "filled": config.filling,
            "thresholds": [threshold.to_dict() for threshold in thresholds],
            "files": file_hashes(config),
        }
        write_order(self.folder, self.folder.name, order)
        run = DraftRun(self.folder)
        with warnings.catch_warnings(), warnings_unheard():
            # A run with this setting gives them; here they would be of many settings.
            warnings.simplefilter("ignore")
            try:
                write_draft(run, config)
                candidate = Candidate.read(run)
                result = judge_candidate(form, candidate)
                costs = costs_of(form, candidate)
            except OSError:
                raise
            except Exception as error:
                return Try(False, safe_words(error))
        reason = "; ".join(result.reasons)
        return Try(result.passed, reason, True, candidate, result, **costs)

    def _checked(
        self, config: ReleaseConfig, thresholds: tuple[Threshold, ...]
    ) -> Form:
        """Everything that *load* checks of a file, beside its source."""
        refuse_what_is_missing(config)
        form = form_of(config)
        anonymizer = make_anonymizer(config, thresholds)
        check_gate(form, thresholds)
        form.refuse_guessed_kinds(anonymizer, self.tables)
        form.refuse_dropped_persons(self.tables)
        form.refuse_too_small(anonymizer, thresholds, self.tables)
        return form


@contextmanager
def private_trials(
    config: ReleaseConfig, tables: Mapping[str, pd.DataFrame]
) -> Iterator[Trials]:
    """A place for tries beside the runs of a release; it is gone in the end.

    Runs that are on their way are left alone, and a run that is loaded meanwhile leaves
    this alone; what a crash left here, it removes.
    """
    refuse_links(config.home)
    Journal(config.home).refuse_no_file()
    runs = make_private(config.home) / RUNS
    journal = Journal(config.home)
    with locked(config.home):
        run_id = next_run_id(None, journal, config.period)
        folder = runs / f".{run_id}.{secrets.token_hex(3)}.draft"
        about = of_period(config.period)
        journal.write(run_id, "loading", draft=folder.name, advice=True, **about)
        make_private(folder)
    try:
        with held(runs / run_id, made_in=folder):
            make_key(folder)
            yield Trials(folder, tables)
    finally:
        with locked(config.home):
            remove_run(folder)
            journal.abandon(run_id)


def costs_of(form: Form, candidate: Candidate) -> dict[str, Any]:
    """Loss as the gate judges it, and what is suppressed."""
    measured = {**candidate.noted["report"], **form.judged_losses(candidate)}
    costs = {key: measured.get(key) for key in ("loss", "column_losses")}
    if not isinstance(form, TableForm) or form.swaps:
        return costs
    roles, (table,) = form.config.roles, candidate.tables
    hidden = suppressed_rows(
        table,
        roles.quasi_identifiers,
        candidate.suppression_label,
        missing=candidate.noted["publishes"] == "centers",
    )
    gone = np.ones(len(candidate.source), dtype=bool)
    gone[read_rows(candidate)[~hidden]] = False
    persons = None
    if roles.subject is not None:
        persons = int(candidate.source[roles.subject][gone].nunique())
    n_gone = int(gone.sum())
    return {**costs, "suppressed_rows": n_gone, "suppressed_persons": persons}

"""What no candidate may be, whatever its thresholds say.

Thresholds judge the table that an anonymizer made. Here that table is compared with
the source: it has no more rows, its cells are cells of the source, its labels cover the
values they stand for. An anonymizer may come from anybody: its word is taken for one
thing only, what it publishes (``publishes``), and labels that are names of its own are
searched for identifiers and no more.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.columns import to_text
from anon_transformers.metrics._cell_faults import (
    cell_faults,
    center_faults,
    label_faults,
    moved_faults,
)
from anon_transformers.release._declared_roles import DeclaredRoles
from anon_transformers.release._identifiers import identifier_faults


def table_faults(
    source: pd.DataFrame,
    table: pd.DataFrame,
    rows: np.ndarray,
    roles: DeclaredRoles,
    hierarchies: Mapping[str, Any],
    publishes: str,
    suppression_label: str,
    stated: Mapping[str, Collection[str]],
    pseudonyms: Collection[str] = (),
) -> list[str]:
    """Everything that is wrong with a candidate beside its source, in words.

    Parameters
    ----------
    source, table : data frames
        What was loaded, and the candidate as its readers will see it.
    rows : int array
        The row of the source that each row of the candidate was made of.
    roles : DeclaredRoles
        What the columns are.
    hierarchies : mapping
        Hierarchies or builders of quasi-identifiers.
    publishes : {"labels", "names", "centers", "swaps"}
        What the anonymizer says it puts into quasi-identifiers.
    suppression_label : str
        The label of a suppressed cell.
    stated : mapping
        Values that columns have beside those of the source.
    pseudonyms : collection of str
        Identifiers that are published as pseudonyms.
    """
    wanted = {*roles.quasi_identifiers, *roles.sensitive, *roles.insensitive}
    wanted |= {*pseudonyms}
    faults = column_faults(map(str, table.columns), wanted)
    if len(table) > len(source):
        faults.append(f"the candidate has {len(table)} rows, the source {len(source)}")
    if faults:
        return faults
    quasi_identifiers = roles.quasi_identifiers
    kept = [*roles.sensitive, *roles.insensitive]
    if publishes == "swaps":
        swapped = dict.fromkeys([*quasi_identifiers, *kept])
        faults += cell_faults(source, table, swapped)
    else:
        hidden = suppressed_rows(table, quasi_identifiers, suppression_label)
        faults += moved_faults(source, table, rows, kept, hidden)
    if publishes == "labels":
        given = {name: hierarchies.get(name) for name in quasi_identifiers}
        faults += label_faults(source, table, rows, given, suppression_label, stated)
    elif publishes == "centers":
        faults += center_faults(
            source, table, rows, quasi_identifiers, suppression_label
        )
    elif publishes not in {"names", "swaps"}:
        faults.append("the anonymizer does not say what it publishes")
    return faults + identifier_faults(source, table, roles, publishes)


def column_faults(held: Iterable[str], wanted: Iterable[str]) -> list[str]:
    """Columns that an anonymizer published unasked, or lost."""
    held, wanted = set(held), set(wanted)
    lacking = ", ".join(sorted(wanted - held))
    faults = []
    if held - wanted:
        # Their names may be anything, a person's too.
        n_strange = len(held - wanted)
        faults.append(f"the candidate holds {n_strange} columns that were not declared")
    if lacking:
        faults.append(f"the candidate lacks columns: {lacking}")
    return faults


def suppressed_rows(
    table: pd.DataFrame,
    quasi_identifiers: Sequence[str],
    suppression_label: str,
    *,
    missing: bool = True,
) -> np.ndarray:
    """Rows whose quasi-identifiers show nothing.

    Parameters
    ----------
    table : DataFrame
        What is published.
    quasi_identifiers : sequence of str
        Its columns.
    suppression_label : str
        The label of a suppressed cell.
    missing : bool
        Whether a missing cell shows nothing, as where numbers are published; otherwise
        it is a value of its own.
    """
    hidden = np.ones(len(table), dtype=bool)
    for name in quasi_identifiers:
        texts = to_text(table[name])
        marked = texts == suppression_label
        hidden &= (marked | texts.isna() if missing else marked.fillna(False)).to_numpy(
            dtype=bool
        )
    return hidden

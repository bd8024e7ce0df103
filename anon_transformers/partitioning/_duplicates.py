"""Rows that nothing but their place in the table tells apart."""

import warnings
from typing import Literal

from anon_transformers._recoding import Table
from anon_transformers.exceptions import (
    DataError,
    DuplicatesWarning,
    level_of_caller,
)

Policy = Literal["ignore", "warn", "error"]
POLICIES = (None, "ignore", "warn", "error")


def judge_duplicates(table: Table, policy: Policy, *, relaxed: bool) -> None:
    """Do what ``policy`` says about rows that share all their quasi-identifiers.

    Classes have their size in any case. What such rows change is who stands behind
    them, and that relaxed cuts may part them.
    """
    if policy == "ignore":
        return
    counts = table.points().weights
    n_rows = int(counts[counts > 1].sum())
    if not n_rows:
        return
    told = f"{n_rows} rows share all their quasi-identifiers with another row"
    if policy == "error":
        raise DataError(f"{told}; duplicates='ignore' or 'warn' lets them pass.")
    if relaxed:
        told += "; equal rows may be published differently by relaxed cuts"
    if table.subject is None:
        told += "; k rows may be fewer persons, unless subject= tells them apart"
    warnings.warn(
        f"{told}. duplicates='ignore' accepts this.",
        DuplicatesWarning,
        stacklevel=level_of_caller(),
    )

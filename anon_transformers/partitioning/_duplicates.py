"""Rows that nothing but their place in the table tells apart."""

import sys
import warnings
from typing import Literal

from anon_transformers._recoding import Table
from anon_transformers.exceptions import DataError, DuplicatesWarning

Policy = Literal["ignore", "warn", "error"]
POLICIES = (None, "ignore", "warn", "error")
INSIDE = ("anon_transformers.", "sklearn.")
"""Names of modules that are not the caller's start so."""


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
        stacklevel=_level_of_caller(),
    )


def _level_of_caller() -> int:
    """Stack level of the first line that is neither ours nor scikit-learn's."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(INSIDE):
        level, frame = level + 1, frame.f_back
    return level

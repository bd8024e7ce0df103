"""What fuzzy models judge of a recoded table: its degrees, and what readers see."""

from collections.abc import Hashable
from dataclasses import replace

import numpy as np

from anon_transformers.base._coded_table import (
    CodedTable,
    PublishedColumn,
    group_published,
)
from anon_transformers.evidence import Memberships
from anon_transformers.fuzzy._coding import Coding


def kept_degrees(
    table: CodedTable, coding: Coding, suppressed: np.ndarray
) -> Memberships:
    """How far the rows that are kept belong to each class."""
    part = table.part(~suppressed)
    degrees = coding.degrees(part.quasi_identifiers)
    degrees.setflags(write=False)
    sensitive = {column.name: column for column in part.sensitive}
    return Memberships(degrees, sensitive, _counts(part))


def labels_read(
    table: CodedTable,
    published: list[PublishedColumn],
    suppressed: np.ndarray,
    mode: str,
) -> Memberships:
    """Classes of labels, each row in one; the suppressed rows are one if they stay."""
    labels = np.where(suppressed, -1, group_published(published).labels)
    shown = np.ones(table.n_rows, dtype=bool) if mode != "drop" else ~suppressed
    part = table.part(shown)
    columns = {column.name: column for column in part.sensitive}
    if mode == "blank":
        columns = {
            name: replace(c, codes=np.where(suppressed, c.missing_code, c.codes))
            for name, c in columns.items()
        }
    rows = Memberships(np.ones((part.n_rows, 1)), columns, _counts(part))
    return rows.crisp(labels[shown])


def _counts(part: CodedTable) -> dict[Hashable, np.ndarray]:
    """How often the input has each value of the sensitive columns."""
    return {name: found.counts for name, found in (part.references or {}).items()}

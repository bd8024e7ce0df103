"""What fuzzy models judge of a recoded table: its degrees, and what readers see."""

from dataclasses import replace

import numpy as np

from anon_transformers._recoding import PublishedColumn, Table, group_published
from anon_transformers.evidence import Memberships
from anon_transformers.fuzzy._coding import Coding


def kept_degrees(table: Table, coding: Coding, suppressed: np.ndarray) -> Memberships:
    """How far the rows that are kept belong to each class."""
    part = table.part(~suppressed)
    degrees = coding.degrees(part.known)
    degrees.setflags(write=False)
    sensitive = {column.name: column for column in part.sensitive}
    return Memberships(degrees, sensitive, part.references or {})


def labels_read(
    table: Table, published: list[PublishedColumn], suppressed: np.ndarray, mode: str
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
    rows = Memberships(np.ones((part.n_rows, 1)), columns, part.references or {})
    return rows.crisp(labels[shown])

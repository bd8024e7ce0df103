"""A protected table, and which row of the source each of its rows is."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.evidence import Report
from anon_transformers.exceptions import ReleaseError


@dataclass(frozen=True)
class ProtectedRows:
    """A table as a method made it, or in kept cells.

    Attributes
    ----------
    table : DataFrame
        What is published, in the order of the source.
    rows : int array
        The row of the source that each row was made of.
    report : Report
        What was done.
    left_out : DataFrame
        Who was left out of which cell because of too few values: a ``row`` of each in
        the source, and the ``cell``.
    """

    table: pd.DataFrame
    rows: np.ndarray
    report: Report
    left_out: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame({"row": [], "cell": []}, dtype="int64")
    )

    @classmethod
    def of(cls, anonymizer: Any, table: pd.DataFrame, n_rows: int) -> "ProtectedRows":
        """What an anonymizer made of a source with this many rows.

        Raises
        ------
        ReleaseError
            If nobody knows what row of the source each row is.
        """
        rows = kept_rows(anonymizer, n_rows)
        if len(table) != len(rows):
            raise ReleaseError(
                f"the anonymizer made {len(table)} rows of {n_rows}, and says that it "
                f"kept {len(rows)}."
            )
        return cls(table, rows, anonymizer.report_)


def kept_rows(anonymizer: Any, n_rows: int) -> np.ndarray:
    """Rows of the input that were published, in their order.

    To be asked once: a stranger's answer may be another one the next time.
    """
    if getattr(anonymizer, "suppression", "mask") != "drop":
        return np.arange(n_rows)
    suppressed = np.array(anonymizer.suppressed_mask_)
    if suppressed.dtype != bool or suppressed.shape != (n_rows,):
        raise ReleaseError(
            f"the anonymizer does not say which of {n_rows} rows it suppressed: "
            "suppressed_mask_ must be one truth per row."
        )
    return np.flatnonzero(~suppressed)

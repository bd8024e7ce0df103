"""Discernibility: from how many rows each row cannot be told."""

from dataclasses import dataclass
from typing import ClassVar

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import DataError, NotEvaluable


def discernibility(classes: Classes, n_rows: int | None = None) -> int:
    """Sum over all rows of the rows that each one cannot be told from.

    A kept row cannot be told from its class, a suppressed one from the whole table.

    Parameters
    ----------
    classes : Classes
        Of the published table.
    n_rows : int, optional
        Rows of the original; needed where suppressed rows were left out.

    References
    ----------
    .. [1] R. Bayardo and R. Agrawal, "Data privacy through optimal k-anonymization",
       ICDE 2005.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": ["20", "20", "30", "30", "*"]})
    >>> discernibility(Classes.from_frame(table, ["age"]))
    13
    """
    rows = classes.kept().rows
    total = rows_of(classes, n_rows)
    return int((rows**2).sum()) + (total - int(rows.sum())) * total


def rows_of(classes: Classes, n_rows: int | None) -> int:
    """Rows of the original: as given, or those that were published."""
    published = int(classes.rows.sum())
    if n_rows is not None and n_rows < published:
        raise DataError(
            f"the published table has {published} rows, the original {n_rows}."
        )
    return published if n_rows is None else int(n_rows)


@dataclass(frozen=True)
class Discernibility:
    """Mean share of the published rows that a row cannot be told from."""

    name: ClassVar[str] = "discernibility"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "lower"
    counts_rows: ClassVar[bool] = True

    def measure(self, evidence: Classes) -> float:
        """1 if all rows are alike or suppressed; a row of its own adds little."""
        total = int(evidence.rows.sum())
        if not total:
            raise NotEvaluable("discernibility has nothing to judge: no rows.")
        return discernibility(evidence) / total**2

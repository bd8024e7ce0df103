"""Average class size, as a loss."""

from dataclasses import dataclass
from typing import ClassVar

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.metrics._discernibility import rows_of
from anon_transformers.parameters import real


def average_class_size(
    classes: Classes, n_rows: int | None = None, k: float = 1
) -> float:
    """Rows of the table by classes, in units of ``k``.

    The suppressed rows are one class, so that suppressing does not pay. The mean over
    kept classes alone is in :func:`class_statistics`.

    Parameters
    ----------
    classes : Classes
        Of the published table.
    n_rows : int, optional
        Rows of the original; needed where suppressed rows were left out.
    k : number, default=1
        The k that was asked for; then 1 is the best that can be.

    References
    ----------
    .. [1] K. LeFevre, D. DeWitt and R. Ramakrishnan, "Mondrian multidimensional
       k-anonymity", ICDE 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": ["20", "20", "30", "30", "*", "*"]})
    >>> average_class_size(Classes.from_frame(table, ["age"]), k=2)
    1.0
    """
    real("k", k, 0, above=True)
    total = rows_of(classes, n_rows)
    if not total:
        raise NotEvaluable("average-class-size has nothing to judge: no rows.")
    kept = classes.kept()
    n_classes = kept.n_classes + (int(kept.rows.sum()) < total)
    return total / n_classes / k


@dataclass(frozen=True)
class AverageClassSize:
    """Published rows by classes; the suppressed rows are one class."""

    name: ClassVar[str] = "average-class-size"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "lower"
    counts_rows: ClassVar[bool] = True

    def measure(self, evidence: Classes) -> float:
        """Rows that share a combination, on average over the combinations."""
        return average_class_size(evidence)

"""How many rows are far easier to find than the rest of the table."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import DataError, NotEvaluable
from anon_transformers.metrics._risk import kept_classes
from anon_transformers.parameters import real

NORMAL = 1.4826
"""Times the median absolute deviation: the standard deviation of normal numbers."""


@dataclass(frozen=True)
class RiskOutliers:
    """Classes whose rows stand out by their risk.

    Attributes
    ----------
    count : int
        Rows that stand out.
    flagged : bool array of shape (n_classes,)
        Whether the rows of each class do: all of them or none.
    risks : float array of shape (n_classes,)
        One divided by the size of each class.
    limit : float
        Risks above it stand out.
    rows : bool array of shape (n_rows,) or None
        The rows that stand out, where it is known which class each is in.
    """

    count: int
    flagged: np.ndarray = field(repr=False)
    risks: np.ndarray = field(repr=False)
    limit: float
    rows: np.ndarray | None = field(default=None, repr=False)


def measure_risk(
    classes: Classes | Any, n_mad: float = 2, min_risk: float = 0
) -> RiskOutliers:
    """Find the rows whose risk is far above that of the table.

    The risk r of a row is one divided by the size of its class. It stands out if it is
    above the median of all rows by more than ``n_mad`` times 1.4826 times the median
    absolute deviation from it.

    Parameters
    ----------
    classes : Classes or int array
        Those of a published table, of which the suppressed one is left out; or the rows
        of each class.
    n_mad : float, default=2
        How far is far.
    min_risk : float, default=0
        Rows whose risk is not above this do not stand out, whatever the others have.

    Returns
    -------
    RiskOutliers
        How many rows stand out, and which.

    Notes
    -----
    It measures how uneven the classes are, and not how large a risk is: classes of
    equal sizes give 0 even where each is a single row, and a table of large classes can
    have hundreds of rows that stand out. Two is what reproduces published numbers;
    later versions of the program behind them take 3, and ``min_risk=0.1``.

    Examples
    --------
    >>> found = measure_risk([10, 10, 10, 2])
    >>> found.count, found.flagged
    (2, array([False, False, False,  True]))
    """
    n_mad, min_risk = real("n_mad", n_mad, 0), real("min_risk", min_risk, 0, 1)
    labels = None
    if isinstance(classes, Classes):
        kept = kept_classes(classes)
        sizes = rows = kept.sizes
        labels = kept.labels
    else:
        sizes = rows = _sizes(classes)
    risks = 1 / sizes
    middle = _median(risks, rows)
    spread = NORMAL * _median(np.abs(risks - middle), rows)
    limit = max(middle + n_mad * spread, min_risk)
    flagged = risks > limit
    return RiskOutliers(
        int(rows[flagged].sum()),
        flagged,
        risks,
        float(limit),
        # Rows of no class are labeled -1.
        None if labels is None else np.append(flagged, False)[labels],
    )


@dataclass(frozen=True)
class MeasureRisk:
    """Kept rows whose risk is far above that of the table.

    See :func:`measure_risk`, whose parameters these are.

    Parameters
    ----------
    n_mad : float, default=2
        How far is far.
    min_risk : float, default=0
        Rows whose risk is not above this do not stand out.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [20] * 5 + [30] * 5 + [40]})
    >>> MeasureRisk().measure(Classes.from_frame(table, ["age"]))
    1
    """

    n_mad: float = 2
    min_risk: float = 0
    name: ClassVar[str] = "measure-risk"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "lower"

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_mad", real("n_mad", self.n_mad, 0))
        object.__setattr__(self, "min_risk", real("min_risk", self.min_risk, 0, 1))

    @classmethod
    def test_instances(cls) -> list["MeasureRisk"]:
        """Configurations that the contract checks run on."""
        return [cls(), cls(n_mad=3, min_risk=0.1)]

    def measure(self, evidence: Classes) -> int:
        """How many rows stand out."""
        return measure_risk(evidence, self.n_mad, self.min_risk).count


def _sizes(given: Any) -> np.ndarray:
    """Rows of classes that are given as numbers."""
    sizes = np.asarray(given)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu":
        if not sizes.size:
            raise NotEvaluable("risk has nothing to judge: there is no class.")
        raise DataError("classes must be Classes, or one whole number per class.")
    empty = int((sizes < 1).sum())
    if empty:
        raise DataError(f"{empty} classes have no row.")
    if not len(sizes):
        raise NotEvaluable("risk has nothing to judge: there is no class.")
    return sizes


def _median(numbers: np.ndarray, repeats: np.ndarray) -> float:
    """Median of numbers that each occur so often, without writing them all down."""
    order = np.argsort(numbers, kind="stable")
    last = np.cumsum(repeats[order])
    n_rows = last[-1]
    middle = np.searchsorted(last, [(n_rows - 1) // 2, n_rows // 2], side="right")
    return float(numbers[order][middle].mean())

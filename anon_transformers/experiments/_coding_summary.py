"""Which coding is best, how often, and how far the others are from it."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

SUMMARY_COLUMNS = (
    "coding",
    "criterion",
    "method",
    "compared",
    "wins",
    "mean",
    "distance",
)
DISTANCES = ("t ", "class t ", "sigma t ")
EVEN = 1e-12
"""Two distances that are this near are a tie."""


def is_lower_better(criterion: str) -> bool:
    """Whether less protects more: distances and numbers of rows at risk.

    Examples
    --------
    >>> is_lower_better("t salary"), is_lower_better("k")
    (True, False)
    """
    return criterion == "measure_risk" or criterion.startswith(DISTANCES)


def coding_summary(
    runs: pd.DataFrame, criteria: Sequence[str], *, complete: bool = True
) -> pd.DataFrame:
    """Compare the methods of each coding over all sets of quasi-identifiers.

    Parameters
    ----------
    runs : pandas.DataFrame
        With the columns coding, method, quasi_identifiers and the criteria.
    criteria : sequence of str
        Columns to compare.
    complete : bool, default=True
        Compare only where every method has the criterion. If False, a method without
        it just does not win there.

    Returns
    -------
    pandas.DataFrame
        One row a coding, criterion and method: how many sets of quasi-identifiers were
        compared, in how many the method is the best (a tie counts for each), the mean
        of the criterion, and the mean distance from the best where it is not best.
    """
    rows = [
        row
        for coding, part in runs.groupby("coding", sort=False)
        for criterion in criteria
        for row in _methods(str(coding), part, criterion, complete)
    ]
    return pd.DataFrame(rows, columns=list(SUMMARY_COLUMNS))


def _methods(
    coding: str, part: pd.DataFrame, criterion: str, complete: bool
) -> Iterator[tuple[object, ...]]:
    methods = list(dict.fromkeys(part["method"]))
    wide = part.pivot(index="quasi_identifiers", columns="method", values=criterion)
    # A criterion that a method never has, as Q of a crisp one, is not its own.
    wide = wide[methods].astype(float).dropna(axis="columns", how="all")
    wide = wide.dropna(how="any" if complete else "all")
    lower = is_lower_better(criterion)
    best = wide.min(axis=1) if lower else wide.max(axis=1)
    apart = wide.sub(best, axis=0).abs()
    for method in wide.columns:
        given, far = wide[method].dropna(), apart[method].dropna()
        behind = far[far > EVEN]
        yield (
            coding,
            criterion,
            method,
            len(wide),
            len(far) - len(behind),
            given.mean() if len(given) else np.nan,
            behind.mean() if len(behind) else np.nan,
        )

"""Linear rules that hold in nearly all rows, found by trimmed least squares.

Least squares over all rows follow the rows that break a rule. Here a fit starts from a
few rows, goes on with the rows that lie nearest to it, and so on: once it has come near
enough, the rows that break the rule have no part in it. The method is FAST-LTS.

References
----------
.. [1] P. J. Rousseeuw, K. Van Driessen: Computing LTS regression for large data sets,
   Data Mining and Knowledge Discovery 12, 2006.
"""

import numpy as np

EXACT = 1e-8
"""What is left of a value, beside the spread of its column, where a rule gives it."""
KEPT = 0.85
"""The share of rows that a fit keeps; fewer than a rule gives, for samples vary."""
N_SAMPLED = 1000
"""Rows that fits are made on, or twenty for each column."""
N_STARTS, N_FITS = 30, 600
"""Fits begin from as many sets of few rows; with many columns from fewer."""
N_STEPS = 3
"""After as many steps a fit that began well has come to rest."""


def agreeing_rows(
    given_by: np.ndarray, wanted: np.ndarray, share: float, weights: np.ndarray
) -> np.ndarray | None:
    """Rows in which one linear rule gives a column; None if these are too few.

    Who guesses the most frequent value is right without a rule. So the smaller of two
    shares counts, of all rows and of those that a guess does not find.

    Parameters
    ----------
    given_by : array of shape (n_rows, n_columns)
        What the rule may use; finite.
    wanted : array of shape (n_rows,)
        What it may give; finite.
    share : float
        The share of rows that it must give.
    weights : array of shape (n_rows,)
        What each row counts.

    Examples
    --------
    >>> x = np.arange(40.0)
    >>> y = np.where(x == 7, 1000.0, 2 * x + 100)
    >>> np.flatnonzero(~agreeing_rows(x[:, None], y, 0.95, np.ones(40)))
    array([7])
    >>> agreeing_rows(x[:, None], x**2, 0.95, np.ones(40)) is None
    True
    """
    guessed = _is_most_frequent(wanted, weights)
    rest = np.flatnonzero(~guessed)
    n_columns = given_by.shape[1] + 1
    if len(rest) < 2 * (n_columns + 1):
        return None
    some = rest[:: -(-len(rest) // max(N_SAMPLED, 20 * n_columns))]
    scale, scale_wanted = _scale(given_by[some]), _scale(wanted[some, None])
    fit = _fit(_table(given_by[some], scale), _scaled(wanted[some], scale_wanted))
    if fit is None:
        return None
    left = _table(given_by, scale) @ fit - _scaled(wanted, scale_wanted)
    agree = np.abs(left) <= EXACT
    return agree if _share_given(agree, guessed, weights) >= share else None


def _is_most_frequent(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    _, codes = np.unique(values, return_inverse=True)
    return codes == np.bincount(codes, weights).argmax()


def _share_given(agree: np.ndarray, guessed: np.ndarray, weights: np.ndarray) -> float:
    """Share of what a rule gives, beyond what a guess finds; see ``given_share``."""
    whole, given, guess = weights.sum(), weights[agree].sum(), weights[guessed].sum()
    return float(min(given / whole, (given - guess) / (whole - guess)))


def _scale(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Medians and spreads of columns, which few odd values do not change."""
    middle = np.median(values, axis=0)
    apart = np.abs(values - middle)
    spread = np.quantile(apart, 0.9, axis=0)
    # A column that varies in few rows has a spread, too.
    spread = np.where(spread > 0, spread, apart.max(axis=0))
    return middle, np.where(spread > 0, spread, 1.0)


def _scaled(values: np.ndarray, scale: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    return (values - scale[0]) / scale[1]


def _table(given_by: np.ndarray, scale: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """What a rule is made of: the columns and a constant."""
    return np.column_stack([_scaled(given_by, scale), np.ones(len(given_by))])


def _fit(table: np.ndarray, target: np.ndarray) -> np.ndarray | None:
    """The rule that gives the kept rows of a sample exactly, if one is found."""
    n_rows, n_columns = table.shape
    n_kept = int(np.ceil(KEPT * n_rows))
    # A search, no secret: the same table gives the same answer.
    rng = np.random.default_rng(0)
    n_starts = min(N_STARTS, max(1, N_FITS // n_columns))
    starts = [rng.permutation(n_rows)[:n_columns] for _ in range(n_starts)]
    for start in (np.arange(n_rows), *starts):
        rows = start
        for _ in range(N_STEPS + 1):
            fit, *_ = np.linalg.lstsq(table[rows], target[rows], rcond=None)
            left = np.abs(table @ fit - target)
            rows = np.argpartition(left, n_kept - 1)[:n_kept]
            if left[rows].max() <= EXACT:
                return fit
    return None

"""Whether the rows of two tables seem to be the same persons, in the same order."""

import math

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from anon_transformers.metrics._number_columns import SharedColumns

FEWEST_ROWS = 20
"""Of fewer rows chance explains any order."""
SURPRISE = 3.5
"""Standard deviations above chance at which a column shows the order of the rows."""


def order_shown(
    original: pd.DataFrame, published: pd.DataFrame, shared: SharedColumns
) -> bool | None:
    """Whether any column shows that row ``i`` of both tables is the same person.

    A column of numbers shows it by a rank correlation that chance does not explain, one
    of texts by more equal cells than chance gives.

    Parameters
    ----------
    original, published : data frames
        Before and after.
    shared : SharedColumns
        What can be compared in them.

    Returns
    -------
    bool or None
        None where nothing can be said: the tables differ in length or are small, or no
        column that both have varies in both.
    """
    if len(original) != len(published) or len(original) < FEWEST_ROWS:
        return None
    pairs = zip(shared.numbers.before.T, shared.numbers.after.T, strict=True)
    found = [_surprise_of_numbers(before, after) for before, after in pairs]
    found += [_surprise_of_texts(original[n], published[n]) for n in shared.nominal]
    known = [one for one in found if one is not None]
    return max(known) > SURPRISE if known else None


def _surprise_of_numbers(before: np.ndarray, after: np.ndarray) -> float | None:
    """Rank correlation in its standard deviations; None where a side is constant."""
    both = np.isfinite(before) & np.isfinite(after)
    ranks = [rankdata(side[both]) for side in (before, after)]
    if any(len(side) < FEWEST_ROWS or np.ptp(side) == 0 for side in ranks):
        return None
    return float(np.corrcoef(*ranks)[0, 1] * np.sqrt(len(ranks[0]) - 1))


def _surprise_of_texts(before: pd.Series, after: pd.Series) -> float | None:
    """Equal cells above chance in its standard deviations; None if all are sure."""
    n_rows = len(before)
    sides = [side.astype(str).reset_index(drop=True) for side in (before, after)]
    shares = [side.value_counts(normalize=True) for side in sides]
    by_chance = float((shares[0] * shares[1]).sum())
    if not 0 < by_chance < 1:
        return None
    above = float((sides[0] == sides[1]).mean()) - by_chance
    return above / math.sqrt(by_chance * (1 - by_chance) / n_rows)

"""Rare values of a column that is shown whole or not at all.

Whoever holds one needs others in their class, and a flat hierarchy has one label for
all values together: one row can hide the column of half of the table. Left out of the
hierarchy, under ``unknown: suppress``, it hides itself alone.
"""

from dataclasses import replace

import pandas as pd

from anon_transformers._data.columns import to_text
from anon_transformers.hierarchies import Hierarchy, Suggestion

FEW_VALUES = 20
"""Leaves of a hierarchy that is looked at; of many values more are rare."""
MOST_LEFT_OUT = 0.01
"""Share of the rows that may be suppressed for it."""
FLAT = 2
"""Levels of a hierarchy that shows values whole or not at all."""
LEFT_OUT = "left out: unknown: suppress hides the rows that hold one"


def without_rare(
    one: Suggestion, column: pd.Series, persons: pd.Series | None, k: int
) -> tuple[Suggestion, pd.Series]:
    """A flat hierarchy without values that fewer than k hold, and the cells it has.

    Parameters
    ----------
    one : Suggestion
        The hierarchy that is proposed.
    column : Series
        The cells; missing ones are missing.
    persons : Series or None
        The person of each row, where persons are counted.
    k : int
        How many rows, or persons, a class will need.

    Examples
    --------
    >>> from anon_transformers.hierarchies import suggest_hierarchy
    >>> column = pd.Series(["f"] * 300 + ["m"] * 200 + ["not known"])
    >>> made, cells = without_rare(suggest_hierarchy(column), column, None, 5)
    >>> made.hierarchy.leaves, int(cells.isna().sum())
    (('f', 'm'), 1)
    """
    tree = one.hierarchy
    if one.stated is not None or tree.n_levels != FLAT or len(tree.leaves) > FEW_VALUES:
        return one, column
    texts = to_text(column)
    who = (
        pd.Series(range(len(texts)), index=texts.index) if persons is None else persons
    )
    held = who.groupby(texts).nunique()
    rare = [value for value, count in held.items() if count < k]
    hidden = texts.isin(rare)
    kept = [row for row in tree.rows if row[0] not in rare]
    if not rare or len(kept) < FLAT or hidden.sum() > MOST_LEFT_OUT * len(texts):
        return one, column
    many = "1 value" if len(rare) == 1 else f"{len(rare)} values"
    reason = f"{one.reason}; {many} of fewer than {k} {LEFT_OUT}"
    return replace(one, hierarchy=Hierarchy(kept), reason=reason), column.mask(hidden)


def rare_left_out(one: Suggestion) -> bool:
    """Whether rare values were left out of a hierarchy."""
    return one.reason.endswith(LEFT_OUT)

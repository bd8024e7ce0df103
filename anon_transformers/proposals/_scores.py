"""How much loss a proposed hierarchy saves on its table."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from anon_transformers.exceptions import InfeasibleError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.partitioning import MondrianAnonymizer
from anon_transformers.privacy import PrivacyModel

MOST_ROWS = 5_000
"""Rows that are tried; more would change the third digit of a score."""
SEED = 0


def score_hierarchies(
    frame: pd.DataFrame,
    hierarchies: Mapping[str, Hierarchy],
    *,
    k: int = 5,
    subject: str | None = None,
    most_rows: int = MOST_ROWS,
    progress: Callable[[int, int, str], None] | None = None,
) -> dict[str, float]:
    """Loss that each hierarchy saves, compared with showing values whole or not at all.

    The table is made k-anonymous by Mondrian with all hierarchies, and once more per
    column without the levels of this one. The score is the difference of the two losses
    (the mean share of its domain that a cell stands for): 0.02 saves two of a hundred,
    and below 0 the values alone would do better.

    Parameters
    ----------
    frame : data frame
        The table; at most ``most_rows`` rows of it are drawn.
    hierarchies : mapping of column to Hierarchy
        One per quasi-identifier.
    k : int, default=5
        Persons, or rows, that are to be alike.
    subject : str, optional
        Column that tells persons apart.
    most_rows : int, default=5000
        Rows that are tried.
    progress : callable, optional
        Called with how many columns are done, how many there are, and the next one.

    Returns
    -------
    dict
        Score by column; none, where k cannot be reached at all.

    Examples
    --------
    >>> ages = [str(20 + number % 40) for number in range(80)]
    >>> table = pd.DataFrame({"age": ages})
    >>> tree = Hierarchy.suggest(table["age"])
    >>> round(score_hierarchies(table, {"age": tree}, k=4)["age"], 2)
    0.9
    """
    columns = [*hierarchies, *([] if subject is None else [subject])]
    some = frame[columns]
    if len(some) > most_rows:
        some = some.sample(most_rows, random_state=SEED).reset_index(drop=True)
    before = _loss(some, hierarchies, k, subject)
    if before is None:
        return {}
    scores = {}
    for done, (name, tree) in enumerate(hierarchies.items()):
        if progress is not None:
            progress(done, len(hierarchies), name)
        if tree.n_levels <= len(("value", "root")):
            scores[name] = 0.0  # there is nothing between them
            continue
        flat = Hierarchy([(leaf, tree.root) for leaf in tree.leaves])
        without = _loss(some, {**hierarchies, name: flat}, k, subject)
        # Without the levels nothing but the mark is left, which is all of the loss.
        scores[name] = (1.0 if without is None else without) - before
    if progress is not None:
        progress(len(hierarchies), len(hierarchies), "")
    return scores


def expected_loss(
    frame: pd.DataFrame,
    hierarchies: Mapping[str, Hierarchy],
    models: Sequence[PrivacyModel] = (),
    *,
    sensitive: Sequence[str] = (),
    k: int = 5,
    subject: str | None = None,
    most_rows: int = MOST_ROWS,
) -> float | None:
    """Loss of a release by Mondrian, tried on some rows of its table.

    A whole table loses less, since more of its rows are alike.

    Parameters
    ----------
    frame : data frame
        The table; at most ``most_rows`` rows of it are drawn.
    hierarchies : mapping of column to Hierarchy
        One per quasi-identifier.
    models : sequence of privacy models
        What is asked for beside k.
    sensitive : sequence of str
        Columns that these models judge.
    k, subject, most_rows
        As for :func:`score_hierarchies`.

    Returns
    -------
    float or None
        None, where this cannot be reached at all.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [str(20 + number % 40) for number in range(80)]})
    >>> tree = Hierarchy.suggest(table["age"])
    >>> round(expected_loss(table, {"age": tree}, k=4), 2)
    0.1
    """
    columns = [*hierarchies, *sensitive, *([] if subject is None else [subject])]
    some = frame[columns]
    if len(some) > most_rows:
        some = some.sample(most_rows, random_state=SEED).reset_index(drop=True)
    asked = {"models": list(models), "sensitive": list(sensitive), "boxes": "cuts"}
    return _loss(some, hierarchies, k, subject, **asked)


def _loss(
    frame: pd.DataFrame,
    hierarchies: Mapping[str, Any],
    k: int,
    subject: str | None,
    **asked: Any,
) -> float | None:
    anonymizer = MondrianAnonymizer(
        k=k,
        quasi_identifiers=list(hierarchies),
        hierarchies=dict(hierarchies),
        subject=subject,
        **asked,
    )
    try:
        anonymizer.fit_transform(frame)
    except InfeasibleError:
        return None
    return float(anonymizer.report_.loss)

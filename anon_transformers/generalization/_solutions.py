"""Every node of the lattice: whether it fits, and what it costs."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from anon_transformers.base._progress import Progress
from anon_transformers.generalization._lattice import Lattice, NodeResult


@dataclass(frozen=True)
class Solutions:
    """All full-domain generalizations of a table.

    Attributes
    ----------
    table : DataFrame
        One row for each node, from the ground up: ``height`` (the sum of its levels),
        ``fits`` (every model holds within the suppression limit), ``loss`` and
        ``suppressed_rows``, both missing where it does not fit.
    levels : DataFrame
        The level of each quasi-identifier, row by row beside ``table``.
    highest : dict of column to int
        The highest level of each quasi-identifier.
    best : int or None
        Row of the node that an optimal search takes; None if none fits.
    loss : str
        Name of the loss.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers import FullDomainAnonymizer
    >>> from anon_transformers.hierarchies import Intervals
    >>> ages = pd.DataFrame({"age": [21, 22, 22, 35, 38, 38]})
    >>> trees = {"age": Intervals(widths=[10, 20])}
    >>> nodes = FullDomainAnonymizer(k=3, hierarchies=trees).solutions(ages)
    >>> nodes.table["fits"].tolist(), nodes.best
    ([False, True, True, False], 1)
    """

    table: pd.DataFrame
    levels: pd.DataFrame
    highest: dict[Hashable, int]
    best: int | None
    loss: str


def find_solutions(
    lattice: Lattice, names: list[Hashable], loss: str, progress: Progress
) -> Solutions:
    """Look at every node, those of one height together."""
    order = np.argsort(lattice.heights(), kind="stable")
    nodes = np.stack(np.unravel_index(order, lattice.shape), axis=1)
    looks: list[NodeResult] = []
    for number, node in enumerate(nodes.tolist()):
        if number % 64 == 0:
            progress(number / len(nodes), "")
        looks.append(lattice.look(tuple(node)))
    fits = np.array([look.fits for look in looks])
    table = pd.DataFrame(
        {
            "height": nodes.sum(axis=1),
            "fits": fits,
            "loss": np.where(fits, [look.loss for look in looks], np.nan),
            "suppressed_rows": pd.array(
                [look.suppressed if look.fits else None for look in looks], "Int64"
            ),
        }
    )
    fitting = np.flatnonzero(fits).tolist()
    best = min(fitting, key=lambda row: looks[row].rank, default=None)
    levels = pd.DataFrame(nodes, columns=pd.Index(names))
    highest = dict(zip(names, lattice.top, strict=True))
    return Solutions(table, levels, highest, best, loss)

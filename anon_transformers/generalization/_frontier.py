"""What every k costs, from one pass over the lattice."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._kernels.lattice import Curve, offer, totals_by_size
from anon_transformers.base._progress import Progress
from anon_transformers.exceptions import ParameterError
from anon_transformers.generalization._lattice import Lattice
from anon_transformers.privacy import KAnonymity


@dataclass(frozen=True)
class Frontier:
    """The best node for every k.

    Attributes
    ----------
    table : DataFrame
        One row for each range of k with the same best node: ``k_from``, ``k_to``,
        ``loss``, ``suppressed_rows``, ``classes``.
    levels : DataFrame
        The level of each quasi-identifier, row by row beside ``table``.
    loss : str
        Name of the loss.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers import FullDomainAnonymizer
    >>> from anon_transformers.hierarchies import Intervals
    >>> ages = pd.DataFrame({"age": [21, 22, 22, 35, 38, 38]})
    >>> trees = {"age": Intervals(widths=[10, 50])}
    >>> curve = FullDomainAnonymizer(hierarchies=trees).frontier(ages)
    >>> curve.table[["k_from", "k_to", "loss"]].round(2).to_dict("list")
    {'k_from': [1, 2, 4], 'k_to': [1, 3, 6], 'loss': [0.0, 0.33, 1.0]}
    >>> curve.at(3)["levels"]
    {'age': 1}
    """

    table: pd.DataFrame
    levels: pd.DataFrame
    loss: str

    def at(self, k: int) -> dict[str, Any]:
        """What is best for one k."""
        KAnonymity(k)
        rows = np.flatnonzero((self.table["k_from"] <= k) & (k <= self.table["k_to"]))
        if not len(rows):
            most = int(self.table["k_to"].max()) if len(self.table) else 0
            raise ParameterError(
                f"the curve says nothing of k={k!r}; it reaches up to {most}."
            )
        found = self.table.iloc[rows].drop(columns=["k_from", "k_to"])
        levels = self.levels.iloc[rows].to_dict("records")[0]
        fields = {str(key): value for key, value in found.to_dict("records")[0].items()}
        return {"k": k, **fields, "levels": levels}


def _empty_curve(largest: int) -> Curve:
    """No node yet for k from 1 to ``largest``."""
    return Curve(
        np.full(largest + 1, np.inf),
        np.full(largest + 1, -1),
        np.zeros(largest + 1, dtype=np.int64),
        np.zeros(largest + 1, dtype=np.int64),
    )


def find_frontier(
    lattice: Lattice, largest: int, names: list[Hashable], progress: Progress
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The best node for every k up to ``largest``: ranges, and their levels."""
    curve = _empty_curve(largest)
    heights = lattice.heights()
    order = np.argsort(heights, kind="stable")
    nodes = np.stack(np.unravel_index(order, lattice.shape), axis=1)
    for number, node in enumerate(nodes.tolist()):
        if number % 64 == 0:
            progress(number / len(nodes), "")
        held, persons = lattice.held(tuple(node)), None
        if lattice.counts_persons:
            held, persons = lattice.persons(tuple(node))
        if lattice.shows_nothing(tuple(node), held, np.ones(len(held.sizes), bool)):
            continue
        if persons is None:
            sizes, rows, classes, costs = totals_by_size(
                lattice.codes, lattice.levels, np.array(node), held.first, held.sizes
            )
            losses = lattice.loss.by_size(sizes, rows, classes, costs)
        else:
            sizes = np.unique(persons[persons > 0])
            kept = [persons >= size for size in sizes]
            rows = np.array([held.sizes[k].sum() for k in kept], dtype=np.int64)
            classes = np.array([k.sum() for k in kept], dtype=np.int64)
            losses = np.array([lattice.loss.of(tuple(node), held, k) for k in kept])
        gone = lattice.n_rows - rows
        losses = np.where(gone <= lattice.allowance, losses, np.inf)
        offer(curve, number, sizes, losses, gone, classes)
    return _ranges(curve, nodes, names)


def _ranges(
    curve: Curve, nodes: np.ndarray, names: list[Hashable]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Neighbors of equal k joined; what no node can reach is left out."""
    table = pd.DataFrame(
        {
            "k": np.arange(len(curve.loss)),
            "loss": curve.loss,
            "suppressed_rows": curve.gone,
            "classes": curve.classes,
            "node": curve.node,
        }
    ).iloc[1:]
    table = table[table["node"] >= 0]
    same = ["node", "loss", "suppressed_rows", "classes"]
    run = (table[same] != table[same].shift()).any(axis=1).cumsum()
    ranges = table.groupby(run).agg(
        k_from=("k", "first"),
        k_to=("k", "last"),
        loss=("loss", "first"),
        suppressed_rows=("suppressed_rows", "first"),
        classes=("classes", "first"),
        node=("node", "first"),
    )
    levels = pd.DataFrame(nodes[ranges["node"]], columns=pd.Index(names))
    return ranges.drop(columns="node").reset_index(drop=True), levels

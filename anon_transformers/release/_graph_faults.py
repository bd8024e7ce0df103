"""What no candidate of a graph may be, whatever its thresholds say.

Its nodes have the names that our rule gives, no cell holds a name that a node had
before, and labels and weights are those of the source, or cover them. An anonymizer may
come from anybody: what it says of the columns that it makes is not taken for granted.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import identify, to_text
from anon_transformers._data.readings import NUMBER, read_text
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import DataError
from anon_transformers.graphs import open_graph
from anon_transformers.graphs._graph import Graph
from anon_transformers.graphs._names import new_names
from anon_transformers.graphs._tables import ENDS, WEIGHT
from anon_transformers.metrics._coverage import Domain
from anon_transformers.release._build import installed, make_hierarchies
from anon_transformers.release._faults import column_faults
from anon_transformers.release._files import read_parquet
from anon_transformers.release._graph import NODES, carries_weights
from anon_transformers.release._run import Run

LONG_NAME = 4
"""Characters from which on a name is looked for inside of cells, too."""


def graph_faults(run: Run, edges: pd.DataFrame, nodes: pd.DataFrame) -> list[str]:
    """Everything that is wrong with a graph beside its source, in words."""
    config = run.config
    source = read_parquet(run.path("input.parquet"))
    listed = read_parquet(run.path(f"{NODES}.parquet"))
    made = {*installed().anonymizers[config.anonymizer.name].columns_made}
    names = [*source.columns[:ENDS], listed.columns[0]]
    wanted = {*map(str, names), *config.roles.quasi_identifiers}
    if carries_weights(config):
        wanted |= {*config.roles.insensitive}
    held = {str(name) for name in (*edges.columns, *nodes.columns)}
    faults = column_faults(held - made, wanted - made)
    if [*edges.columns[:ENDS], *nodes.columns[:1]] != names and not faults:
        faults.append("the columns that name nodes are not the first of the candidate")
    if faults:
        return faults
    faults = naming_faults(edges, nodes, listed.iloc[:, 0])
    graph, _ = open_graph((source, listed), reduce=True)
    weights, labels = edges.iloc[:, ENDS:], nodes.iloc[:, 1:]
    old = OldNames(listed.iloc[:, 0])
    trees = make_hierarchies(config, config.roles.quasi_identifiers)
    for name in labels.columns:
        if name in listed.columns:
            faults += label_faults(listed[name], labels[name], trees.get(str(name)))
            faults += old.faults(labels[name], known=listed[name])
        else:
            faults += old.faults(labels[name], most=graph.n_nodes + graph.n_edges)
    for name in weights.columns:
        if name in source.columns and WEIGHT not in made:
            faults += weight_faults(graph, weights[name])
        else:
            faults += old.faults(weights[name], most=graph.n_edges)
    return faults


def naming_faults(
    edges: pd.DataFrame, nodes: pd.DataFrame, old: Iterable[Any]
) -> list[str]:
    """Names of nodes that are others than those that nobody had before."""
    # The rule that chose the names is asked again: what it gives nobody had before.
    new = new_names(len(nodes), old).tolist()
    faults = []
    if nodes.iloc[:, 0].tolist() != new:
        faults.append("the nodes of the candidate have other names than n0, n1, n2, …")
    strange = int((~edges.iloc[:, :ENDS].isin(new)).to_numpy().sum())
    if strange:
        faults.append(f"{strange} ends of edges have other names than n0, n1, n2, …")
    return faults


def weight_faults(graph: Graph, weights: pd.Series) -> list[str]:
    """Weights that the source does not have, or not so often.

    A new edge that no edge made room for may have the weight of any.
    """
    there = to_text(weights).value_counts()
    given = pd.Series(graph.weights, dtype=None if graph.n_edges else float)
    most = to_text(given).value_counts().reindex(there.index, fill_value=0)
    strange = int(there[most == 0].sum())
    beyond = int(np.maximum(there.to_numpy() - most.to_numpy(), 0).sum())
    beyond -= max(0, len(weights) - graph.n_edges)
    return _told(weights, max(strange, beyond), "cells", "its source does not")


def label_faults(source: pd.Series, labels: pd.Series, tree: Any) -> list[str]:
    """Labels that stand for no value of the source, or more often than it has them.

    Which node was which is known to nobody: labels are counted.
    """
    try:
        domain = Domain.of(_written(source), tree)
        column = identify(_written(labels))
        cover = domain.cover(column, SUPPRESSED)
    except DataError as error:
        return [str(error).rstrip(".")]
    most = np.asarray(cover @ domain.rows_by_value()).ravel()
    there = np.bincount(column.codes, minlength=len(most))
    beyond = int(np.maximum(there - most, 0).sum())
    return _told(labels, beyond, "labels", "do not cover labels of the source")


def _written(series: pd.Series) -> pd.Series:
    """Whole numbers without a point; a text without a character is missing."""
    if types.is_float_dtype(series.dtype) and (series.dropna() % 1 == 0).all():
        return series.astype("Int64")
    return series.mask(to_text(series) == "") if series.dtype == object else series


def _told(series: pd.Series, n_rows: int, what: str, which: str) -> list[str]:
    if n_rows <= 0:
        return []
    return [f"column {series.name!r} holds {what} in {n_rows} rows that {which}"]


class OldNames:
    """Names that nodes had in the source, as people read them.

    A name of a few characters, or a number, is one only as a whole cell.
    """

    def __init__(self, names: pd.Series):
        self.whole = {read_text(text) for text in to_text(names).dropna()}
        self.long = {
            name
            for name in self.whole
            if len(name) >= LONG_NAME and not NUMBER.match(name)
        }
        self._lengths = sorted({len(name) for name in self.long})

    def faults(
        self, cells: pd.Series, *, known: pd.Series | None = None, most: int = 0
    ) -> list[str]:
        """Cells of a published column that hold such a name.

        Parameters
        ----------
        cells : Series
            The published column.
        known : Series, optional
            The column of the source that it was compared with: short names and
            numbers that it holds, and numbers that stand for them, are labels.
        most : int, default=0
            Numbers that add up to no more than this are counts.
        """
        if _are_counts(cells, most):
            return []
        labels = set() if known is None else {SUPPRESSED, *_read(known)}
        texts = to_text(_written(cells)).dropna().map(read_text)
        named = set()
        for text in texts.unique():
            is_label = text in labels or (known is not None and NUMBER.match(text))
            if self.inside(text) or (text in self.whole and not is_label):
                named.add(text)
        n_rows = int(texts.isin(named).sum())
        if not n_rows:
            return []
        return [
            f"column {cells.name!r} holds names of nodes of the source in {n_rows} rows"
        ]

    def inside(self, text: str) -> bool:
        """Whether a long name stands anywhere in a text."""
        return any(
            text[start : start + length] in self.long
            for length in self._lengths
            for start in range(len(text) - length + 1)
        )


def _read(series: pd.Series) -> set[str]:
    return {read_text(text) for text in to_text(_written(series)).dropna().unique()}


def _are_counts(cells: pd.Series, most: int) -> bool:
    """Whether a column holds whole numbers that count up to so many things.

    Sizes of groups may be the number of anybody; numbers of persons add up to more.
    """
    if not types.is_numeric_dtype(cells.dtype):
        return False
    known = cells.dropna()
    whole = bool((known >= 0).all() and (known % 1 == 0).all())
    return whole and float(known.sum()) <= most

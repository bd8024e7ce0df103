"""Labels of nodes that are generalized one by one."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from anon_transformers_graphs._labels import LabelColumn


class NodeLabels:
    """Labels of all nodes, each at a level of its own.

    Parameters
    ----------
    columns : list of LabelColumn
        The labels; there may be none.
    n_nodes : int
        Nodes of the graph.

    Attributes
    ----------
    levels : int array of shape (n_labels, n_nodes)
        How far each label was generalized.
    """

    def __init__(self, columns: Sequence[LabelColumn], n_nodes: int):
        self._columns = columns
        self.levels = np.zeros((len(columns), n_nodes), dtype=np.int64)

    def copy(self) -> "NodeLabels":
        """The same labels, to be generalized apart from these."""
        twin = NodeLabels(self._columns, self.levels.shape[1])
        twin.levels[:] = self.levels
        return twin

    def colors(self) -> np.ndarray:
        """A number for what is published of each node."""
        nodes = np.arange(self.levels.shape[1])
        colors = np.zeros(len(nodes), dtype=np.int64)
        for column, levels in zip(self._columns, self.levels, strict=True):
            held = np.column_stack([colors, levels, column.groups[levels, nodes]])
            colors = np.unique(held, axis=0, return_inverse=True)[1].reshape(-1)
        return colors

    def unite(self, nodes: np.ndarray) -> None:
        """Generalize the labels of some nodes until they are the same."""
        for column, levels in zip(self._columns, self.levels, strict=True):
            levels[nodes] = column.common_level(nodes, int(levels[nodes].max()))

    def loss(self) -> float:
        """Share of the height of the hierarchies that labels were taken up."""
        if not self._columns:
            return 0.0
        heights = np.array([max(column.height, 1) for column in self._columns])
        return float((self.levels / heights[:, None]).mean())

    def published(self) -> pd.DataFrame | None:
        """The labels as they are now."""
        if not self._columns:
            return None
        nodes = np.arange(self.levels.shape[1])
        named = [
            column.published(nodes, levels)
            for column, levels in zip(self._columns, self.levels, strict=True)
        ]
        return pd.concat(named, axis=1)

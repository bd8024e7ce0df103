"""Labels of nodes, and how they are made less exact."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError, ParameterError, unknown_choice
from anon_transformers.hierarchies import Hierarchy, HierarchyBuilder

ROOT = "*"


class LabelColumn:
    """One label of all nodes with its generalizations.

    A missing label is a value of its own, above which there is the root only.

    Parameters
    ----------
    column : Series
        The labels, one a node.
    hierarchy : Hierarchy, HierarchyBuilder or None
        How they are made less exact; None: not at all, or ``*``.

    Attributes
    ----------
    groups : int array of shape (n_levels, n_nodes)
        For each level the group of each node.
    height : int
        Level of the root.
    """

    def __init__(self, column: pd.Series, hierarchy: Any):
        self.column = column
        codes, values = pd.factorize(column, use_na_sentinel=True)
        texts = [_text(value) for value in values.tolist()]
        if isinstance(hierarchy, HierarchyBuilder):
            hierarchy = hierarchy.build(texts)
        if hierarchy is None:
            levels = [(np.arange(len(texts)), np.array(texts, dtype=object))]
            levels.append((np.zeros(len(texts), np.int64), np.array([ROOT], object)))
        else:
            levels = _levels(hierarchy, texts, codes, column.name)
        self.height = len(levels) - 1
        self.groups = np.empty((len(levels), len(column)), dtype=np.int64)
        self._texts = []
        for level, (groups, names) in enumerate(levels):
            missing = len(names) if level < self.height else 0
            self.groups[level] = np.append(groups, missing)[codes]
            self._texts.append(np.array([*names, None], dtype=object))

    def common_level(self, nodes: np.ndarray, least: int = 0) -> int:
        """The lowest level from ``least`` on at which some nodes have one label."""
        held = self.groups[least:, nodes]
        return least + int((held == held[:, :1]).all(axis=1).argmax())

    def published(self, nodes: np.ndarray, levels: np.ndarray) -> pd.Series:
        """The labels of ``nodes`` at ``levels``, as they were if all levels are 0."""
        if not levels.any():
            return self.column.iloc[nodes].reset_index(drop=True)
        groups = self.groups[levels, nodes]
        texts = np.empty(len(nodes), dtype=object)
        for level, names in enumerate(self._texts):
            there = levels == level
            texts[there] = names[groups[there]]
        return pd.Series(texts, name=self.column.name, dtype="str")


def open_labels(
    labels: pd.DataFrame | None, hierarchies: Mapping[Hashable, Any] | None
) -> list[LabelColumn]:
    """All columns of labels; a hierarchy of a column that is not there is refused."""
    names: Sequence[Hashable] = [] if labels is None else list(labels.columns)
    for name, hierarchy in (hierarchies or {}).items():
        if name not in names:
            told = unknown_choice("label", name, names)
            raise ParameterError(f"hierarchies: {told}")
        if not isinstance(hierarchy, Hierarchy | HierarchyBuilder):
            raise ParameterError(
                f"hierarchies: {name!r} needs a Hierarchy or what builds one, got "
                f"{type(hierarchy).__name__}."
            )
    if labels is None:
        return []
    return [LabelColumn(labels[name], (hierarchies or {}).get(name)) for name in names]


def _levels(
    tree: Hierarchy, texts: list[str], codes: np.ndarray, name: Hashable
) -> list[tuple[np.ndarray, np.ndarray]]:
    leaves = tree.locate(texts)
    strange = int((np.append(leaves, 0)[codes] < 0).sum())
    if strange:
        raise DataError(
            f"label {name!r}: {strange} nodes have a value that its hierarchy does not "
            "know."
        )
    levels = [tree.level(level) for level in range(tree.n_levels)]
    return [(level.codes[leaves], level.labels) for level in levels]


def _text(value: Any) -> str:
    """A whole number is written without a point, whatever column it came in."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)

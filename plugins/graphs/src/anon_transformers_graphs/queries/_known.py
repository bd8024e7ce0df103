"""Classes of graphs that somebody has asked for before."""

from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from anon_transformers.graphs import Graph


class KnownClasses:
    """Classes of nodes, kept as long as their graph is.

    A gate asks for the same classes several times: who fails, how badly, and for a
    report. A graph's edges cannot be changed but its frame of labels can, so that
    classes count only with the labels they were made for.

    Examples
    --------
    >>> known, edge = KnownClasses(), Graph(2, [[0, 1]])
    >>> labels = np.zeros(2, dtype=np.int64)
    >>> known.keep(edge, 1, labels, classes=np.array([0, 0]))
    >>> known.get(edge, 1, labels)
    array([0, 0])
    >>> known.get(edge, 1, labels + [0, 1]) is None
    True
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._held: WeakKeyDictionary[
            Graph, dict[int, tuple[np.ndarray, np.ndarray]]
        ] = WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self._held)

    def get(self, graph: Graph, radius: int, labels: np.ndarray) -> np.ndarray | None:
        """The classes for a radius and for these labels, if they are known."""
        with self._lock:
            found = self._held.get(graph, {}).get(radius)
        if found is None or not np.array_equal(found[0], labels):
            return None
        return found[1]

    def keep(
        self, graph: Graph, radius: int, labels: np.ndarray, classes: np.ndarray
    ) -> None:
        """Remember the classes for a radius and for these labels."""
        with self._lock:
            self._held.setdefault(graph, {})[radius] = (labels, classes)

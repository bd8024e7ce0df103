"""Passive attacks: an intruder looks for the nodes that fit what is known."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import ParameterError
from anon_transformers.graphs import Graph, open_graph, open_same_nodes
from anon_transformers.parameters import whole
from anon_transformers_graphs.queries import neighborhood_classes, refinement_classes


@dataclass(frozen=True)
class Reidentification:
    """Who was found by what was known of all nodes.

    Attributes
    ----------
    attack : str
        What was known.
    targets : int
        Nodes that were looked for: all of the original.
    found : int
        Targets that exactly one published node fits, noise nodes counted.
    correct : int
        Those among them for which it is the right one.
    expected_share : float
        Share of right guesses of an intruder who picks among the fitting nodes.
    candidates : int array of shape (n_nodes,)
        How many published nodes fit each target, in the order of the original; 0 if its
        surroundings have changed to something that no node has.
    exposed : array of shape (correct,)
        Who was found rightly, by their names in the original.
    """

    attack: str
    targets: int
    found: int
    correct: int
    expected_share: float
    candidates: np.ndarray = field(repr=False, compare=False)
    exposed: np.ndarray = field(repr=False, compare=False)

    @property
    def correct_share(self) -> float:
        """Share of the targets that were found rightly."""
        return self.correct / max(self.targets, 1)

    def to_dict(self) -> dict[str, Any]:
        """Counts and shares as plain values."""
        return {
            "attack": self.attack,
            "targets": self.targets,
            "found": self.found,
            "correct": self.correct,
            "correct_share": self.correct_share,
            "expected_share": self.expected_share,
        }


def degree_attack(
    published: Any,
    original: Any = None,
    *,
    mapping: Mapping[Any, Hashable] | None = None,
) -> Reidentification:
    """Look for every node by its degree alone.

    Parameters
    ----------
    published : Graph, or a graph in any form
        Where to look. Labels are not looked at.
    original : Graph, or a graph in any form, optional
        What the intruder knows. Its nodes have the names of the published ones, or
        the order where one of the graphs has no names, which shows who was found
        rightly; a published graph whose nodes were renamed is refused without a
        ``mapping``. Nodes that it lacks are noise: nobody looks for them, but they fit
        like others. By default ``published``: a graph that only lost its names.
    mapping : mapping, optional
        New name by old name; see :func:`anon_transformers.graphs.open_same_nodes`.

    Returns
    -------
    Reidentification
        Who was found.

    Examples
    --------
    >>> star = Graph(4, [[0, 1], [0, 2], [0, 3]])
    >>> degree_attack(star).to_dict()["correct"]
    1
    """
    both, names = _disjoint_union(published, original, mapping)
    classes = np.unique(both.degrees, return_inverse=True)[1]
    return _compare_classes("degree", classes, names)


def refinement_attack(
    published: Any,
    original: Any = None,
    depth: int = 2,
    time_limit: float = 60.0,
    *,
    mapping: Mapping[Any, Hashable] | None = None,
) -> Reidentification:
    """Look for every node by vertex refinement up to a depth.

    Parameters
    ----------
    published, original
        As in :func:`degree_attack`; but labels that are published are known of
        all nodes, as they are published. Those of ``original`` are not looked at.
    depth : int, default=2
        1 is the degree, 2 the degrees of the neighbors, and so on.
    time_limit : float, default=60.0
        Seconds; see :func:`refinement_classes`.
    mapping : mapping, optional
        As in :func:`degree_attack`.

    Returns
    -------
    Reidentification
        Who was found.

    Examples
    --------
    >>> path = Graph(5, [[0, 1], [1, 2], [2, 3], [3, 4]])
    >>> refinement_attack(path, depth=2).found
    1
    """
    depth = whole("depth", depth)
    both, names = _disjoint_union(published, original, mapping)
    classes = refinement_classes(both, depth, time_limit)
    return _compare_classes(f"h{depth}", classes, names)


def neighborhood_attack(
    published: Any,
    original: Any = None,
    radius: int = 1,
    time_limit: float = 60.0,
    *,
    mapping: Mapping[Any, Hashable] | None = None,
) -> Reidentification:
    """Look for every node by the edges between its neighbors.

    Parameters
    ----------
    published, original
        As in :func:`refinement_attack`.
    radius : int, default=1
        How far the intruder knows the surroundings.
    time_limit : float, default=60.0
        Seconds; see :func:`neighborhood_classes`.
    mapping : mapping, optional
        As in :func:`degree_attack`.

    Returns
    -------
    Reidentification
        Who was found.

    Examples
    --------
    >>> bow_tie = Graph(5, [[0, 1], [0, 2], [1, 2], [2, 3], [2, 4], [3, 4]])
    >>> neighborhood_attack(bow_tie).correct_share
    0.2
    """
    both, names = _disjoint_union(published, original, mapping)
    classes = neighborhood_classes(both, radius, time_limit)
    return _compare_classes("neighborhood", classes, names)


def _disjoint_union(
    published: Any, original: Any, mapping: Mapping[Any, Hashable] | None
) -> tuple[Graph, np.ndarray]:
    """The original and what was published as one graph, so that classes compare.

    Labels of the original may be of other levels, so that they fit nothing. An
    intruder who knows them can derive how they are published, and so every node is
    looked for by the published ones.
    """
    if original is None:
        if mapping is not None:
            raise ParameterError("mapping: it has no meaning without an original.")
        published, form = open_graph(published)
        known, names = published, form.names
    else:
        known, published, names = open_same_nodes(original, published, mapping)
    moved = published.edges.astype(np.int64) + known.n_nodes
    edges = np.concatenate([known.edges, moved])
    labels = published.labels
    if labels is not None:
        own = labels.iloc[: known.n_nodes]  # noise nodes come after them
        labels = pd.concat([own, labels], ignore_index=True)
    both = Graph(known.n_nodes + published.n_nodes, edges, labels=labels)
    return both, names


def _compare_classes(
    attack: str, classes: np.ndarray, names: np.ndarray
) -> Reidentification:
    """Compare the classes of targets with those of published nodes."""
    n_targets = len(names)
    targets, published = classes[:n_targets], classes[n_targets:]
    counts = np.bincount(published, minlength=int(classes.max(initial=-1)) + 1)
    candidates = counts[targets]
    right = targets == published[:n_targets]
    chances = np.where(right, 1 / np.maximum(candidates, 1), 0)
    exposed = np.flatnonzero(right & (candidates == 1))
    return Reidentification(
        attack,
        n_targets,
        int((candidates == 1).sum()),
        len(exposed),
        float(chances.mean()) if n_targets else 0.0,
        candidates,
        names[exposed],
    )

"""Intruders who know something of everybody, and look for who fits it."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError
from anon_transformers.graphs import Graph
from anon_transformers.parameters import whole
from anon_transformers_graphs._any_form import any_form
from anon_transformers_graphs.queries import neighborhood_classes, refinement_classes


@dataclass(frozen=True)
class Reidentification:
    """Who was found by what was known of everybody.

    Attributes
    ----------
    attack : str
        What was known.
    targets : int
        Nodes that were looked for: all of the original.
    found : int
        Targets that exactly one published node fits.
    correct : int
        Those among them for which it is the right one.
    expected_share : float
        Share of right guesses of an intruder who picks among the fitting nodes.
    candidates : int array of shape (n_nodes,)
        How many published nodes fit each target; 0 if its surroundings have changed to
        something that nobody has.
    exposed : int array of shape (correct,)
        Who was found rightly, by their numbers in the published graph.
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
        """Targets that were found, rightly, among all."""
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


@any_form(same_nodes=True)
def degree_attack(published: Graph, original: Graph | None = None) -> Reidentification:
    """Look for everybody by the number of neighbours, and by nothing else.

    Parameters
    ----------
    published : Graph, or a graph in any form
        Where to look. Labels are not looked at.
    original : Graph, or a graph in any form, optional
        What the intruder knows. Its nodes have the names of the published ones, or
        the order where one of the graphs is a ``Graph``, which tells who was found
        rightly. By default ``published``: a graph that only lost its names.

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
    both, n_targets = _side_by_side(published, original)
    classes = np.unique(both.degrees, return_inverse=True)[1]
    return _outcome("degree", classes, n_targets)


@any_form(same_nodes=True)
def refinement_attack(
    published: Graph,
    original: Graph | None = None,
    depth: int = 2,
    time_limit: float = 60.0,
) -> Reidentification:
    """Look for everybody by what is known up to a depth.

    Parameters
    ----------
    published, original
        As in :func:`degree_attack`; but labels that are published are known of
        everybody, as they are published. Those of ``original`` are not looked at.
    depth : int, default=2
        1 is the degree, 2 the degrees of the neighbours, and so on.
    time_limit : float, default=60.0
        Seconds; see :func:`refinement_classes`.

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
    both, n_targets = _side_by_side(published, original)
    classes = refinement_classes(both, depth, time_limit)
    return _outcome(f"h{depth}", classes, n_targets)


@any_form(same_nodes=True)
def neighborhood_attack(
    published: Graph,
    original: Graph | None = None,
    radius: int = 1,
    time_limit: float = 60.0,
) -> Reidentification:
    """Look for everybody by how their neighbours are joined.

    Parameters
    ----------
    published, original
        As in :func:`refinement_attack`.
    radius : int, default=1
        How far the intruder knows the surroundings.
    time_limit : float, default=60.0
        Seconds; see :func:`neighborhood_classes`.

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
    both, n_targets = _side_by_side(published, original)
    classes = neighborhood_classes(both, radius, time_limit)
    return _outcome("neighborhood", classes, n_targets)


def _side_by_side(published: Graph, original: Graph | None) -> tuple[Graph, int]:
    """The original and what was published as one graph, so that classes compare.

    Labels of the original may be of other levels, so that they fit nothing. Whoever
    knows them can tell how they are published, and so everybody is looked for by the
    published ones.
    """
    known = published if original is None else original
    if known.n_nodes != published.n_nodes:
        raise DataError(
            f"the original has {known.n_nodes} nodes and what is published "
            f"{published.n_nodes}: nobody could tell who was found rightly."
        )
    moved = published.edges.astype(np.int64) + known.n_nodes
    edges = np.concatenate([known.edges, moved])
    labels = published.labels
    if labels is not None:
        labels = pd.concat([labels, labels], ignore_index=True)
    both = Graph(2 * known.n_nodes, edges, labels=labels)
    return both, known.n_nodes


def _outcome(attack: str, classes: np.ndarray, n_targets: int) -> Reidentification:
    """Compare the classes of targets with those of published nodes."""
    targets, published = classes[:n_targets], classes[n_targets:]
    counts = np.bincount(published, minlength=int(classes.max(initial=-1)) + 1)
    candidates = counts[targets]
    right = targets == published
    chances = np.where(right, 1 / np.maximum(candidates, 1), 0)
    exposed = np.flatnonzero(right & (candidates == 1))
    return Reidentification(
        attack,
        n_targets,
        int((candidates == 1).sum()),
        len(exposed),
        float(chances.mean()) if n_targets else 0.0,
        candidates,
        exposed,
    )

"""Groups that break a promise join their neighbors until none does."""

from dataclasses import dataclass

import numpy as np

from anon_transformers._kernels.centers import cheapest_partners, pair_off
from anon_transformers.evidence import Classes
from anon_transformers.privacy import AllOf

MOST_RELEASES = 16
"""How many parts of a merged group are tried whether they can go again."""


@dataclass(frozen=True)
class RowGroups:
    """Groups of rows in a space.

    Attributes
    ----------
    sizes : int64 ndarray
        Rows of each group.
    sums : float64 ndarray of shape (n_groups, n_coordinates)
        Sum of their coordinates.
    """

    sizes: np.ndarray
    sums: np.ndarray

    @classmethod
    def of(cls, points: np.ndarray, labels: np.ndarray, n_groups: int) -> "RowGroups":
        """Add up the rows of each group.

        Parameters
        ----------
        points : float64 ndarray of shape (n_rows, n_coordinates)
            Where rows lie.
        labels : int ndarray
            Group of each row.
        n_groups : int
            How many groups there are.
        """
        return cls(
            np.bincount(labels, minlength=n_groups), _sums(labels, points, n_groups)
        )

    @property
    def centers(self) -> np.ndarray:
        """Mean of each group."""
        return self.sums / self.sizes[:, None]

    def merge(self, into: np.ndarray, n_groups: int) -> "RowGroups":
        """Join groups: group ``i`` goes into group ``into[i]``."""
        sizes = np.bincount(into, self.sizes, n_groups).astype(np.int64)
        return RowGroups(sizes, _sums(into, self.sums, n_groups))


def merge_until_kept(groups: RowGroups, classes: Classes, promise: AllOf) -> np.ndarray:
    """Merge groups until each keeps the promise, or one is left.

    In each round every group that breaks it asks the one it costs least to join, and
    pairs form, cheapest first. In the end what joined a group, and is not needed there,
    goes again.

    Parameters
    ----------
    groups : RowGroups
        The groups as they are.
    classes : Classes
        What models may know of each.
    promise : AllOf
        What each must keep.

    Returns
    -------
    int64 ndarray
        For each group the number of the one it ends in, without a gap. Where the
        promise holds of no union, all end in one, which breaks it.

    Examples
    --------
    >>> from anon_transformers.privacy import KAnonymity
    >>> points = np.array([[1.0], [2.0], [9.0], [10.0], [11.0]])
    >>> labels = np.array([0, 0, 1, 2, 2])
    >>> merge_until_kept(
    ...     RowGroups.of(points, labels, 3),
    ...     Classes.from_labels(labels, 3),
    ...     AllOf((KAnonymity(k=2),)),
    ... )
    array([0, 1, 1])
    """
    fine = promise.satisfied(classes)
    into = np.arange(classes.n_classes)
    if fine.all():
        return into
    now, evidence, kept = groups, classes, fine
    while evidence.n_classes > 1 and not kept.all():
        asking = np.flatnonzero(~kept)
        partners, costs = cheapest_partners(now.centers, now.sizes, asking)
        joined, n_left = pair_off(asking, partners, costs, evidence.n_classes)
        now, evidence = now.merge(joined, n_left), evidence.merge(joined, n_left)
        kept, into = promise.satisfied(evidence), joined[into]
    if not kept.all():
        return into
    return _without_needless(into, groups, classes, promise, fine)


def _without_needless(
    into: np.ndarray,
    groups: RowGroups,
    classes: Classes,
    promise: AllOf,
    fine: np.ndarray,
) -> np.ndarray:
    """Let those go again that keep the promise alone, if what they leave keeps it too.

    Of each merged group one part at a time is tried, the one that gains most first.
    """
    into = into.copy()
    open_ = fine & (np.bincount(into)[into] > 1)
    for _ in range(MOST_RELEASES):
        if not open_.any():
            break
        parts = np.flatnonzero(open_)
        gains = _gains(parts, into, groups)
        order = np.lexsort((-gains, into[parts]))
        first = np.append(True, np.diff(into[parts][order]) > 0)
        leaving = parts[order[first]]
        open_[leaving] = False
        n_groups = int(into.max()) + 1
        tried = into.copy()
        tried[leaving] = n_groups + np.arange(len(leaving))
        keeps = promise.satisfied(classes.merge(tried, n_groups + len(leaving)))
        # A person in several groups is judged by all of them, also by the part that
        # leaves.
        leaving = leaving[keeps[into[leaving]] & keeps[tried[leaving]]]
        into[leaving] = tried[leaving]
        into = _numbered(into)
        open_ &= np.bincount(into)[into] > 1
    return into


def _gains(parts: np.ndarray, into: np.ndarray, groups: RowGroups) -> np.ndarray:
    """How much less the squared distances are without each part."""
    whole = groups.merge(into, int(into.max()) + 1)
    own, all_of = groups.sizes[parts], whole.sizes[into[parts]]
    apart = groups.centers[parts] - whole.centers[into[parts]]
    return own * all_of / (all_of - own) * (apart * apart).sum(axis=1)


def _numbered(into: np.ndarray) -> np.ndarray:
    """The same groups, numbered by their first members."""
    _, first, at = np.unique(into, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[at]


def _sums(into: np.ndarray, coordinates: np.ndarray, n_groups: int) -> np.ndarray:
    columns = [np.bincount(into, column, n_groups) for column in coordinates.T]
    return np.stack(columns, axis=1)

"""Recoding by k-means."""

import warnings
from collections.abc import Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import ThreadpoolController

from anon_transformers._data.columns import Column
from anon_transformers._kernels.kmeans_moves import move_rows
from anon_transformers.base import tell_progress
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.fuzzy._breaks import break_between, break_points, intervals
from anon_transformers.fuzzy._centers import Layout, center_order
from anon_transformers.fuzzy._docs import SET_TEXTS
from anon_transformers.fuzzy._naming import Labels, numbered_names
from anon_transformers.fuzzy._recoder import SetRecoder
from anon_transformers.fuzzy._rules import CenterRule, SetRule, WholeRule
from anon_transformers.fuzzy._scaling import Scale
from anon_transformers.hierarchies._hierarchy import Hierarchy
from anon_transformers.parameters import substitute, whole
from anon_transformers.privacy import PrivacyModel

SMALL = 1_000_000
"""Distances of rows to centers, by coordinate, that one thread is soon done with."""


@substitute(SET_TEXTS)
class KMeansRecoder(SetRecoder):
    """Replace numbers and dates by the cluster they lie in.

    Clusters are found by k-means: every row belongs to the nearest center, and every
    center is the mean of its rows. Afterwards single rows move to another cluster while
    that lowers the sum of squares.

    Coded independently, each column has clusters of its own, which are intervals and
    published as such: ``[20, 35]``, ``(35, 60]``. Coded jointly, rows are clustered by
    all columns together, and every quasi-identifier of a row publishes the name of its
    cluster: ``set 1``, ``set 2``, in the order of the first column. A missing value is
    a set of its own and stays missing; coded jointly, the rows that lack a value in any
    column are one set, ``missing``.

    Parameters
    ----------
    {quasi_identifiers}
    n_sets : int or dict of column to int, default=None
        Clusters of each column, or of the table; at most as many as there are different
        values. None, or a column that is not named: look for the numbers that keep
        every promise with little loss, up to ``max_sets``.
    coding : {"independent", "joint"}, default="independent"
        Cluster each column by itself, or all together.
    {scale}
    n_init : int, default=10
        Starts, of which the best is taken.
    {random_state}
    max_sets : int, default=12
        Most clusters that a search tries.
    labels : list of str or dict of column to list, default=None
        Names from the lowest cluster to the highest, published instead of intervals or
        numbers.
    keep_memberships : bool, default=False
        Keep ``degrees_``, ``class_names_`` and ``centers_``, which are private.
    {k}
    models : list of privacy models, default=None
        Further promises, of classes or of degrees; here these are 0 and 1.
    {sensitive_and_identifiers}
    {hierarchies}
    {subject}
    {suppression_limit}
    {suppression}
    {suppression_label}

    Attributes
    ----------
    {report_}
    {tried_}
    {n_suppressed_}
    {suppressed_mask_}
    degrees_ : float64 ndarray of shape (n_rows, n_classes)
        With ``keep_memberships``: 1 where a row belongs to a class, for every
        combination of clusters.
    {class_names_}
    centers_ : dict of column to ndarray
        With ``keep_memberships`` and joint coding: where the clusters lie.

    See Also
    --------
    FuzzyCMeansRecoder : Clusters that rows belong to by degrees.
    GlobalRecoder : Intervals of equal length or of equal numbers of rows.

    Notes
    -----
    A fitted recoder holds the centers of joint clusters, since ``transform`` needs
    them: like the table itself it is private. Of intervals it holds the limits only,
    and suppresses other rows that lie beyond the lowest and highest value of the fitted
    table.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.fuzzy import KMeansRecoder
    >>> people = pd.DataFrame({"age": [20, 22, 40, 44], "job": list("abab")})
    >>> KMeansRecoder(["age"], k=2, random_state=0).fit_transform(people)
            age job
    0  [20, 30]   a
    1  [20, 30]   b
    2  (30, 44]   a
    3  (30, 44]   b
    """

    coding: str
    scale: Scale
    n_init: int

    not_promised: ClassVar[tuple[str, ...]] = (
        "The lowest and the highest value of a column are published, as limits of "
        "intervals.",
    )

    def __init__(
        self,
        quasi_identifiers: Sequence[Hashable] | None = None,
        *,
        n_sets: int | Mapping[Any, int] | None = None,
        coding: Literal["independent", "joint"] = "independent",
        scale: Scale = "range",
        n_init: int = 10,
        random_state: int | np.random.Generator | None = None,
        max_sets: int = 12,
        labels: Labels = None,
        keep_memberships: bool = False,
        k: int = 5,
        models: Sequence[PrivacyModel] | None = None,
        sensitive: Sequence[Hashable] | None = None,
        identifiers: Sequence[Hashable] | None = None,
        hierarchies: Mapping[Any, Hierarchy] | None = None,
        subject: Hashable | None = None,
        suppression_limit: float = 0.0,
        suppression: Literal["mask", "drop", "blank"] = "mask",
        suppression_label: str = SUPPRESSED,
    ):
        self._take(locals())

    def _shows_limits(self) -> bool:
        return self.coding == "independent"

    @classmethod
    def test_instances(cls) -> list["KMeansRecoder"]:
        """Configurations that the contract checks run on."""
        return [
            cls(k=2, n_init=1, max_sets=3),
            cls(k=2, n_init=1, max_sets=4, coding="joint", suppression_limit=0.1),
        ]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        whole("n_init", self.n_init)

    def _make_rule(
        self,
        columns: Sequence[Column],
        n_sets: int,
        names: tuple[str, ...] | None,
        rng: np.random.Generator,
    ) -> SetRule:
        single = len(columns) == 1
        if n_sets == 1:
            if not single:
                return WholeRule()
            return intervals(
                columns[0], break_points(columns[0], 1, "equidistant"), names
            )
        layout = Layout.of(columns, self.scale)
        centers = self._cluster(layout.points, n_sets, rng)
        centers = centers[center_order(centers)]
        if not single:
            labels = (names or numbered_names(n_sets))[: len(centers)]
            return CenterRule(labels, layout.axes, layout.used, centers)
        halfway = (centers[1:, 0] + centers[:-1, 0]) / 2
        breaks = break_between(columns[0], halfway, layout.axes[0])
        return intervals(columns[0], breaks, names, endless=names is not None)

    def _cluster(
        self, points: np.ndarray, n_sets: int, rng: np.random.Generator
    ) -> np.ndarray:
        """Centers of the best clusters that were found."""
        found: list[tuple[float, np.ndarray]] = []
        for number, seed in enumerate(rng.integers(2**31, size=self.n_init).tolist()):
            tell_progress(number / self.n_init)
            model = KMeans(n_sets, n_init=1, random_state=seed)
            with warnings.catch_warnings(), _threads(points.size * n_sets):
                # Values so near that doubles are equal: fewer clusters will do.
                warnings.simplefilter("ignore", ConvergenceWarning)
                labels = model.fit(points).labels_
            labels = np.unique(move_rows(points, labels), return_inverse=True)[1]
            sums = [np.bincount(labels, coordinate) for coordinate in points.T]
            centers = np.stack(sums, axis=1) / np.bincount(labels)[:, None]
            found.append((float(((points - centers[labels]) ** 2).sum()), centers))
        return min(found, key=lambda pair: pair[0])[1]


def _threads(n_distances: int) -> AbstractContextManager[object]:
    """One thread for little work: on a busy machine many wait for each other."""
    if n_distances > SMALL:
        return nullcontext()
    return _threadpools().limit(limits=1, user_api="openmp")


@cache
def _threadpools() -> ThreadpoolController:
    """The pools of the loaded libraries; to look for them takes its time."""
    return ThreadpoolController()

"""Recoding by fuzzy c-means."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from anon_transformers._kernels.fuzzy_clusters import FuzzyClusters, fuzzy_c_means
from anon_transformers.base import tell_progress
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.fuzzy._cluster_recoder import ClusterRecoder
from anon_transformers.fuzzy._docs import SET_TEXTS
from anon_transformers.fuzzy._naming import Labels
from anon_transformers.fuzzy._scaling import Scale
from anon_transformers.hierarchies._hierarchy import Hierarchy
from anon_transformers.parameters import substitute
from anon_transformers.privacy import PrivacyModel


@substitute(SET_TEXTS)
class FuzzyCMeansRecoder(ClusterRecoder):
    """Replace numbers and dates by fuzzy sets about centers.

    Fuzzy c-means gives every row a degree in every set, the larger the nearer its
    center lies; the degrees of a row add up to 1. What is published is the name of the
    set in which a row has its largest degree. Where the sets end is not published, nor
    how far a row belongs to its own.

    Coded independently, each column has sets of its own, called by words for their
    order: ``Low``, ``Medium``, ``High``, and from eight sets on by numbers from the
    lowest: ``set 1``, ``set 2``. Coded jointly, the sets are of all columns
    together, and every quasi-identifier of a row publishes the name of its set:
    ``set 1``, ``set 2``, in the order of the first column. A missing value is a set of
    its own, with degree 1, and stays missing; coded jointly, the rows that lack a value
    in any column are one set, ``missing``.

    Parameters
    ----------
    {quasi_identifiers}
    {n_sets}
    {coding}
    {scale}
    {m}
    {tol}
    {max_iter}
    {n_init}
    {init}
    {random_state}
    {max_sets}
    {labels}
    keep_memberships : bool, default=False
        Keep ``degrees_``, ``class_names_``, ``centers_``, which are private.
    {k}
    {models}
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
    {n_iter_}
    {n_suppressed_}
    {suppressed_mask_}
    {degrees_}
    {class_names_}
    {centers_}

    See Also
    --------
    GustafsonKesselRecoder : Sets of different shapes.
    KMeansRecoder : Crisp clusters.

    Notes
    -----
    A fitted recoder holds the centers, since ``transform`` needs them: like the
    table itself it is private. Only labels are published; degrees and centers would
    give the values back.

    Without ``init``, a table of more than 8,192 rows is clustered by so many of its
    points first, and by all rows from the best centers of these. ``n_iter_`` counts
    iterations with all rows.

    References
    ----------
    .. [1] J. C. Bezdek, "Pattern recognition with fuzzy objective function
       algorithms", Plenum Press, 1981.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.fuzzy import FuzzyCMeansRecoder
    >>> people = pd.DataFrame({"age": [20, 22, 40, 44], "job": list("abab")})
    >>> FuzzyCMeansRecoder(["age"], k=2, random_state=0).fit_transform(people)
        age job
    0   Low   a
    1   Low   b
    2  High   a
    3  High   b
    """

    not_promised: ClassVar[tuple[str, ...]] = (
        "Degrees and centers would give the values back; they must stay private.",
    )

    def __init__(
        self,
        quasi_identifiers: Sequence[Hashable] | None = None,
        *,
        n_sets: int | Mapping[Any, int] | None = None,
        coding: Literal["independent", "joint"] = "independent",
        scale: Scale = "range",
        m: float = 2.0,
        tol: float = 1e-4,
        max_iter: int = 1000,
        n_init: int = 1,
        init: Any = None,
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

    @classmethod
    def test_instances(cls) -> list["FuzzyCMeansRecoder"]:
        """Configurations that the contract checks run on."""
        return [
            cls(k=2, max_sets=4),
            cls(k=2, max_sets=4, coding="joint", scale="standard", m=1.5),
        ]

    def _cluster(self, points: np.ndarray, centers: np.ndarray) -> FuzzyClusters:
        return fuzzy_c_means(
            points, centers, self.m, self.tol, self.max_iter, tell_progress
        )

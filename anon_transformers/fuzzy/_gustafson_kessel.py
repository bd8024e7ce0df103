"""Recoding by the clusters of Gustafson and Kessel."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from anon_transformers._kernels.fuzzy_clusters import FuzzyClusters, gustafson_kessel
from anon_transformers.base import tell_progress
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import ParameterError
from anon_transformers.fuzzy._cluster_recoder import ClusterRecoder
from anon_transformers.fuzzy._docs import SET_TEXTS
from anon_transformers.fuzzy._naming import Labels
from anon_transformers.fuzzy._scaling import Scale
from anon_transformers.hierarchies._hierarchy import Hierarchy
from anon_transformers.parameters import substitute
from anon_transformers.privacy import PrivacyModel


@substitute(SET_TEXTS)
class GustafsonKesselRecoder(ClusterRecoder):
    """Replace numbers and dates by fuzzy sets of different shapes.

    As fuzzy c-means, but each set measures distances by a norm of its own, learned with
    its center, so that sets may be long and narrow. With one column, and coded
    independently, it is fuzzy c-means unless ``rho`` says otherwise.

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
    rho : float or array of shape (n_sets,), default=1.0
        Determinant of each set's norm matrix: the larger, the smaller the set.
    {tol}
    {max_iter}
    {n_init}
    {init}
    {random_state}
    {max_sets}
    {labels}
    keep_memberships : bool, default=False
        Keep ``degrees_``, ``class_names_``, ``centers_`` and ``norms_``, which are
        private.
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
    norms_ : list of ndarray of shape (n_sets, n_columns, n_columns)
        With ``keep_memberships``: how sets measure distances in scaled coordinates; one
        array for all columns together, or one per column. Columns that are constant are
        left out.

    See Also
    --------
    FuzzyCMeansRecoder : The same norm for all sets.

    Notes
    -----
    A fitted recoder holds the centers and norms, since ``transform`` needs them: like
    the table itself it is private. Only labels are published; degrees and centers would
    give the values back.

    Without ``init``, a table of more than 8,192 rows is clustered by so many of its
    points first, and by all rows from the best centers of these. ``n_iter_`` counts
    iterations with all rows.

    References
    ----------
    .. [1] D. E. Gustafson and W. C. Kessel, "Fuzzy clustering with a fuzzy covariance
       matrix", IEEE Conference on Decision and Control, 1978.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.fuzzy import GustafsonKesselRecoder
    >>> people = pd.DataFrame(
    ...     {"age": [20, 22, 25, 21, 60, 70, 66, 64], "pay": [3, 9, 5, 4, 8, 4, 6, 5]}
    ... )
    >>> recoder = GustafsonKesselRecoder(k=4, coding="joint", random_state=0)
    >>> recoder.fit_transform(people).drop_duplicates()
         age    pay
    0  set 1  set 1
    4  set 2  set 2
    """

    rho: Any

    not_promised: ClassVar[tuple[str, ...]] = (
        "Degrees, centers and norms would give the values back; they must stay "
        "private.",
    )

    def __init__(
        self,
        quasi_identifiers: Sequence[Hashable] | None = None,
        *,
        n_sets: int | Mapping[Any, int] | None = None,
        coding: Literal["independent", "joint"] = "independent",
        scale: Scale = "range",
        m: float = 2.0,
        rho: Any = 1.0,
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
    def test_instances(cls) -> list["GustafsonKesselRecoder"]:
        """Configurations that the contract checks run on."""
        return [
            cls(k=2, max_sets=3),
            cls(k=2, max_sets=4, coding="joint", scale="standard"),
        ]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        try:
            volumes = np.asarray(self.rho, dtype=np.float64)
        except (TypeError, ValueError):
            volumes = np.zeros(1)
        if volumes.ndim > 1 or not ((volumes > 0) & np.isfinite(volumes)).all():
            raise ParameterError(
                f"rho must be a number above 0, or one per set, got {self.rho!r}."
            )

    def _cluster(self, points: np.ndarray, centers: np.ndarray) -> FuzzyClusters:
        rho = np.asarray(self.rho, dtype=np.float64)
        if rho.ndim and len(rho) != len(centers):
            raise ParameterError(
                f"rho has {len(rho)} numbers for n_sets={len(centers)}; give n_sets, "
                "or one number for all sets."
            )
        return gustafson_kessel(
            points,
            centers,
            self.m,
            rho,
            self.tol,
            self.max_iter,
            progress=tell_progress,
        )

"""Recoding by the clusters of Gustafson and Kessel."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from anon_transformers._kernels.fuzzy_clusters import FuzzyClusters, gustafson_kessel
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import ParameterError
from anon_transformers.fuzzy._cluster_recoder import ClusterRecoder
from anon_transformers.fuzzy._naming import Labels
from anon_transformers.fuzzy._scaling import Scale
from anon_transformers.hierarchies._hierarchy import Hierarchy
from anon_transformers.privacy import PrivacyModel


class GustafsonKesselRecoder(ClusterRecoder):
    """Replace numbers and dates by fuzzy sets of different shapes.

    As fuzzy c-means, but each set measures distances by a norm of its own, learnt with
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
    quasi_identifiers : list, default=None
        Columns an intruder may know: numbers or dates. None: all that are not declared
        otherwise.
    n_sets : int or dict of column to int, default=None
        Sets of each column, or of the table; at most as many as there are different
        values. None, or a column that is not named: look for the numbers that keep
        every promise with little loss, up to ``max_sets``.
    coding : {"independent", "joint"}, default="independent"
        Make sets of each column by itself, or of all together.
    scale : {"range", "standard"} or None, default="range"
        Bring every column to 0 to 1, or to a variance of 1, before distances are taken.
        None: as they are, dates in days, so that a column of large numbers decides.
    m : float, default=2.0
        Fuzziness, above 1: near 1 the sets are almost crisp.
    rho : float or array of shape (n_sets,), default=1.0
        Determinant of each set's norm matrix: the larger, the smaller the set.
    tol : float, default=1e-4
        Stop when no degree rises by more in one iteration.
    max_iter : int, default=1000
        Most iterations.
    n_init : int, default=1
        Starts, of which the one with the least objective is taken.
    init : array of shape (n_sets,) or (n_sets, n_columns), default=None
        Where the first centers lie, instead of random numbers: from 0 to 1, where 0.5
        is the mean of a column, and 0 and 1 are as far from it as the farthest row.
        With one dimension it is used for every column; ``n_sets`` must be given.
    random_state : int or Generator, default=None
        Where the starts come from.
    max_sets : int, default=12
        Most sets that a search tries.
    labels : list of str or dict of column to list, default=None
        Names from the lowest set to the highest.
    keep_memberships : bool, default=False
        Keep ``degrees_``, ``class_names_``, ``centers_`` and ``norms_``, which are
        private.
    k : int, default=5
        Rows (persons, with ``subject``) that must share each published combination.
    models : list of privacy models, default=None
        Further promises, of classes or of degrees. Degrees are judged of the rows that
        are kept, in all classes.
    sensitive, identifiers : list, default=None
        Columns an intruder wants to know; columns that are dropped.
    hierarchies : dict of column to Hierarchy or builder, default=None
        Trees of sensitive columns, which tell models how near two values are; those of
        quasi-identifiers are not used.
    subject : column, default=None
        Tells persons apart, so that k counts persons. It is dropped.
    suppression_limit : float or int, default=0.0
        Largest share of rows that may be suppressed; as a whole number from 1 on, the
        largest number of rows (not of persons).
    suppression : {"mask", "drop", "blank"}, default="mask"
        Put the label into the quasi-identifiers and keep the row; drop the row; or mask
        it and empty its sensitive cells too.
    suppression_label : str, default="*"
        The text of a suppressed cell.

    Attributes
    ----------
    report_ : Report
        Classes, loss, risk, suppressed rows and time, in numbers. ``details`` tells the
        number of sets; after a search also how many choices were tried, and whether
        none can have less loss.
    tried_ : list of dict
        ``n_sets`` and ``loss`` of each choice that a search tried; a loss of None: the
        promise was not kept. It is no part of the report.
    n_iter_ : int
        Iterations; where several columns are coded, the most of one.
    n_suppressed_, n_extra_suppressed_ : int
        Rows that were suppressed; those that went only to fill the suppressed class.
    suppressed_mask_ : bool ndarray
        Which rows of the fitted table were suppressed.
    degrees_ : float64 ndarray of shape (n_rows, n_classes)
        With ``keep_memberships``: degree of each row in each class, which is every
        combination of sets; coded independently, the product of the degrees in its
        sets.
    class_names_ : list of tuple of str
        With ``keep_memberships``: the labels of each class, one a quasi-identifier.
    centers_ : dict of column to ndarray
        With ``keep_memberships``: where the sets lie, in the unit of the column.
    norms_ : list of ndarray of shape (n_sets, n_columns, n_columns)
        With ``keep_memberships``: how sets measure distances in scaled coordinates; one
        array for all columns together, or one a column. Columns that are constant are
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
                f"rho must be a number above 0, or one a set, got {self.rho!r}."
            )

    def _cluster(self, points: np.ndarray, centers: np.ndarray) -> FuzzyClusters:
        rho = np.asarray(self.rho, dtype=np.float64)
        if rho.ndim and len(rho) != len(centers):
            raise ParameterError(
                f"rho has {len(rho)} numbers for n_sets={len(centers)}; give n_sets, "
                "or one number for all sets."
            )
        return gustafson_kessel(points, centers, self.m, rho, self.tol, self.max_iter)

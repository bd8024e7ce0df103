"""Recoding by fuzzy c-means."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from anon_transformers._kernels.fuzzy_clusters import FuzzyClusters, fuzzy_c_means
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.fuzzy._cluster_recoder import ClusterRecoder
from anon_transformers.fuzzy._naming import Labels
from anon_transformers.fuzzy._scaling import Scale
from anon_transformers.hierarchies._hierarchy import Hierarchy
from anon_transformers.privacy import PrivacyModel


class FuzzyCMeansRecoder(ClusterRecoder):
    """Replace numbers and dates by fuzzy sets about centers.

    Fuzzy c-means gives every row a degree in every set, the larger the nearer its
    center lies; the degrees of a row add up to 1. What is published is the name of the
    set in which a row has its largest degree. Where the sets end nobody is told, nor
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
        Keep ``degrees_``, ``class_names_``, ``centers_``, which are private.
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
        return fuzzy_c_means(points, centers, self.m, self.tol, self.max_iter)

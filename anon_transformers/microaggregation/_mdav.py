"""Microaggregation by MDAV."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from anon_transformers._data.columns import Column
from anon_transformers._kernels import mdav, mdav_fast, refinement
from anon_transformers._kernels.centers import nearest_centers
from anon_transformers.base import TableAnonymizer
from anon_transformers.base._coded_table import (
    CodedTable,
    PublishedColumn,
    refuse_too_few,
)
from anon_transformers.base._docs import TABLE_TEXTS
from anon_transformers.base._progress import run_counted
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import ParameterError, check_choice
from anon_transformers.hierarchies._hierarchy import Hierarchy
from anon_transformers.microaggregation._centers import publish_centers
from anon_transformers.microaggregation._merging import RowGroups, merge_until_kept
from anon_transformers.microaggregation._space import NumericSpace
from anon_transformers.parameters import generator, substitute
from anon_transformers.privacy import AllOf, PrivacyModel

CHOICES = {
    "algorithm": ("exact", "fast"),
    "standardize": (True, False),
    "refine": (True, False),
}


@substitute(TABLE_TEXTS)
class MDAVAnonymizer(TableAnonymizer):
    """Gather near rows into groups of ``k`` or more, and publish their centers.

    MDAV (maximum distance to average vector) takes the row farthest from the mean of
    all rows and its ``k - 1`` nearest ones as a group, then the row farthest from that
    one and its nearest ones, and goes on with the rows that are left. All groups hold
    ``k`` rows but the last one, which holds up to ``2k - 1``.

    A group publishes of numbers and dates the mean of its known cells (numbers as
    floats, dates in their zone), of ordered categories the lower median, of others the
    most frequent one, and with a hierarchy the leaf that is nearest to all its cells;
    the first in a tie in order. Where more than half of its cells are missing it
    publishes a missing value. Groups that publish the same are one class.

    Which of several rows at equal distances comes first is left to chance, and never to
    their place in the table or a sensitive value; with ``refine`` also which of several
    equal improvements.

    Parameters
    ----------
    {quasi_identifiers}
    k : int, default=5
        Smallest number of rows (persons, with ``subject``) in a group.
    models : list of privacy models, default=None
        Further promises that every group must keep: groups that break one are merged
        with those that cost least, until all keep it.
    standardize : bool, default=True
        Give every column a variance of 1 before distances are taken. False: numbers
        keep their scale, dates count days, ordered categories ranks, and two different
        categories are 1 apart.
    algorithm : {"exact", "fast"}, default="exact"
        MDAV as it is defined; or one that looks for near rows in parts of the table
        only, with a little more loss in far less time.
    refine : bool, default=False
        Let groups exchange rows afterwards, or be given up, as long as that lowers the
        loss. Groups then differ in size, from ``k`` to ``2k - 1`` rows. Not by default
        for its time: on Adult (five columns, k = 5) it takes 24 % off the loss in 35
        times the time, and 100,000 rows take a minute and a half instead of 4 seconds.
    random_state : int or Generator, default=None
        Decides ties between rows. None: fresh entropy.
    {sensitive_and_identifiers}
    hierarchies : dict of column to Hierarchy or builder, default=None
        How far apart two categories are: the squared distance is the share of the
        height at which they meet. Without one it is 1 for all.
    {subject}
    suppression_limit : float or int, default=0.0
        Largest share of rows that may be suppressed; as a whole number from 1 on, the
        largest number of rows (not of persons). Only values that a hierarchy does
        not know, and says to suppress, ever need it.
    {suppression}
    {suppression_label}

    Attributes
    ----------
    labels_ : int64 ndarray
        Group of each row of the fitted table; -1 where it was suppressed as unknown.
    group_sizes_ : int64 ndarray
        Rows of each group.
    centers_ : float64 ndarray of shape (n_groups, n_coordinates)
        Mean of each group in the space where distances are taken.
    information_loss_ : float
        Squared distances of rows to the center of their group, as a share of those to
        the center of the table (SSE/SST), in that space: 0 to 1.
    k_effective_ : int
        Rows (persons, with ``subject``) of the smallest published class.
    report_ : Report
        Classes, loss, risk and time, in numbers. The loss of a column is the share of
        its domain that the groups cover: the range of numbers, dates and ranks; the
        categories in the group; with a hierarchy the leaves below the lowest value
        above them. ``details`` holds the groups, SSE and SST.
    {n_suppressed_}
    {suppressed_mask_}

    See Also
    --------
    GroupSwapper : Swaps values inside such groups instead of publishing centers.

    Notes
    -----
    There is no ``transform``: a group is bound to the rows it was made of.
    :meth:`recode` moves other rows to the nearest center. Groups and centers are
    private; publish nothing but what ``fit_transform`` returns.

    References
    ----------
    .. [1] J. Domingo-Ferrer and V. Torra, "Ordinal, continuous and heterogeneous
       k-anonymity through microaggregation", Data Mining and Knowledge Discovery 11,
       2005.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers import MDAVAnonymizer
    >>> people = pd.DataFrame({"age": [20, 44, 22, 40], "job": list("abab")})
    >>> MDAVAnonymizer(["age"], k=2).fit_transform(people)
        age job
    0  21.0   a
    1  42.0   b
    2  21.0   a
    3  42.0   b
    """

    uses_hierarchies: ClassVar[bool] = True
    row_bound: ClassVar[bool] = True

    not_promised: ClassVar[tuple[str, ...]] = (
        "A mean of few tells of each: who knows all but one member of a group can "
        "compute that one.",
        "A person far from all others pulls the center of the group, which shows "
        "that there is such a person.",
    )

    def __init__(
        self,
        quasi_identifiers: Sequence[Hashable] | None = None,
        *,
        k: int = 5,
        models: Sequence[PrivacyModel] | None = None,
        standardize: bool = True,
        algorithm: Literal["exact", "fast"] = "exact",
        refine: bool = False,
        random_state: int | np.random.Generator | None = None,
        sensitive: Sequence[Hashable] | None = None,
        identifiers: Sequence[Hashable] | None = None,
        hierarchies: Mapping[Any, Hierarchy] | None = None,
        subject: Hashable | None = None,
        suppression_limit: float = 0.0,
        suppression: Literal["mask", "drop", "blank"] = "mask",
        suppression_label: str = SUPPRESSED,
    ):
        super().__init__(
            quasi_identifiers,
            k=k,
            models=models,
            sensitive=sensitive,
            identifiers=identifiers,
            hierarchies=hierarchies,
            subject=subject,
            suppression_limit=suppression_limit,
            suppression=suppression,
            suppression_label=suppression_label,
        )
        self.standardize = standardize
        self.algorithm = algorithm
        self.refine = refine
        self.random_state = random_state

    @classmethod
    def test_instances(cls) -> list["MDAVAnonymizer"]:
        """Configurations that the contract checks run on."""
        return [
            cls(k=2),
            cls(k=2, algorithm="fast"),
            cls(k=2, standardize=False, refine=True),
        ]

    @property
    def extremes(self) -> str:
        """What centers reveal about single persons."""
        return (
            "A center is the mean, the median or the most frequent value of a class: "
            "whoever knows the values of all but one of its persons computes a number "
            "of the last one, and a single extreme value shifts it."
        )

    @property
    def k_effective_(self) -> int:
        """Rows, or persons, of the smallest published class."""
        # The first promise is k; its level counts persons where there are any.
        return int(self.report_.models[0]["level"])

    def recode(self, X: Any) -> Any:
        """Move other rows to their nearest center, promising nothing about this batch.

        Each row is published with the center of the nearest group of the fitted table,
        alone: one row in a batch is told apart by being there. Judge a batch with
        :meth:`check`.

        Parameters
        ----------
        X : data frame or array
            Rows with the columns of the fitted table.

        Returns
        -------
        data frame or array
            Of the kind of ``X``, without its identifiers.

        Examples
        --------
        >>> fitted = MDAVAnonymizer(k=2).fit([[20], [22], [40], [44]])
        >>> fitted.recode([[0], [35]])
        array([[21.],
               [42.]])
        """
        return self._transform(X)

    @property
    def publishes(self) -> str:
        """What it puts into quasi-identifiers."""
        return "centers"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name, choices in CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        generator(self.random_state)
        for model in self.models or ():
            if model.merging == "none":
                raise ParameterError(
                    f"models: {model.name} may be lost when groups merge, and MDAV "
                    "cannot promise it."
                )

    def _learn(self, table: CodedTable, models: AllOf) -> list[PublishedColumn]:
        coded_rows = table.points()
        refuse_too_few(coded_rows, self.k, table.subject)
        coded = coded_rows.of_row >= 0
        part = table if coded.all() else table.part(coded)
        self._space = NumericSpace.of(
            part.quasi_identifiers, standardize=self.standardize
        )
        points = self._space.place(part.quasi_identifiers)
        labels = self._group(points, part.subject)
        groups = RowGroups.of(points, labels, int(labels.max()) + 1)
        classes = part.classes(labels, len(groups.sizes))
        into = merge_until_kept(groups, classes, models)
        labels, n_groups = into[labels], int(into.max()) + 1
        self._store_groups(points, labels, groups.merge(into, n_groups))
        self.labels_ = np.full(table.n_rows, -1, dtype=np.int64)
        self.labels_[coded] = labels
        self._centers = [
            publish_centers(c, labels, n_groups) for c in part.quasi_identifiers
        ]
        return self._publish_groups(self.labels_)

    def _group(self, points: np.ndarray, subject: Column | None) -> np.ndarray:
        """Group of each point, by the method asked for.

        The kernels let the first of equal rows win, and get them in the order of ties.
        """
        ties = self._tie_order(len(points), generator(self.random_state), subject)
        points = points[ties]
        group = mdav.group if self.algorithm == "exact" else mdav_fast.group_fast

        def found_groups(done: np.ndarray) -> np.ndarray:
            found = group(points, self.k, done)
            if self.refine:
                found = refinement.refine(points, found, self.k, done=done)
            return found

        sweeps = refinement.SWEEPS if self.refine else 0
        found = run_counted(found_groups, len(points) * (1 + sweeps))
        labels = np.empty_like(found)
        labels[ties] = found
        return labels

    def _store_groups(
        self, points: np.ndarray, labels: np.ndarray, groups: RowGroups
    ) -> None:
        """Keep what is asked of the groups, and no row of theirs."""
        self.group_sizes_, self.centers_ = groups.sizes, groups.centers
        self._sse = _squares(points, self.centers_[labels])
        self._sst = _squares(points, points.mean(axis=0))
        # Rounding must not make a loss where nothing differs, nor one above 1.
        differ = bool((points != points[0]).any())
        self.information_loss_ = min(self._sse / self._sst, 1.0) if differ else 0.0

    def _recode(self, table: CodedTable) -> list[PublishedColumn]:
        points = self._space.place(table.quasi_identifiers)
        group = nearest_centers(points, self.centers_)
        for column in table.quasi_identifiers:
            if column.hierarchy is not None:
                # What a hierarchy does not know is suppressed, as in the fitted table.
                group = np.where(column.codes < 0, -1, group)
        return self._publish_groups(group)

    def _publish_groups(self, group: np.ndarray) -> list[PublishedColumn]:
        """Published columns of rows whose groups are known (-1: none)."""
        return [
            replace(by_group, codes=np.append(by_group.codes, -1)[group])
            for by_group in self._centers
        ]

    def _details(self) -> dict[str, Any]:
        return {
            "algorithm": self.algorithm,
            "groups": len(self.group_sizes_),
            "sse": self._sse,
            "sst": self._sst,
            "information_loss": self.information_loss_,
        }


def _squares(points: np.ndarray, centers: np.ndarray) -> float:
    away = points - centers
    return float(np.einsum("ij,ij->", away, away))

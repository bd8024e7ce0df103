"""t-closeness of a table whose classes are fuzzy sets."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy import sparse

from anon_transformers._kernels.cardinality import TIE
from anon_transformers._kernels.diversity import ROUNDING
from anon_transformers.evidence import Memberships, SensitiveCounts
from anon_transformers.exceptions import NotEvaluable, check_choice
from anon_transformers.parameters import real, substitute
from anon_transformers.privacy._fuzzy_mixtures import (
    Mixtures,
    by_hierarchy,
    by_rank,
    by_rank_with_missing,
)
from anon_transformers.privacy._fuzzy_model import FuzzyModel
from anon_transformers.privacy._judge import Direction
from anon_transformers.privacy._sensitive_model import SENSITIVE_TEXTS
from anon_transformers.privacy._t_closeness import DISTANCES, without_order

REDUCE = ("max", "min")
OF_SETS = ("frequency", "distinct")
OF_TABLES = ("frequency", "distinct_published", "uniform")


@substitute(SENSITIVE_TEXTS)
@dataclass(frozen=True)
class FuzzyTCloseness(FuzzyModel):
    """The values that each row may have are spread almost as in the whole table.

    A row belongs to several sets, and the values that an intruder holds for possible
    are a mixture of theirs, by the row's degrees. The earth mover's distance of the
    mixture from the whole table is at most ``t``. A missing value is a category of its
    own, at distance 1 from every other.

    Parameters
    ----------
    t : float
        From 0 to 1; 1 asks for nothing.
    distance : {"equal", "ordered", "hierarchical"}, default="equal"
        How far apart two values are, as for :class:`TCloseness`.
    reduce : {"max", "min"}, default="max"
        The table is as far as its farthest row. The nearest row is what the published
        experiments report; it tells nothing of the others.
    class_distribution : {"frequency", "distinct"}, default="frequency"
        The values of a set by their rows; or each that is represented counts alike.
    table_distribution : {"frequency", "distinct_published", "uniform"}
        The values of the table by their rows, which is the default; by the sets that
        they are represented in; or all alike.
    {sensitive}
    cardinality : {"non-fuzzy", "sigma"}, default="non-fuzzy"
        How the rows of a set are counted: those at one half or more, or the sum of all
        degrees. By the first, a set without such a row has no distribution, and a table
        in which somebody belongs to it cannot be judged.
    {missing_marks}

    See Also
    --------
    TCloseness : Judges the labels that are published.

    Notes
    -----
    Rows exactly at one half may count once for each of several values. The shares of a
    set are divided by their sum, so that they are a distribution then too.

    Mixing brings rows nearer to the table: the distance of a row is at most the mean of
    those of its sets by its degrees. With many sets and vague degrees even sets that
    are far from the table give a small ``t``.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.evidence import Memberships, SensitiveCounts
    >>> table = pd.DataFrame({"pay": [3, 5, 4, 6]})
    >>> degrees = [[1, 0], [0.75, 0.25], [0.25, 0.75], [0, 1]]
    >>> memberships = Memberships.from_frame(degrees, table, sensitive=["pay"])
    >>> model = FuzzyTCloseness(t=0.1, distance="ordered")
    >>> model.satisfied(memberships)
    array([False,  True,  True, False])
    >>> round(model.level(memberships), 4)
    0.1667
    """

    t: float
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"
    reduce: Literal["max", "min"] = "max"
    class_distribution: Literal["frequency", "distinct"] = "frequency"
    table_distribution: Literal["frequency", "distinct_published", "uniform"] = (
        "frequency"
    )
    name: ClassVar[str] = "fuzzy-t-closeness"
    better: ClassVar[Direction] = "lower"
    tighter: ClassVar[Mapping[str, Direction]] = {"t": "lower"}

    not_promised: ClassVar[tuple[str, ...]] = (
        "Mixing brings rows nearer to the table: with many sets and vague degrees a "
        "small t says little.",
        "It does not hide who stands behind a set: ask for q or k beside it.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "t", real("t", self.t, 0, 1))
        check_choice("distance", self.distance, DISTANCES)
        check_choice("reduce", self.reduce, REDUCE)
        check_choice("class_distribution", self.class_distribution, OF_SETS)
        check_choice("table_distribution", self.table_distribution, OF_TABLES)

    @classmethod
    def test_instances(cls) -> list["FuzzyTCloseness"]:
        """Configurations that the contract checks run on."""
        return [
            cls(t=0.3),
            cls(t=0.2, distance="ordered"),
            cls(t=0.2, distance="hierarchical", cardinality="sigma"),
            cls(t=0.1, distance="ordered", reduce="min"),
            cls(
                t=0.3,
                class_distribution="distinct",
                table_distribution="distinct_published",
            ),
            cls(t=0.3, table_distribution="uniform"),
        ]

    @property
    def reproduction_only(self) -> bool:
        """Whether this is for published numbers, and no release may rest on it."""
        by_rows = {self.class_distribution, self.table_distribution} == {"frequency"}
        return self.reduce != "max" or not by_rows

    def satisfied(self, evidence: Memberships) -> np.ndarray:
        """Which rows are near enough; one answer for the table if ``reduce`` is min."""
        columns = self._columns(evidence)
        limit = self.t + ROUNDING
        if self.reduce == "min":
            return np.array([self.level(evidence) <= limit])
        passed = np.ones(evidence.n_rows, dtype=bool)
        for read in self._readings(evidence):
            for name in columns:
                mixtures, bounds = self._mixtures(read, name)
                # The bound is cheap, and clears most rows.
                doubtful = np.flatnonzero(bounds > limit)
                far = mixtures.distances(evidence.degrees[doubtful]) > limit
                passed[doubtful[far]] = False
        return passed

    def level(self, evidence: Memberships) -> float:
        """Distance of the farthest row, in the worst column."""
        return float(
            max(
                self._column_level(read, name)
                for read in self._readings(evidence)
                for name in self._columns(evidence)
            )
        )

    def distances(self, evidence: Memberships, name: Hashable) -> np.ndarray:
        """How far the mixture of each row lies from the table, in one column."""
        mixtures, _ = self._mixtures(evidence, name)
        return mixtures.distances(evidence.degrees)

    def set_distances(self, evidence: Memberships, name: Hashable) -> np.ndarray:
        """How far each set itself lies from the table; 0 for one without rows."""
        mixtures, _ = self._mixtures(evidence, name)
        return mixtures.distances(np.eye(evidence.n_sets))

    def _column_level(self, evidence: Memberships, name: Hashable) -> float:
        mixtures, bounds = self._mixtures(evidence, name)
        if self.reduce == "min":
            return mixtures.distances(evidence.degrees).min()
        return mixtures.largest(evidence.degrees, bounds)

    def _mixtures(
        self, evidence: Memberships, name: Hashable
    ) -> tuple[Mixtures, np.ndarray]:
        """What measures the rows, and a number that no row's distance exceeds."""
        counts = evidence.counts(name, self.cardinality)
        shares = self._set_shares(evidence, name, counts)
        whole = self._table_shares(evidence.reference(name), counts)
        # A set that nobody belongs to adds nothing, wherever it lies.
        shares[~evidence.degrees.any(axis=0)] = whole
        mixtures = self._measure(evidence, name, shares, whole)
        bounds = evidence.degrees @ mixtures.distances(np.eye(evidence.n_sets))
        return mixtures, bounds

    def _set_shares(
        self, evidence: Memberships, name: Hashable, counts: np.ndarray
    ) -> np.ndarray:
        """Share of each value in each set, the missing ones last."""
        if self.class_distribution == "distinct":
            counts = counts >= 1 - TIE
        totals = counts.sum(axis=1, keepdims=True)
        homeless = int(evidence.degrees[:, totals[:, 0] == 0].any(axis=1).sum())
        if homeless:
            n_bare = int(((totals[:, 0] == 0) & evidence.degrees.any(axis=0)).sum())
            raise NotEvaluable(
                f"fuzzy-t-closeness: {n_bare} of {evidence.n_sets} sets have no row "
                f"that counts, and so no distribution of {name!r}; {homeless} rows "
                "belong to them. cardinality='sigma' counts every degree."
            )
        return counts / np.maximum(totals, 1e-300)

    def _table_shares(self, rows: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Share of each value in the whole table, the missing ones last."""
        if self.table_distribution == "distinct_published":
            rows = (counts >= 1 - TIE).sum(axis=0)
        elif self.table_distribution == "uniform":
            rows = rows > 0
        return rows / max(rows.sum(), 1)

    def _measure(
        self,
        evidence: Memberships,
        name: Hashable,
        shares: np.ndarray,
        whole: np.ndarray,
    ) -> Mixtures:
        column = evidence.sensitive[name]
        if self.distance == "ordered":
            if not column.ordered:
                raise NotEvaluable(without_order(self.name, name))
            # A rank counts the values that occur.
            used = evidence.reference(name) > 0
            used |= shares.any(axis=0)
            used[-1] = True
            shares, whole = shares[:, used], whole[used]
            surplus = np.abs(shares[:, -1] - whole[-1]).max(initial=0)
            if surplus > TIE:
                return by_rank_with_missing(shares, whole)
            return by_rank(shares, whole)
        groups = np.arange(len(whole))[np.newaxis]
        if self.distance == "hierarchical":
            if column.hierarchy is None:
                raise NotEvaluable(
                    "fuzzy-t-closeness by a hierarchy needs that of the sensitive "
                    "column: Memberships.from_frame(…, hierarchies={column: tree})."
                )
            held = sparse.csr_array(shares)
            tree = SensitiveCounts(column.values, held, whole, column.hierarchy)
            # A tree of one level joins nothing.
            groups = tree.ancestors if len(tree.ancestors) else groups
        return by_hierarchy(shares, whole, groups)

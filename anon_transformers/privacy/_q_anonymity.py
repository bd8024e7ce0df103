"""Q-anonymity: k-anonymity of a table whose classes are fuzzy sets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from anon_transformers._kernels.cardinality import TIE, half_cut_sizes, possibilities
from anon_transformers.evidence import Memberships
from anon_transformers.evidence._memberships import HALF
from anon_transformers.exceptions import NotEvaluable, ParameterError, check_choice
from anon_transformers.parameters import real, whole
from anon_transformers.privacy._judge import Direction, Merging

AGGREGATIONS: dict[str, Callable[..., np.ndarray]] = {
    "mean": np.mean,
    "min": np.min,
    "product": np.prod,
}
EMPTY = ("ignore", "keep")


@dataclass(frozen=True)
class QAnonymity:
    """It is possible enough that every set holds at least ``q`` rows.

    How many rows a fuzzy set holds is not one number; how possible it is that there are
    at least K of them is a curve that falls with K. The curves of all sets are
    aggregated into that of the table, whose last K with a possibility of ``threshold``
    or more is the level.

    Parameters
    ----------
    q : int
        At least 1.
    aggregation : {"min", "mean", "product"} or callable, default="min"
        What joins the possibilities of the sets. The minimum answers for every set, and
        on a crisp partition the level is then that of k-anonymity. Anything else
        answers for the table: the mean is no minimum, a table may pass with sets that
        hold far fewer than ``q`` rows. A callable is called as numpy's reductions are,
        ``aggregation(possibilities, axis=1)``, gives 0 for zeros and 1 for ones, and
        does not fall where a possibility rises.
    threshold : float, default=0.5
        Above 0 and at most 1. At one half a set's own level is the number of its rows
        with a degree of one half or more.
    empty : {"ignore", "keep"}, default="ignore"
        Sets that a release does not show, for no row has its largest degree there and
        none has one half, are left out; or they count as sets without rows. Crosswise
        products of partitions have such sets, and k-anonymity knows no empty class.

    See Also
    --------
    KAnonymity : Judges the labels that are published.

    Notes
    -----
    The published experiments take the mean over all sets, keep the empty ones, and
    report at least 1: ``max(1, QAnonymity(1, "mean", empty="keep").level(evidence))``.

    The sensitive values play no part: rows of a set may all have the same one.

    Examples
    --------
    >>> from anon_transformers.evidence import Memberships
    >>> memberships = Memberships([[1, 0], [0.75, 0.25], [0.25, 0.75]])
    >>> QAnonymity(q=2).satisfied(memberships)
    array([ True, False])
    >>> QAnonymity(q=2).level(memberships)
    1
    >>> QAnonymity(q=2, aggregation="mean").curve(memberships)
    array([0.75 , 0.75 , 0.5  , 0.125])
    """

    q: int
    aggregation: Literal["min", "mean", "product"] | Callable[..., Any] = "min"
    threshold: float = 0.5
    empty: Literal["ignore", "keep"] = "ignore"
    name: ClassVar[str] = "q-anonymity"
    evidence: ClassVar[str] = "memberships"
    judges_readings: ClassVar[bool] = True
    better: ClassVar[Direction] = "higher"
    merging: ClassVar[Merging] = "none"
    tighter: ClassVar[Mapping[str, Direction]] = {"q": "higher"}

    not_promised: ClassVar[tuple[str, ...]] = (
        "Sensitive values play no part: all rows of a set may have the same.",
        "It counts rows by degrees; the names that are published make classes of "
        "their own, which k counts.",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", whole("q", self.q))
        if not callable(self.aggregation):
            check_choice("aggregation", self.aggregation, AGGREGATIONS)
        check_choice("empty", self.empty, EMPTY)
        threshold = real("threshold", self.threshold, 0, 1, above=True)
        object.__setattr__(self, "threshold", threshold)

    @classmethod
    def test_instances(cls) -> list["QAnonymity"]:
        """Configurations that the contract checks run on."""
        return [
            cls(q=1),
            cls(q=3),
            cls(q=2, threshold=0.6, empty="keep"),
            cls(q=2, aggregation="mean"),
            cls(q=2, aggregation="product", threshold=0.2),
        ]

    @property
    def reproduction_only(self) -> bool:
        """Whether this is for published numbers, and no release may rest on it."""
        return self.aggregation != "min" or self.threshold < HALF

    @property
    def for_search(self) -> bool:
        """Whether a search can be asked for this."""
        return not self.reproduction_only

    def satisfied(self, evidence: Memberships) -> np.ndarray:
        """Which sets hold enough rows; one answer for all but the minimum.

        A set that is left out is not at fault.
        """
        if self.aggregation != "min":
            return np.array([self.level(evidence) >= self.q])
        satisfied = np.ones(evidence.n_sets, dtype=bool)
        judged = self._judged(evidence)
        satisfied[judged] = self._set_levels(evidence.degrees[:, judged]) >= self.q
        return satisfied

    def level(self, evidence: Memberships) -> int:
        """The last K that is possible enough; 0 if not even 1 is."""
        if self.aggregation == "min":
            judged = self._judged(evidence)
            return int(self._set_levels(evidence.degrees[:, judged]).min())
        return int(self._reached(self.curve(evidence)).sum())

    def curve(self, evidence: Memberships) -> np.ndarray:
        """How possible at least K rows in the sets are, for K = 0, 1, …, n_rows."""
        degrees = evidence.degrees[:, self._judged(evidence)]
        return self.aggregate(possibilities(degrees))

    def aggregate(self, given: Any) -> np.ndarray:
        """Join what is possible for each set.

        Parameters
        ----------
        given : array of shape (n_steps, n_sets)
            Possibilities of the sets, a row each K in rising order.

        Raises
        ------
        ParameterError
            If a callable is no aggregation.
        """
        given = np.asarray(given, dtype=np.float64)
        if not callable(self.aggregation):
            return AGGREGATIONS[self.aggregation](given, axis=1)
        ends = np.array([[0.0], [1.0]]).repeat(given.shape[1], axis=1)
        joined = np.asarray(self.aggregation(np.vstack((ends, given)), axis=1))
        fits = joined.shape == (len(given) + 2,) and joined.dtype.kind in "fiu"
        if not fits or np.abs(joined[:2] - [0, 1]).max() > TIE:
            raise ParameterError(
                "aggregation: the callable gives not one number per row, or not 0 for "
                "zeros and 1 for ones."
            )
        if (np.diff(joined[2:]) > TIE).any():
            raise ParameterError(
                "aggregation: the callable rises where possibilities fall."
            )
        return joined[2:]

    def _judged(self, evidence: Memberships) -> np.ndarray:
        """Which sets count."""
        if not (evidence.n_rows and evidence.n_sets):
            raise NotEvaluable("q-anonymity has nothing to judge: the table is empty.")
        if self.empty == "keep":
            return np.ones(evidence.n_sets, dtype=bool)
        return evidence.shown()

    def _set_levels(self, degrees: np.ndarray) -> np.ndarray:
        """The last K that is possible enough, for each set."""
        if self.threshold == HALF:
            # What the curve gives at one half, without sorting.
            return half_cut_sizes(degrees)
        return self._reached(possibilities(degrees)).sum(axis=0)

    def _reached(self, curve: np.ndarray) -> np.ndarray:
        """Which of K = 1, 2, … are possible enough; they come first."""
        return curve[1:] >= self.threshold - TIE

"""Whether a classifier can tell published rows from original ones."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)

from anon_transformers._data.columns import to_text
from anon_transformers._data.frames import to_frame
from anon_transformers.evidence import Linkage
from anon_transformers.exceptions import (
    DataError,
    NotEvaluable,
    check_choice,
)
from anon_transformers.metrics._measure import QualityMetric
from anon_transformers.metrics._number_columns import (
    SharedColumns,
    refuse_fewer,
    shared_columns,
)
from anon_transformers.parameters import whole

MOST_MULTIPLIED = 20
"""Of more columns of numbers there are too many products to fit."""
MOST_CATEGORIES = 100
"""Rarer values of a nominal column are taken for one."""


@dataclass(frozen=True)
class Propensity:
    """How well published rows are told from original ones.

    Attributes
    ----------
    auc : float
        Chance that a published row is held for more likely published than an original
        one is: 0.5 by guessing, 1 if all are told apart.
    pmse : float
        Propensity mean squared error: that of the probabilities given to the rows from
        the share of published rows. 0 if nothing is seen.
    expected_pmse : float
        The same where there is nothing to see: the rows shuffled between the tables.
        NaN without permutations.
    """

    auc: float
    pmse: float
    expected_pmse: float

    @property
    def advantage(self) -> float:
        """How far from guessing: 0 if nothing is seen, 1 if all are told apart."""
        return abs(2 * self.auc - 1)

    @property
    def ratio(self) -> float:
        """``pmse`` by what chance gives; 1 is as near as another sample would be."""
        return self.pmse / self.expected_pmse if self.expected_pmse > 0 else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Numbers only."""
        return {**asdict(self), "ratio": self.ratio, "advantage": self.advantage}


def distinguishability(
    original: Any,
    published: Any,
    *,
    columns: Sequence[Hashable] | None = None,
    classifier: Any = None,
    aligned: bool = False,
    folds: int = 5,
    permutations: int = 10,
    random_state: int | np.random.Generator | None = None,
) -> Propensity:
    """Let a classifier tell published rows from original ones.

    Parameters
    ----------
    original, published : data frames
        Before and after.
    columns : sequence, optional
        Columns to look at, of any kind; by default all that both tables have.
    classifier : scikit-learn classifier with ``predict_proba``, optional
        Gets numbers standardized and other columns one-hot. The default, a logistic
        regression, gets squares and products of the numbers too (beyond 20 columns
        squares only): without them it sees no change that keeps the means.
    aligned : bool, default=False
        Whether row ``i`` of both tables is the same person. Nobody is then judged by a
        classifier that has seen the other row of the same person.
    folds : int, default=5
        Parts of the cross-validation; a row is judged by a classifier that was fitted
        to the other parts.
    permutations : int, default=10
        How often the rows are shuffled between the tables to see what chance gives.
    random_state : int, Generator or None
        Draws the parts and the shuffles.

    Returns
    -------
    Propensity

    Raises
    ------
    NotEvaluable
        If a table has fewer than ``2 * folds`` rows, or a column of numbers was
        published as something else: then anybody could tell.

    Notes
    -----
    Where tables are not aligned, equal rows of both are put in one part, as far as
    there are equally many. Identical tables thus have an AUC of 0.5, whatever their
    order.

    Examples
    --------
    >>> table = pd.DataFrame({"age": range(40), "sex": ["f", "m"] * 20})
    >>> round(distinguishability(table, table[::-1], permutations=0).auc, 3)
    0.5
    >>> round(distinguishability(table, table.assign(age=99), permutations=0).auc, 3)
    1.0
    """
    _refuse_parameters(folds, permutations)
    shared = shared_columns(original, published, columns)
    refuse_fewer(shared)
    counts = len(shared.numbers.before), len(shared.numbers.after)
    rows = _features(to_frame(original), to_frame(published), shared)
    if not rows.shape[1] or min(counts) < 2 * folds:
        raise NotEvaluable(
            f"distinguishability needs a shared column and {2 * folds} rows of each "
            f"table, not {counts[0]} and {counts[1]}."
        )
    truth = np.repeat([False, True], counts)
    persons = _same_person(*counts) if aligned else _equal_rows(rows, truth)
    rng = np.random.default_rng(random_state)
    # Once, for all parts and shuffles: nothing here knows which table a row is of.
    features = _preparation(shared, multiplied=classifier is None).fit_transform(rows)
    if classifier is None:
        classifier = LogisticRegression(max_iter=1000)
    judges = _Classifiers(features, classifier, folds, rng)
    found = judges.chances(truth, persons)
    by_chance = [judges.chances_by_chance(truth) for _ in range(permutations)]
    return Propensity(
        float(roc_auc_score(truth, found)),
        _pmse(found, truth),
        float(np.mean([_pmse(one, truth) for one in by_chance] or [math.nan])),
    )


@dataclass(frozen=True, eq=False)
class _Classifiers:
    """Classifiers that each judge the rows they were not fitted to."""

    features: Any
    classifier: Any
    folds: int
    rng: np.random.Generator

    def chances(self, truth: np.ndarray, together: np.ndarray) -> np.ndarray:
        """For each row the probability that it is a published one."""
        parts = PredefinedSplit(_parts(together, truth, self.folds, self.rng))
        return cross_val_predict(
            self.classifier, self.features, truth, cv=parts, method="predict_proba"
        )[:, 1]

    def chances_by_chance(self, truth: np.ndarray) -> np.ndarray:
        """The same, where the rows were shuffled between the tables."""
        return self.chances(self.rng.permutation(truth), np.arange(len(truth)))


def _refuse_parameters(folds: int, permutations: int) -> None:
    whole("folds", folds, 2)  # one part leaves nothing to fit to
    whole("permutations", permutations, 0)


def _features(
    original: pd.DataFrame, published: pd.DataFrame, shared: SharedColumns
) -> pd.DataFrame:
    """Rows of both tables, numbers before texts; columns 0, 1, …."""
    numbers = np.concatenate([shared.numbers.before, shared.numbers.after])
    texts = [
        # No known text is empty: it can stand for what is missing.
        pd.concat([to_text(original[name]), to_text(published[name])]).fillna("")
        for name in shared.nominal
    ]
    frame = pd.DataFrame(numbers)
    for column in texts:
        frame[frame.shape[1]] = column.to_numpy(dtype=object)
    return frame


def _same_person(n_before: int, n_after: int) -> np.ndarray:
    if n_before != n_after:
        raise DataError(
            f"the original has {n_before} rows and the published table {n_after}: they "
            "are not aligned."
        )
    return np.tile(np.arange(n_before), 2)


def _equal_rows(rows: pd.DataFrame, is_published: np.ndarray) -> np.ndarray:
    """Number rows so that the first of a kind in one table meets that in the other."""
    by = list(rows.columns)
    kind = rows.groupby(by, dropna=False, sort=False, observed=True).ngroup()
    turn = kind.groupby([kind, is_published]).cumcount()
    met = pd.DataFrame({"kind": kind, "turn": turn}).groupby(["kind", "turn"])
    return met.ngroup().to_numpy()


def _parts(
    together: np.ndarray, truth: np.ndarray, folds: int, rng: np.random.Generator
) -> np.ndarray:
    """Deal the rows out; those with one number of ``together`` go to one part.

    Pairs, rows of the original alone and published rows alone are dealt out one after
    the other, so that every part has its share of each.
    """
    n_sets = int(together.max()) + 1
    kind = np.bincount(together, weights=1 + truth, minlength=n_sets)
    order = rng.permutation(n_sets)
    order = order[np.argsort(kind[order], kind="stable")]
    part = np.empty(n_sets, dtype=np.int64)
    part[order] = np.arange(n_sets) % folds
    return part[together]


def _preparation(shared: SharedColumns, *, multiplied: bool) -> ColumnTransformer:
    """Standardize numbers, with their squares and products if asked; code texts."""
    n_numbers = len(shared.numbers.names)
    steps = [
        SimpleImputer(add_indicator=True, keep_empty_features=True),
        StandardScaler(),
    ]
    if multiplied:
        # Logistic regression is linear: the rest has to be multiplied out for it.
        wider = PolynomialFeatures(include_bias=False)
        few = n_numbers <= MOST_MULTIPLIED
        steps += [wider if few else FunctionTransformer(_squared), StandardScaler()]
    one_hot = OneHotEncoder(max_categories=MOST_CATEGORIES)
    every = np.arange(n_numbers + len(shared.nominal))
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(*steps), every[:n_numbers]),
            ("texts", one_hot, every[n_numbers:]),
        ]
    )


def _squared(numbers: np.ndarray) -> np.ndarray:
    return np.hstack([numbers, numbers**2])


def _pmse(chances: np.ndarray, is_published: np.ndarray) -> float:
    return float(np.mean((chances - is_published.mean()) ** 2))


@dataclass(frozen=True)
class Distinguishability(QualityMetric):
    """How far a classifier gets in telling published rows from original ones.

    Parameters
    ----------
    columns : sequence, optional
        Columns to look at, of any kind; by default all that both tables have.
    statistic : {"advantage", "pmse-ratio"}, default="advantage"
        "advantage" is ``|2 AUC - 1|``, between 0 and 1. "pmse-ratio" is the propensity
        mean squared error by what chance gives, and takes many more fits.
    folds : int, default=5
        Parts of the cross-validation.

    See Also
    --------
    distinguishability : With any classifier.
    """

    statistic: Literal["advantage", "pmse-ratio"] = "advantage"
    folds: int = 5
    name: ClassVar[str] = "distinguishability"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("statistic", self.statistic, ("advantage", "pmse-ratio"))
        _refuse_parameters(self.folds, 0)

    def measure(self, evidence: Linkage) -> float:
        """0 if nothing is seen."""
        by_ratio = self.statistic == "pmse-ratio"
        found = distinguishability(
            evidence.original,
            evidence.published,
            columns=self.columns,
            aligned=True,
            folds=self.folds,
            permutations=10 if by_ratio else 0,
            random_state=0,  # the same tables give the same number
        )
        return found.ratio if by_ratio else found.advantage

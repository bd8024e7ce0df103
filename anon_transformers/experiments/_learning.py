"""What a stated model learns from a published table, beside the raw one.

Loss says how coarse labels are, and not what they are good for: a table of little loss
may teach a model nothing, and one of much loss nearly all.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GroupShuffleSplit

from anon_transformers._data.columns import to_text
from anon_transformers._data.written_numbers import numbers_of
from anon_transformers.base._base import FrameAnonymizer
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import ParameterError, unknown_choice
from anon_transformers.experiments._measures import by_place
from anon_transformers.published import LabelParser

MODELS = {
    "hist-gradient-boosting": "sklearn.ensemble:HistGradientBoosting",
    "logistic-regression": "sklearn.linear_model:LogisticRegression",
    "random-forest": "sklearn.ensemble:RandomForest",
}
"""Models by name; of a number to predict, the regressor in place of the classifier."""
LINEAR = "logistic-regression"
MOST_CLASSES = 20
"""A target of numbers with more different values is a number to predict."""
MOST_ROWS = 20_000
"""Rows that are drawn for training and testing together."""
MOST_VALUES = 50
"""Values of a column that is no number or range that get a feature of their own."""
TEST_SHARE = 0.3
SEED = 0


@dataclass
class Learner:
    """Trains one model on raw and on published rows, and tests both on the same others.

    Parameters
    ----------
    target : str
        Column to predict; it must be published as it is, or swapped.
    model : str, default="hist-gradient-boosting"
        A name of :data:`MODELS`, or ``package.module:Class`` of a scikit-learn
        classifier or regressor.
    splits : int, default=3
        How often rows are divided anew.

    Attributes
    ----------
    name : str
        "accuracy", or "r2" of a number to predict.

    Notes
    -----
    Of at most 20,000 rows, 30 % are held out; rows of one person are never divided. The
    model learns from the other rows as they are published, and predicts those that were
    held out, recoded as they are published, too. What it predicts is compared with the
    raw target. Labels are features as :class:`~anon_transformers.published.LabelParser`
    makes them, of columns that are no ranges the 50 most frequent values. The score is
    the mean over the splits. "raw" is the same with raw rows in both places, "baseline"
    always predicts what is most frequent (or the mean).
    """

    target: str
    model: str = "hist-gradient-boosting"
    splits: int = 3
    _raw: dict[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the number is called."""
        return "accuracy" if self._raw.get("classes", 1) else "r2"

    def take(
        self, anonymizer: FrameAnonymizer, frame: pd.DataFrame, output: pd.DataFrame
    ) -> dict[str, float]:
        """The score of one published table."""
        roles = anonymizer.roles_
        if self.target not in output.columns:
            raise ParameterError(
                f"target: {unknown_choice('published column', self.target, output)}"
            )
        swapped = anonymizer.kind == "linked"
        if self.target in roles.quasi_identifiers and not swapped:
            raise ParameterError(
                f"target: column {self.target!r} is a quasi-identifier, so that its "
                "labels are published; declare it as sensitive or insensitive."
            )
        persons = None if roles.subject is None else frame[roles.subject]
        raw = frame[list(output.columns)]
        published = by_place(anonymizer, output)
        label = getattr(anonymizer, "suppression_label", SUPPRESSED)
        score = self.score(raw, published, persons, label)
        return {self.name: score}  # what it is called, the raw rows say

    def score(
        self,
        raw: pd.DataFrame,
        published: pd.DataFrame,
        persons: pd.Series | None = None,
        suppression_label: str = SUPPRESSED,
    ) -> float:
        """The score of a published table whose rows are named by those of the raw one.

        Parameters
        ----------
        raw : data frame
            The source, with the columns of the published table.
        published : data frame
            Its index has the place of each row in ``raw``.
        persons : Series, optional
            The person of each raw row.
        suppression_label : str, default="*"
            The label of a suppressed cell.
        """
        self.prepare(raw, persons)
        divided = list(self._divided(raw, persons))
        return self._mean_score(published, raw, divided, suppression_label)

    @property
    def of_raw(self) -> dict[str, float]:
        """Scores of raw rows (``raw``) and of no model (``baseline``), if known."""
        return {key: self._raw[key] for key in ("baseline", "raw") if key in self._raw}

    def prepare(self, raw: pd.DataFrame, persons: pd.Series | None) -> None:
        """Find out what raw rows teach; once for all tables."""
        if self._raw:
            return
        numbers = numbers_of(raw[self.target])
        n_values = raw[self.target].nunique()
        self._raw["classes"] = float(numbers is None or n_values <= MOST_CLASSES)
        divided = list(self._divided(raw, persons))
        plain = raw.reset_index(drop=True)
        self._raw["raw"] = self._mean_score(plain, plain, divided)
        self._raw["baseline"] = float(
            np.mean([self._baseline(plain, train, test) for train, test in divided])
        )

    def facts(self) -> dict[str, str]:
        """What was measured, in words, and the numbers of raw rows."""
        if "raw" not in self._raw:
            return {}
        splits = "one split" if self.splits == 1 else f"mean of {self.splits} splits"
        return {
            "target": (
                f"{self.target} predicted by {self.model}: learned from published "
                f"rows, tested on {TEST_SHARE:.0%} held-out rows recoded alike "
                f"against their raw target, {splits}"
            ),
            f"{self.name} of raw rows": f"{self._raw['raw']:.4f}",
            f"{self.name} without a model": f"{self._raw['baseline']:.4f}",
        }

    def _divided(
        self, raw: pd.DataFrame, persons: pd.Series | None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        known = np.flatnonzero(raw[self.target].notna().to_numpy())
        draw = np.random.default_rng(SEED)
        if len(known) > MOST_ROWS:
            known = np.sort(draw.choice(known, MOST_ROWS, replace=False))
        of_person = known if persons is None else pd.factorize(persons)[0][known]
        split = GroupShuffleSplit(self.splits, test_size=TEST_SHARE, random_state=SEED)
        for train, test in split.split(known, groups=of_person):
            yield known[train], known[test]

    def _mean_score(
        self,
        table: pd.DataFrame,
        raw: pd.DataFrame,
        divided: Sequence[tuple[np.ndarray, np.ndarray]],
        label: str = SUPPRESSED,
    ) -> float:
        """The mean over the splits; rows that are not published take no part."""
        drawn = table.index[table.index.isin(np.concatenate(divided[0]))]
        features = self._features(table.loc[drawn], label)
        scores = []
        for train, test in divided:
            learned = table[self.target].loc[drawn[drawn.isin(train)]].dropna()
            asked = drawn[drawn.isin(test)]
            model = self._model().fit(
                features.loc[learned.index].to_numpy(), self._wanted(learned)
            )
            found = model.predict(features.loc[asked].to_numpy())
            wanted = self._wanted(raw[self.target].iloc[asked])
            score = accuracy_score if self._raw["classes"] else r2_score
            scores.append(float(score(wanted, found)))
        return float(np.mean(scores))

    def _features(self, table: pd.DataFrame, label: str) -> pd.DataFrame:
        """What a model learns from, of rows that train and rows that test.

        One parser for both: a column that is no number in one of them is none at all.
        """
        given = table.drop(columns=self.target)
        if not given.shape[1]:
            raise ParameterError(
                f"target: no column beside {self.target!r} is published."
            )
        parser = LabelParser(max_values=MOST_VALUES, suppression_label=label)
        return pd.DataFrame(parser.fit_transform(given), index=table.index)

    def _baseline(
        self, raw: pd.DataFrame, train: np.ndarray, test: np.ndarray
    ) -> float:
        learned, asked = (self._wanted(raw[self.target].iloc[r]) for r in (train, test))
        if not self._raw["classes"]:
            return float(r2_score(asked, np.full(len(asked), learned.mean())))
        values, counts = np.unique(learned, return_counts=True)
        return float((asked == values[counts.argmax()]).mean())

    def _wanted(self, series: pd.Series) -> np.ndarray:
        if self._raw["classes"]:
            return to_text(series).to_numpy(dtype=object).astype(str)
        numbers = numbers_of(series)
        assert numbers is not None  # prepare has asked the whole column
        return numbers

    def _model(self) -> Any:
        return clone(make_model(self.model, classes=bool(self._raw["classes"])))


def make_model(name: str, *, classes: bool) -> Any:
    """Make a model by its name or its import path.

    Examples
    --------
    >>> make_model("random-forest", classes=True).__class__.__name__
    'RandomForestClassifier'
    >>> make_model("sklearn.tree:DecisionTreeClassifier", classes=True)
    DecisionTreeClassifier()
    """
    if name in MODELS:
        module, _, stem = MODELS[name].partition(":")
        if name == LINEAR:
            return _linear(classes)
        ending = "Classifier" if classes else "Regressor"
        return getattr(import_module(module), stem + ending)(random_state=SEED)
    module, colon, attribute = name.partition(":")
    if not colon:
        legal = [*MODELS, "package.module:Class"]
        raise ParameterError(f"model: {unknown_choice('model', name, legal)}")
    try:
        made = getattr(import_module(module), attribute)()
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ParameterError(
            f"model: {name!r} cannot be made ({type(error).__name__})."
        ) from None
    fits = is_classifier(made) if classes else is_regressor(made)
    if not fits:
        kind = "classifier" if classes else "regressor"
        raise ParameterError(f"model: {name!r} is no {kind}, which the target needs.")
    return made


def _linear(classes: bool) -> Any:
    """A line through scaled features: of numbers to predict, an ordinary one."""
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    last = LogisticRegression(max_iter=1000) if classes else Ridge()
    return make_pipeline(StandardScaler(), last)


def check_learner(target: Hashable, model: str) -> None:
    """Refuse a model that there is not, before anything is run."""
    for classes in (True, False):
        try:
            make_model(model, classes=classes)
        except ParameterError as error:
            if " is no " not in str(error):
                raise

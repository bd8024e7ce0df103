"""Published labels as numeric features."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from anon_transformers._data.frames import is_frame
from anon_transformers.base._base import open_table
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import (
    ParameterError,
    check_choice,
    unknown_choice,
)
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.parameters import is_whole
from anon_transformers.published._features import (
    FEATURES,
    ColumnFeatures,
    learn_features,
)


class LabelParser(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Turn a published table into numeric features.

    A column of numbers, dates or ranges of them gives the ends of each range and its
    width; a number is a range of width 0, so that a model that was fitted on published
    rows predicts raw ones. Dates are days since 1970. Any other column gives one
    feature per ground value: the share of it in the cell's label. ``{a, b}`` is one
    half of each, ``a`` is all of a, and a value that was not fitted is nothing of all.

    Parameters
    ----------
    features : sequence of {"lower", "upper", "width", "center"}
        What a range gives, in this order; by default the first three.
    missing : {"range", "nan"}, default="range"
        What a suppressed or missing cell gives: everything it may be, from the lowest
        to the highest fitted end or an equal share of every value, which all estimators
        take; or NaN in all features of its column.
    hierarchies : dict of column to Hierarchy, default=None
        Tell what lies below a name such as ``Europe``; without one it is a ground
        value of its own. Of numbers a name gives the lowest and highest leaf.
    max_values : int, default=None
        How many ground values of a column give a feature, the most frequent first; all
        by default. Of a column with a hierarchy, all give one.
    suppression_label : str, default="*"
        The label of a suppressed cell.

    Attributes
    ----------
    kinds_ : dict of column to {"number", "date", "category"}
        What each column was fitted as.

    See Also
    --------
    anon_transformers.published.parse_labels : One column as pandas values.

    Notes
    -----
    The open end of ``>= 80`` is the outermost end of the fitted column, or 80 itself
    where that lies further out.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.published import LabelParser
    >>> table = pd.DataFrame(
    ...     {"age": ["[20, 29]", "[30, 39]", "*"], "job": ["a", "{a, b}", "*"]}
    ... )
    >>> LabelParser().set_output(transform="pandas").fit_transform(table)
       age_lower  age_upper  age_width  job_a  job_b
    0       20.0       29.0        9.0    1.0    0.0
    1       30.0       39.0        9.0    0.5    0.5
    2       20.0       39.0       19.0    0.5    0.5
    """

    def __init__(
        self,
        *,
        features: Sequence[str] = ("lower", "upper", "width"),
        missing: Literal["range", "nan"] = "range",
        hierarchies: Mapping[Any, Hierarchy] | None = None,
        max_values: int | None = None,
        suppression_label: str = SUPPRESSED,
    ):
        self.features = features
        self.missing = missing
        self.hierarchies = hierarchies
        self.max_values = max_values
        self.suppression_label = suppression_label

    def fit(self, X: Any, y: Any = None) -> "LabelParser":
        """Learn what each column holds, from a published or a raw table.

        Parameters
        ----------
        X : data frame or array
            The table.
        y : ignored
            Not used.

        Returns
        -------
        self
        """
        self._check_parameters()
        frame = open_table(self, X, reset=True)
        self._named = is_frame(X)
        hierarchies = self.hierarchies or {}
        for name in hierarchies:
            if name not in frame.columns:
                message = unknown_choice("column", name, frame.columns)
                raise ParameterError(f"hierarchies: {message}")
        self._columns: list[ColumnFeatures] = [
            learn_features(
                frame[name],
                hierarchies.get(name),
                self.suppression_label,
                self.max_values,
            )
            for name in frame.columns
        ]
        self.kinds_: dict[Hashable, str] = {
            column.name: column.kind for column in self._columns
        }
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Give the features of a published or a raw table.

        Parameters
        ----------
        X : data frame or array
            Rows with the columns of the fitted table.

        Returns
        -------
        ndarray of shape (n_rows, n_features)
            Or a frame, as ``set_output`` says.

        Raises
        ------
        DataError
            If a column of numbers or dates holds something else, with the number of
            rows.
        """
        check_is_fitted(self)
        frame = open_table(self, X, reset=False)
        if not (self._named and is_frame(X)):  # by position, as scikit-learn does
            frame = frame.set_axis([column.name for column in self._columns], axis=1)
        blocks = [
            column.transform(
                frame[column.name],
                self.suppression_label,
                self.features,
                missing=self.missing,
            )
            for column in self._columns
        ]
        return np.hstack(blocks)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the features: the column's, and what it is of it.

        Parameters
        ----------
        input_features : array of str, default=None
            Names of the columns of the fitted table, if it had none.
        """
        names = super().get_feature_names_out(input_features)
        features = [
            f"{name}_{feature}"
            for name, column in zip(names, self._columns, strict=True)
            for feature in column.names(self.features)
        ]
        return np.array(features, dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "kinds_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def _check_parameters(self) -> None:
        listed = isinstance(self.features, Sequence) and not isinstance(
            self.features, str
        )
        if not listed or not len(self.features):
            raise ParameterError(
                f"features must be a list of {', '.join(FEATURES)}, got "
                f"{self.features!r}."
            )
        for feature in self.features:
            check_choice("features", feature, tuple(FEATURES))
        if len(set(self.features)) < len(self.features):
            raise ParameterError("features names one twice.")
        check_choice("missing", self.missing, ("range", "nan"))
        if self.max_values is not None and not (
            is_whole(self.max_values) and self.max_values >= 1
        ):
            raise ParameterError(
                f"max_values must be a whole number from 1 on, got {self.max_values!r}."
            )
        if not isinstance(self.suppression_label, str) or not self.suppression_label:
            raise ParameterError("suppression_label must be a text that is not empty.")

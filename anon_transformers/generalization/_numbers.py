"""What transformers of numbers share: columns in, columns out."""

from abc import abstractmethod
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from anon_transformers._data.frames import is_frame, like_input, to_frame
from anon_transformers.exceptions import DataError
from anon_transformers.roles import refuse_repeated_columns


class NumberTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Transformer that changes the numbers of every column, and promises nothing.

    Missing values stay missing; frames come back as frames of their kind.
    """

    @abstractmethod
    def _learn(self, frame: pd.DataFrame) -> None:
        """Check the parameters; set attributes with a trailing underscore."""

    @abstractmethod
    def _change(self, column: pd.Series, position: int) -> pd.Series:
        """The column as it is handed on."""

    def fit(self, X: Any, y: Any = None):
        """Check the parameters, and learn what depends on the table.

        Parameters
        ----------
        X : data frame or array
            Numbers.
        y : ignored
            Not used.

        Returns
        -------
        self
        """
        self._learn(self._open(X, reset=True))
        return self

    def transform(self, X: Any) -> Any:
        """Change the numbers, promising no privacy model.

        Parameters
        ----------
        X : data frame or array
            Numbers in the columns of the fitted table.

        Returns
        -------
        data frame or array
            Of the kind of ``X``.
        """
        check_is_fitted(self)
        frame = self._open(X, reset=False)
        changed = {
            name: self._change(frame[name], at) for at, name in enumerate(frame.columns)
        }
        return like_input(pd.DataFrame(changed, index=frame.index), X, changed)

    def _open(self, X: Any, *, reset: bool) -> pd.DataFrame:
        if isinstance(X, pd.DataFrame):
            refuse_repeated_columns(list(X.columns))
        if is_frame(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
        else:
            X = validate_data(
                self,
                X,
                reset=reset,
                dtype=(np.float64, np.float32, np.int64, np.int32, np.uint64),
                ensure_all_finite="allow-nan",
            )
        frame = to_frame(X)
        if not len(frame):
            raise DataError("the table is empty: it has 0 sample(s).")
        for name, dtype in frame.dtypes.items():
            if not types.is_numeric_dtype(dtype) or types.is_bool_dtype(dtype):
                raise DataError(
                    f"column {name!r} holds no numbers; a ColumnTransformer chooses "
                    "columns."
                )
            _refuse_infinite(frame[name])
        return frame

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _refuse_infinite(column: pd.Series) -> None:
    infinite = np.isinf(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if infinite.any():
        raise DataError(
            f"column {column.name!r} holds infinite numbers in {infinite.sum()} rows."
        )


def numpy_dtype(column: pd.Series) -> Any:
    """Type of the numbers of a column, without its way to say what is missing."""
    dtype: Any = column.dtype
    return np.dtype(getattr(dtype, "numpy_dtype", dtype))

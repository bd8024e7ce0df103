"""A column of the original and what was published of it, ready to be compared."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import identify
from anon_transformers._data.labels import is_date, is_number
from anon_transformers.attacks._matching import agreeing
from anon_transformers.attacks._reading import Label, Reading, read_columns
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.privacy.probabilistic._linking import (
    PairedCodes,
    PairedColumn,
    PairedNumbers,
)


def pair_column(
    original: pd.Series, release: pd.Series, suppression_label: str
) -> PairedColumn | None:
    """Bring a column of two tables on one scale; None if they have nothing in common.

    A range of numbers or dates is taken for its middle, one with an open end for the
    other end. A number that is suppressed is a missing one.
    """
    if _is_number(original) and _is_number(release):
        return _useful(PairedNumbers(_floats(original), _floats(release)))
    left, right = identify(original), identify(release)
    try:
        reading = read_columns(
            (left, right),
            (left.texts_of_codes(), right.texts_of_codes()),
            suppression_label,
        )
    except NotEvaluable:
        return None  # ranges beside names: what they have in common cannot be said
    read = _reader(reading)
    if read is not None:
        numbers = [np.array([read(label) for label in side]) for side in reading.labels]
        return _useful(PairedNumbers(numbers[0][left.codes], numbers[1][right.codes]))
    codes = agreeing(left, right)
    return PairedCodes(*codes) if np.isin(codes[0], codes[1]).any() else None


def _useful(column: PairedNumbers) -> PairedNumbers | None:
    return None if any(np.isnan(side).all() for side in column) else column


def _reader(reading: Reading) -> Callable[[Label], float] | None:
    """What makes a number of each label; None if the labels are names."""
    parts = [
        part
        for side in reading.labels
        for label in side
        for part in label.parts
        if part is not None
    ]
    if reading.has_sets or not parts:
        return None
    if all(map(_is_plain_number, parts)):
        return lambda label: _middle([float(part) for part in _known(label)])
    if all(map(is_date, parts)):
        return lambda label: _middle([_day(part) for part in _known(label)])
    return None


def _is_plain_number(text: str) -> bool:
    """Whether a text is a number; 007 is a name."""
    digits = text.strip().lstrip("+-")
    return is_number(text) and not (digits[:1] == "0" and digits[1:2].isdigit())


def _known(label: Label) -> list[str]:
    return [part for part in label.parts if part is not None]


def _middle(ends: list[float]) -> float:
    return float(np.mean(ends)) if ends else np.nan


def _day(text: str) -> float:
    return pd.Timestamp(text).timestamp()


def _is_number(series: pd.Series) -> bool:
    return types.is_numeric_dtype(series.dtype) and not types.is_bool_dtype(
        series.dtype
    )


def _floats(series: pd.Series) -> np.ndarray:
    numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(np.isfinite(numbers), numbers, np.nan)

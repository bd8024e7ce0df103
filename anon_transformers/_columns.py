"""What is asked of coded columns."""

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._tables import Column, _as_texts, encode, identify
from anon_transformers.exceptions import DataError, NotEvaluable, unknown_choice


def encode_sensitive(series: pd.Series, tree: Any = None) -> Column:
    """Code a sensitive column; its hierarchy tells models which values are near."""
    column = identify(series)
    if tree is None:
        return column
    return replace(column, hierarchy=encode(series, tree).hierarchy)


def without_rows(column: Column) -> Column:
    """A column that knows its values, and nobody's."""
    return replace(column, codes=np.empty(0, column.codes.dtype))


def sensitive_names(
    held: Mapping[Hashable, Any], name: Hashable | None
) -> list[Hashable]:
    """One sensitive column of some evidence by name, or all of them; never none."""
    if name is None:
        if not held:
            raise NotEvaluable("there is no sensitive column to judge.")
        return list(held)
    if name not in held:
        raise NotEvaluable(unknown_choice("sensitive column", name, held))
    return [name]


def refuse_mark(column: Column, series: pd.Series, mark: str) -> None:
    """Refuse a column that holds the suppression mark already."""
    if column.kind == "category" and mark not in column.values:
        return
    known = column.kind == "hierarchy" and column.codes.min(initial=0) >= 0
    if known and mark not in column.values:
        return
    plain = types.is_numeric_dtype(series) or types.is_datetime64_any_dtype(series)
    if plain and not any(letter.isdigit() for letter in mark):
        return
    count = int((_as_texts(series) == mark).sum())
    if count:
        raise DataError(
            f"column {series.name!r} holds the suppression mark {mark!r} in {count} "
            "rows; choose another with suppression_label=."
        )

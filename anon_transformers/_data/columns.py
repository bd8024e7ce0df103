"""The one door between data frames and integer codes.

A cell's identity is the text it is published as: within a column of mixed objects
1 and 1.0 are two values, an empty text and a missing value are one.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from decimal import Decimal
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._data.dates import (
    in_utc,
    in_zone,
    like_fitted,
    moment_texts,
    plain_moments,
    read_moments,
    refuse_other_zone,
    respelled_moment,
    single_moment_texts,
    zone_of,
)
from anon_transformers._data.numbers import (
    as_doubles,
    comparable,
    is_whole,
    read_numbers,
)
from anon_transformers.exceptions import (
    DataError,
    NotEvaluable,
    ParameterError,
    UnknownValuesError,
    unknown_choice,
)
from anon_transformers.hierarchies._data_types import for_floats
from anon_transformers.hierarchies._hierarchy import Hierarchy

Kind = Literal["number", "date", "ordinal", "category", "hierarchy"]
NUMBERS_AS_OBJECTS = {"integer", "floating", "mixed-integer-float", "decimal"}
DATES_AS_OBJECTS = {"date", "datetime", "datetime64"}


@dataclass(frozen=True)
class Column:
    """One column as codes.

    Attributes
    ----------
    name : hashable
        Its name in the table.
    kind : {"number", "date", "ordinal", "category", "hierarchy"}
        What the order of its values means.
    values : ndarray
        Distinct values in their natural order, as they are published one by one.
    codes : int32 ndarray
        Position of each row's value; ``len(values)`` stands for a missing one,
        -1 for a value that the fitted table did not have.
    exact : bool ndarray or None
        Where False, the row lies strictly between two values of a number or date
        column and ``codes`` points at the upper one. None: all are exact.
    hierarchy : Hierarchy or None
        Whose leaves are the values, if ``kind`` is "hierarchy".
    given : ndarray or None
        Number or date of each row itself, where ``exact`` tells that it may be another.
    zone : tzinfo or None
        Time zone that dates are published in; as ``values`` they are moments of UTC.
    ranked : bool
        Whether values of kind "category" have an order all the same: numbers, dates and
        truths that are judged by their texts.
    fitted_missing : bool or None
        Whether the fitted table had a missing value, where these are other rows of it.
    """

    name: Hashable
    kind: Kind
    values: np.ndarray
    codes: np.ndarray
    exact: np.ndarray | None = None
    hierarchy: Hierarchy | None = None
    given: np.ndarray | None = None
    zone: tzinfo | None = None
    ranked: bool = False
    fitted_missing: bool | None = None

    @property
    def ordered(self) -> bool:
        """Whether the order of the values means anything; that of texts does not."""
        return self.ranked or self.kind in {"number", "date", "ordinal"}

    @property
    def missing_code(self) -> int:
        """Code of a missing value."""
        return len(self.values)

    @property
    def cardinality(self) -> int:
        """How many codes there may be, the missing one with them."""
        return len(self.values) + 1

    @property
    def has_missing(self) -> bool:
        """Whether a row of this column is missing."""
        return bool((self.codes == self.missing_code).any())

    @property
    def knows_missing(self) -> bool:
        """Whether a row of the fitted table was missing."""
        if self.fitted_missing is None:
            return self.has_missing
        return self.fitted_missing

    def joins(self) -> np.ndarray:
        """For each value the level at which it meets the next one; 0 without levels."""
        levels = np.zeros(len(self.values), dtype=np.int32)
        if self.hierarchy is None:
            return levels
        top = self.hierarchy.n_levels - 1
        levels[:] = max(top, 1)
        for level in range(top, 0, -1):
            codes = self.hierarchy.level(level).codes
            levels[:-1][codes[:-1] == codes[1:]] = level
        return levels

    def positions(self) -> np.ndarray:
        """Where each value lies on its axis: a category by its rank.

        Whole numbers and dates are counted from the first one, so that no digit of
        theirs is lost.
        """
        values = self.values
        if self.kind not in {"number", "date"}:
            return np.arange(len(values), dtype=np.float64)
        if values.dtype.kind == "M":
            values = values.astype(np.int64)
        if values.dtype.kind in "iu":
            # Unsigned, a difference is right even where the signed one overflows.
            unsigned = values.astype(np.uint64)
            return (unsigned - unsigned[:1]).astype(np.float64)
        places = values.astype(np.float64)
        with np.errstate(over="ignore"):
            too_wide = len(places) > 0 and np.isinf(places[-1] - places[0])
        return places / 2 if too_wide else places

    def texts(self) -> np.ndarray:
        """Published text of each value: 20 is ``20`` and a midnight its day.

        Whatever the other values are, some of which may not be published.
        """
        values = self.values
        if self.kind not in {"number", "date"}:
            return values
        if values.dtype.kind == "M":
            return single_moment_texts(in_zone(values, self.zone)).to_numpy(object)
        return single_texts(pd.Series(values)).to_numpy(dtype=object)

    def texts_of_codes(self) -> np.ndarray:
        """Published text of each code; that of the last, a missing value, is None."""
        texts = np.empty(self.cardinality, dtype=object)
        texts[:-1] = self.texts()
        return texts

    def encode_more(self, series: pd.Series) -> "Column":
        """Code other rows with the values of this column."""
        if self.hierarchy is not None:
            series = like_fitted(series, self.zone, self.name)
        more = encode(series, self.hierarchy, name=self.name)
        if self.hierarchy is not None:
            refuse_unknown(more)
            return replace(more, fitted_missing=self.knows_missing)
        if more.kind != self.kind and len(more.values):
            if self.kind in {"number", "date"}:
                raise DataError(
                    f"column {self.name!r} was fitted as {self.kind} and now "
                    f"holds values of kind {more.kind}."
                )
            more = _encode_text(series, self.name)
        given = None
        if not len(more.values):
            places, exact = np.empty(0, dtype=np.int64), np.empty(0, dtype=bool)
        elif self.kind in {"number", "date"}:
            known, given = comparable(self.values, more.values)
            places = np.searchsorted(known, given)
            exact = np.zeros(len(places), dtype=bool)
            if len(known):
                refuse_other_zone(more.zone, self.zone, self.name)
                exact = known.take(places, mode="clip") == given
            given = given.take(more.codes, mode="clip")
        else:
            places = pd.Index(self.values).get_indexer(pd.Index(more.values))
            exact = np.ones(len(places), dtype=bool)
        outside = places == len(self.values)
        places = np.where(outside, -1, places)
        lookup = np.append(places, self.missing_code).astype(np.int32)
        return Column(
            self.name,
            self.kind,
            self.values,
            lookup[more.codes],
            np.append(exact, True)[more.codes],
            given=given,
            zone=self.zone,
        )


def to_text(series: pd.Series) -> pd.Series:
    """The text each cell is published as; None where it is missing.

    Examples
    --------
    >>> to_text(pd.Series([1, 1.0, "", None], dtype=object)).tolist()
    ['1', '1.0', None, None]
    """
    if isinstance(series.dtype, pd.CategoricalDtype):
        # Values that no row has say nothing of how the others are written.
        series = series.cat.remove_unused_categories()
        by_code = to_text(pd.Series(series.cat.categories)).tolist()
        cells = np.array([*by_code, None], dtype=object)[series.cat.codes]
        return pd.Series(cells, index=series.index, dtype=object)
    series = plain_moments(series)
    missing = series.isna().to_numpy()
    if types.is_datetime64_any_dtype(series.dtype):
        texts = moment_texts(series)
    elif _holds_texts(series, missing):
        texts = series
    else:
        texts = _unsigned_zeros(series).astype(object).map(str)
    texts = texts.astype(object)
    hidden = missing | (texts == "").to_numpy()
    return texts.mask(hidden, None) if hidden.any() else texts


def _holds_texts(series: pd.Series, missing: np.ndarray) -> bool:
    """Whether all cells are texts already; a kind of text may be written otherwise."""
    if isinstance(series.dtype, pd.StringDtype):
        return True
    if series.dtype != object:
        return False
    return set(map(type, series.to_numpy()[~missing])) <= {str}


def single_texts(series: pd.Series) -> pd.Series:
    """The text of each cell by itself, whatever the others are; None if it is missing.

    A whole number has no decimals, a midnight no time.

    Examples
    --------
    >>> single_texts(pd.Series([50.0, 50.5, None])).tolist()
    ['50', '50.5', None]
    """
    if types.is_datetime64_any_dtype(series.dtype):
        return single_moment_texts(series)
    if isinstance(series.dtype, pd.CategoricalDtype) or series.dtype == object:
        return to_text(series.astype(object).map(_single_value, na_action="ignore"))
    texts = to_text(series)
    if types.is_float_dtype(series.dtype):
        floats = as_doubles(series.to_numpy(na_value=np.nan))
        whole = is_whole(floats)
        texts[whole] = floats[whole].astype(np.int64).astype(str).astype(object)
    return texts


def _single_value(cell: Any) -> Any:
    if isinstance(cell, Decimal):
        return f"{cell.normalize():f}"
    if isinstance(cell, float | np.floating):
        return single_texts(pd.Series([cell]))[0]
    return single_moment_texts(pd.Series([cell]))[0] if _is_moment(cell) else cell


def _is_moment(cell: Any) -> bool:
    return isinstance(cell, datetime | np.datetime64)


def _unsigned_zeros(series: pd.Series) -> pd.Series:
    """Floats as doubles that know no -0.0; everything else as it is."""
    if not types.is_float_dtype(series.dtype):
        return series
    floats = series.to_numpy(na_value=np.nan)
    return pd.Series(as_doubles(floats) + 0.0, series.index)


def encode(
    series: pd.Series,
    hierarchy: Hierarchy | None = None,
    *,
    name: Hashable = None,
    weights: np.ndarray | None = None,
) -> Column:
    """Code a column for an anonymizer: numbers as numbers, wherever possible.

    ``weights`` are the rows that each cell stands for, to count them in an error.
    """
    name = series.name if name is None else name
    if hierarchy is not None:
        return _encode_leaves(series, name, hierarchy)
    if types.is_complex_dtype(series.dtype):
        raise DataError(f"Complex data not supported: column {name!r}.")
    if types.is_datetime64_any_dtype(series.dtype):
        return _encode_moments(series, name)
    if types.is_bool_dtype(series.dtype):
        return _encode_text(series, name)
    decimals = _holds_decimals(series)
    if types.is_numeric_dtype(series.dtype) and not decimals:
        return _encode_sorted(series, name, "number", weights=weights)
    if isinstance(series.dtype, pd.CategoricalDtype) and series.cat.ordered:
        return _encode_ordered(series, name)
    held = types.infer_dtype(series, skipna=True) if series.dtype == object else ""
    if decimals or held in NUMBERS_AS_OBJECTS:
        return _encode_sorted(read_numbers(series, name), name, "number")
    if held in DATES_AS_OBJECTS:
        return _encode_moments(read_moments(series, name), name)
    return _encode_text(series, name)


def _holds_decimals(series: pd.Series) -> bool:
    """Whether it is a column of numbers that numpy has no type for."""
    return types.is_numeric_dtype(series.dtype) and series.dtype.kind == "O"


def _holds_floats(series: pd.Series) -> bool:
    """Whether its numbers may have decimals, even where all are whole."""
    held = types.infer_dtype(series, skipna=True)
    return held in NUMBERS_AS_OBJECTS - {"integer"}


def _encode_moments(series: pd.Series, name: Hashable) -> Column:
    column = _encode_sorted(in_utc(series), name, "date")
    return replace(column, zone=zone_of(series))


def identify(series: pd.Series) -> Column:
    """Code a column for a judge: two cells agree if their published texts do."""
    dtype = series.dtype
    if types.is_datetime64_any_dtype(dtype) or (
        types.is_numeric_dtype(dtype)
        and not types.is_bool_dtype(dtype)
        and not types.is_complex_dtype(dtype)
    ):
        return _encode_sorted(in_utc(series), series.name, "number", finite=False)
    if isinstance(series.dtype, pd.CategoricalDtype) and series.cat.ordered:
        return _encode_ordered(series, series.name)
    column = _encode_text(series, series.name)
    key = natural_key(series)
    if key is None:
        return column
    order = np.argsort(key(column.values), kind="stable")
    place = np.append(np.argsort(order), column.missing_code).astype(np.int32)
    return replace(
        column, values=column.values[order], codes=place[column.codes], ranked=True
    )


def natural_key(series: pd.Series) -> Callable[[np.ndarray], np.ndarray] | None:
    """What the texts of a column are sorted by, 9 before 10; None: they are texts."""
    if types.is_bool_dtype(series.dtype):
        return np.asarray
    held = types.infer_dtype(series, skipna=True) if series.dtype == object else ""
    if held in NUMBERS_AS_OBJECTS:
        return lambda texts: texts.astype(float)
    # Texts of dates begin with the year, and sort as the dates do.
    return np.asarray if held in {*DATES_AS_OBJECTS, "boolean"} else None


def _encode_sorted(
    series: pd.Series,
    name: Hashable,
    kind: Kind,
    *,
    finite: bool = True,
    weights: np.ndarray | None = None,
) -> Column:
    codes, distinct = pd.factorize(series, sort=True)
    values = np.asarray(distinct)
    if values.dtype.kind == "f":
        if finite and np.isinf(values).any():
            count = count_rows(np.append(np.isinf(values), False)[codes], weights)
            raise DataError(f"column {name!r} holds infinite numbers in {count} rows.")
        values = as_doubles(values) + 0.0  # -0.0 and 0.0 are one number
    return Column(name, kind, values, _missing_last(codes, len(values)))


def _encode_ordered(series: pd.Series, name: Hashable) -> Column:
    present = series.cat.remove_unused_categories()
    texts = to_text(pd.Series(present.cat.categories)).to_numpy(dtype=object)
    # An empty text is a missing value, and equal texts are one value.
    places, known = pd.factorize(texts)
    codes = np.append(places, -1)[present.cat.codes]
    return Column(name, "ordinal", known, _missing_last(codes, len(known)))


def _encode_text(series: pd.Series, name: Hashable) -> Column:
    codes, distinct = pd.factorize(_as_texts(series), sort=False)
    values = np.asarray(distinct, dtype=object)
    keep = values != ""
    # As objects: a fixed-width array would be as wide as the longest text.
    ranked = np.argsort(values[keep], kind="stable")
    # The last place is what factorize calls -1; an empty text goes there too.
    place = np.full(len(values) + 1, len(ranked), dtype=np.int32)
    place[np.flatnonzero(keep)[ranked]] = np.arange(len(ranked))
    return Column(name, "category", values[keep][ranked], place[codes])


def _as_texts(series: pd.Series) -> pd.Series:
    """Like :func:`to_text`, without a detour for columns that are texts already."""
    plain = isinstance(series.dtype, pd.StringDtype) or (
        series.dtype == object and types.infer_dtype(series, skipna=True) == "string"
    )
    return series if plain else to_text(series)


def _encode_leaves(series: pd.Series, name: Hashable, given: Any) -> Column:
    """Code by the leaves of a hierarchy, or of one that is built from the values."""
    if isinstance(given, Hierarchy):
        hierarchy = given
        column, places = leaf_places(series, given)
    elif hasattr(given, "build"):
        column, found, _ = leaf_column(series)
        builder: Any = given
        texts: Sequence[str] = list(found)
        if _holds_floats(series):
            builder, texts = for_floats(given, texts)
        try:
            hierarchy = builder.build(texts)
        except DataError as error:
            raise DataError(f"column {name!r}: {error}") from None
        places = hierarchy.locate(texts)
    else:
        raise ParameterError(f"hierarchies: what {name!r} has is no Hierarchy.")
    leaves = np.array(hierarchy.leaves, dtype=object)
    codes = np.append(places, len(leaves))[column.codes].astype(np.int32)
    zone = zone_of(series)
    return Column(name, "hierarchy", leaves, codes, hierarchy=hierarchy, zone=zone)


def leaf_places(series: pd.Series, hierarchy: Hierarchy) -> tuple[Column, np.ndarray]:
    """Code by values; the place of each among the leaves, or -1."""
    column, texts, respell = leaf_column(series)
    if respell is None:
        return column, hierarchy.locate(texts)
    return column, hierarchy.locate(
        [_spelled(text, respell, hierarchy) for text in texts]
    )


def leaf_column(
    series: pd.Series,
) -> tuple[Column, np.ndarray, Callable[[str], str] | None]:
    """Code by values; the text of each in a hierarchy, and its other spelling."""
    if types.is_datetime64_any_dtype(series.dtype):
        column = _encode_text(single_moment_texts(series), series.name)
        zone = zone_of(series)
        if zone is not None:
            return column, column.values, partial(respelled_moment, zone=zone)
        return column, column.values, partial(respelled, ending="T00:00:00")
    if types.is_numeric_dtype(series.dtype) and not types.is_bool_dtype(series.dtype):
        # 20.0, a whole number beside missing ones, is the leaf 20.
        column = identify(series)
        return column, column.texts(), partial(respelled, ending=".0")
    column = _encode_text(series, series.name)
    return column, column.values, None


def _spelled(text: str, respell: Callable[[str], str], hierarchy: Hierarchy) -> str:
    """As the hierarchy has it: what a column of floats calls 20 may be 20.0 there."""
    other = respell(text)
    return other if text not in hierarchy and other in hierarchy else text


def respelled(text: str, ending: str) -> str:
    """With the ending, if the text lacks it; without it, if it does not."""
    return text.removesuffix(ending) if text.endswith(ending) else text + ending


def leaf_texts(values: Any) -> list[str]:
    """Distinct values of a column as a hierarchy has them, without missing ones."""
    series = values if isinstance(values, pd.Series) else pd.Series(values)
    return list(leaf_column(series)[1])


def _missing_last(codes: Any, n_values: int) -> np.ndarray:
    codes = np.asarray(codes)
    return np.where(codes < 0, n_values, codes).astype(np.int32)


def count_rows(which: np.ndarray, weights: np.ndarray | None = None) -> int:
    """How many rows a mask holds, each of which may stand for several."""
    return int(which.sum() if weights is None else weights[which].sum())


def refuse_unknown(*columns: Column, weights: np.ndarray | None = None) -> None:
    """Refuse values that hierarchies do not have, unless they say otherwise.

    One error names all columns: whoever mends them does it once.
    """
    strict = [
        column
        for column in columns
        if column.hierarchy is not None and column.hierarchy.unknown == "error"
    ]
    found = unknown_rows(strict, weights)
    if found:
        raise UnknownValuesError(found)


def unknown_rows(
    columns: Iterable[Column], weights: np.ndarray | None = None
) -> dict[Hashable, int]:
    """In how many rows columns hold values that their hierarchies do not have."""
    counts = {
        column.name: count_rows(column.codes < 0, weights)
        for column in columns
        if column.hierarchy is not None
    }
    return {name: count for name, count in counts.items() if count}


def encode_sensitive(series: pd.Series, hierarchy: Any = None) -> Column:
    """Code a sensitive column; its hierarchy tells models which values are near."""
    column = identify(series)
    if hierarchy is None:
        return column
    return replace(column, hierarchy=encode(series, hierarchy).hierarchy)


def without_rows(column: Column) -> Column:
    """A column that knows its values, and nobody's."""
    none = np.empty(0, column.codes.dtype)
    return replace(column, codes=none, fitted_missing=column.knows_missing)


def sensitive_names(held: Mapping[Any, Any], name: Hashable | None) -> list[Hashable]:
    """One sensitive column of some evidence by name, or all of them; never none."""
    if name is None:
        if not held:
            raise NotEvaluable("there is no sensitive column to judge.")
        return list(held)
    if name not in held:
        raise NotEvaluable(unknown_choice("sensitive column", name, held))
    return [name]


def refuse_suppression_label(
    column: Column,
    series: pd.Series,
    suppression_label: str,
    weights: np.ndarray | None = None,
) -> None:
    """Refuse a column that holds the suppression label already."""
    if column.kind == "category" and suppression_label not in column.values:
        return
    known = column.kind == "hierarchy" and column.codes.min(initial=0) >= 0
    if known and suppression_label not in column.values:
        return
    plain = types.is_numeric_dtype(series) or types.is_datetime64_any_dtype(series)
    if plain and not any(letter.isdigit() for letter in suppression_label):
        return
    marked = (_as_texts(series) == suppression_label).fillna(False)
    count = count_rows(marked.to_numpy(dtype=bool), weights)
    if count:
        raise DataError(
            f"column {series.name!r} holds the suppression label "
            f"{suppression_label!r} in {count} rows; choose another with "
            "suppression_label=."
        )

"""The door between frames and codes: every kind of column, in and out."""

import datetime as dt
from decimal import Decimal
from enum import Enum
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._data.columns import (
    encode,
    identify,
    refuse_suppression_label,
    to_text,
)
from anon_transformers.exceptions import DataError
from anon_transformers.hierarchies import Hierarchy

DAY, LATER = "2020-01-01", "2021-06-30"


def days(**options):
    return pd.Series(pd.to_datetime([LATER, None, DAY, LATER]), **options)


def py_days():
    return [dt.date(2021, 6, 30), None, dt.date(2020, 1, 1), dt.date(2021, 6, 30)]


# Four cells each: the larger value, a missing one, the smaller, the larger again.
NUMBERS = {
    "float64": pd.Series([3.0, np.nan, 1.0, 3.0]),
    "float32": pd.Series([3, None, 1, 3], dtype="float32"),
    "Int64": pd.Series([3, None, 1, 3], dtype="Int64"),
    "Float64": pd.Series([3, None, 1, 3], dtype="Float64"),
    "UInt8": pd.Series([3, None, 1, 3], dtype="UInt8"),
    "int64[pyarrow]": pd.Series([3, None, 1, 3], dtype="int64[pyarrow]"),
    "double[pyarrow]": pd.Series([3, None, 1, 3], dtype="double[pyarrow]"),
    "integers as objects": pd.Series([3, None, 1, 3], dtype=object),
    "mixed numbers": pd.Series([3, None, 1.0, 3.0], dtype=object),
    "decimals": pd.Series([Decimal(3), None, Decimal("1.0"), Decimal("3.00")]),
}
DATES = {
    "datetime64[us]": days(),
    "datetime64[ns]": days().astype("datetime64[ns]"),
    "zoned": days().dt.tz_localize("UTC"),
    "timestamp[us][pyarrow]": days().astype("timestamp[us][pyarrow]"),
    "timestamp[ns][pyarrow]": days().astype("timestamp[ns][pyarrow]"),
    "zoned timestamp[pyarrow]": days()
    .dt.tz_localize("UTC")
    .astype("timestamp[ns, tz=UTC][pyarrow]"),
    "date32[pyarrow]": pd.Series(py_days()).astype("date32[pyarrow]"),
    "python dates": pd.Series(py_days(), dtype=object),
    "timestamps as objects": days().astype(object),
}
TEXTS = {
    "str": pd.Series(["y", None, "x", "y"], dtype="str"),
    "string[python]": pd.Series(["y", None, "x", "y"], dtype="string[python]"),
    "string[pyarrow]": pd.Series(["y", None, "x", "y"], dtype="string[pyarrow]"),
    "object": pd.Series(["y", None, "x", "y"], dtype=object),
    "object with NaN": pd.Series(["y", np.nan, "x", "y"], dtype=object),
    "empty text": pd.Series(["y", "", "x", "y"], dtype=object),
    "categories": pd.Series(["y", None, "x", "y"], dtype="category"),
    "empty category": pd.Series(["y", "", "x", "y"], dtype="category"),
}
BOOLEANS = {
    "boolean": pd.Series([True, None, False, True], dtype="boolean"),
    "bool[pyarrow]": pd.Series([True, None, False, True], dtype="bool[pyarrow]"),
    "object": pd.Series([True, None, False, True], dtype=object),
}


def matrix(kind, cases):
    return [pytest.param(kind, series, id=name) for name, series in cases.items()]


@pytest.mark.parametrize(
    ("kind", "series"),
    [
        *matrix("number", NUMBERS),
        *matrix("date", DATES),
        *matrix("category", TEXTS),
        *matrix("category", BOOLEANS),
    ],
)
def test_every_column_is_coded_in_its_natural_order(kind, series):
    column = encode(series)
    assert column.kind == kind
    assert column.codes.tolist() == [1, 2, 0, 1]
    assert column.codes.dtype == np.int32
    assert column.missing_code == 2


@pytest.mark.parametrize(
    ("cases", "texts"),
    [(NUMBERS, ["1", "3"]), (DATES, [DAY, LATER]), (TEXTS, ["x", "y"]),
     (BOOLEANS, ["False", "True"])],
    ids=["numbers", "dates", "texts", "booleans"],
)  # fmt: skip
def test_the_same_value_has_the_same_text_whatever_its_type(cases, texts):
    found = {name: encode(series).texts().tolist() for name, series in cases.items()}
    assert found == dict.fromkeys(cases, texts)


@pytest.mark.parametrize("series", [*NUMBERS.values(), *DATES.values()])
def test_positions_rise_with_the_values(series):
    places = encode(series).positions()
    assert places.dtype == np.float64
    assert places[0] < places[1]


@pytest.mark.parametrize(
    "series",
    [*NUMBERS.values(), *DATES.values(), *TEXTS.values(), *BOOLEANS.values()],
)
def test_a_judge_tells_the_same_cells_apart(series):
    codes = identify(series).codes.tolist()
    assert codes[0] != codes[1] != codes[2]
    if series.dtype != object:
        assert codes[0] == codes[3]


def test_ordered_categories_keep_their_order():
    series = pd.Series(
        pd.Categorical(
            ["low", None, "high", "low"], ["low", "mid", "high"], ordered=True
        )
    )
    column = encode(series)
    assert column.kind == "ordinal"
    assert column.values.tolist() == ["low", "high"]
    assert column.codes.tolist() == [0, 2, 1, 0]


def test_an_empty_ordered_category_is_missing():
    column = encode(pd.Series(pd.Categorical(["", "b", "c"], ordered=True)))
    assert column.values.tolist() == ["b", "c"]
    assert column.codes.tolist() == [2, 0, 1]


def test_ordered_categories_with_one_text_are_one_value():
    column = encode(pd.Series(pd.Categorical([1, "1", 2], [1, "1", 2], ordered=True)))
    assert column.values.tolist() == ["1", "2"]
    assert column.codes.tolist() == [0, 0, 1]


def test_in_mixed_objects_the_text_is_the_identity():
    cells = [1, 1.0, "1", True, "True", "", None, np.nan, {"a": 1}, "1"]
    column = encode(pd.Series(cells, dtype=object))
    assert column.values.tolist() == ["1", "1.0", "True", "{'a': 1}"]
    assert column.codes.tolist() == [0, 1, 0, 2, 2, 4, 4, 4, 3, 0]


def test_leading_zeros_are_kept():
    assert encode(pd.Series(["007", "7"])).values.tolist() == ["007", "7"]


def test_minus_zero_is_zero():
    column = encode(pd.Series([-0.0, 0.0, 1.0]))
    assert column.codes.tolist() == [0, 0, 1]
    assert column.texts().tolist() == ["0", "1"]
    assert encode(pd.Series([-0.0, 0.5])).texts().tolist() == ["0", "0.5"]


def test_a_moment_is_published_with_its_time_only_if_it_has_one():
    series = pd.Series(pd.to_datetime(["2020-01-01 00:00", "2020-01-01 06:30"]))
    assert encode(series).texts().tolist() == [
        "2020-01-01",
        "2020-01-01T06:30:00",
    ]


def test_zones_are_compared_as_moments():
    noon = pd.Timestamp("2020-01-01 12:00")
    series = pd.Series(
        [noon.tz_localize("UTC"), noon.tz_localize("Europe/Vienna")], dtype=object
    )
    assert encode(series).codes.tolist() == [1, 0]


def test_infinite_numbers_are_counted_and_refused():
    with pytest.raises(DataError, match="'pay' holds infinite numbers in 3 rows"):
        encode(pd.Series([1.0, np.inf, -np.inf, np.inf], name="pay"))


def test_complex_numbers_are_refused():
    with pytest.raises(DataError, match="Complex data not supported: column 'pay'"):
        encode(pd.Series([1j], name="pay"))


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(np.array([-100, 0, 100], dtype=np.int8), id="int8"),
        pytest.param(np.array([2**60, 2**60 + 1, 2**60 + 2]), id="beyond 2**53"),
        pytest.param(np.array([-(2**63), 0, 2**63 - 1]), id="all of int64"),
        pytest.param(np.array([0, 1, 2**64 - 1], dtype=np.uint64), id="uint64"),
        pytest.param(np.array([-1.7e308, 0.0, 1.7e308]), id="all of float64"),
    ],
)
def test_positions_do_not_overflow(values):
    places = encode(pd.Series(values)).positions()
    gaps = np.diff(places)
    assert np.isfinite(places).all()
    assert (gaps > 0).all()
    exact = [float(int(b) - int(a)) for a, b in pairwise(values)]
    assert gaps[0] / gaps[1] == pytest.approx(exact[0] / exact[1])


def test_one_long_text_does_not_widen_all_of_them():
    series = pd.Series([f"{i:06}" for i in range(20_000)] + ["x" * 200_000])
    column = encode(series)  # as a fixed-width array this would be 16 GB
    assert column.codes.tolist() == list(range(20_001))


@pytest.mark.parametrize(
    ("series", "text", "count"),
    [
        (pd.Series(["*", "a", "*"]), "*", 2),
        (pd.Series([20, 20, 30]), "20", 2),
        (pd.Series([20.0, 20.5, None]), "20.0", 1),
        (pd.Series([1, 2]), "*", 0),
        (pd.Series(pd.to_datetime([DAY, LATER])), DAY, 1),
    ],
)
def test_the_suppression_mark_is_counted_in_every_kind(series, text, count):
    if not count:
        assert refuse_suppression_label(encode(series), series, text) is None
        return
    with pytest.raises(DataError, match=f"in {count} rows"):
        refuse_suppression_label(encode(series), series, text)


class TestMoreRows:
    def coded(self, fitted, more):
        column = encode(fitted).encode_more(more)
        exact = [True] * len(more) if column.exact is None else column.exact.tolist()
        return column.codes.tolist(), exact

    def test_numbers_between_below_and_above(self):
        codes, exact = self.coded(
            pd.Series([10, 20, 30]), pd.Series([5.0, 10, 15, 30, 31, np.nan])
        )
        assert codes == [0, 0, 1, 2, -1, 3]
        assert exact == [False, True, False, True, False, True]

    def test_dates_of_another_resolution(self):
        fitted = pd.Series(pd.to_datetime([DAY, LATER])).astype("datetime64[ns]")
        more = pd.Series([dt.date(2020, 1, 1), dt.date(2020, 5, 1), None])
        codes, exact = self.coded(fitted, more)
        assert codes == [0, 1, 2]
        assert exact == [True, False, True]

    def test_unseen_categories_and_new_missing_ones(self):
        codes, _ = self.coded(pd.Series(["a", "c"]), pd.Series(["b", "a", None, "c"]))
        assert codes == [-1, 0, 2, 1]

    def test_unseen_ordered_categories(self):
        order = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
        codes, _ = self.coded(
            pd.Series(["low", "high"], dtype=order),
            pd.Series(["mid", "high", None, "low"], dtype=order),
        )
        assert codes == [-1, 1, 2, 0]

    def test_texts_for_ordered_categories(self):
        order = pd.CategoricalDtype(["low", "high"], ordered=True)
        codes, _ = self.coded(
            pd.Series(["low", "high"], dtype=order), pd.Series(["high", "low", "x"])
        )
        assert codes == [1, 0, -1]

    def test_numbers_for_texts(self):
        codes, _ = self.coded(pd.Series(["1", "2"]), pd.Series([2, 1, 3]))
        assert codes == [1, 0, -1]

    def test_texts_for_numbers_are_refused_without_a_value(self):
        column = encode(pd.Series([1, 2], name="age"))
        with pytest.raises(DataError, match="'age' was fitted as number") as caught:
            column.encode_more(pd.Series(["secret"]))
        assert "secret" not in str(caught.value)

    @pytest.mark.parametrize(
        "fitted", [pd.Series([1, 2]), pd.Series(["a", "b"]), days()], ids=str
    )
    def test_rows_that_are_all_missing(self, fitted):
        column = encode(fitted)
        for more in (pd.Series([None, None], dtype=object), pd.Series([np.nan] * 2)):
            assert column.encode_more(more).codes.tolist() == [column.missing_code] * 2

    @pytest.mark.parametrize(
        "empty", [pd.Series([np.nan]), pd.Series([None], dtype=object)]
    )
    def test_a_column_that_was_all_missing_knows_no_value(self, empty):
        codes, _ = self.coded(empty, pd.Series([1.0, np.nan]))
        assert codes == [-1, 0]

    def test_leaves_of_a_hierarchy(self):
        rows = [("a", "*"), ("b", "*"), ("c", "*")]
        tree = Hierarchy(rows, unknown="suppress")
        column = encode(pd.Series(["a", "c"]), tree)
        assert column.encode_more(pd.Series(["b", "z", None])).codes.tolist() == [
            1,
            -1,
            3,
        ]


class TestHierarchies:
    tree = Hierarchy([("20", "<30", "*"), ("30", "30+", "*"), ("40", "30+", "*")])

    @pytest.mark.parametrize(
        "series",
        [
            pd.Series([40, None, 20, 40]),
            pd.Series([40, None, 20, 40], dtype="Int64"),
            pd.Series([40, None, 20, 40], dtype=object),
            pd.Series(["40", None, "20", "40"]),
            pd.Series(["40", None, "20", "40"], dtype="category"),
        ],
        ids=["float", "Int64", "object", "str", "category"],
    )
    def test_numbers_find_their_leaves(self, series):
        column = encode(series, self.tree)
        assert column.kind == "hierarchy"
        assert column.codes.tolist() == [2, 3, 0, 2]

    def test_a_value_without_a_leaf_is_marked(self):
        assert encode(pd.Series([20, 25]), self.tree).codes.tolist() == [0, -1]


class Named(str, Enum):  # noqa: UP042 - a StrEnum is written as it reads
    """A text that is written otherwise than it reads."""

    FLU = "flu"


CELLS = st.sampled_from(
    ["", "flu", "*", "1", 1, 1.5, True, None, np.nan, Named.FLU, np.str_("flu")]
)


@pytest.mark.parametrize("texts_only", [True, False])
@given(cells=st.lists(CELLS, max_size=8))
def test_a_cell_is_written_as_python_writes_it(texts_only, cells):
    if texts_only:
        cells = [cell for cell in cells if cell is None or type(cell) is str]
    for dtype in [object, *(["str", "string"] if texts_only else [])]:
        column = pd.Series(cells, dtype=dtype)
        found = to_text(column)
        wanted = [None if pd.isna(c) or str(c) == "" else str(c) for c in cells]
        assert found.tolist() == wanted
        assert {type(cell) for cell in found} <= {str, type(None)}
        found[:] = "other"
        pd.testing.assert_series_equal(column, pd.Series(cells, dtype=dtype))


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        ([1, 1.0, "", None, "x"], ["1", "1.0", None, None, "x"]),
        (pd.Categorical(["b", None, "a"]), ["b", None, "a"]),
        (pd.to_datetime([DAY, None]), [DAY, None]),
        (py_days()[:2], [LATER, None]),
    ],
)
def test_texts_of_cells(cells, texts):
    found = to_text(pd.Series(cells, index=range(5, 5 + len(cells))))
    assert found.tolist() == texts
    assert found.index.tolist() == list(range(5, 5 + len(cells)))


def test_a_category_that_no_row_has_does_not_show_in_the_others():
    moments = ["2020-01-01", "2020-02-01", "2020-01-01 10:00"]
    series = pd.Series(pd.Categorical(pd.to_datetime(moments, format="ISO8601")))
    assert to_text(series[:2]).tolist() == ["2020-01-01", "2020-02-01"]
    assert to_text(series)[0] == "2020-01-01T00:00:00"

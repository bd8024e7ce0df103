"""Global recoding: break points, labels, rows without a class, Census."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anon_transformers._data.columns import encode
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import DataError, InfeasibleError, ParameterError
from anon_transformers.fuzzy import GlobalRecoder
from anon_transformers.fuzzy._breaks import _log_breaks, break_points
from anon_transformers.metrics import measure_risk


def recode(values, n_sets, **params):
    table = pd.DataFrame({"x": values})
    return GlobalRecoder(n_sets=n_sets, k=1, **params).fit_transform(table)["x"]


def numbered(labels):
    """Number of each label, by first appearance."""
    return pd.factorize(pd.Series(labels))[0].tolist()


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("equidistant", [1, 334, 667, 1000]),
        ("log", [1, 10, 100, 1000]),
        ("equal-amount", [1, 7, 120, 1000]),
    ],
)
def test_limits_by_method(method, expected):
    column = encode(pd.Series([1, 2, 7, 90, 120, 130, 1000]))
    assert break_points(column, 3, method) == pytest.approx(expected)


def test_labels_are_closed_on_the_right_and_the_first_on_both_sides():
    found = recode([20, 22, 31, 40, 44], 2, method="equidistant")
    assert found.tolist() == [
        "[20, 32]",
        "[20, 32]",
        "[20, 32]",
        "(32, 44]",
        "(32, 44]",
    ]


def quantiles(values, n_sets):
    """Quantiles by linear interpolation, as fractions."""
    ranked, found = sorted(values), []
    for number in range(n_sets + 1):
        place = Fraction(number * (len(values) - 1), n_sets)
        below = int(place)
        above = min(below + 1, len(values) - 1)
        found.append(ranked[below] + (place - below) * (ranked[above] - ranked[below]))
    return found


numbers = st.lists(st.integers(-50, 50), min_size=2, max_size=60)


@given(values=numbers, n_sets=st.integers(2, 7))
def test_equal_amounts_are_the_quantile_bins_of_pandas(values, n_sets):
    assume(len(set(values)) >= n_sets)
    exact = quantiles(values, n_sets)
    bins, edges = pd.qcut(values, n_sets, retbins=True, duplicates="drop")
    assume(len(edges) > 2)
    # Where pandas rounds a quantile, a value may fall on the other side of it.
    assume(set(edges) == set(map(float, exact)))
    assert numbered(recode(values, n_sets)) == numbered(bins.codes)


@given(values=numbers, n_sets=st.integers(2, 7))
def test_equal_amounts_are_cut_at_exact_quantiles(values, n_sets):
    assume(len(set(values)) >= n_sets)
    inner = sorted(set(quantiles(values, n_sets)[1:-1]) - {min(values), max(values)})
    assume(inner)
    expected = [sum(value > limit for limit in inner) for value in values]
    assert numbered(recode(values, n_sets)) == numbered(expected)


@given(values=numbers, n_sets=st.integers(2, 7))
def test_equal_lengths_are_the_bins_of_pandas(values, n_sets):
    assume(len(set(values)) >= n_sets)
    width = max(values) - min(values)
    edges = [min(values) + Fraction(n * width, n_sets) for n in range(n_sets + 1)]
    bins = pd.cut(values, [float(edge) for edge in edges], include_lowest=True)
    found = recode(values, n_sets, method="equidistant")
    assert numbered(found) == numbered(bins.codes)


@given(
    values=st.lists(st.integers(-1000, 1000), min_size=4, max_size=60, unique=True),
    n_sets=st.integers(2, 6),
)
def test_equal_amounts_differ_by_one_row_at_most(values, n_sets):
    # Property 29: every row has one class, sizes are even, the order is kept.
    assume(len(values) >= n_sets)
    found = recode(values, n_sets)
    sizes = found.value_counts()
    assert found.notna().all()
    assert len(sizes) == n_sets
    assert sizes.max() - sizes.min() <= 1
    assert found[np.argsort(values)].drop_duplicates().size == n_sets


def test_break_points_that_fall_together_are_one():
    recoder = GlobalRecoder(n_sets=4, k=1)
    found = recoder.fit_transform(pd.DataFrame({"x": [1] * 4 + [2, 3, 4, 5]}))["x"]
    # The quartiles are 1, 1, 1.5, 3.25 and 5.
    assert found.unique().tolist() == ["[1, 1.5]", "(1.5, 3.25]", "(3.25, 5]"]
    assert recoder.report_.details["n_sets"] == {"x": 3}


def test_one_interval_for_all_rows_is_no_result():
    table = pd.DataFrame({"x": [1] * 8 + [2, 3]})  # the tertiles are 1, 1, 1 and 3
    with pytest.raises(InfeasibleError, match="every row would be published in the"):
        GlobalRecoder(n_sets=3, k=1).fit(table)


def test_rows_without_an_interval_go_with_their_sensitive_values():
    # Property 30: the source kept the sensitive values of rows that it had removed.
    table = pd.DataFrame({"x": [5, 1, 9, 3, 7, 1], "ill": list("abcdef")})
    recoder = GlobalRecoder(
        ["x"],
        n_sets=2,
        include_lowest=False,
        sensitive=["ill"],
        k=1,
        suppression="drop",
        suppression_limit=0.5,
    )
    published = recoder.fit_transform(table)
    assert published["ill"].tolist() == list("acde")
    assert published["x"].tolist() == ["(4, 9]", "(4, 9]", "(1, 4]", "(4, 9]"]
    assert recoder.suppressed_mask_.tolist() == [False, True, False, False, False, True]


def test_without_room_to_suppress_the_lowest_must_be_included():
    table = pd.DataFrame({"x": [1, 2, 3, 4]})
    with pytest.raises(InfeasibleError, match="does not cover every row"):
        GlobalRecoder(n_sets=2, include_lowest=False, k=1).fit(table)


def test_logarithms_need_positive_numbers():
    table = pd.DataFrame({"x": [0, -3, 5, 8]})
    with pytest.raises(DataError, match=r"'x' holds numbers in 2 rows that are not"):
        GlobalRecoder(method="log", n_sets=2, k=1).fit(table)
    dates = pd.DataFrame({"x": pd.to_datetime(["2020-01-01", "2021-01-01"])})
    with pytest.raises(DataError, match="'x' holds dates"):
        GlobalRecoder(method="log", n_sets=2, k=1).fit(dates)


def test_days_are_parted_by_days():
    days = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-05", "2020-01-06"])
    found = recode(days, 2)
    assert found.unique().tolist() == [
        "[2020-01-01, 2020-01-03]",
        "(2020-01-03, 2020-01-06]",
    ]


def test_days_of_a_zone_are_told_in_it():
    days = pd.to_datetime(["2020-06-01", "2020-06-02", "2020-06-05", "2020-06-06"])
    found = recode(days.tz_localize("Asia/Tokyo"), 2)
    assert found.unique().tolist() == [
        "[2020-06-01, 2020-06-03]",
        "(2020-06-03, 2020-06-06]",
    ]


def test_whole_numbers_beyond_doubles_keep_their_digits():
    first = 2**60
    found = recode([first, first + 1, first + 10, first + 11], 2)
    assert found.unique().tolist() == [
        f"[{first}, {first + 5}]",
        f"({first + 5}, {first + 11}]",
    ]


def test_other_rows_beyond_the_limits_are_suppressed():
    fitted = GlobalRecoder(n_sets=2, k=1).fit(pd.DataFrame({"x": [0.0, 1, 8, 10]}))
    other = pd.DataFrame({"x": [-0.5, 0, 4.5, 4.6, 10, 10.5, None]})
    assert fitted.transform(other)["x"].tolist() == [
        "*",
        "[0, 4.5]",
        "[0, 4.5]",
        "(4.5, 10]",
        "(4.5, 10]",
        "*",
        "*",
    ]


def test_a_constant_column_is_published_as_it_is():
    table = pd.DataFrame({"same": [7] * 4, "x": [1, 2, 8, 9]})
    published = GlobalRecoder(n_sets=2, k=2).fit_transform(table)
    assert published["same"].tolist() == ["7"] * 4
    assert published["x"].nunique() == 2


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"method": "evenly"}, "method: unknown option 'evenly'"),
        ({"n_sets": 1}, "n_sets must be a whole number of at least 2, got 1"),
        ({"n_sets": {"y": 3}}, "n_sets: unknown column 'y'"),
        ({"n_sets": {"x": 1}}, "one set for every column tells nothing"),
        ({"max_sets": 1}, "max_sets"),
        ({"labels": ["a", "a"]}, "labels must be a list of different texts"),
        ({"labels": ["a", "b"], "n_sets": 3}, "2 names for n_sets=3"),
        ({"keep_memberships": "yes"}, "keep_memberships"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ParameterError, match=message):
        GlobalRecoder(k=1, **params).fit(pd.DataFrame({"x": [1, 2, 3]}))


def test_census_without_the_lowest_rows(census, recomputed):
    for row in recomputed("global_recode_drop_lowest"):
        recoder = GlobalRecoder(
            [row.attr_i, row.attr_j],
            n_sets=3,
            include_lowest=False,
            k=1,
            suppression="drop",
            suppression_limit=0.1,
        )
        check_census(recoder, census, row)


def test_census_with_the_lowest_rows(census, recomputed):
    for row in recomputed("global_recode"):
        check_census(
            GlobalRecoder([row.attr_i, row.attr_j], n_sets=3, k=1), census, row
        )


def check_census(recoder, census, row):
    known = recoder.quasi_identifiers
    published = recoder.fit_transform(census)
    classes = Classes.from_frame(published, known)
    assert len(published) == row.n_rows
    assert classes.n_classes == row.n_nonempty_classes
    assert classes.sizes.min() == row.k
    assert measure_risk(classes).count == row.measure_risk
    # Each row still has its own sensitive values.
    kept = census[~recoder.suppressed_mask_].reset_index(drop=True)
    assert published["PEARNVAL"].equals(kept["PEARNVAL"])


@pytest.mark.parametrize("n_sets", [2, 3, 4, 5, 6])
def test_powers_between_the_ends_are_limits_to_the_last_digit(n_sets):
    for base in (2, 3, 5, 10, 0.5, 1.5):
        values = sorted(base**power for power in range(n_sets + 1))
        column = encode(pd.Series(values))
        assert break_points(column, n_sets, "log").tolist() == values


def test_a_value_that_is_a_limit_lies_below_it():
    found = recode([1, 5, 10, 60, 100], 2, method="log")
    assert found.tolist() == ["[1, 10]"] * 3 + ["(10, 100]"] * 2
    whole = 10**16  # no double holds every whole number around it
    found = recode([whole, whole * 10, whole * 100 + 1], 2, method="log")
    assert found.tolist()[0] == found.tolist()[1] == f"[{whole}, {whole * 10}]"


@settings(deadline=None)
@given(
    ends=st.tuples(st.floats(1e-9, 1e9), st.floats(1e-9, 1e9)).map(sorted),
    n_sets=st.integers(2, 9),
)
def test_log_limits_are_exact_powers_rounded_once(ends, n_sets):
    column = encode(pd.Series(ends))
    low, high = map(Fraction, ends)
    found = _log_breaks(column, n_sets, whole=False).tolist()
    for part, limit in enumerate(found, start=1):
        exact = low ** (n_sets - part) * high**part
        below, above = (math.nextafter(limit, end) for end in (0, math.inf))
        assert ((Fraction(below) + Fraction(limit)) / 2) ** n_sets <= exact
        assert exact <= ((Fraction(above) + Fraction(limit)) / 2) ** n_sets

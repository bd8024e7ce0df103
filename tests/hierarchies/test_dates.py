"""Parts of dates."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.hierarchies import DateParts

ALL = ("day", "month", "quarter", "year", "decade", "century")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-11-16", ["2026-11", "2026-Q4", "2026", "2020-2029", "2000-2099"]),
        ("2000-01-01", ["2000-01", "2000-Q1", "2000", "2000-2009", "2000-2099"]),
        ("1999-12-31", ["1999-12", "1999-Q4", "1999", "1990-1999", "1900-1999"]),
        ("1999-03-31", ["1999-03", "1999-Q1", "1999", "1990-1999", "1900-1999"]),
        ("1999-04-01", ["1999-04", "1999-Q2", "1999", "1990-1999", "1900-1999"]),
        ("0009-07-05", ["0009-07", "0009-Q3", "0009", "0000-0009", "0000-0099"]),
    ],
)
def test_worked_examples(value, expected):
    assert DateParts().build([value]).rows == ((value, *expected, "*"),)


def test_moments_go_up_to_their_day_first():
    rows = (
        DateParts(ALL).build(["2026-11-16T23:59:59", "2026-11-16T00:00:00+01:00"]).rows
    )
    assert {row[1] for row in rows} == {"2026-11-16"}
    assert rows[0][2:] == ("2026-11", "2026-Q4", "2026", "2020-2029", "2000-2099", "*")


@given(st.lists(st.dates(date(1, 1, 1), date(9999, 12, 31)), min_size=1, unique=True))
def test_every_day_is_inside_its_parts(days):
    tree = DateParts().build([day.isoformat() for day in days])
    for value, month, quarter, year, decade, century, root in tree.rows:
        day = date.fromisoformat(value)
        assert month == value[:7]
        assert (
            quarter
            == f"{value[:4]}-Q{[1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4][day.month - 1]}"
        )
        assert year == value[:4]
        for span, label in ((10, decade), (100, century)):
            first, last = map(int, label.split("-"))
            assert first <= day.year <= last
            assert last - first == span - 1
            assert first % span == 0
        assert root == "*"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"parts": ["weeks"]}, "parts: unknown part 'weeks'"),
        ({"parts": ["year", "month"]}, "from fine to coarse"),
        ({"parts": ["year", "year"]}, "from fine to coarse"),
        ({"parts": []}, "parts must be a list of parts"),
        ({"parts": "year"}, "parts must be a list of parts, got 'year'"),
        ({"unknown": "x"}, "unknown"),
    ],
)
def test_what_cannot_be_built_is_refused_at_once(options, said):
    with pytest.raises(ParameterError, match=said):
        DateParts(**options)


@pytest.mark.parametrize("strange", ["31/01/2026", "2026-02-30", "soon", "2026"])
def test_what_is_no_date_is_counted_and_not_told(strange):
    with pytest.raises(DataError, match="1 values are none") as caught:
        DateParts().build(["2026-01-30", strange])
    assert strange not in str(caught.value).replace("2026-01-31", "")


@pytest.mark.parametrize(
    ("parts", "value", "expected"),
    [
        (["year", "5 years", "decade"], "1963-08-19",
         ["1963", "1960-1964", "1960-1969"]),
        (["5 years", "20 years"], "2026-01-31", ["2025-2029", "2020-2039"]),
        (["quarter", "2 years", "decade"], "2026-01-31",
         ["2026-Q1", "2026-2027", "2020-2029"]),
        (["1 years", "century"], "0004-01-31", ["0004", "0000-0099"]),
        (["day", "25 years"], "1999-12-31T10:00:00", ["1999-12-31", "1975-1999"]),
    ],
)  # fmt: skip
def test_steps_of_some_years(parts, value, expected):
    tree = DateParts(parts).build([value])
    assert tree.rows == ((value, *expected, "*"),)


@given(
    days=st.lists(st.dates(), min_size=1, unique=True),
    factors=st.lists(st.integers(2, 6), min_size=1, max_size=4),
)
def test_any_steps_that_are_multiples_lie_in_one_another(days, factors):
    spans = [factors[0]]
    for factor in factors[1:]:
        spans.append(spans[-1] * factor)
    tree = DateParts([f"{span} years" for span in spans]).build(
        [day.isoformat() for day in days]
    )
    for value, *labels, _ in tree.rows:
        for span, label in zip(spans, labels, strict=True):
            first, last = map(int, label.split("-"))
            assert first <= int(value[:4]) <= last == first + span - 1
            assert first % span == 0


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (["5 years", "8 years"], "8 years are no multiple of 5"),
        (["5 years", "year"], "from fine to coarse"),
        (["decade", "10 years"], "from fine to coarse"),
        (["5 years", "month"], "from fine to coarse"),
        (["0 years"], "unknown part '0 years'"),
        (["5 year"], "unknown part '5 year'"),
        ([5], "unknown part '5'"),
        ([None], "unknown part 'None'"),
    ],
)
def test_steps_that_do_not_lie_in_one_another_are_refused(parts, said):
    with pytest.raises(ParameterError, match=said):
        DateParts(parts)

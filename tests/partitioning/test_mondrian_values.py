"""Mondrian: a published interval contains the value, whatever type it came in."""

import datetime as dt
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers import DataflyAnonymizer, MondrianAnonymizer
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import DataError

MADRID = ZoneInfo("Europe/Madrid")
whole = st.integers(-(2**63), 2**63 - 1) | st.integers(2**53 - 3, 2**53 + 9)
decimals = st.decimals(-(10**6), 10**6, places=3) | st.sampled_from(
    [Decimal("0.1"), Decimal("1E+3"), Decimal("-0.30")]
)
moments = st.datetimes(dt.datetime(1950, 1, 1), dt.datetime(2100, 1, 1))
KINDS = {
    "int64": (whole, lambda c: pd.Series(c, dtype="int64"), int),
    "Int64": (whole, lambda c: pd.Series([*c, None], dtype="Int64"), int),
    "uint64": (
        st.integers(0, 2**64 - 1), lambda c: pd.Series(c, dtype="uint64"), int
    ),
    "whole objects": (whole, lambda c: pd.Series([*c, None], dtype=object), int),
    "decimals": (decimals, lambda c: pd.Series([*c, None], dtype=object), Decimal),
    "floats": (st.floats(-1e300, 1e300), lambda c: pd.Series(c, dtype=float), float),
    "float32": (
        st.floats(-(2.0**90), 2.0**90, width=32),
        lambda c: pd.Series(c, dtype="float32"),
        np.float32,
    ),
    "days": (
        moments,
        lambda c: pd.Series(pd.to_datetime(c)).dt.normalize(),
        pd.Timestamp,
    ),
    "moments": (moments, lambda c: pd.Series(pd.to_datetime(c)), pd.Timestamp),
    "zoned moments": (
        moments,
        lambda c: pd.Series(pd.to_datetime(c, utc=True)).dt.tz_convert(MADRID),
        pd.Timestamp,
    ),
    "zoned objects": (
        moments,
        lambda c: pd.Series([m.replace(tzinfo=MADRID) for m in c], dtype=object),
        pd.Timestamp,
    ),
}  # fmt: skip


def ends(label):
    inner = label.removesuffix(" or missing")
    if inner.startswith("["):
        return inner[1:-1].split(", ")
    return [inner, inner]


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data(), k=st.integers(1, 4), mode=st.sampled_from(["strict", "relaxed"]))
def test_every_value_lies_in_its_interval(kind, data, k, mode):
    strategy, make, read = KINDS[kind]
    series = make(data.draw(st.lists(strategy, min_size=4, max_size=30)))
    done = MondrianAnonymizer(k=k, mode=mode, duplicates="ignore")
    out = done.fit_transform(pd.DataFrame({"x": series}))["x"]
    for label, cell in zip(out, series, strict=True):
        if pd.isna(cell):
            assert pd.isna(label) or label.endswith(" or missing")
            continue
        low, high = (read(end) for end in ends(label))
        value = read(str(cell)) if kind == "float32" else read(cell)
        if read is pd.Timestamp and value.tzinfo:  # a day is its midnight in the zone
            low, high = (m if m.tzinfo else m.tz_localize(MADRID) for m in (low, high))
        assert low <= value <= high


class TestObjects:
    def labels(self, cells):
        series = pd.Series(cells, dtype=object)
        return MondrianAnonymizer(k=2).fit_transform(pd.DataFrame({"x": series}))["x"]

    def test_whole_numbers_beyond_doubles(self):
        found = self.labels([9007199254740993] * 2 + [None] * 2)
        assert found.tolist()[:2] == ["9007199254740993"] * 2
        assert self.labels([2**64 - 1, 5]).tolist() == [f"[5, {2**64 - 1}]"] * 2

    @pytest.mark.parametrize(
        "cells",
        [
            [Decimal("0.12345678901234567890"), Decimal("0.5")],
            [10**400, 5],
            [2**70 + 1, 5],
            [2**53 + 1, 0.5],
            [Decimal("1e-400"), Decimal("0.5")],
        ],
    )
    def test_what_no_type_holds_is_refused_without_the_value(self, cells):
        with pytest.raises(DataError, match="'x' holds numbers in 2 rows") as caught:
            self.labels([cells[0], cells[1], cells[0], None])
        assert "123456" not in str(caught.value)

    def test_decimals_of_arrow(self):
        pyarrow = pytest.importorskip("pyarrow")
        dtype = pd.ArrowDtype(pyarrow.decimal128(20, 3))
        cells = [Decimal("1.500"), Decimal("2.000"), Decimal("2.125"), None]
        table = pd.DataFrame({"x": pd.Series(cells, dtype=dtype)})
        found = MondrianAnonymizer(k=4).fit_transform(table)["x"]
        assert found.tolist() == ["[1.5, 2.125] or missing"] * 4

    def test_later_numbers_are_compared_with_all_digits(self):
        done = MondrianAnonymizer(k=2).fit(pd.DataFrame({"x": [0.0, 2.0**53]}))
        found = done.transform(pd.DataFrame({"x": [2**53, 2**53 + 1]}))["x"]
        assert found.tolist() == ["[0, 9007199254740992.0]", "*"]


def test_digits_of_short_floats_are_their_own():
    table = pd.DataFrame({"x": np.array([0.1, 0.2, 0.3, 0.7], dtype=np.float32)})
    done = MondrianAnonymizer(k=2)
    expected = ["[0.1, 0.2]"] * 2 + ["[0.3, 0.7]"] * 2
    assert done.fit_transform(table)["x"].tolist() == expected
    assert done.transform(table.astype(float).round(1))["x"].tolist() == expected


class TestZones:
    days = pd.DatetimeIndex(
        ["2020-01-01", "2020-01-03", "2020-07-01", "2020-07-05"], tz=MADRID
    )

    def labels(self, table, more=None, method=MondrianAnonymizer, **options):
        done = method(k=2, suppression="mask", **options)
        done.fit(pd.DataFrame({"x": table}))
        return done.transform(pd.DataFrame({"x": table if more is None else more}))["x"]

    def test_days_are_those_of_the_zone(self):
        found = ["[2020-01-01, 2020-01-03]"] * 2 + ["[2020-07-01, 2020-07-05]"] * 2
        assert self.labels(self.days).tolist() == found
        assert self.labels(self.days.astype(object)).tolist() == found
        same = self.days[[0, 0, 2, 2]]
        assert (
            self.labels(same).tolist()
            == self.labels(same, method=DataflyAnonymizer).tolist()
            == ["2020-01-01"] * 2 + ["2020-07-01"] * 2
        )

    def test_times_have_their_offset(self):
        noon = (self.days + pd.Timedelta(hours=12))[[0, 0, 2, 2]]
        texts = ["2020-01-01T12:00:00+01:00"] * 2 + ["2020-07-01T12:00:00+02:00"] * 2
        assert self.labels(noon).tolist() == texts
        assert self.labels(noon, method=DataflyAnonymizer).tolist() == texts

    def test_the_hour_that_comes_twice_is_two_hours(self):
        hours = pd.DatetimeIndex(["2020-10-25 00:30", "2020-10-25 01:30"], tz="UTC")
        found = self.labels(hours.tz_convert(MADRID).repeat(2)).tolist()
        assert found == ["2020-10-25T02:30:00+02:00"] * 2 + (
            ["2020-10-25T02:30:00+01:00"] * 2
        )

    @pytest.mark.parametrize("method", [MondrianAnonymizer, DataflyAnonymizer])
    def test_later_rows_may_come_in_another_zone(self, method):
        same = self.days[[0, 0, 2, 2]]
        later = same.tz_convert("UTC")
        found = self.labels(same, later, method)
        assert found.tolist() == ["2020-01-01"] * 2 + ["2020-07-01"] * 2
        # Beside a time, a midnight is the same day as alone.
        later = later.append(later[:1] + pd.Timedelta(hours=9))
        assert self.labels(same, later, method).tolist() == [*found, "*"]

    @pytest.mark.parametrize("method", [MondrianAnonymizer, DataflyAnonymizer])
    def test_a_zone_is_not_guessed(self, method):
        plain = self.days.tz_localize(None)
        with pytest.raises(DataError, match="'x' was fitted with a time zone"):
            self.labels(self.days, plain, method)
        with pytest.raises(DataError, match="'x' was fitted without a time zone"):
            self.labels(plain, self.days, method)
        mixed = [*self.days, plain[0], plain[1], None]
        with pytest.raises(DataError, match="without a zone in 2 rows"):
            MondrianAnonymizer(k=2).fit(pd.DataFrame({"x": mixed}, dtype=object))

    def test_objects_of_several_zones_are_told_in_utc(self):
        cells = [self.days[0], self.days[0].tz_convert("Asia/Tokyo")]
        found = self.labels(pd.Series(cells, dtype=object)).tolist()
        assert found == ["2019-12-31T23:00:00+00:00"] * 2

    def test_centers_keep_the_zone_and_the_judge_their_classes(self):
        found = self.labels(self.days, output="center")
        middle = ["2020-01-02", "2020-07-03"]
        assert found.tolist() == [
            pd.Timestamp(m, tz=MADRID) for m in middle for _ in "ab"
        ]
        assert str(found.dtype.tz) == "Europe/Madrid"
        assert Classes.from_frame(found.to_frame(), ["x"]).sizes.tolist() == [2, 2]

    def test_a_center_of_one_moment_is_that_moment(self):
        moment = pd.Timestamp("2020-01-01 10:11:12.123456789")
        assert self.labels([moment] * 2, output="center").tolist() == [moment] * 2

    def test_cuts_are_at_midnights_of_the_zone(self):
        found = self.labels(self.days, boxes="cuts").tolist()
        assert found == ["< 2020-04-02"] * 2 + [">= 2020-04-02"] * 2

    def test_centers_in_other_frames(self):
        polars = pytest.importorskip("polars")
        table = polars.from_pandas(pd.DataFrame({"x": self.days}))
        out = MondrianAnonymizer(k=2, output="center").fit_transform(table)
        assert out["x"].dt.convert_time_zone("Europe/Madrid").dt.day().to_list() == [
            2, 2, 3, 3
        ]  # fmt: skip

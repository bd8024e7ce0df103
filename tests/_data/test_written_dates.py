"""Dates as people write them: read where that is stated, refused where it is not."""

from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers import (
    DataflyAnonymizer,
    FullDomainAnonymizer,
    MondrianAnonymizer,
)
from anon_transformers._data.dates import (
    NEARLY_ALL,
    DateFormat,
    looks_like_dates,
    written_format,
)
from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.hierarchies import Masking
from anon_transformers.microaggregation import GroupSwapper, MDAVAnonymizer

USUAL = [
    "%d/%m/%Y", "%d/%m/%y", "%m/%d/%Y", "%m/%d/%y", "%d.%m.%Y", "%d.%m.%y", "%d-%m-%Y",
    "%Y/%m/%d", "%y/%m/%d", "%Y.%m.%d", "%d %b %Y", "%d %B %Y", "%d-%b-%y", "%b %d, %Y",
    "%B %d %Y", "%d/%m/%Y %H:%M", "%d.%m.%Y %H:%M:%S",
]  # fmt: skip
people = st.dates(date(1900, 1, 1), date(2026, 12, 31))
BORN = ["19/08/63", "01/02/71", "30/11/58", "25/12/60"]


class TestReading:
    @pytest.mark.parametrize(
        ("options", "text", "expected"),
        [
            (("%d/%m/%Y",), "19/08/1963", datetime(1963, 8, 19)),
            (("%m/%d/%Y",), "08/09/1963", datetime(1963, 8, 9)),
            (("%d/%m/%Y",), "08/09/1963", datetime(1963, 9, 8)),
            (("%d/%m/%Y",), "1/2/1963", datetime(1963, 2, 1)),
            (("%d %b %Y",), "19 Aug 1963", datetime(1963, 8, 19)),
            (("%d.%m.%Y %H:%M",), "19.08.1963 07:30", datetime(1963, 8, 19, 7, 30)),
            (("%d/%m/%y", 2025), "19/08/63", datetime(1963, 8, 19)),
            (("%d/%m/%y", 2025), "19/08/25", datetime(2025, 8, 19)),
            (("%d/%m/%y", 2025), "19/08/26", datetime(1926, 8, 19)),
            (("%d/%m/%y", 2063), "19/08/63", datetime(2063, 8, 19)),
            (("%d/%m/%y", 1999), "19/08/00", datetime(1900, 8, 19)),
            (("%d/%m/%y", 2025), "29/02/00", datetime(2000, 2, 29)),
            (("%d/%m/%y", 1999), "29/02/00", None),  # 1900 was no leap year
            (("%d/%m/%Y",), "29/02/1900", None),
            (("%d/%m/%Y",), "19/08/63", None),
            (("%d/%m/%y", 2025), "19/08/1963", None),
            (("%d/%m/%Y",), "08/19/1963", None),
            (("%d/%m/%Y",), "19/08/1963 ", None),
            (("%d/%m/%Y",), "1963-08-19", None),
        ],
    )
    def test_worked_examples(self, options, text, expected):
        assert DateFormat(*options).read(text) == expected

    @given(
        days=st.lists(st.none() | people, min_size=1), pattern=st.sampled_from(USUAL)
    )
    def test_what_was_written_comes_back(self, days, pattern):
        last = 2026 if "%y" in pattern else None
        days = [day for day in days if day is None or not last or day.year > last - 100]
        texts = [None if day is None else day.strftime(pattern) for day in days]
        column = pd.Series(texts, dtype=object, name="born")
        read = DateFormat(pattern, last).read_all(column)
        found = [None if pd.isna(moment) else moment.date() for moment in read]
        assert found == days
        assert read.dtype.kind == "M"

    def test_what_is_written_otherwise_is_counted_and_not_told(self):
        texts = pd.Series(["19/08/1963", "soon", None, "soon", "1/1/63"], name="born")
        said = (
            "column 'born' holds values in 3 rows that are no date written as %d/%m/%Y"
        )
        with pytest.raises(DataError, match=said) as caught:
            DateFormat("%d/%m/%Y").read_all(texts)
        assert "soon" not in str(caught.value)
        assert caught.value.__cause__ is None

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (("%d/%m/%y",), "last_year says which years two digits"),
            (("%d/%m/%Y", 2025), "last_year says which years two digits"),
            (("%d/%m/%y", 25), "last_year must be a year from 100 to 9999, got 25"),
            (("%d/%m/%y", True), "last_year must be a year"),
            (("%d/%m/%y", "2025"), "last_year must be a year"),
            (("%m/%Y",), "one day, month and year each"),
            (("%d/%m/%Y/%y", 2025), "one day, month and year each"),
            (("%d/%m/%d/%Y",), "one day, month and year each"),
            (("%d/%m/%Y %z",), "one day, month and year each.*Choices: %d, %m"),
            (("dd/mm/yyyy",), "got 'dd/mm/yyyy'. Choices: %d, %m"),
            (("%d/%m/%Y%",), "one day, month and year each"),
            ((7,), "must be a text such as %d/%m/%Y, got 7"),
        ],
    )
    def test_formats_that_are_none(self, options, said):
        with pytest.raises(ParameterError, match=said):
            DateFormat(*options)


class TestLooks:
    @settings(deadline=None)
    @given(
        days=st.lists(people, min_size=1, max_size=40, unique=True),
        pattern=st.sampled_from(USUAL),
    )
    def test_dates_in_every_usual_order_are_seen(self, days, pattern):
        texts = [day.strftime(pattern) for day in days]
        assert written_format(texts) is not None

    @pytest.mark.parametrize(
        ("texts", "expected"),
        [
            (BORN, "%d/%m/%y"),
            (["08/19/1963", "01/02/1971"], "%m/%d/%Y"),
            (["1.2.1963", "31.12.1971"], "%d.%m.%Y"),
            (["1963/8/19", "1971/12/2"], "%Y/%m/%d"),
            (["2020-1-5", "2020-12-31", "2020-2-1"], "%Y-%m-%d"),
            (["19 Aug 1963", "2 Sept. 1971"], "%d %b %Y"),
            (["AUG 19, 1963"], "%b %d, %Y"),
            (["1/2/1963"], "%d/%m/%Y"),
            (["2020-01-31", "2020-03-31", "31/01/2020", "28/02/2020"], "%Y-%m-%d"),
            (
                ["31/01/2020", "01/31/2020"],
                "%d/%m/%Y",
            ),  # two orders: dates all the same
        ],
    )
    def test_the_likeliest_way_is_told(self, texts, expected):
        assert written_format(texts) == expected

    @pytest.mark.parametrize(
        "texts",
        [
            [],
            ["12/34/5678", "99/01/0001", "45/67/8910"],
            ["01/02/5678", "03/04/5679"],
            ["31/02/2020", "30/02/2020"],
            ["2020-01-31", "2019-12-01"],
            ["2020-01-31T10:00:00", "2019-12-01 10:00"],
            ["10.0.0.1", "192.168.0.12"],
            ["A-01/02", "B-03/04"],
            ["1/2", "3/4"],
            ["12:30:45", "08:15:00"],
            ["2020", "1963"],
            ["Aug", "Sep"],
            ["march", "may 5"],
            ["12-345-678", "98-765-432"],
            ["01/02-2020", "03/04-2020"],
            ["007", "50001"],
        ],
        ids=str,
    )
    def test_what_looks_like_none(self, texts):
        assert written_format(texts) is None

    @pytest.mark.parametrize("n_others", [0, 1, 5, 6, 20])
    def test_nearly_all_are_enough(self, n_others):
        dates = [
            f"{day:02}/{month:02}/1963" for day in range(1, 21) for month in range(1, 6)
        ]
        texts = dates[: 100 - n_others] + [f"unknown {n}" for n in range(n_others)]
        seen = 1 - n_others / 100 >= NEARLY_ALL
        assert (written_format(texts) is not None) == seen

    def test_a_long_column_is_looked_at_whole(self):
        days = pd.date_range("1900-01-01", periods=20_000).strftime("%d/%m/%Y")
        assert written_format(sorted(days)) == "%d/%m/%Y"
        names = [f"name {n}" for n in range(20_000)]
        assert written_format(sorted([*days[:15_000], *names])) is None

    def test_a_column_says_what_it_is_by_its_type(self):
        texts = pd.Series(BORN, dtype=object)
        assert looks_like_dates(texts)
        assert looks_like_dates(texts.astype("string"))
        assert looks_like_dates(pd.Series([*BORN, None]))
        assert not looks_like_dates(texts.astype("category"))
        assert not looks_like_dates(pd.to_datetime(pd.Series(["2020-01-01"])))
        assert not looks_like_dates(pd.Series([date(2020, 1, 1)], dtype=object))
        assert not looks_like_dates(pd.Series([1.5, 2.0]))


MADE = [
    MondrianAnonymizer(["born"], k=2),
    MondrianAnonymizer(["born"], k=2, mode="relaxed", duplicates="ignore"),
    MDAVAnonymizer(["born"], k=2),
    DataflyAnonymizer(["born"], k=2),
    FullDomainAnonymizer(["born"], k=2),
    GroupSwapper(["born"], k=2, sensitive=["pay"]),
]


class TestTheDoor:
    TABLE = pd.DataFrame({"born": BORN * 3, "pay": np.arange(12.0)})

    @pytest.mark.parametrize("made", MADE, ids=lambda made: type(made).__name__)
    def test_dates_as_texts_are_refused(self, made):
        with pytest.raises(
            DataError, match="'born' holds texts that look like"
        ) as caught:
            made.fit_transform(self.TABLE)
        assert "{date: '%d/%m/%y', last_year: …}" in str(caught.value)
        assert not any(text in str(caught.value) for text in BORN)

    @pytest.mark.parametrize("made", MADE, ids=lambda made: type(made).__name__)
    def test_a_categorical_is_a_statement(self, made):
        table = self.TABLE.astype({"born": "category"})
        assert len(made.fit_transform(table)) == 12

    @pytest.mark.parametrize("made", MADE[:5], ids=lambda made: type(made).__name__)
    def test_dates_that_were_read_are_dates(self, made):
        born = DateFormat("%d/%m/%y", 2025).read_all(self.TABLE["born"])
        assert len(made.fit_transform(self.TABLE.assign(born=born))) == 12

    def test_a_hierarchy_is_a_statement(self):
        for estimator in (FullDomainAnonymizer, MondrianAnonymizer, DataflyAnonymizer):
            made = estimator(["born"], k=2, hierarchies={"born": Masking()})
            assert len(made.fit_transform(self.TABLE)) == 12

    def test_so_is_a_data_type(self):
        born = ["19/08/1963", "01/08/1963", "02/02/1971", "05/02/1971"]
        table = pd.DataFrame({"born": born})
        with pytest.raises(DataError, match="look like dates"):
            DataflyAnonymizer(k=2).fit(table)
        made = DataflyAnonymizer(k=2, types={"born": "date"})
        assert set(made.fit_transform(table)["born"]) == {"08/1963", "02/1971"}

    def test_sensitive_texts_are_in_no_order(self):
        made = MondrianAnonymizer(["pay"], k=2, sensitive=["born"])
        assert len(made.fit_transform(self.TABLE)) == 12

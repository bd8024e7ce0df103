"""Mondrian: cuts on the multiples of a step, ends of a domain, declared lists."""

import datetime as dt
import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._data.columns import identify
from anon_transformers._data.labels import parse_set
from anon_transformers.attacks._places import pair
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import DataError, InfeasibleError, ParameterError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics import attribute_losses, parse_interval
from anon_transformers.partitioning import MondrianAnonymizer
from anon_transformers.partitioning._axes import between

ks = st.sampled_from([1, 2, 3, 5])
switches = st.fixed_dictionaries(
    {
        "tie_side": st.sampled_from(["left", "both"]),
        "on_failed_cut": st.sampled_from(["next_attribute", "stop"]),
    }
)
numbers = st.one_of(
    st.tuples(
        st.lists(st.integers(-60, 60) | st.none(), min_size=1, max_size=50),
        st.sampled_from([1, 2, 5, 10, 25]),
    ),
    st.tuples(
        st.lists(
            st.floats(-9, 9).map(lambda x: round(x, 2)) | st.none(),
            min_size=1,
            max_size=50,
        ),
        st.sampled_from([0.1, 0.25, 0.3, 2, 3.5]),
    ),
)
LETTERS = list("zyxwvabc")


def bounds_of(labels):
    """Every number at an end of some label, as it is written."""
    found = set()
    for label in labels:
        if isinstance(label, str):
            text = label.removesuffix(" or missing")
            found |= set(re.findall(r"-?[0-9][-0-9.e+:T]*", text))
    return found


def is_multiple(text, step):
    return Decimal(text) % Decimal(str(step)) == 0


def as_frame(cells):
    return pd.DataFrame({"x": pd.Series(cells, dtype="Float64").astype(float)})


def floored(cells, step):
    """The slow way: what each cell is on the grid of the step."""
    return [
        None if cell is None else math.floor(Fraction(str(cell)) / Fraction(str(step)))
        for cell in cells
    ]


class TestNumbers:
    @given(drawn=numbers, k=ks, options=switches)
    def test_classes_are_those_of_the_floored_table(self, drawn, k, options):
        cells, step = drawn
        if len(cells) < k:
            return
        table = as_frame(cells)
        out = MondrianAnonymizer(
            k=k, boxes="cuts", step={"x": step}, **options
        ).fit_transform(table)
        slow = MondrianAnonymizer(k=k, **options).fit_transform(
            as_frame(floored(cells, step))
        )
        labels = [Classes.from_frame(t, ["x"]).labels.tolist() for t in (out, slow)]
        assert labels[0] == labels[1]

    @given(drawn=numbers, k=ks, options=switches, ends=st.booleans())
    def test_every_class_holds_k_and_every_bound_is_a_multiple(
        self, drawn, k, options, ends
    ):
        cells, step = drawn
        if len(cells) < k:
            return
        table = as_frame(cells)
        domain = {"x": [-61.5, 61.5]} if ends else None
        done = MondrianAnonymizer(
            k=k, boxes="cuts", step={"x": step}, domain=domain, **options
        )
        out = done.fit_transform(table)["x"]
        assert out.value_counts(dropna=False).min() >= k
        pd.testing.assert_series_equal(done.fit(table).transform(table)["x"], out)
        shown = bounds_of(set(out)) - ({"-61.5", "61.5"} if ends else set())
        assert all(is_multiple(text, step) for text in shown)
        for label, cell in zip(out, table["x"], strict=True):
            if pd.isna(cell):
                assert pd.isna(label) or label.endswith(" or missing")
                continue
            plain = label.removesuffix(" or missing")
            assert plain == "any" or parse_interval(plain).contains(np.array([cell]))[0]
        if ends:
            assert not any(str(label).startswith(("<", ">", "any")) for label in out)

    @given(
        rows=st.lists(
            st.tuples(st.integers(0, 99), st.integers(-9, 9), st.sampled_from("abc")),
            min_size=1,
            max_size=60,
        ),
        k=ks,
    )
    def test_models_are_judged_on_the_snapped_boxes(self, distinct_values, rows, k):
        table = pd.DataFrame(rows, columns=["x", "y", "job"])
        done = MondrianAnonymizer(
            ["x", "y"], k=k, boxes="cuts", step={"x": 10, "y": 4},
            sensitive=["job"], models=[distinct_values(2)],
        )  # fmt: skip
        try:
            out = done.fit_transform(table)
        except InfeasibleError:
            assert len(table) < k or table["job"].nunique() < 2
            return
        grouped = out.groupby(["x", "y"])
        assert grouped.size().min() >= k
        assert grouped["job"].nunique().min() >= 2

    def labels(self, cells, more, **options):
        options = {"step": {"x": 5}, **options}
        done = MondrianAnonymizer(k=2, boxes="cuts", **options)
        done.fit(pd.DataFrame({"x": cells}))
        return done.transform(pd.DataFrame({"x": more}))["x"].tolist()

    def test_open_ends(self):
        found = self.labels([21, 23, 41, 44], [-99, 39, 40, 99])
        assert found == ["< 40"] * 2 + [">= 40"] * 2

    def test_negative_numbers(self):
        found = self.labels([-44, -41, -23, -21, 1, 2], [-99, -41, -25, 0])
        assert found == ["< -40", "< -40", "[-40, 0)", ">= 0"]

    def test_ends_of_a_domain(self):
        found = self.labels(
            [21, 23, 41, 44], [-1, 0, 40, 120, 121], domain={"x": [0, 120]}
        )
        assert found == ["*", "[0, 40)", "[40, 120]", "[40, 120]", "*"]

    def test_one_box(self):
        assert self.labels([20, 21], [7]) == ["any"]
        assert self.labels([20, 21], [7], domain={"x": [0, 9.5e1]}) == ["[0, 95]"]

    def test_values_of_one_step_are_never_parted(self):
        assert self.labels([20, 21, 23, 24], [20]) == ["any"]
        assert self.labels([20, 21, 23, 24], [20], step={"x": 2}) == ["< 22"]

    def test_a_tenth_is_a_tenth(self):
        found = self.labels([0.1, 0.2, 0.3, 0.4], [0.25, 0.3], step={"x": 0.1})
        assert found == ["< 0.3", ">= 0.3"]

    def test_whole_numbers_beyond_doubles(self):
        big = 5 * 2**60
        found = self.labels([big - 9, big - 8, big + 3, big + 4], [big - 1, big])
        assert found == [f"< {big}", f">= {big}"]

    def test_the_bound_is_the_roundest_of_the_gap(self):
        assert between([0, 1]) == [1]
        assert between([5, 23]) == [16]
        assert between([-23, -5, 7]) == [-16, 0]

    @given(cells=st.lists(st.integers(-(2**70), 2**70), unique=True, min_size=2))
    def test_bounds_lie_between(self, cells):
        cells = sorted(cells)
        for low, bound, high in zip(cells[:-1], between(cells), cells[1:], strict=True):
            assert low < bound <= high


class TestDates:
    days = pd.to_datetime(
        ["1981-03-09", "1981-11-30", "1994-06-01", "1994-06-20", "2003-01-01",
         "2003-12-31"]
    )  # fmt: skip

    def labels(self, step, days=None, **options):
        days = self.days if days is None else days
        done = MondrianAnonymizer(k=2, boxes="cuts", step={"born": step}, **options)
        table = pd.DataFrame({"born": days})
        out = done.fit_transform(table)["born"]
        pd.testing.assert_series_equal(done.transform(table)["born"], out)
        return out.drop_duplicates().tolist()

    @pytest.mark.parametrize(
        ("step", "expected"),
        [
            ("year", ["< 1984-01-01", "[1984-01-01, 2000-01-01)", ">= 2000-01-01"]),
            ("10 years", ["< 1990-01-01", "[1990-01-01, 2000-01-01)",
                          ">= 2000-01-01"]),
        ],
    )  # fmt: skip
    def test_years(self, step, expected):
        assert self.labels(step) == expected

    @pytest.mark.parametrize("step", ["month", "6 months", "year", "5 years", 7, 30])
    def test_every_bound_is_a_multiple(self, step):
        for bound in bounds_of(self.labels(step)):
            day = dt.date.fromisoformat(bound)
            if isinstance(step, int):
                assert (day - dt.date(1970, 1, 1)).days % step == 0
                continue
            count = int(step.split()[0]) if step[0].isdigit() else 1
            assert day.day == 1
            if "month" in step:
                assert (12 * day.year + day.month - 1) % count == 0
            else:
                assert (day.month, day.year % count) == (1, 0)

    def test_days_of_a_zone_begin_there(self):
        found = self.labels("month", self.days.tz_localize("Europe/Vienna"))
        assert all(re.fullmatch(r"\d{4}-\d\d-01", text) for text in bounds_of(found))

    def test_ends_of_a_domain(self):
        found = self.labels(
            "year", domain={"born": [dt.date(1900, 1, 1), "2024-12-31"]}
        )
        assert found[0] == "[1900-01-01, 1984-01-01)"
        assert found[-1] == "[2000-01-01, 2024-12-31]"


class TestDeclaredLists:
    @given(
        cells=st.lists(st.sampled_from("zwab") | st.none(), min_size=1, max_size=40),
        k=ks,
        ordered=st.booleans(),
    )
    def test_a_box_publishes_a_part_of_the_list(self, cells, k, ordered):
        if len(cells) < k:
            return
        column = pd.Series(cells, dtype=object)
        if ordered:
            column = pd.Series(pd.Categorical(column, list("zwab"), ordered=True))
        table = pd.DataFrame({"x": column})
        done = MondrianAnonymizer(k=k, boxes="cuts", step={}, domain={"x": LETTERS})
        out = done.fit_transform(table)["x"]
        pd.testing.assert_series_equal(done.fit(table).transform(table)["x"], out)
        assert out.value_counts(dropna=False).min() >= k
        parts = {}
        for label, cell in zip(out, column, strict=True):
            if label is None or pd.isna(label):
                assert pd.isna(cell)
                continue
            members, missing = parse_set(label)
            assert (cell in members) or (pd.isna(cell) and missing)
            parts[label] = members
        # Runs of the declared order, and together all of it, also what nobody has.
        for members in parts.values():
            first = LETTERS.index(members[0])
            assert members == LETTERS[first : first + len(members)]
        if parts:
            assert {m for members in parts.values() for m in members} == set(LETTERS)

    def fitted(self):
        table = pd.DataFrame({"x": list("zzwwaabb")})
        return MondrianAnonymizer(
            k=2, boxes="cuts", step={}, domain={"x": LETTERS}
        ).fit(table)

    def test_declared_categories_that_nobody_had_are_covered(self):
        out = self.fitted().transform(pd.DataFrame({"x": [*LETTERS, "other"]}))["x"]
        assert out.tolist()[-1] == "*"
        for label, letter in zip(out[:-1], LETTERS, strict=True):
            assert letter in parse_set(label)[0]

    def test_a_long_list_is_named_in_full(self):
        words = [f"w{number}" for number in range(30)]
        table = pd.DataFrame({"x": [words[4], words[9]]})
        out = MondrianAnonymizer(
            k=2, boxes="cuts", step={}, domain={"x": words}
        ).fit_transform(table)["x"]
        assert parse_set(out[0])[0] == words


class TestReaders:
    table = pd.DataFrame(
        {
            "age": [-21, -12, 3, 14, 25, 36, 47, 58],
            "sex": list("fmfmfmfm"),
            "born": pd.to_datetime([f"19{n}-05-06" for n in range(60, 68)]),
        }
    )
    options = {  # noqa: RUF012
        "boxes": "cuts",
        "step": {"age": 10, "born": "year"},
        "domain": {"sex": ["x", "f", "m"]},
    }

    @pytest.mark.parametrize("ends", [False, True])
    def test_losses_and_attacks_read_every_label(self, ends):
        options = dict(self.options)
        if ends:
            options["domain"] = {
                **options["domain"],
                "age": [-50, 120],
                "born": ["1900-01-01", "2020-12-31"],
            }
        done = MondrianAnonymizer(k=2, **options)
        out = done.fit_transform(self.table)
        losses = attribute_losses(self.table, out, quasi_identifiers=list(out.columns))
        assert all(0 <= loss <= 1 for loss in losses.values())
        assert losses["age"] < 1
        assert 0 < done.report_.loss < 1
        for name in out.columns:
            paired = pair(identify(out[name]), identify(out[name]), None, "*")
            # Two labels that are the same have something in common.
            low, high = paired.left[:-1, 0], paired.left[:-1, 1]
            assert paired.table is not None or (low <= high).all()

    def test_the_share_of_a_domain_can_be_computed_from_labels(self):
        table = pd.DataFrame({"age": [11, 12, 71, 72]})
        done = MondrianAnonymizer(
            k=2, boxes="cuts", step={"age": 10}, domain={"age": [0, 100]}
        )
        assert done.fit_transform(table)["age"].tolist() == (
            ["[0, 40)"] * 2 + ["[40, 100]"] * 2
        )
        assert done.report_.column_losses["age"] == pytest.approx((0.4 + 0.6) / 2)


SECRET = "s3cret"
PEOPLE = pd.DataFrame(
    {
        "age": [20, 30, 40, 50],
        "land": [SECRET, "b", "b", "b"],
        "born": pd.to_datetime(["1980-01-01"] * 4),
    }
)
TREE = Hierarchy([(SECRET, "*"), ("b", "*")])


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"step": {"agee": 5}}, ParameterError,
         "step: unknown quasi-identifier 'agee'; did you mean 'age'"),
        ({"domain": {"agee": [1, 2]}}, ParameterError,
         "domain: unknown quasi-identifier 'agee'"),
        ({"step": {"age": 0}}, ParameterError, "step, age: must be a number above 0"),
        ({"step": {"age": True}}, ParameterError, "step, age: must be"),
        ({"step": {"age": "week"}}, ParameterError, "step, age: must be .*'month'"),
        ({"step": {"age": "month"}}, ParameterError,
         "step, age: the column holds numbers"),
        ({"step": {"born": 1.5}, "quasi_identifiers": ["born"]}, ParameterError,
         "step, born: the column holds dates"),
        ({"step": {"age": 1, "land": 5}}, ParameterError,
         "step, land: only numbers and dates"),
        ({"step": 5}, ParameterError, "step must be a dict"),
        ({"domain": 5}, ParameterError, "domain must be a dict"),
        ({"domain": {"land": "b"}}, ParameterError, "domain, land: must be"),
        ({"domain": {"land": ["b", "b"]}}, ParameterError,
         "domain, land: categories must be different"),
        ({"domain": {"age": [60, 10]}}, ParameterError,
         "domain, age: .* low is not above high"),
        ({"domain": {"age": [10]}}, ParameterError,
         r"domain, age: must be \[low, high"),
        ({"domain": {"age": ["a", "b"]}}, ParameterError, "domain, age: must be"),
        ({"domain": {"age": [25, 45]}}, DataError,
         "'age' holds values outside its domain in 2 rows"),
        ({"domain": {"land": ["a", "b"]}}, DataError,
         "'land' holds values outside its domain in 1 rows"),
        ({"domain": {"born": ["1990-01-01", "1999-01-01"]}}, DataError,
         "'born' holds values outside its domain in 4 rows"),
        ({"step": {}}, ParameterError, r"step: column 'age' has none.*\{age: 5\}"),
        ({"step": {"age": 5}}, ParameterError,
         r"domain: column 'land' has none.*\{land: \[a, b, c\]\}"),
        ({"step": {"age": 5}, "domain": {"land": [SECRET, "b"]}}, ParameterError,
         r"step: column 'born' has none.*\{born: month\}"),
        ({"step": {"land": 5}, "hierarchies": {"land": TREE}}, ParameterError,
         "step, land: it has a hierarchy already"),
        ({"domain": {"land": ["b"]}, "hierarchies": {"land": TREE}}, ParameterError,
         "domain, land: it has a hierarchy already"),
        ({"boxes": "tight", "step": {"age": 5}}, ParameterError,
         "step needs boxes='cuts'"),
        ({"boxes": "tight", "domain": {"age": [1, 99]}}, ParameterError,
         "domain needs boxes='cuts'"),
    ],
)  # fmt: skip
def test_a_request_is_refused_with_key_and_choices(options, error, said):
    with pytest.raises(error, match=said) as caught:
        MondrianAnonymizer(**{"k": 2, "boxes": "cuts", **options}).fit(PEOPLE)
    assert SECRET not in str(caught.value)

"""Coordinates: distances mean what the columns mean, to the last digit."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._data.columns import encode
from anon_transformers.exceptions import DataError, NearlyNumbersWarning
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.microaggregation import GroupSwapper, _space
from anon_transformers.microaggregation._space import NumericSpace, embed

LANDS = [
    ("at", "alps", "center", "*"),
    ("ch", "alps", "center", "*"),
    ("de", "north", "center", "*"),
    ("es", "iberia", "south", "*"),
    ("pt", "iberia", "south", "*"),
]


def one(values, tree=None, **options):
    """Coordinates of a table of one column."""
    return embed([encode(pd.Series(values), tree)], **options)


def moments(*texts):
    return pd.Series(pd.to_datetime(list(texts), format="ISO8601"))


def squared(points):
    """Squared distances, pair by pair."""
    return ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)


def meeting_height(rows, one_leaf, other_leaf):
    """Share of the height at which two leaves meet, read from the table of levels."""
    first = next(row for row in rows if row[0] == one_leaf)
    second = next(row for row in rows if row[0] == other_leaf)
    level = next(at for at in range(len(first)) if first[at] == second[at])
    return level / (len(first) - 1)


class TestNumbers:
    def test_standardized_they_are_the_usual_scores(self):
        cells = np.random.default_rng(0).normal(50, 9, 201)
        ordered = np.sort(cells)  # a mean that no order of rows can change
        expected = (cells - ordered.mean()) / ordered.std()
        np.testing.assert_array_equal(one(cells)[:, 0], expected)
        usual = (cells - cells.mean()) / cells.std()
        np.testing.assert_allclose(one(cells)[:, 0], usual, rtol=1e-13, atol=1e-15)

    def test_raw_they_are_themselves(self):
        cells = [5, -7, 2**53, 0]
        assert one(cells, standardize=False)[:, 0].tolist() == cells

    @pytest.mark.parametrize("cells", [[3, 3, 3], [0.1] * 7, [2**62] * 2])
    def test_a_constant_has_the_scale_one(self, cells):
        points = one(cells)
        assert points.shape == (len(cells), 1)
        assert np.ptp(points) == 0
        np.testing.assert_allclose(points, 0, atol=1e-15)

    def test_whole_numbers_keep_their_last_digit(self):
        cells = [2**60, 2**60 + 1, 2**60 + 3]
        distances = squared(one(cells, standardize=False))
        assert distances[0].tolist() == [0, 1, 9]
        assert squared(one(cells))[1, 2] == pytest.approx(4 * squared(one(cells))[0, 1])

    @pytest.mark.parametrize("dtype", ["int8", "uint8", "Int64", "float32", "uint64"])
    def test_every_type_of_number(self, dtype):
        cells = pd.Series([1, 2, 120], dtype=dtype)
        np.testing.assert_array_equal(one(cells), one([1, 2, 120]))

    @pytest.mark.parametrize("unit", [1e308, 1e-300, 5e-324])
    @pytest.mark.parametrize("standardize", [True, False])
    def test_no_square_overflows_or_vanishes(self, unit, standardize):
        distances = squared(one([-unit, 0.0, unit], standardize=standardize))
        assert np.isfinite(distances).all()
        assert distances[0, 2] == pytest.approx(4 * distances[0, 1])
        assert distances[0, 1] > 0

    def test_a_power_of_two_changes_no_score(self):
        cells = np.random.default_rng(1).normal(size=60)
        np.testing.assert_array_equal(one(cells), one(cells * 2.0**900))

    def test_infinite_numbers_are_refused(self):
        with pytest.raises(DataError, match="infinite numbers in 1 rows"):
            one([1.0, np.inf])


class TestDatesAndRanks:
    def test_dates_count_days(self):
        days = moments("2020-03-01", "2020-02-29", "2020-03-01 12:00")
        points = one(days, standardize=False)
        assert (points[:, 0] - points[1, 0]).tolist() == [1, 0, 1.5]

    @pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
    def test_the_unit_of_a_date_does_not_matter(self, unit):
        days = moments("1700-01-01", "1950-01-01", "2200-01-01")
        points = one(days.astype(f"M8[{unit}]"), standardize=False)
        assert points[:, 0].tolist() == [0, 91310, 182621]

    def test_a_zone_does_not_matter(self):
        plain = moments("2020-03-01 05:00", "2020-07-01 06:00", "2020-07-02")
        zoned = plain.dt.tz_localize("UTC").dt.tz_convert("Europe/Vienna")
        np.testing.assert_array_equal(one(zoned), one(plain))

    def test_ordered_categories_are_ranks(self):
        grades = pd.Categorical(
            ["low", "top", "mid"], ["low", "mid", "never", "top"], ordered=True
        )
        assert one(grades, standardize=False)[:, 0].tolist() == [0, 2, 1]


class TestCategories:
    @pytest.mark.parametrize("count", [2, 3, 4, 9, 40])
    @pytest.mark.parametrize("standardize", [True, False])
    def test_any_two_are_equally_far_apart(self, count, standardize):
        cells = [f"c{number}" for number in range(count)] * 2
        distances = squared(one(cells, standardize=standardize))
        same = np.equal.outer(cells, cells)
        assert (distances[same] == 0).all()
        # Equal to the last digit: rounding breaks no tie.
        assert len(set(distances[~same])) == 1
        if not standardize:
            assert distances[~same][0] == pytest.approx(1, rel=1e-15)

    def test_two_need_one_coordinate(self):
        assert one([True, False, True], standardize=False).shape == (3, 1)
        assert one(["a", "b"]).shape == (2, 1)

    def test_a_hierarchy_says_how_far(self):
        cells = [row[0] for row in LANDS]
        distances = squared(one(cells, Hierarchy(LANDS), standardize=False))
        for i, j in combinations(range(len(cells)), 2):
            height = meeting_height(LANDS, cells[i], cells[j])
            assert distances[i, j] == pytest.approx(height, rel=1e-14)

    @given(st.data())
    def test_any_hierarchy_says_how_far(self, data):
        depth = data.draw(st.integers(1, 3))
        count = data.draw(st.integers(1, 9))
        paths = st.lists(st.integers(0, 2), min_size=depth - 1, max_size=depth - 1)
        rows = []
        for leaf in range(count):
            path = data.draw(paths)
            above = [str(path[at:]) + "g" for at in range(depth - 1)]
            rows.append((f"v{leaf}", *above, "*"))
        tree = Hierarchy(rows)
        held = data.draw(st.lists(st.sampled_from(rows), min_size=1, max_size=12))
        cells = [row[0] for row in held]
        distances = squared(one(cells, tree, standardize=False))
        for i, j in combinations(range(len(cells)), 2):
            height = meeting_height(rows, cells[i], cells[j])
            assert distances[i, j] == pytest.approx(height, rel=1e-13, abs=1e-15)

    def test_too_many_are_refused_before_they_take_the_memory(self, monkeypatch):
        monkeypatch.setattr(_space, "MOST_COORDINATES", 5)
        series = pd.Series(list("abcdef"), name="code")
        with pytest.raises(DataError, match="'code' has too many categories") as caught:
            embed([encode(series)])
        assert "'a'" not in str(caught.value)
        embed([encode(series[:5])])


class TestMissingCells:
    @pytest.mark.parametrize("standardize", [True, False])
    def test_a_missing_number_is_a_deviation_from_the_mean(self, standardize):
        points = one([2.0, 4.0, 9.0, None], standardize=standardize)
        distances = squared(points)
        known = np.array([2.0, 4.0, 9.0])
        expected = (known - 5) ** 2 + known.var()
        ratio = distances[3, :3] / expected
        np.testing.assert_allclose(ratio, ratio[0])
        np.testing.assert_allclose(distances[0, 1] / 4, ratio[0])
        if not standardize:
            assert ratio[0] == pytest.approx(1)

    def test_beside_a_constant_it_is_one_apart(self):
        assert squared(one([7, 7, None], standardize=False))[0, 2] == 1

    def test_a_missing_category_is_a_further_one(self):
        distances = squared(one(["a", "b", None], standardize=False))
        off = distances[~np.eye(3, dtype=bool)]
        np.testing.assert_allclose(off, 1, rtol=1e-15)
        tree = Hierarchy(LANDS)
        distances = squared(one(["at", "ch", "es", None], tree, standardize=False))
        np.testing.assert_allclose(distances[3, :3], 1, rtol=1e-15)

    @pytest.mark.parametrize("dtype", [object, float, "M8[s]"])
    def test_a_column_that_is_all_missing_decides_nothing(self, dtype):
        assert not one(pd.Series([None] * 3, dtype=dtype)).any()


kinds = {
    "number": st.one_of(st.none(), st.integers(-9, 9)),
    "text": st.one_of(st.none(), st.sampled_from(["a", "b", "c", "d"])),
    "land": st.one_of(st.none(), st.sampled_from([row[0] for row in LANDS])),
    "flag": st.booleans(),
}


@st.composite
def tables(draw):
    count = draw(st.integers(1, 20))
    return pd.DataFrame(
        {
            name: pd.Series(
                draw(st.lists(cells, min_size=count, max_size=count)),
                dtype=float if name == "number" else object,
            )
            for name, cells in kinds.items()
        }
    )


def coded(table):
    trees = {"land": Hierarchy(LANDS)}
    return [encode(table[name], trees.get(name)) for name in table]


class TestWholeTables:
    @given(tables())
    def test_every_column_has_a_variance_of_one(self, table):
        for column in coded(table):
            points = embed([column])
            varies = len(np.unique(column.codes)) > 1
            assert points.var(axis=0).sum() == pytest.approx(float(varies))

    @given(tables(), st.booleans(), st.randoms(use_true_random=False))
    def test_no_order_of_rows_shows(self, table, standardize, random):
        order = list(range(len(table)))
        random.shuffle(order)
        points = embed(coded(table), standardize=standardize)
        moved = embed(coded(table.iloc[order]), standardize=standardize)
        np.testing.assert_array_equal(moved, points[order])

    @given(tables(), st.booleans())
    def test_columns_stand_side_by_side(self, table, standardize):
        points = embed(coded(table), standardize=standardize)
        parts = [embed([c], standardize=standardize) for c in coded(table)]
        np.testing.assert_array_equal(points, np.concatenate(parts, axis=1))
        assert points.flags.c_contiguous
        assert points.dtype == np.float64


class TestOtherRows:
    def place(self, fitted, others, tree=None, *, standardize=True):
        column = encode(pd.Series(fitted), tree)
        space = NumericSpace.of([column], standardize=standardize)
        return space.place([column.encode_more(pd.Series(others))])

    def test_fitted_values_lie_where_they_lay(self):
        cells = [3.0, 1.0, None, 8.0, 3.0]
        np.testing.assert_array_equal(self.place(cells, cells), one(cells))

    def test_numbers_between_and_beyond(self):
        found = self.place([1, 2, 6], [0, 1.5, 7.25, 2])
        expected = (np.array([0, 1.5, 7.25, 2]) - 3) / np.array([1, 2, 6]).std()
        np.testing.assert_allclose(found[:, 0], expected, rtol=1e-14)

    def test_wide_whole_numbers_on_both_sides(self):
        found = self.place(
            [2**60, 2**60 + 8], [2**60 - 1, 2**60 + 3], standardize=False
        )
        assert found[:, 0].tolist() == [-1, 3]
        found = self.place(
            np.array([2**63 + 2, 2**63 + 6], dtype=np.uint64), [5], standardize=False
        )
        assert found[0, 0] == float(5 - (2**63 + 2))
        found = self.place([2**60, 2**60 + 8], [1.5, None], standardize=False)
        assert found[0, 0] == float(1.5 - 2**60)

    def test_dates_between_and_beyond_in_another_unit(self):
        fitted = moments("2020-01-01", "2020-01-11").astype("M8[s]")
        others = moments("2019-12-31", "2020-01-02 12:00")
        found = self.place(fitted, others.astype("M8[ns]"), standardize=False)
        assert found[:, 0].tolist() == [-1, 1.5]

    @pytest.mark.parametrize("fitted", [["a", "b"], ["a", "b", "c"]])
    def test_an_unknown_category_is_as_far_from_all(self, fitted):
        found = self.place(fitted, ["z"], standardize=False)
        known = self.place(fitted, fitted, standardize=False)
        away = ((known - found) ** 2).sum(axis=1)
        assert len(set(away)) == 1

    def test_leaves_that_were_not_fitted_are_nearest_to_their_kin(self):
        tree = Hierarchy(LANDS)
        known = self.place(["ch", "es", "pt"], ["ch", "es", "pt"], tree)
        found = self.place(["ch", "es", "pt"], ["at", "de"], tree)
        away = ((found[:, None, :] - known[None, :, :]) ** 2).sum(axis=2)
        # at meets ch at level 1 of 3 and de meets it at 2; both meet es at the root.
        assert away[0, 0] < away[1, 0] < away[1, 1]
        assert away[0, 1] == pytest.approx(away[0, 2])

    def test_numbers_where_none_was_fitted(self):
        assert np.isfinite(self.place([np.nan, np.nan], [3.0])).all()


class TestNearlyNumbers:
    """A few texts in a column of numbers are a slip that nobody may miss."""

    @pytest.mark.parametrize("odd", [1, 2])
    def test_a_few_texts_are_told_in_numbers(self, odd):
        cells = [*map(str, range(19)), None, *["SECRET"] * odd]
        reported = (
            f"'pay' is taken for texts.* {odd} of {19 + odd} cells are no numbers"
        )
        with pytest.warns(NearlyNumbersWarning, match=reported) as caught:
            embed([encode(pd.Series(cells, name="pay"))])
        assert "SECRET" not in str(caught[0].message)

    @pytest.mark.parametrize(
        "cells",
        [
            [*range(19), None],
            [*map(str, range(20))],
            [*map(str, range(16)), "x", "y"],
            list("abcde"),
            [None] * 3,
            [True, False] * 10,
        ],
        ids=["numbers", "codes", "many texts", "texts", "nothing", "booleans"],
    )
    def test_other_columns_are_taken_as_they_are(self, cells):
        assert len(one(cells)) == len(cells)

    def test_too_many_categories_say_how_many_are_no_numbers(self):
        cells = [*map(str, range(_space.MOST_COORDINATES)), "SECRET"]
        reported = r"give it as numbers \(1 of 1001 cells are no numbers\)"
        with pytest.raises(DataError, match=reported) as caught:
            one(cells)
        assert "SECRET" not in str(caught.value)
        with pytest.raises(DataError, match="give it as numbers or"):
            one([f"code {cell}" for cell in cells])

    @pytest.mark.parametrize("grouping", ["mdav", "individual-ranking"])
    def test_swapping_warns_too(self, grouping):
        table = pd.DataFrame({"pay": [*map(str, range(29)), "x"], "age": range(30)})
        swapper = GroupSwapper(["age"], sensitive=["pay"], grouping=grouping)
        known = (
            swapper if grouping != "mdav" else GroupSwapper(["pay"], sensitive=["age"])
        )
        with pytest.warns(NearlyNumbersWarning, match="1 of 30 cells"):
            known.fit(table)

"""Datafly: rows that it was not fitted on."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, InfeasibleError
from anon_transformers.generalization import DataflyAnonymizer
from anon_transformers.hierarchies import ByDataType, Intervals, Masking


def cells(out):
    return out["x"].tolist()


def shown(fitted, batch, **options):
    """Published cells of a batch, and the level of the column."""
    done = DataflyAnonymizer(k=2, suppression="mask", **options)
    done.fit(pd.DataFrame({"x": fitted}))
    return cells(done.transform(pd.DataFrame({"x": batch}))), done.levels_["x"]


class TestByHand:
    def test_new_numbers_join_approved_classes(self):
        out, level = shown([11, 12, 21, 22], [13, 29, 99, 123, None])
        assert level == 1
        # 90 was no class, and 123 has more digits than the rule was made for.
        assert out == ["10", "20", "*", "*", "*"]

    def test_the_fewest_decimals_are_those_of_the_fitted_column(self):
        fitted, batch = ["1.21", "1.29", "1.5", "1.5"], ["1.2999", "1.59", "1", "1.3"]
        out, level = shown(fitted, batch, stop_rule="less_than_k")
        assert level == 1
        assert out == ["1.2", "1.5", "*", "*"]

    def test_the_shortest_text_is_that_of_the_fitted_column(self):
        fitted = ["anon", "anonymous", "abba", "abbacy"]
        out, level = shown(fitted, ["anonym", "anonimo", "ab", "abbot", "abba"])
        assert level == 1
        # A shorter text in the batch does not make the others shorter.
        assert out == ["anon", "anon", "*", "*", "abba"]

    def test_new_days_of_known_months(self):
        fitted = ["01/02/2003", "09/02/2003", "01/03/2003", "30/03/2003"]
        batch = ["17/02/2003", "31/03/2003", "01/04/2003"]
        out, level = shown(fitted, batch, types={"x": "date"})
        assert level == 1
        assert out == ["02/2003", "03/2003", "*"]

    def test_a_column_that_was_not_generalized_takes_nothing_new(self):
        out, level = shown([1, 1, 2, 2], [1, 3])
        assert level == 0
        assert out == ["1", "*"]


class TestDoubles:
    """Later numbers may have decimals where the fitted ones had none."""

    FITTED = (1210, 1220, 1290, 1275, 3310, 3320)

    @pytest.mark.parametrize("batch", [[12, 33], [12.0, 33.0], [12.5, 33.25, 12.0]])
    def test_a_point_is_no_digit(self, batch):
        options = {"types": {"x": "double"}, "stop_rule": "less_than_k"}
        out, level = shown(self.FITTED, batch, **options)
        assert level == 2
        # 12.0 is not 1200, and nobody had anything like 12.
        assert out == ["*"] * len(batch)

    def test_decimals_are_cut(self):
        options = {"types": {"x": "double"}, "stop_rule": "less_than_k"}
        out, _ = shown(self.FITTED, [1215.7, 3399.99, 0.5], **options)
        assert out == ["1200", "3300", "*"]

    def test_floats_that_happen_to_be_whole_are_doubles(self):
        out, level = shown([1210.0, 1219.0, 3310.0, 3319.0], [1215.5, 3311])
        assert level == 1
        assert out == ["1210", "3310"]

    def test_small_floats_have_exponents(self):
        fitted = [1e-05, 2e-05, 0.5, 0.51]
        out, _ = shown(fitted, [3e-05, 0.52], stop_rule="less_than_k")
        assert out == ["0.0", "0.5"]

    def test_codes_have_letters(self):
        fitted = ["12E1", "12E2", "13E1", "13E3"]
        out, level = shown(fitted, ["12E9", "12E"], stop_rule="less_than_k")
        assert level == 1
        assert out == ["12E", "12E"]


class TestBuilders:
    def test_new_days_of_known_months(self):
        fitted = pd.to_datetime(
            ["2020-01-01", "2020-01-31", "2021-05-01", "2021-05-02"]
        )
        batch = pd.to_datetime(["2020-01-15", "2021-05-31", "2021-06-01", None])
        out, level = shown(fitted, batch)
        assert level == 1
        assert out == ["2020-01", "2021-05", "*", "*"]
        out, _ = shown(fitted, [pd.Timestamp("2020-01-15 10:30")])
        assert out == ["2020-01"]

    def test_new_numbers_of_known_ranges(self):
        trees = {"x": Intervals(widths=[5])}
        out, level = shown([20, 24, 31, 32], [22, 34, 25], hierarchies=trees)
        assert level == 1
        assert out == ["[20, 24]", "[30, 34]", "*"]

    def test_new_codes_of_known_masks(self):
        trees = {"x": Masking(unknown="suppress")}
        fitted, batch = ["811", "812", "911", "912"], ["813", "821", "8111"]
        out, level = shown(fitted, batch, hierarchies=trees)
        assert level == 1
        assert out == ["81*", "*", "*"]


class TestSpelling:
    """A number is the same however its column happens to be stored."""

    @pytest.mark.parametrize("batch", [[13, 25], [13.0, 25.0], [13.0, 25.0, 0.5]])
    def test_whole_numbers(self, batch):
        out, level = shown([11, 12, 21, 22], batch)
        assert level == 1
        assert out == ["10", "20", "*"][: len(batch)]

    def test_floats(self):
        fitted = [1.0, 1.05, 2.5, 2.55]
        out, level = shown(fitted, [1, 2])
        assert level == 1
        assert out == ["1.0", "*"]


class TestPolicies:
    def fitted(self, unknown):
        tree = ByDataType("int", unknown=unknown)
        done = DataflyAnonymizer(k=2, hierarchies={"x": tree}, suppression="mask")
        return done.fit(pd.DataFrame({"x": [11, 12, 21, 22]}))

    @pytest.mark.parametrize("unknown", ["error", "suppress", "root"])
    def test_what_fits_the_rule_is_not_unknown(self, unknown):
        done = self.fitted(unknown)
        assert cells(done.transform(pd.DataFrame({"x": [13, 25]}))) == ["10", "20"]

    def test_error(self):
        with pytest.raises(DataError, match="'x' holds values in 2 rows") as caught:
            self.fitted("error").transform(pd.DataFrame({"x": [13, 777, 777]}))
        assert "777" not in str(caught.value)

    @pytest.mark.parametrize("unknown", ["suppress", "root"])
    def test_no_class_was_approved_for_what_does_not_fit(self, unknown):
        out = self.fitted(unknown).transform(pd.DataFrame({"x": [13, 777]}))
        assert cells(out) == ["10", "*"]


def cut(text, n_digits, level):
    """The integer rule, from the specification."""
    number = int(text)
    if len(str(abs(number))) > n_digits:
        return None
    size = abs(number) - abs(number) % 10**level
    return str(-size if number < 0 else size)


numbers = st.integers(-150, 1200)


@given(
    fitted=st.lists(st.tuples(numbers, numbers), min_size=2, max_size=30),
    others=st.lists(st.tuples(numbers, numbers), min_size=1, max_size=15),
    suppression=st.sampled_from(["mask", "blank"]),
)
def test_other_rows_get_what_the_rule_gives_if_it_was_approved(
    fitted, others, suppression
):
    table = pd.DataFrame(fitted, columns=["a", "b"])
    done = DataflyAnonymizer(k=2, suppression=suppression)
    published = done.fit_transform(table)
    approved = set(published[~done.suppressed_mask_].itertuples(index=False, name=None))
    n_digits = {name: table[name].abs().max() for name in table}
    out = done.transform(pd.DataFrame(others, columns=["a", "b"]))
    for row, found in zip(others, out.itertuples(index=False, name=None), strict=True):
        expected = tuple(
            cut(str(cell), len(str(n_digits[name])), done.levels_[name])
            for name, cell in zip("ab", row, strict=True)
        )
        assert found == (expected if expected in approved else ("*", "*"))


def cut_double(number, n_digits, level):
    """The rule of doubles for a column of whole numbers, from the specification."""
    whole = str(number).partition(".")[0]
    return cut(whole, n_digits, level) if level else None


@given(
    fitted=st.lists(st.integers(-150, 1200), min_size=2, max_size=20),
    others=st.lists(
        st.integers(-150, 1300) | st.decimals(-150, 1300, places=2).map(float),
        min_size=1,
        max_size=15,
    ),
    declared=st.booleans(),
)
def test_later_doubles_get_what_the_rule_gives_if_it_was_approved(
    fitted, others, declared
):
    table = pd.DataFrame({"x": fitted}, dtype=int if declared else float)
    types = {"x": "double"} if declared else None
    done = DataflyAnonymizer(k=2, types=types, suppression="mask")
    published = done.fit_transform(table)
    approved = set(published["x"][~done.suppressed_mask_])
    n_digits, level = len(str(int(table["x"].abs().max()))), done.levels_["x"]
    out = cells(done.transform(pd.DataFrame({"x": others})))
    for number, found in zip(others, out, strict=True):
        expected = cut_double(number, n_digits, level)
        if level == 0 and number == int(number):
            expected = str(int(number))
        assert found == (expected if expected in approved else "*")


DATES = st.dates().map(lambda d: f"{d:%d/%m/}{d.year:04}")
values = st.sampled_from(
    [
        st.integers(-500, 500),
        st.floats(-50, 50, allow_nan=False).map(lambda x: round(x, 3)),
        st.text("abc", min_size=1, max_size=4),
        DATES,
    ]
)


@given(kind=values, data=st.data(), k=st.sampled_from([2, 3]))
def test_rows_of_the_fitted_table_are_published_as_they_were(kind, data, k):
    types = {"x": "date"} if kind is DATES else None
    columns = st.lists(kind | st.none(), min_size=k, max_size=20)
    table = pd.DataFrame({"x": data.draw(columns)})
    picked = data.draw(
        st.lists(st.integers(0, len(table) - 1), min_size=1, max_size=10)
    )
    done = DataflyAnonymizer(k=k, types=types, suppression="mask")
    try:
        published = done.fit_transform(table)
    except InfeasibleError as error:
        assert "nothing but the suppression label" in str(error)
        return
    out = done.transform(table.iloc[picked])
    expected = published.iloc[picked].reset_index(drop=True)
    assert np.array_equal(
        out["x"].fillna("missing").to_numpy(),
        expected["x"].fillna("missing").to_numpy(),
    )

"""Published columns: what a row shows, what it costs, and who is approved."""

import numpy as np
import pandas as pd
import pytest

from anon_transformers import DataflyAnonymizer, MondrianAnonymizer
from anon_transformers._data.columns import encode, identify
from anon_transformers.base._coded_table import (
    CodedTable,
    PublishedColumn,
    approved,
    group_published,
)
from anon_transformers.exceptions import DataError
from anon_transformers.hierarchies import Hierarchy


def test_a_suppressed_text_is_the_mark():
    column = PublishedColumn(
        np.array([0, 1, -1, 0]), np.array(["a", None], dtype=object), np.zeros(2)
    )
    cells = column.decode(np.array([False, False, False, True]), "*")
    assert cells.isna().tolist() == [False, True, False, False]
    assert cells.dropna().tolist() == ["a", "*", "*"]


def test_a_suppressed_number_or_date_is_missing():
    codes, hidden = np.array([0, 1, -1]), np.array([False, True, False])
    numbers = PublishedColumn(codes, np.array([1.5, 2.5]), np.zeros(2))
    assert numbers.decode(hidden, "*").isna().tolist() == [False, True, True]
    days = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[us]")
    dates = PublishedColumn(codes, days, np.zeros(2)).decode(hidden, "*")
    assert dates.isna().tolist() == [False, True, True]
    assert dates.dtype.kind == "M"


def test_the_loss_counts_a_suppressed_row_as_one():
    column = PublishedColumn(
        np.array([0, 0, 1, -1]),
        np.array(["a", "b"], dtype=object),
        np.array([0, 0.5]),
    )
    assert column.loss(np.array([False, True, False, False])) == pytest.approx(2.5 / 4)


def test_rows_without_a_label_are_a_group_that_is_never_approved():
    labels = np.array(["a", "b"], dtype=object)
    column = PublishedColumn(np.array([0, -1, 1, -1]), labels, np.zeros(2))
    assert group_published([column]).labels.tolist() == [0, 1, 2, 1]
    assert approved(np.array([[0]]), [column]).tolist() == [
        True,
        False,
        False,
        False,
    ]


def test_a_table_counts_its_own_classes():
    table = CodedTable(
        3,
        (encode(pd.Series([1, 1, 2], name="q")),),
        (identify(pd.Series(["x", "y", "x"], name="s")),),
        identify(pd.Series(["p", "p", "q"], name="who")),
    )
    classes = table.classes(np.array([0, 0, -1]), 1)
    assert (classes.rows.tolist(), classes.sizes.tolist()) == ([2], [1])
    assert classes.sensitive["s"].counts.toarray().tolist() == [[1, 1, 0]]
    assert classes.sensitive["s"].reference.tolist() == [2, 1, 0]


@pytest.mark.parametrize("suppression", ["drop", "blank"])
def test_categories_do_not_name_values_of_suppressed_rows(suppression):
    zips = ["50001"] * 4 + ["71", "72", "73"]
    ills = ["flu", "cold", "flu", "cold", "gout", "gout", "gout"]
    people = pd.DataFrame({"zip": zips, "illness": pd.Categorical(ills)})
    rare = DataflyAnonymizer(
        ["zip"],
        k=3,
        sensitive=["illness"],
        suppression=suppression,
        suppression_limit=0.5,
        hierarchies={"zip": Hierarchy([(z, "*") for z in sorted(set(zips))])},
    )
    table = rare.fit_transform(people)
    assert rare.n_suppressed_ == 3
    assert list(table["illness"].cat.categories) == ["cold", "flu"]


class TestTheMarkAmongLabels:
    lands = Hierarchy(
        [("Wien", "AT", "*"), ("Graz", "AT", "*"), ("Bern", "CH", "*")],
        unknown="suppress",
    )

    def test_a_group_of_numbers(self):
        people = pd.DataFrame({"x": [1, 2, 3, 44, 55, 91]})
        with pytest.raises(DataError, match=r"'x' .* label '0' in 3 rows that are not"):
            DataflyAnonymizer(k=3, suppression_label="0").fit(people)

    @pytest.mark.parametrize("method", [DataflyAnonymizer, MondrianAnonymizer])
    def test_a_group_of_a_hierarchy(self, method):
        people = pd.DataFrame({"x": ["Wien", "Graz"] * 2 + ["Bern"] * 3})
        trees = {"x": self.lands}
        with pytest.raises(DataError, match=r"'x' .* label 'AT' in 4 rows"):
            method(k=3, hierarchies=trees, suppression_label="AT").fit(people)
        assert method(k=3, hierarchies=trees, suppression_label="#").fit(people)

    def test_a_range(self):
        people = pd.DataFrame({"x": [1, 2, 5, 6]})
        with pytest.raises(DataError, match=r"'x' .* label '\[1, 2\]' in 2 rows"):
            MondrianAnonymizer(k=2, suppression_label="[1, 2]").fit(people)

    @pytest.mark.parametrize("method", [DataflyAnonymizer, MondrianAnonymizer])
    def test_the_root_may_be_the_mark(self, method):
        people = pd.DataFrame({"x": ["Wien", "Bern", "Graz", None, None, None]})
        made = method(k=3, hierarchies={"x": self.lands}, suppression="mask")
        assert made.fit_transform(people)["x"].tolist()[:3] == ["*"] * 3

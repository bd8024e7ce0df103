"""A first hierarchy for a column."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, InfeasibleError
from anon_transformers.generalization import DataflyAnonymizer
from anon_transformers.hierarchies import Hierarchy, suggest
from anon_transformers.partitioning import MondrianAnonymizer


@pytest.mark.parametrize(
    ("column", "first", "above"),
    [
        ([34, 37, 61], "34", ["[30, 34]", "[30, 39]", "[0, 49]", "*"]),
        ([34.0, None, 61.0], "34", ["[30, 34]", "[30, 39]", "[0, 49]", "*"]),
        (["50001", "50018"], "50001", ["5000*", "500**", "50***", "5****", "*"]),
        (["007", "123"], "007", ["00*", "0**", "*"]),
        (["AB1", "CD2"], "AB1", ["AB*", "A**", "*"]),
        (["yes", "no"], "no", ["*"]),
        (["2020-05-03"], "2020-05-03",
         ["2020-05", "2020-Q2", "2020", "2020-2029", "2000-2099", "*"]),
        (pd.to_datetime(["2020-05-03 10:00", "2020-05-03 11:30"]),
         "2020-05-03T10:00:00",
         ["2020-05-03", "2020-05", "2020-Q2", "2020", "2020-2029", "2000-2099", "*"]),
        (["03/05/2020"], "03/05/2020",
         ["2020-05", "2020-Q2", "2020", "2020-2029", "2000-2099", "*"]),
        ([True, False], "False", ["*"]),
        ([7], "7", ["7", "*"]),
        (["0.5", "0.75", "1.25"], "0.5", ["[0.5, 1)", "[0, 1)", "*"]),
    ],
)  # fmt: skip
def test_what_is_proposed(column, first, above):
    for given_column in (column, pd.Series(column)):
        rows = Hierarchy.suggest(given_column).rows
        assert next(row for row in rows if row[0] == first) == (first, *above)


def test_words_are_not_cut():
    towns = [f"Town {chr(65 + i)}{i}" for i in range(20)]
    tree = Hierarchy.suggest(towns)
    assert tree.rows[0] == ("Town A0", "*")


def test_the_function_and_the_method_propose_the_same():
    assert Hierarchy.suggest([1, 5, 90]) == suggest([1, 5, 90])


@pytest.mark.parametrize("nothing", [[], [None, np.nan], [""]])
def test_nothing_makes_no_hierarchy(nothing):
    with pytest.raises(DataError, match="no value"):
        Hierarchy.suggest(nothing)


columns = st.one_of(
    st.lists(kind, min_size=2, max_size=20)
    for kind in (
        st.integers(-(10**12), 10**12),
        st.integers(-(10**12), 10**12) | st.none(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.floats(-10, 10).map(lambda x: round(x, 2)),
        st.text(min_size=1, max_size=9).filter(lambda t: t != "*"),
        st.dates().map(str),
        st.datetimes(),
        st.booleans(),
    )
).filter(lambda cells: any(cell is not None for cell in cells))


@given(columns)
def test_an_anonymizer_can_use_whatever_is_proposed(cells):
    table = pd.DataFrame({"x": pd.Series(cells)})
    tree = Hierarchy.suggest(table["x"])
    for anonymizer in (MondrianAnonymizer, DataflyAnonymizer):
        done = anonymizer(k=2, hierarchies={"x": tree})
        try:
            out = done.fit_transform(table)
        except InfeasibleError as error:
            assert "nothing but the suppression label" in str(error)
            continue
        assert out["x"].value_counts(dropna=False).min() >= 2

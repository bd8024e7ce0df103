"""GroupSwapper: cells move inside groups, and nothing else changes."""

import json
from collections import Counter
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._data.ties import tie_order
from anon_transformers._kernels import mdav
from anon_transformers.exceptions import ParameterError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.microaggregation import GroupSwapper

DATA = Path(__file__).parents[1] / "data"
FILE = DATA / "vectors" / "probabilistic.json"
VECTORS = {v["name"]: v for v in json.loads(FILE.read_text())["vectors"]}
KNOWN = ["AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX"]
WANTED = ["TAXINC", "POTHVAL", "INTVAL", "PEARNVAL", "FICA", "WSALVAL", "ERNVAL"]
GROUPINGS = ("mdav", "individual-ranking")
SEED = 1


@pytest.fixture(scope="module")
def census():
    return pd.read_csv(DATA / "casc_census.csv")


def people(n=40, seed=0):
    """Columns of many types; the first is a name."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "name": [f"person-{row}" for row in range(n)],
            "age": rng.integers(18, 90, n),
            "town": rng.choice(["Vic", "Reus", "Olot"], n),
            "pay": rng.normal(size=n).round(2),
            "sick": rng.choice(["flu", "cold", "none"], n),
            "note": rng.integers(0, 1000, n),
        }
    )


def swapped(table, known, wanted, **params):
    """A fitted swapper that keeps its links, and what it published."""
    params = {"k": 3, "random_state": SEED, "keep_links": True, **params}
    swapper = GroupSwapper(known, sensitive=wanted, **params)
    return swapper, swapper.fit_transform(table)


def standardized(table):
    numbers = table.to_numpy(dtype=float)
    scale = numbers.std(axis=0)
    return (numbers - numbers.mean(axis=0)) / np.where(scale > 0, scale, 1)


def same_partition(one, other):
    pairs = set(zip(one.tolist(), other.tolist(), strict=True))
    return len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))


class TestInformed:
    @pytest.mark.parametrize("grouping", GROUPINGS)
    def test_sensitive_columns_move_and_the_rest_stays(self, grouping):
        table = people()
        swapper, output = swapped(
            table, ["age", "town"], ["pay", "sick"],
            identifiers=["name"], grouping=grouping,
        )  # fmt: skip
        assert list(output) == ["age", "town", "pay", "sick", "note"]
        assert output[["age", "town", "note"]].equals(table[["age", "town", "note"]])
        assert set(swapper.labels_) == {("pay",), ("sick",)}
        for (name,), labels in swapper.labels_.items():
            assert not output[name].equals(table[name])
            for number in range(labels.max() + 1):
                rows = labels == number
                assert rows.sum() >= 3
                assert Counter(output[name][rows]) == Counter(table[name][rows])

    def test_groups_are_mdav_of_everything_the_intruder_knows(self):
        names = VECTORS["table_III"]["expected"]
        rng = np.random.default_rng(1)
        columns = ["A0", "A1", "A2", "A3", "A4"]
        table = pd.DataFrame(rng.normal(size=(30, 5)), columns=columns)
        swapper, _ = swapped(table, ["A0"], ["A1", "A2", "A3", "A4"])
        for intruder in names.values():
            points = standardized(table[intruder["qi"]])
            expected = mdav.group(points, 3)
            found = swapper.labels_[tuple(intruder["confidential"])]
            assert same_partition(found, expected)

    def test_raw_numbers_on_request(self):
        vector = VECTORS["mdav_scale_sensitivity"]
        table = pd.DataFrame(vector["input"]["X"], columns=["x", "y"]).assign(
            c=range(6)
        )
        for standardize, key in ((True, "groups_zscore"), (False, "groups_raw")):
            swapper, _ = swapped(table, ["x", "y"], ["c"], k=2, standardize=standardize)
            expected = np.empty(6, dtype=int)
            for number, rows in enumerate(vector["expected"][key]):
                expected[rows] = number
            assert same_partition(swapper.labels_[("c",)], expected)

    def test_without_roles_every_column_is_swapped(self):
        table = people()[["age", "pay", "note"]]
        swapper, output = swapped(table, None, None)
        assert list(swapper.labels_) == [("age",), ("pay",), ("note",)]
        assert swapper.roles_.quasi_identifiers == ()
        points = standardized(table[["age", "note"]])
        assert same_partition(swapper.labels_[("pay",)], mdav.group(points, 3))
        _, again = swapped(table, [], ["age", "pay", "note"])
        assert again.equals(output)

    def test_sequential_groups_see_what_was_swapped_before(self):
        table = people(60)[["age", "pay", "note"]]
        names = ["pay", "age", "note"]
        apart, _ = swapped(table, [], names)
        after, output = swapped(table, [], names, order="sequential")
        assert same_partition(apart.labels_[("pay",)], after.labels_[("pay",)])
        now = table.assign(pay=output["pay"])
        expected = mdav.group(standardized(now[["pay", "note"]]), 3)
        assert same_partition(after.labels_[("age",)], expected)
        now["age"] = output["age"]
        expected = mdav.group(standardized(now[["pay", "age"]]), 3)
        assert same_partition(after.labels_[("note",)], expected)
        assert not same_partition(apart.labels_[("note",)], after.labels_[("note",)])

    def test_one_column_alone_cannot_be_grouped_by_others(self):
        with pytest.raises(ParameterError, match=r"individual-ranking.*does not"):
            GroupSwapper(k=2).fit(pd.DataFrame({"x": range(9)}))
        ranked = GroupSwapper(k=2, grouping="individual-ranking")
        assert ranked.fit(pd.DataFrame({"x": range(9)})).k_effective_ == 2


class TestUninformed:
    def test_quasi_identifiers_move_together(self):
        table = people()
        swapper, output = swapped(
            table, ["age", "town"], ["pay", "sick"],
            scenario="uninformed", identifiers=["name"],
        )  # fmt: skip
        assert list(swapper.labels_) == [("age", "town")]
        rows = swapper.permutations_[("age", "town")]
        moved = table[["age", "town"]].iloc[rows].reset_index(drop=True)
        assert output[["age", "town"]].equals(moved)
        still = ["pay", "sick", "note"]
        assert output[still].equals(table[still])
        assert not output["age"].equals(table["age"])

    def test_groups_are_mdav_of_the_quasi_identifiers(self):
        table = people()
        swapper, _ = swapped(table, ["age", "note"], ["sick"], scenario="uninformed")
        expected = mdav.group(standardized(table[["age", "note"]]), 3)
        assert same_partition(swapper.labels_[("age", "note")], expected)

    def test_what_is_disclosed_is_what_stayed(self):
        swapper, _ = swapped(people(), ["age"], ["sick"], scenario="uninformed")
        assert list(swapper.report_.details["value_disclosure"]) == ["sick"]
        assert list(swapper.report_.column_losses) == ["age"]

    @pytest.mark.parametrize(
        ("known", "wanted"),
        [(None, None), ([], ["pay"]), (["age"], None), (["age"], [])],
    )
    def test_both_roles_are_needed(self, known, wanted):
        swapper = GroupSwapper(known, sensitive=wanted, scenario="uninformed")
        with pytest.raises(ParameterError, match="at least one"):
            swapper.fit(people())

    def test_there_is_nothing_to_rank(self):
        swapper = GroupSwapper(
            ["age"], sensitive=["pay"], scenario="uninformed",
            grouping="individual-ranking",
        )  # fmt: skip
        with pytest.raises(ParameterError, match="swapped together"):
            swapper.fit(people())


class TestIndividualRanking:
    def test_the_blocks_of_the_specification(self):
        vector = VECTORS["individual_ranking_groups"]
        table = pd.DataFrame({"A": vector["input"]["A"]})
        swapper, _ = swapped(table, [], ["A"], grouping="individual-ranking")
        groups = vector["expected"]["sorted_method_groups_of_rows"]
        for number, rows in enumerate(groups):
            found = np.flatnonzero(swapper.labels_[("A",)] == number)
            assert found.tolist() == sorted(rows)

    def test_mdav_blocks_are_mdav_of_the_column(self):
        table = people(50)[["pay", "note"]]
        swapper, _ = swapped(
            table, [], ["pay", "note"], grouping="individual-ranking", ir_method="mdav"
        )
        for name in table:
            points = table[[name]].to_numpy(dtype=float)
            # Rows that tie are taken in the order that the seed gives.
            ties = tie_order(len(points), np.random.default_rng(SEED))
            expected = np.empty(len(points), dtype=int)
            expected[ties] = mdav.group(points[ties], 3)
            assert np.array_equal(swapper.labels_[(name,)], expected)

    def test_order_makes_no_difference(self):
        outputs = [
            swapped(
                people()[["age", "pay"]], None, None,
                grouping="individual-ranking", order=order,
            )[1]
            for order in ("independent", "sequential")
        ]  # fmt: skip
        assert outputs[0].equals(outputs[1])

    @pytest.mark.parametrize("ir_method", ["sorted", "mdav"])
    def test_missing_values_are_at_the_end(self, ir_method):
        table = pd.DataFrame({"x": [np.nan, 3.0, 1.0, np.nan, 2.0, 4.0]})
        swapper, _ = swapped(
            table, [], ["x"], k=2, grouping="individual-ranking", ir_method=ir_method
        )
        labels = swapper.labels_[("x",)]
        assert labels[0] == labels[3]
        assert labels[2] == labels[4]

    def test_ordered_categories_and_leaves_have_an_order(self):
        cells = ["low", "high", "mid", "low", "high", "mid"]
        order = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
        grades = pd.DataFrame({"x": pd.Series(cells, dtype=order)})
        tree = Hierarchy([["low", "*"], ["mid", "*"], ["high", "*"]])
        ranked = {"grouping": "individual-ranking", "k": 2}
        swapper, _ = swapped(grades, [], ["x"], **ranked)
        assert swapper.labels_[("x",)].tolist() == [0, 2, 1, 0, 2, 1]
        as_texts, _ = swapped(grades.astype(object), [], ["x"], **ranked)
        assert as_texts.labels_[("x",)].tolist() == [1, 0, 2, 1, 0, 2]
        by_leaves, _ = swapped(
            grades.astype(object), [], ["x"], hierarchies={"x": tree}, **ranked
        )
        assert by_leaves.labels_[("x",)].tolist() == [0, 2, 1, 0, 2, 1]


COLUMNS = {
    "float": st.sampled_from([0.0, -0.0, 1.5, np.nan, 1e308, 5e-324]),
    "int": st.integers(-(2**63), 2**63 - 1),
    "unsigned": st.integers(0, 2**64 - 1),
    "text": st.sampled_from(["", "a", "007", "7", None, "ä"]),
    "mixed": st.sampled_from([1, 1.0, "1", None, True, (1, 2)]),
    "decimal": st.sampled_from([Decimal("1.10"), Decimal("1.1"), Decimal("-3"), None]),
    "flag": st.booleans(),
    "date": st.sampled_from([pd.Timestamp("2020-01-01"), pd.NaT, pd.Timestamp(7)]),
}
DTYPES = {
    "float": "float64",
    "int": "int64",
    "unsigned": "uint64",
    "flag": "bool",
    "date": "datetime64[ns]",
}


@st.composite
def tables(draw):
    n = draw(st.integers(6, 14))
    table = {}
    for kind, cells in COLUMNS.items():
        values = draw(st.lists(cells, min_size=n, max_size=n))
        table[kind] = pd.Series(values, dtype=DTYPES.get(kind, object))
    table["zone"] = table["date"].dt.tz_localize("Europe/Madrid")
    table["category"] = pd.Series(
        pd.Categorical(table["text"], categories=["ä", "a", "7", "007", "", "unused"])
    )
    table["nullable"] = table["flag"].astype("boolean").mask(table["float"].isna())
    return pd.DataFrame(table)


def bits(series):
    """Cells as they lie in memory, or as objects with their types, sorted."""
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iufbM":
        return np.sort(series.to_numpy().view(f"u{series.dtype.itemsize}")).tolist()
    return sorted((type(cell).__name__, repr(cell)) for cell in series)


class TestCells:
    # Drawn cells may be numbers but for one.
    @pytest.mark.filterwarnings(
        "ignore::anon_transformers.exceptions.NearlyNumbersWarning"
    )
    @given(
        table=tables(),
        seed=st.integers(0, 9),
        k=st.integers(1, 4),
        ranked=st.booleans(),
    )
    def test_sorted_columns_are_equal_bit_by_bit(self, table, seed, k, ranked):
        swapper, output = swapped(
            table, None, None, k=k, random_state=seed, grouping=GROUPINGS[ranked]
        )
        assert output.dtypes.equals(table.dtypes)
        for name in table:
            rows = swapper.permutations_[(name,)]
            assert bits(output[name]) == bits(table[name])
            cells, expected = output[name].tolist(), table[name].iloc[rows].tolist()
            assert list(map(repr, cells)) == list(map(repr, expected))

    def test_objects_are_the_very_same(self):
        cells = [object() for _ in range(6)]
        table = pd.DataFrame({"x": range(6), "y": pd.Series(cells, dtype=object)})
        _, output = swapped(table, ["x"], ["y"])
        assert {id(cell) for cell in output["y"]} == {id(cell) for cell in cells}

    def test_means_and_variances_stay_in_every_group(self, census):
        swapper, output = swapped(census, KNOWN, WANTED, k=5)
        assert output[KNOWN].equals(census[KNOWN])
        for name in WANTED:
            assert sorted(output[name]) == sorted(census[name])
            groups = swapper.labels_[(name,)]
            for moment in ("mean", "var"):
                before = census[name].groupby(groups).agg(moment)
                after = output[name].groupby(groups).agg(moment)
                assert np.allclose(before, after)

    def test_polars_columns_keep_their_types(self):
        pl = pytest.importorskip("polars")
        table = pl.DataFrame(
            {
                "age": pl.Series(range(8), dtype=pl.Int8),
                "pay": pl.Series([Decimal("1.50"), None] * 4, dtype=pl.Decimal(12, 2)),
                "sort": pl.Series(list("abababab"), dtype=pl.Enum(["b", "a", "c"])),
                "many": [[row] for row in range(8)],
            }
        )
        swapper, output = swapped(table, ["age"], ["pay", "sort"])
        assert output.schema == table.schema
        assert output["many"].equals(table["many"])
        for name in ("pay", "sort"):
            rows = swapper.permutations_[(name,)]
            assert output[name].to_list() == table[name][rows].to_list()

    @pytest.mark.parametrize("dtype", ["float32", "int16", "<U4", object])
    def test_arrays_keep_their_type(self, dtype):
        array = np.arange(24).reshape(8, 3).astype(dtype)
        swapper = GroupSwapper(k=2, identifiers=[1], random_state=0, keep_links=True)
        output = swapper.fit_transform(array)
        assert output.dtype == array.dtype
        assert output.shape == (8, 2)
        for column, name in enumerate((0, 2)):
            rows = swapper.permutations_[(name,)]
            assert (output[:, column] == array[rows, name]).all()
        assert swapper.linkage(array, output).moved == ((0,), (2,))

"""Evidence: counted cell by cell, and from counts just the same."""

from collections import Counter, defaultdict
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError

cells = st.sampled_from(["a", "b", "*", "", None])
numbers = st.sampled_from([1.0, 2.5, np.nan])
wholes = st.sampled_from([0, 1, 2])
persons = st.sampled_from(["p", "q", "r", "s", None])


@st.composite
def frames(draw, min_rows=0):
    """Rows with missing cells; a shuffled, repeated or filtered index."""
    rows = draw(
        st.lists(
            st.tuples(cells, numbers, wholes, cells, numbers, persons),
            min_size=min_rows,
            max_size=25,
        )
    )
    frame = pd.DataFrame(rows, columns=["q", "x", "n", "s", "y", "who"])
    frame = frame.astype({"q": object, "x": float, "s": object, "y": float})
    index = draw(st.lists(st.integers(0, 5), min_size=len(rows), max_size=len(rows)))
    return frame.set_axis(index, axis=0)


def text(cell):
    return None if pd.isna(cell) or cell == "" else str(cell)


def slow_classes(frame, columns):
    """Rows by tuple of texts, numbered by first appearance."""
    found = defaultdict(list)
    for row in range(len(frame)):
        found[tuple(text(frame[name].iloc[row]) for name in columns)].append(row)
    return found


KNOWN = ["q", "x", "n"]


@given(frames())
def test_classes_are_those_of_a_dictionary(frame):
    expected = slow_classes(frame, KNOWN)
    classes = Classes.from_frame(frame, KNOWN)
    assert classes.sizes.tolist() == [len(rows) for rows in expected.values()]
    assert classes.rows.tolist() == classes.sizes.tolist()
    for number, rows in enumerate(expected.values()):
        assert np.flatnonzero(classes.labels == number).tolist() == rows


@given(frames())
def test_no_row_is_lost(frame):
    classes = Classes.from_frame(frame, KNOWN, ["s", "y"])
    assert classes.rows.sum() == len(frame)
    for column in classes.sensitive.values():
        assert column.counts.sum() == len(frame)
        assert column.reference.sum() == len(frame)


@given(frames(min_rows=1))
def test_sensitive_values_are_counted_by_class(frame):
    expected = slow_classes(frame, KNOWN)
    classes = Classes.from_frame(frame, KNOWN, ["s", "y"])
    for name in ("s", "y"):
        column = classes.sensitive[name]
        names = [str(value) for value in column.values]
        assert names == sorted(names)
        assert None not in names
        for number, rows in enumerate(expected.values()):
            counted = Counter(text(frame[name].iloc[row]) for row in rows)
            assert column.counts[[number], :].toarray()[0].tolist() == [
                counted[value] for value in [*names, None]
            ]
        np.testing.assert_array_equal(column.reference, column.counts.sum(axis=0))


@given(frames())
def test_persons_are_counted_once_a_class(frame):
    expected = slow_classes(frame, KNOWN)
    classes = Classes.from_frame(frame, KNOWN, subject="who")
    assert classes.sizes.tolist() == [
        len({text(frame["who"].iloc[row]) for row in rows} - {None})
        for rows in expected.values()
    ]
    assert classes.rows.tolist() == [len(rows) for rows in expected.values()]


@given(frames())
def test_the_suppressed_class_is_the_one_that_is_all_marks(frame):
    marked = (frame["q"] == "*") & (frame["s"] == "*")
    classes = Classes.from_frame(frame, ["q", "s"])
    if not marked.any():
        assert classes.suppressed is None
    else:
        assert classes.rows[classes.suppressed] == marked.sum()
        assert set(classes.labels[marked.to_numpy()]) == {classes.suppressed}


@given(frames())
def test_kept_leaves_out_the_suppressed_class_and_nothing_else(frame):
    marked = ((frame["q"] == "*") & (frame["s"] == "*")).to_numpy()
    kept = Classes.from_frame(frame, ["q", "s"], ["y"], "who").kept()
    alone = Classes.from_frame(frame[~marked], ["q", "s"], ["y"], "who")
    assert kept.suppressed is None
    np.testing.assert_array_equal(kept.sizes, alone.sizes)
    np.testing.assert_array_equal(kept.rows, alone.rows)
    np.testing.assert_array_equal(kept.labels[~marked], alone.labels)
    assert (kept.labels[marked] == -1).all()


def test_classes_behind_the_suppressed_one_move_up():
    frame = pd.DataFrame({"q": ["a", "*", "b", "b"], "s": list("xyyx")})
    kept = Classes.from_frame(frame, ["q"], ["s"]).kept()
    assert kept.sizes.tolist() == [1, 2]
    assert kept.labels.tolist() == [0, -1, 1, 1]
    assert kept.sensitive["s"].counts.toarray().tolist() == [[1, 0, 0], [1, 1, 0]]


@given(frames(min_rows=1))
def test_counts_give_the_evidence_of_the_rows(frame):
    columns = [*KNOWN, "s"]
    frame = frame.replace({"q": {"": None}, "s": {"": None}})
    table = (
        frame.groupby(columns, dropna=False, observed=True, sort=False)
        .size()
        .reset_index(name="count")
    )
    from_rows = Classes.from_frame(frame, KNOWN, ["s"])
    from_counts = Classes.from_counts(table, sensitive=["s"])
    assert from_counts.labels is None
    np.testing.assert_array_equal(from_counts.sizes, from_rows.sizes)
    assert from_counts.suppressed == from_rows.suppressed
    one, other = from_counts.sensitive["s"], from_rows.sensitive["s"]
    np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(one.counts.toarray(), other.counts.toarray())
    np.testing.assert_array_equal(one.reference, other.reference)


@given(frames(min_rows=1), st.data())
def test_merged_classes_are_classes_of_merged_rows(frame, data):
    classes = Classes.from_frame(frame, KNOWN, ["s"], "who")
    n_groups = data.draw(st.integers(1, 4))
    into = np.array(
        data.draw(
            st.lists(
                st.integers(-1, n_groups - 1),
                min_size=classes.n_classes,
                max_size=classes.n_classes,
            )
        )
    )
    merged = classes.merge(into, n_groups)
    labels = into[classes.labels]
    np.testing.assert_array_equal(merged.labels, labels)
    for group in range(n_groups):
        rows = frame[labels == group]
        assert merged.rows[group] == len(rows)
        assert merged.sizes[group] == rows["who"].nunique()
        pairs = rows[["who", "s"]].replace("", None).drop_duplicates()
        pairs = pairs.dropna(subset=["who"])
        assert merged.sensitive["s"].counts[[group], :].sum() == len(pairs)


def test_merging_keeps_the_reference_and_adds_populations():
    frame = pd.DataFrame({"q": list("aab"), "s": list("xyx")})
    classes = Classes.from_frame(frame, ["q"], ["s"])
    classes = replace(classes, population_sizes=np.array([10, 7]))
    merged = classes.merge(np.array([0, 0]), 1)
    assert merged.population_sizes.tolist() == [17]
    assert merged.sensitive["s"].reference.tolist() == [2, 1, 0]
    assert classes.merge(np.array([-1, 0]), 1).population_sizes.tolist() == [7]


def test_the_suppressed_class_is_followed_through_a_merge():
    classes = Classes.from_frame(pd.DataFrame({"q": ["a", "*", "b"]}), ["q"])
    assert classes.suppressed == 1
    assert classes.merge(np.array([0, 1, 0]), 2).suppressed == 1
    assert classes.merge(np.array([0, -1, 0]), 1).suppressed is None


@pytest.mark.parametrize(
    ("column", "label", "suppressed"),
    [
        (["a", "*"], "*", 1),
        (["a", "hidden"], "hidden", 1),
        (["a", "*"], "hidden", None),
        ([1, 2], "*", None),
        (["a", None], "*", None),
    ],
)
def test_the_mark_may_be_another(column, label, suppressed):
    classes = Classes.from_frame(
        pd.DataFrame({"q": column}), ["q"], suppression_label=label
    )
    assert classes.suppressed == suppressed


def test_a_row_that_is_suppressed_in_part_is_no_suppressed_row():
    frame = pd.DataFrame({"q": ["*", "*"], "r": ["a", "*"]})
    assert Classes.from_frame(frame, ["q", "r"]).suppressed == 1


def test_missing_cells_are_a_value_of_their_own():
    frame = pd.DataFrame({"q": ["a", None, "", np.nan], "r": [1.0, np.nan, None, None]})
    assert Classes.from_frame(frame, ["q", "r"]).sizes.tolist() == [1, 3]


def test_an_empty_table_has_no_class():
    classes = Classes.from_frame(pd.DataFrame({"q": [], "s": []}), ["q"], ["s"])
    assert classes.n_classes == 0
    assert classes.suppressed is None


@pytest.mark.parametrize("dtype", ["int64", "Int64", "float32", object])
def test_numbers_stand_in_their_natural_order(dtype):
    frame = pd.DataFrame({"q": [1, 1, 1], "s": pd.Series([10, 9, 100], dtype=dtype)})
    values = Classes.from_frame(frame, ["q"], ["s"]).sensitive["s"].values
    assert [float(value) for value in values] == [9, 10, 100]


def test_numbers_as_objects_are_told_apart_by_their_text():
    cells = pd.Series([10, 9, 9.0, None], dtype=object)
    frame = pd.DataFrame({"q": [1] * 4, "s": cells})
    column = Classes.from_frame(frame, ["q"], ["s"]).sensitive["s"]
    assert column.values.tolist() == ["9", "9.0", "10"]
    assert column.counts.toarray().tolist() == [[1, 1, 1, 1]]


def test_rows_outside_every_class_count_in_the_reference():
    frame = pd.DataFrame({"q": list("ab"), "s": list("xy")})
    column = Classes.from_frame(frame, ["q"], ["s"]).sensitive["s"]
    labeled = Classes.from_frame(frame, ["q"], ["s"]).merge(np.array([0, -1]), 1)
    assert labeled.sensitive["s"].reference.tolist() == column.reference.tolist()
    assert labeled.sensitive["s"].counts.toarray().tolist() == [[1, 0, 0]]


def test_evidence_is_frozen():
    classes = Classes.from_frame(pd.DataFrame({"q": [1]}), ["q"])
    with pytest.raises(FrozenInstanceError):
        classes.sizes = np.array([9])


class TestSensitiveColumns:
    classes = Classes.from_frame(
        pd.DataFrame({"q": [1], "s": ["x"], "t": ["y"]}), ["q"], ["s", "t"]
    )

    def test_all_or_one(self):
        assert len(self.classes.sensitive_columns(None)) == 2
        assert self.classes.sensitive_columns("t") == [self.classes.sensitive["t"]]

    def test_an_unknown_one_cannot_be_evaluated(self):
        with pytest.raises(NotEvaluable, match="unknown sensitive column 'u'"):
            self.classes.sensitive_columns("u")

    def test_none_at_all_cannot_be_evaluated(self):
        bare = Classes.from_frame(pd.DataFrame({"q": [1]}), ["q"])
        with pytest.raises(NotEvaluable, match="no sensitive column"):
            bare.sensitive_columns(None)


class TestRefusals:
    frame = pd.DataFrame({"age": ["secret"], "who": ["secret"]})

    @pytest.mark.parametrize(
        "options",
        [
            {"quasi_identifiers": ["agee"]},
            {"quasi_identifiers": ["age"], "sensitive": ["agee"]},
            {"quasi_identifiers": ["age"], "subject": "agee"},
        ],
    )
    def test_an_unknown_column_is_told_the_nearest_one(self, options):
        with pytest.raises(DataError, match="'agee'; did you mean 'age'") as caught:
            Classes.from_frame(self.frame, **options)
        assert "secret" not in str(caught.value)

    def test_a_column_twice(self):
        twice = pd.concat([self.frame, self.frame], axis=1)
        with pytest.raises(DataError, match="column twice: age"):
            Classes.from_frame(twice, ["age"])

    def test_no_quasi_identifier(self):
        with pytest.raises(ParameterError, match="quasi_identifiers is empty"):
            Classes.from_frame(self.frame, [])
        with pytest.raises(ParameterError, match="quasi_identifiers is empty"):
            Classes.from_counts(pd.DataFrame({"count": [1]}))

    @pytest.mark.parametrize("count", [0, -3, 1.5, np.nan, "many", None])
    def test_counts_that_are_no_counts(self, count):
        table = pd.DataFrame({"q": ["a", "b"], "count": [2, count]})
        with pytest.raises(DataError, match=r"'count' holds no whole number .* 1 rows"):
            Classes.from_counts(table)

    def test_no_count_column(self):
        with pytest.raises(DataError, match="unknown column 'count'"):
            Classes.from_counts(pd.DataFrame({"q": ["a"]}))


@pytest.mark.parametrize(
    "dtype", ["int64", "float64", "Int64", "int64[pyarrow]", object]
)
def test_counts_of_any_engine(dtype):
    table = pd.DataFrame({"q": ["a", "b"], "n": pd.Series([2, 3], dtype=dtype)})
    assert Classes.from_counts(table, ["q"], count="n").sizes.tolist() == [2, 3]


def test_tables_of_other_libraries_are_judged_alike():
    polars = pytest.importorskip("polars")
    rows = polars.DataFrame({"q": ["a", "a", None], "s": ["x", None, "y"]})
    classes = Classes.from_frame(rows, ["q"], ["s"])
    assert classes.sizes.tolist() == [2, 1]
    counts = rows.group_by("q", "s", maintain_order=True).len("count")
    again = Classes.from_counts(counts.to_arrow(), ["q"], ["s"])
    assert again.sizes.tolist() == [2, 1]
    np.testing.assert_array_equal(
        again.sensitive["s"].counts.toarray(), classes.sensitive["s"].counts.toarray()
    )

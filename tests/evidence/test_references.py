"""Evidence beyond the published table: its input, its trees, its population."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.evidence import Classes, distribution
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.hierarchies import Hierarchy

COLUMNS = {
    "texts": ["b", "a", "c", None, "a"],
    "objects": pd.Series(["b", "", "a", None, "10"], dtype=object),
    "numbers": [9.0, 10.0, np.nan, 2.5, 9.0],
    "whole": [9, 10, 100, 2, 9],
    "narrow": pd.Series([0.1, 0.2, 0.3, 0.1, np.nan], dtype="float32"),
    "nullable": pd.Series([9, 10, None, 2, 9], dtype="Int64"),
    "arrow": pd.Series([9, 10, None, 2, 9], dtype="int64[pyarrow]"),
    "mixed": pd.Series([9, 10.0, None, 2, 9], dtype=object),
    "days": pd.to_datetime(
        ["2020-01-02", None, "2019-05-01", "2020-01-02", "2021-01-01"]
    ),
    "moments": pd.to_datetime(
        ["2020-01-02 10:00", None, "2019-05-01", "2020-01-02", "2021-01-01"],
        format="mixed",
    ),
    "booleans": [True, False, True, True, False],
    "ordered": pd.Series(
        pd.Categorical(
            ["mid", "low", None, "mid", "top"], ["low", "mid", "top"], ordered=True
        )
    ),
    "categories": pd.Series(pd.Categorical(["mid", "low", None, "mid", "top"])),
}


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("n_released", [1, 3, 5])
def test_what_is_released_is_placed_in_its_input(kind, n_released):
    whole = pd.DataFrame({"q": 1, "s": COLUMNS[kind]})
    released = whole.iloc[:n_released]
    alone = Classes.from_frame(whole, ["q"], ["s"]).sensitive["s"]
    column = Classes.from_frame(
        released, ["q"], ["s"], references={"s": distribution(whole["s"])}
    ).sensitive["s"]
    assert (alone.origin, column.origin) == ("released", "input")
    assert column.texts.tolist() == alone.texts.tolist()
    assert column.reference.tolist() == alone.reference.tolist()
    assert column.counts.sum() == n_released
    if n_released == len(whole):
        assert column.counts.toarray().tolist() == alone.counts.toarray().tolist()


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_distribution_counts_every_row(kind):
    found = distribution(pd.Series(COLUMNS[kind]))
    assert sum(found.values()) == 5
    assert all(isinstance(key, str | None) for key in found)
    assert found.get(None, 0) == int(
        (pd.Series(COLUMNS[kind]).isna() | (pd.Series(COLUMNS[kind]) == "")).sum()
    )


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1), st.data())
def test_the_reference_is_that_of_the_whole(cells, data):
    whole = pd.DataFrame({"q": 1, "s": pd.Series(cells, dtype=object)})
    kept = [data.draw(st.booleans()) for _ in cells]
    classes = Classes.from_frame(
        whole[kept], ["q"], ["s"], references={"s": distribution(whole["s"])}
    )
    column = classes.sensitive["s"]
    counted = Counter(cells)
    assert column.reference.tolist() == [counted[v] for v in [*column.values, None]]
    assert sorted(column.values) == sorted({c for c in cells if c is not None})
    inside = Counter(c for c, k in zip(cells, kept, strict=True) if k)
    assert np.asarray(column.counts.sum(axis=0)).tolist() == [
        inside[v] for v in [*column.values, None]
    ]


def test_missing_under_none_or_an_empty_text():
    frame = pd.DataFrame({"q": [1], "s": ["a"]})
    for missing in (None, "", np.nan):
        reference = {"a": 1, missing: 4}
        column = Classes.from_frame(
            frame, ["q"], ["s"], references={"s": reference}
        ).sensitive["s"]
        assert column.reference.tolist() == [1, 4]


def test_blanked_cells_need_no_place_in_the_input():
    frame = pd.DataFrame({"q": [1, 1], "s": ["a", None]})
    column = Classes.from_frame(
        frame, ["q"], ["s"], references={"s": {"a": 2}}
    ).sensitive["s"]
    assert column.reference.tolist() == [2, 0]
    assert column.counts.toarray().tolist() == [[1, 1]]


def test_counts_take_the_same_options():
    table = pd.DataFrame({"q": ["a", "b"], "s": ["x", "y"], "count": [2, 3]})
    tree = Hierarchy([("x", "*"), ("y", "*"), ("z", "*")])
    everyone = pd.DataFrame({"q": ["a", "b", "c"], "count": [5, 6, 7]})
    classes = Classes.from_counts(
        table,
        sensitive=["s"],
        references={"s": {"x": 2, "y": 3, "z": 5}},
        hierarchies={"s": tree},
        population=everyone,
    )
    column = classes.sensitive["s"]
    assert column.reference.tolist() == [2, 3, 5, 0]
    assert column.hierarchy is tree
    assert classes.population_sizes.tolist() == [5, 6]
    assert classes.population_outside == 7


def test_merging_carries_everything():
    frame = pd.DataFrame({"q": list("aabc"), "s": list("xyxz"), "u": list("pqpp")})
    tree = Hierarchy([(v, "*") for v in "xyz"])
    classes = Classes.from_frame(
        frame,
        ["q"],
        ["s", "u"],
        references={"s": {"x": 9, "y": 9, "z": 9, "w": 9}, "u": {"p": 3, "q": 1}},
        hierarchies=None,
        population=pd.DataFrame({"q": list("aaaabbccc")}),
    )
    trees = Classes.from_frame(frame, ["q"], ["s"], hierarchies={"s": tree})
    merged = classes.merge(np.array([0, 0, -1]), 1)
    column = merged.sensitive["s"]
    assert (column.origin, column.reference.tolist()) == ("input", [9, 9, 9, 9, 0])
    assert trees.merge(np.array([0, 0, 0]), 1).sensitive["s"].hierarchy is tree
    assert merged.population_sizes.tolist() == [6]
    assert merged.population_outside == 3
    finer, owner = merged.finer("s")
    # Classes have no order.
    assert sorted(finer.counts.toarray().tolist()) == [
        [0, 0, 1, 0, 0],
        [0, 2, 0, 0, 0],
    ]
    assert owner.tolist() == [0, 0]


pairs = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.sampled_from(["x", "y", None]),
        st.sampled_from([1.0, 2.0, np.nan]),
        st.sampled_from(["p", "q"]),
    ),
    min_size=1,
    max_size=20,
)


@given(pairs, st.data())
def test_finer_classes_agree_in_the_other_columns(rows, data):
    frame = pd.DataFrame(rows, columns=["q", "s", "n", "u"]).astype({"s": object})
    classes = Classes.from_frame(frame, ["q"], ["s", "n", "u"])
    n = classes.n_classes
    into = np.array(data.draw(st.lists(st.integers(-1, 1), min_size=n, max_size=n)))
    merged = classes.merge(into, 2)
    labeled = frame.assign(q=into[classes.labels])
    labeled = labeled[labeled["q"] >= 0]
    for name in ("s", "n", "u"):
        others = [c for c in ("q", "s", "n", "u") if c != name]
        column, owner = merged.finer(name)
        texts = [*column.texts, None]
        found = Counter()
        for row, own in zip(column.counts.toarray(), owner, strict=True):
            counts = {t: c for t, c in zip(texts, row.tolist(), strict=True) if c}
            found[own, tuple(sorted(counts.items(), key=str))] += 1
        expected = Counter()
        if len(labeled):
            for key, part in labeled.groupby(others, dropna=False, sort=False):
                counts = distribution(part[name])
                expected[key[0], tuple(sorted(counts.items(), key=str))] += 1
        assert found == expected


def test_a_blanked_class_has_no_value_left():
    frame = pd.DataFrame({"q": list("aab"), "s": list("xyx"), "u": list("ppq")})
    classes = Classes.from_frame(frame, ["q"], ["s", "u"]).blanked(0)
    assert classes.sensitive["s"].counts.toarray().tolist() == [[0, 0, 2], [1, 0, 0]]
    finer, owner = classes.finer("s")
    assert finer.counts.toarray().tolist() == [[0, 0, 2], [1, 0, 0]]
    assert owner.tolist() == [0, 1]


def test_counts_that_were_changed_one_by_one_are_not_trusted_together():
    frame = pd.DataFrame({"q": list("aab"), "s": list("xyx"), "u": list("ppq")})
    classes = Classes.from_frame(frame, ["q"], ["s", "u"])
    changed = Classes(
        classes.sizes,
        classes.rows,
        sensitive=classes.blanked(0).sensitive,
        _joint=classes._joint,
    )
    with pytest.raises(NotEvaluable, match="counted one by one"):
        changed.finer("s")


def test_the_rows_of_an_anonymizer_are_the_input():
    frame = pd.DataFrame({"q": list("ab"), "s": list("xy")})
    column = Classes.from_frame(frame, ["q"], ["s"]).sensitive["s"]
    assert column.origin == "released"
    from anon_transformers._data.columns import identify

    labeled = Classes.from_labels(
        np.array([0, -1]), 1, sensitive=[identify(frame["s"])]
    )
    assert labeled.sensitive["s"].origin == "input"
    assert labeled.sensitive["s"].reference.tolist() == [1, 1, 0]


class TestPopulation:
    released = pd.DataFrame({"age": [20.0, 20.0, np.nan], "sex": ["f", "f", "*"]})

    @pytest.mark.parametrize(
        "ages", [[20, 20, 20, None, 99], ["20", "20", "20", None, "99"]]
    )
    def test_values_are_matched_by_their_text(self, ages):
        everyone = pd.DataFrame(
            {"age": ages, "sex": ["f", "f", "m", "*", "f"], "more": 1}
        )
        classes = Classes.from_frame(self.released, ["age", "sex"], population=everyone)
        assert classes.population_sizes.tolist() == [2, 1]
        assert classes.population_outside == 2

    def test_persons_of_each_class(self):
        classes = Classes.from_frame(self.released, ["age"], population=[5, 9])
        assert classes.population_sizes.tolist() == [5, 9]

    def test_fewer_persons_than_rows(self):
        everyone = self.released.iloc[1:]
        with pytest.raises(DataError, match="population: 1 classes have fewer persons"):
            Classes.from_frame(self.released, ["age", "sex"], population=everyone)

    def test_a_column_is_missing(self):
        with pytest.raises(DataError, match="population: unknown column 'sex'"):
            Classes.from_frame(
                self.released, ["age", "sex"], population=pd.DataFrame({"age": [1]})
            )

    @pytest.mark.parametrize("given", [[5], [5.5, 9.5], "many", [[5, 9]]])
    def test_numbers_that_are_no_classes(self, given):
        with pytest.raises(DataError, match="for each of the 2 classes"):
            Classes.from_frame(self.released, ["age"], population=given)


class TestRefusals:
    frame = pd.DataFrame({"q": [1, 1, 2], "s": ["secret", "secret", "b"]})

    def open(self, **options):
        return Classes.from_frame(self.frame, ["q"], ["s"], **options)

    def test_a_reference_of_another_table(self):
        with pytest.raises(DataError, match="'s' holds values in 2 rows") as caught:
            self.open(references={"s": {"b": 5}})
        assert "secret" not in str(caught.value)

    @pytest.mark.parametrize("option", ["references", "hierarchies"])
    def test_a_column_that_is_not_sensitive(self, option):
        with pytest.raises(ParameterError, match=f"{option}: unknown sensitive column"):
            self.open(**{option: {"q": {}}})

    @pytest.mark.parametrize("rows", [-1, 1.5, None, "2"])
    def test_a_reference_that_counts_no_rows(self, rows):
        with pytest.raises(ParameterError, match="1 of 2 entries do not") as caught:
            self.open(references={"s": {"secret": rows, "b": 1}})
        assert "secret" not in str(caught.value)

    def test_a_reference_that_is_no_mapping(self):
        with pytest.raises(ParameterError, match="must be a mapping of text to rows"):
            self.open(references={"s": [1, 2]})

    def test_a_reference_of_texts_for_numbers(self):
        frame = pd.DataFrame({"q": [1], "s": [5]})
        with pytest.raises(DataError, match="numbers or dates"):
            Classes.from_frame(frame, ["q"], ["s"], references={"s": {"five": 1}})

    def test_a_reference_beyond_the_ordered_categories(self):
        cells = pd.Categorical(["low"], ["low", "top"], ordered=True)
        frame = pd.DataFrame({"q": [1], "s": cells})
        with pytest.raises(DataError, match="1 values for column 's'"):
            Classes.from_frame(
                frame, ["q"], ["s"], references={"s": {"low": 1, "mid": 1}}
            )

    def test_no_hierarchy(self):
        with pytest.raises(ParameterError, match="'s' has is no Hierarchy"):
            self.open(hierarchies={"s": {"a": "b"}})

    def test_a_value_of_the_input_that_the_tree_lacks(self):
        tree = Hierarchy([("secret", "*"), ("b", "*")])
        reference = {"secret": 2, "b": 1, "other": 1}
        with pytest.raises(DataError, match="hierarchy does not have"):
            self.open(references={"s": reference}, hierarchies={"s": tree})

    @pytest.mark.parametrize("counted", [False, True])
    def test_more_rows_of_a_value_than_its_input_has(self, counted):
        cells = ["secret"] * 3 + ["b"] * 2 + [None]
        frame = pd.DataFrame({"q": [1] * 6, "s": cells})
        build = Classes.from_frame
        if counted:
            build = Classes.from_counts
            frame = frame.groupby(["q", "s"], dropna=False).size().reset_index()
            frame = frame.rename(columns={0: "count"})
        build(frame, ["q"], ["s"], references={"s": {"secret": 3, "b": 2}})
        with pytest.raises(DataError, match=r"'s' holds .* in 3 rows more") as caught:
            build(frame, ["q"], ["s"], references={"s": {"secret": 1, "b": 1}})
        assert "another table" in str(caught.value)
        assert "secret" not in str(caught.value)


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from([*"pqrst"]), st.sampled_from(["flu", "Flu", "NA", None])
        ),
        min_size=1,
        max_size=25,
    )
)
def test_what_persons_hold_together_is_a_reference_by_spelling_and_as_read(rows):
    frame = pd.DataFrame(rows, columns=["who", "s"], dtype=object).assign(q=1)
    found = distribution(frame["s"], frame["who"], together=True)
    held = {
        value: {who for who, own in rows if own == value}
        for value in ("flu", "Flu", "NA", None)
    }
    n_persons = len({who for who, _ in rows})
    assert sum(found.values()) == n_persons
    column = Classes.from_frame(
        frame, ["q"], ["s"], subject="who", references={"s": found}
    ).sensitive["s"]
    assert column.reference.tolist() == [
        *(len(held[value]) for value in column.values),
        len(held[None]),
    ]
    if column.reference_persons is None:  # nobody holds several
        assert column.reference.sum() == n_persons
    else:
        assert column.reference_persons == n_persons
    read = column.as_read()
    if read is not None:
        flu, lost = held["flu"] | held["Flu"], held["NA"] | held[None]
        assert read.reference.tolist() == [len(flu)] * bool(flu) + [len(lost)]

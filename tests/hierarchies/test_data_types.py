"""Hierarchies by data type: the chains, step counts and traps of the specification."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.hierarchies import (
    ByDataType,
    detect_data_type,
    register_data_type,
)
from anon_transformers.hierarchies._data_types import DATA_TYPES

FILE = Path(__file__).parents[1] / "data" / "vectors" / "mondrian-datafly.json"
VECTORS = {v["name"]: v for v in json.loads(FILE.read_text("utf-8"))["vectors"]}
CHAINS = [
    "chain_int",
    "chain_date",
    "chain_char",
    "chain_double",
    "chain_string",
    "string_equal_lengths_no_noop",
    "int_negative_truncation",
]


def chain(values, of, type=None):
    """The generalizations of one value of a column."""
    rows = ByDataType(type).build(values).rows
    return list(next(row for row in rows if row[0] == of))


@pytest.mark.parametrize("name", CHAINS)
def test_the_chains_of_the_source(name):
    vector = VECTORS[name]
    values = vector["input"].get("column") or [vector["input"]["value"]]
    expected = vector["expected"]
    first = expected.get("chain") or expected["chain_of_first"]
    declared = vector["parameters"]["type"]
    assert chain(values, values[0], declared) == first
    if "chain_of_second" in expected:
        assert chain(values, values[1], declared) == expected["chain_of_second"]
    if "steps_to_top" in expected:
        assert len(first) - 1 == expected["steps_to_top"]


@pytest.mark.parametrize(
    ("type", "values", "expected"),
    [
        ("char", ["x", "é"], ["x", "*"]),
        ("int", ["2147483647"], None),
        ("int", ["0"], ["0", "0"]),
        ("int", ["-7", "12"], ["-7", "0", "0"]),
        ("int", ["007"], ["007", "0"]),
        ("int", ["+45"], ["+45", "40", "0"]),
        ("double", ["-0.05", "1.5"], ["-0.05", "0.0", "0", "0"]),
        ("double", ["-12.75", "3.25"], ["-12.75", "-12.7", "-12", "-10", "0"]),
        ("double", ["12", "7"], ["12", "10", "0"]),
        ("double", ["0.999", "1"], ["0.999", "0", "0"]),
        ("double", ["1.50", "1.5"], ["1.50", "1.5", "1", "0"]),
        ("double", ["5e-05", "0.25"], ["5e-05", "0.00", "0.0", "0", "0"]),
        ("double", ["1.2e3", "3.5"], ["1.2e3", "1200", "1200", "1200", "1000", "0"]),
        ("date", ["00/00/1980"],
         ["00/00/1980", "00/1980", "1980", "1980", "1900", "1000", "0"]),
        ("string", ["a"], ["a", "*"]),
        ("string", ["ab", "a"], ["ab", "a", "*"]),
        ("string", ["a\nb", "xyz"], ["a\nb", "a\n", "a", "*"]),
    ],
)  # fmt: skip
def test_traps(type, values, expected):
    found = chain(values, values[0], type)
    if expected is None:
        assert (
            len(found) - 1 == VECTORS["max_generalisations_per_type"]["expected"]["int"]
        )
    else:
        assert found == expected


ints = st.integers(-(10**9), 10**9).map(str)
doubles = st.decimals(-9999, 9999, allow_nan=False, places=4).map(str) | ints
dates = st.dates().map(lambda d: f"{d:%d/%m/}{d.year:04}")
texts = st.text(min_size=1, max_size=8)


def columns(values):
    return st.lists(values, min_size=1, max_size=10, unique=True)


@given(columns(ints))
def test_int_cuts_digits_towards_zero(values):
    top = max(len(value.lstrip("-")) for value in values)
    tree = ByDataType("int").build(values)
    assert tree.n_levels - 1 == top
    for value, *above in tree.rows:
        number = int(value)
        for level, text in enumerate(above, start=1):
            size = abs(number) - abs(number) % 10**level
            assert int(text) == (size if number >= 0 else -size)
            assert text != "-0"


@given(columns(doubles))
def test_double_cuts_decimals_then_digits(values):
    decimals = [len(v.partition(".")[2]) for v in values]
    whole = max(len(v.partition(".")[0].lstrip("-")) for v in values)
    tree = ByDataType("double").build(values)
    fewest, most = min(decimals), max(decimals)
    assert tree.n_levels - 1 == (most > fewest) + fewest + whole
    assert tree.root == "0"
    for value, *above in tree.rows:
        for text in above:
            # Cut towards zero: never larger, never another sign, never -0.
            assert abs(float(text)) <= abs(float(value))
            assert float(text) * float(value) >= 0
            assert not (text.startswith("-") and float(text) == 0)


@given(columns(dates))
def test_dates_always_take_six_steps(values):
    tree = ByDataType("date").build(values)
    assert tree.n_levels - 1 == 6
    for value, month, year, *digits in tree.rows:
        assert (month, year) == (value[3:], value[6:])
        assert [int(d) for d in digits] == [
            int(year) // 10**i * 10**i for i in (1, 2, 3, 4)
        ]


@given(columns(texts))
def test_strings_lose_characters_from_the_right(values):
    lengths = [len(value) for value in values]
    tree = ByDataType("string").build(values)
    assert tree.n_levels - 1 == (max(lengths) > min(lengths)) + min(lengths)
    assert tree.n_levels - 1 <= max(lengths)
    for value, *above, root in tree.rows:
        assert root == "*"
        assert above == [value[: len(text)] for text in above]
        assert [len(text) for text in above] == list(range(len(above), 0, -1))


@given(st.one_of(columns(kind) for kind in (ints, doubles, dates, texts)))
def test_every_column_has_a_type_and_a_sound_hierarchy(values):
    tree = ByDataType().build(values)
    assert sorted(tree.leaves) == sorted(values)
    assert tree.level(tree.n_levels - 1).labels.tolist() == [tree.root]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["10/02/1234"], "date"),
        (["7", "-12"], "int"),
        (["7", "1.5"], "double"),
        (["1e-05", "0.5"], "string"),
        (["12E1", "12E2", "13E1"], "string"),
        (["7", "x"], "char"),
        (["7", "xy"], "string"),
        (["1,5"], "string"),
        (["1."], "string"),
        (["\n"], "char"),
        (["٣٤"], "string"),
    ],
)
def test_detection_takes_the_first_type_that_all_values_match(values, expected):
    assert detect_data_type(values) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1e-05", "0.5"], "double"),
        (["1210", "1220"], "double"),
        (["7"], "double"),
        (["inf", "0.5"], "string"),
    ],
)
def test_floats_are_doubles_even_where_they_are_whole(values, expected):
    assert detect_data_type(values, of_floats=True) == expected
    assert ByDataType("double").build(["1210", "7"]).rows == (
        ByDataType("int").build(["1210", "7"]).rows
    )


def test_an_empty_text_has_no_type():
    with pytest.raises(DataError, match="empty texts"):
        detect_data_type(["a", ""])


def test_what_is_not_of_the_declared_type_is_counted_and_not_told():
    with pytest.raises(DataError, match="2 values do not look like int") as caught:
        ByDataType("int").build(["12", "s3cret", "1.5"])
    assert "s3cret" not in str(caught.value)


def test_a_type_that_does_not_exist():
    with pytest.raises(ParameterError, match=r"'dates'; did you mean 'date'\?"):
        ByDataType("dates")


class TestRegistration:
    @pytest.fixture(autouse=True)
    def types(self):
        before = dict(DATA_TYPES)
        yield
        DATA_TYPES.clear()
        DATA_TYPES.update(before)

    def test_a_new_type_is_tried_first(self):
        register_data_type(
            "plate", r"[A-Z]{2}-[0-9]+", lambda values: [[v[:2], "*"] for v in values]
        )
        assert detect_data_type(["ZH-1", "BE-22"]) == "plate"
        assert chain(["ZH-1", "BE-22"], "ZH-1") == ["ZH-1", "ZH", "*"]
        assert detect_data_type(["12"]) == "int"

    def test_a_new_type_may_be_one_of_floats(self):
        register_data_type(
            "unit", r"0[.][0-9]+", lambda values: [["*"] for _ in values]
        )
        assert detect_data_type(["0.5", "0.25"], of_floats=True) == "unit"

    def test_the_rule_of_a_type_can_be_changed(self):
        register_data_type("char", r".", lambda values: [["any"] for _ in values])
        assert chain(["x"], "x", "char") == ["x", "any"]
        assert list(DATA_TYPES).count("char") == 1

    def test_a_rule_that_ends_in_two_roots_is_refused(self):
        register_data_type("odd", r".*", lambda values: [[v[:1]] for v in values])
        with pytest.raises(DataError, match="another root"):
            ByDataType("odd").build(["ab", "ba"])

    def test_a_pattern_that_is_none(self):
        with pytest.raises(ParameterError, match="no regular expression"):
            register_data_type("odd", "(", lambda values: [])


@pytest.mark.parametrize(
    ("type_", "value", "others", "fixed"),
    [
        ("int", "1234", ["7", "98765"], True),
        ("date", "31/01/2026", ["01/12/1950"], True),
        ("char", "a", ["b"], True),
        ("double", "1.25", ["7.5", "3"], False),
        ("string", "Smith", ["Al"], False),
    ],
)
def test_types_whose_labels_depend_on_other_values_say_so(type_, value, others, fixed):
    alone, among = (
        ByDataType(type_).build([value, *more]).rows[0] for more in ([], others)
    )
    # A larger number adds levels at the top, which are the root.
    same = all(a == b for a, b in zip(alone, among, strict=False))
    assert same == fixed
    assert bool(ByDataType(type_).extremes) != fixed


def test_a_type_that_is_guessed_or_registered_says_so(monkeypatch):
    assert ByDataType().extremes
    monkeypatch.setitem(
        DATA_TYPES, "int", replace(DATA_TYPES["int"], rule=lambda values: [])
    )
    assert ByDataType("int").extremes

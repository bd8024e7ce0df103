"""The contract checks of readers: the registered ones pass, broken ones fail."""

import pandas as pd
import pytest

from anon_transformers.exceptions import DataError
from anon_transformers.registry import registry
from anon_transformers.testing import check_reader, reader_checks

pytest.importorskip("pydantic")


@pytest.fixture
def people(tmp_path):
    table = pd.DataFrame({"age": [20, 30], "land": ["AT", None]})
    table.to_csv(tmp_path / "people.csv", index=False)
    table.to_parquet(tmp_path / "people.parquet")
    return tmp_path


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_registered_readers_keep_the_contract(people, kind):
    check_reader(registry().readers[kind], {"path": people / f"people.{kind}"})


def read(path, **changes):
    table = pd.read_csv(path)
    for name, value in changes.items():
        setattr(table, name, value)
    return table


def takes_anything(**options):
    return pd.read_csv(options["path"])


def takes_places(path, /):
    return pd.read_csv(path)


def returns_a_list(path):
    return pd.read_csv(path).to_numpy().tolist()


def returns_no_row(path):
    return pd.read_csv(path).iloc[:0]


def numbers_columns(path):
    return pd.read_csv(path).set_axis([0, 1], axis=1)


def names_columns_alike(path):
    return pd.read_csv(path).set_axis(["a", "a"], axis=1)


def keeps_an_index(path):
    return pd.read_csv(path, index_col="age")


def keeps_attributes(path):
    table = pd.read_csv(path)
    table.attrs["path"] = str(path)
    return table


def nests(path):
    return pd.read_csv(path).assign(parts=[[1], [2]])


def counts_calls(path, calls=[]):  # noqa: B006
    calls.append(path)
    return pd.read_csv(path).assign(call=len(calls))


def leaves_a_file(path):
    path = str(path)
    pd.read_csv(path).to_csv(f"{path}.copy")
    return pd.read_csv(path)


def invents(path):
    try:
        return pd.read_csv(path)
    except FileNotFoundError:
        return pd.DataFrame({"age": [1]})


def raises_anything(path):
    try:
        return pd.read_csv(path)
    except FileNotFoundError:
        raise KeyError("oops") from None


BROKEN = [
    (takes_anything, "check_options_are_named", r"\['options'\]"),
    (takes_places, "check_options_are_named", "by place only"),
    (returns_a_list, "check_tables_are_read", "a list"),
    (returns_no_row, "check_tables_are_read", "no row"),
    (numbers_columns, "check_tables_are_read", "2 names that are no text"),
    (names_columns_alike, "check_tables_are_read", "1 that stand twice"),
    (keeps_an_index, "check_tables_are_read", "another index"),
    (keeps_attributes, "check_tables_are_read", r"attrs \['path'\]"),
    (nests, "check_cells_are_single_values", "2 others in column 3"),
    (counts_calls, "check_reading_again_gives_the_same", "another table"),
    (leaves_a_file, "check_source_is_left_alone", "1 files or folders"),
    (invents, "check_missing_file_is_refused", "a table for path"),
]


@pytest.mark.parametrize(
    ("broken", "check", "message"),
    [pytest.param(*case, id=f"{case[0].__name__}-{case[1]}") for case in BROKEN],
)
def test_a_broken_reader_fails(people, broken, check, message):
    checks = dict(reader_checks(broken, {"path": people / "people.csv"}))
    with pytest.raises(AssertionError, match=message):
        checks[check]()


def test_all_failures_are_told_at_once(people):
    with pytest.raises(AssertionError) as reported:
        check_reader(raises_anything, {"path": people / "people.csv"})
    assert "raises_anything fails 1 of 10 contract checks" in str(reported.value)
    assert "raised KeyError" in str(reported.value)


def test_an_option_that_a_reader_does_not_take_is_told(people):
    options = {"path": people / "people.csv", "sheet": 1}
    with pytest.raises(AssertionError, match="unknown parameter 'sheet'"):
        check_reader(keeps_an_index, options)


class Graphs:
    """Read a list of edges."""

    kind = "graph"

    def __call__(self, path):
        return pd.read_csv(path), None


class OnlyEdges(Graphs):
    def __call__(self, path):
        return pd.read_csv(path)


def test_a_reader_of_graphs_returns_two_tables(people):
    options = {"path": people / "people.csv"}
    check_reader(Graphs(), options)
    with pytest.raises(AssertionError, match="returns edges and nodes"):
        check_reader(OnlyEdges(), options)


def test_a_reader_may_refuse_in_the_words_of_the_library(people):
    def careful(path):
        try:
            return pd.read_csv(path)
        except FileNotFoundError:
            raise DataError("there is no such file.") from None

    check_reader(careful, {"path": people / "people.csv"})


ZIPS = pd.DataFrame({"age": [20, 30], "zip": ["01234", "00501"]})


def read_lines(path):
    return pd.read_json(path, lines=True, dtype=False)


def guesses_types(path):
    return pd.read_json(path, lines=True)


@pytest.fixture
def lines(tmp_path):
    ZIPS.to_json(tmp_path / "people.jsonl", orient="records", lines=True)
    return {"path": tmp_path / "people.jsonl"}


def test_codes_with_leading_zeros_stay_texts(lines):
    check_reader(read_lines, lines, expected=ZIPS)
    with pytest.raises(AssertionError, match=r"- A text of .*check_codes_stay_texts"):
        check_reader(guesses_types, lines)
    with pytest.raises(AssertionError, match="'zip' 2 of 2 cells, the first: '01234'"):
        check_reader(guesses_types, lines, expected=ZIPS)


def test_another_table_than_the_expected_one_fails(lines):
    with pytest.raises(AssertionError, match=r" 2 rows.*read_as_they_are"):
        check_reader(read_lines, lines, expected=pd.concat([ZIPS, ZIPS[:1]]))
    with pytest.raises(AssertionError, match="The expected columns are read"):
        check_reader(read_lines, lines, expected=ZIPS[["zip", "age"]])


DAYS = pd.DataFrame(
    {
        "day": pd.to_datetime(["2024-02-29", None]),
        "ill": [True, False],
        "code": ["7", None],
    }
)


def reads_texts(path):
    return pd.read_csv(path, dtype=str)


def reads_days(path):
    return pd.read_csv(path, dtype={"code": str}, parse_dates=["day"])


def test_numbers_and_dates_that_are_read_as_texts_are_told(tmp_path):
    ages = {"path": tmp_path / "ages.csv"}
    ZIPS.to_csv(ages["path"], index=False)
    message = r"'age' 2 texts.*check_numbers_and_dates_are_read"
    with pytest.raises(AssertionError, match=message):
        check_reader(reads_texts, ages, expected=ZIPS)
    check_reader(reads_texts, ages, expected=ZIPS.astype({"age": str}))
    days = {"path": tmp_path / "days.csv"}
    DAYS.to_csv(days["path"], index=False)
    with pytest.raises(AssertionError, match=r"'day' 1 texts") as error:
        check_reader(reads_texts, days, expected=DAYS)
    assert "'ill'" not in str(error.value)
    check_reader(reads_days, days, expected=DAYS)


VISITS = pd.DataFrame({"visits": pd.array([1, None, 30], dtype="Int64")})
SHARES = pd.DataFrame({"share": [1.0, None, 2.5], "even": [2.0, 4.0, None]})


def read_whole(path):
    return pd.read_csv(path, dtype={"visits": "Int64"})


def makes_decimals(path):
    return pd.read_csv(path)


@pytest.fixture
def visits(tmp_path):
    VISITS.assign(name=["a", "b", "c"]).to_csv(tmp_path / "visits.csv", index=False)
    return {"path": tmp_path / "visits.csv"}


def test_a_whole_number_beside_a_missing_cell_gets_no_fraction(visits):
    check_reader(read_whole, visits)
    message = "read as 1, also beside missing.* 'visits' 2 numbers that got a fraction"
    with pytest.raises(AssertionError, match=message):
        check_reader(makes_decimals, visits)


def test_numbers_that_are_written_with_a_fraction_keep_it(tmp_path):
    SHARES.to_csv(tmp_path / "shares.csv", index=False)
    check_reader(makes_decimals, {"path": tmp_path / "shares.csv"})
    SHARES.to_parquet(tmp_path / "shares.parquet")
    check_reader(registry().readers["parquet"], {"path": tmp_path / "shares.parquet"})


def test_an_expected_table_that_pandas_made_decimals_of_is_told(tmp_path):
    VISITS.astype(float).to_parquet(tmp_path / "visits.parquet")
    options = {"path": tmp_path / "visits.parquet"}
    with pytest.raises(AssertionError, match=r"column 'visits' of expected.*'Int64'"):
        check_reader(pd.read_parquet, options, expected=VISITS.astype(float))
    with pytest.raises(AssertionError, match=r"first: '1' came back as '1\.0'"):
        check_reader(pd.read_parquet, options, expected=VISITS)

"""The contract checks of writers: the registered ones pass, broken ones fail."""

import pandas as pd
import pytest

from anon_transformers.registry import registry
from anon_transformers.testing import check_writer, writer_checks

pytest.importorskip("pydantic")


@pytest.mark.parametrize("name", ["csv", "parquet"])
def test_registered_writers_keep_the_contract(name):
    found = registry()
    check_writer(found.writers[name], found.readers[name], suffix=f".{name}")


def plain(frame):
    return pd.DataFrame(dict(frame.items())).reset_index(drop=True)


def writes(frame, path):
    plain(frame).to_pickle(path)


def writes_two(frame, path):
    writes(frame, path)
    frame.to_csv(f"{path}.csv")


def writes_elsewhere(frame, path):
    writes(frame, f"{path}.pickle")


def appends(frame, path):
    if path.exists():
        frame = pd.concat([pd.read_pickle(path), frame])
    writes(frame, path)


def spoils(frame, path):
    writes(frame, path)
    frame.iloc[0] = frame.iloc[1]


def loses_a_column(frame, path):
    writes(frame.iloc[:, 1:], path)


def loses_zeros(frame, path):
    writes(frame.assign(code=frame["code"].str.lstrip("0")), path)


def guesses_numbers(frame, path):
    writes(frame.assign(zip=pd.to_numeric(frame["zip"])), path)


def loses_a_row(frame, path):
    writes(frame.iloc[1:], path)


def keeps_the_index(frame, path):
    frame.to_pickle(path)


BROKEN = [
    (writes_two, "check_one_file_is_written", r"'table.dat', 'table.dat.csv'"),
    (writes_elsewhere, "check_one_file_is_written", "table.dat.pickle"),
    (appends, "check_an_older_file_is_replaced", "40 rows"),
    (spoils, "check_frame_is_left_alone", "another table"),
    (loses_a_column, "check_cells_are_read_back", "6 columns of 7"),
    (
        loses_zeros,
        "check_cells_are_read_back",
        "in column 'code' 1 of 4 cells, the first: '007' came back as '7'",
    ),
    (guesses_numbers, "check_cells_are_read_back", "'01234' came back as '1234'"),
    (loses_a_row, "check_cells_are_read_back", "3 rows"),
    (keeps_the_index, "check_nothing_else_is_written", "one of these"),
]


@pytest.mark.parametrize(
    ("broken", "check", "message"),
    [pytest.param(*case, id=f"{case[0].__name__}-{case[1]}") for case in BROKEN],
)
def test_a_broken_writer_fails(broken, check, message):
    with pytest.raises(AssertionError, match=message):
        dict(writer_checks(broken, pd.read_pickle))[check]()


def test_a_sound_writer_passes_and_tells_how_far_it_is(capsys):
    check_writer(writes, pd.read_pickle, verbose=True)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 5
    assert said[0].startswith("[1/5] check_one_file_is_written passed in ")


def test_progress_tells_what_failed(capsys):
    with pytest.raises(AssertionError, match="fails 1 of 5"):
        check_writer(keeps_the_index, pd.read_pickle, verbose=True)
    assert "[5/5] check_nothing_else_is_written FAILED in " in capsys.readouterr().err

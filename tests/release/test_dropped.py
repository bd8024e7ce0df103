"""Columns that are declared as dropped: read, never used, never published."""

import pandas as pd
import pytest

from anon_transformers.exceptions import ConfigurationError, DataError
from anon_transformers.release import anonymize, load, publish, run_release, validate

MARK = "LOCKERMARK"


def with_locker(release, **roles):
    """A column that repeats, as an identifier of persons would."""
    head, *rows = [line.split(",") for line in release.source.read_text().split()]
    lockers = [f"{MARK}{number // 4}" for number in range(len(rows))]
    lines = [[*head, "locker_no"]]
    lines += [[*row, locker] for row, locker in zip(rows, lockers, strict=True)]
    release.write_rows(lines)
    stated = {"dropped": ["locker_no"], "accept_repeated": ["locker_no"], **roles}
    release.write(roles={**release.content["roles"], **stated})
    return release


def every_byte(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_dropped_column_leaves_no_trace_in_any_step(release):
    with_locker(release)
    run = load(release.file)
    assert "locker_no" not in pd.read_parquet(f"{run}/input.parquet").columns
    for step in (anonymize, validate, publish):
        for path, content in every_byte(release.work).items():
            assert MARK.encode() not in content, path
        step(run)
    for path, content in every_byte(release.target).items():
        assert MARK.encode() not in content, path
        assert b"locker" not in content, path
    published = release.target / "current" / "data.csv"
    assert list(pd.read_csv(published).columns) == ["age", "zip", "job", "note"]


def test_it_may_repeat_where_an_identifier_may_not_if_that_is_accepted(release):
    roles = release.content["roles"]
    hidden = {"dropped": [], "accept_repeated": []}
    with_locker(release, identifiers=["name", "locker_no"], **hidden)
    with pytest.raises(DataError, match="rows would be counted for persons"):
        load(release.file)
    release.write(roles={**roles, "dropped": ["locker_no"]})
    with pytest.raises(DataError, match="rows would be counted for persons"):
        load(release.file)
    accepted = {"dropped": ["locker_no"], "accept_repeated": ["locker_no"]}
    release.write(roles={**roles, **accepted})
    run_release(release.file)


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"dropped": ["locker_no", "job"]}, "declared as sensitive and as dropped"),
        ({"dropped": ["locker_no", "locker_no"]}, "named twice under dropped"),
        ({"subject": "locker_no"}, "subject 'locker_no' has another role too"),
    ],
)
def test_a_dropped_column_has_no_other_role(release, roles, message):
    with_locker(release, **roles)
    with pytest.raises(ConfigurationError, match=message):
        load(release.file)


def test_a_dropped_column_must_be_there(release):
    release.write(roles={**release.content["roles"], "dropped": ["locker_no"]})
    assert "unknown column 'locker_no'" in release.refusal(DataError)


def test_an_undeclared_column_is_told_of_the_role(release):
    with_locker(release, dropped=[], accept_repeated=[])
    said = release.refusal(DataError)
    assert "1 column has no declared role" in said
    assert "dropped" in said


def test_swaps_do_not_see_it_either(release):
    head, *rows = [line.split(",") for line in release.source.read_text().split()]
    more = [[f"{name}{turn}", *rest] for turn in "abc" for name, *rest in rows]
    release.write_rows([head, *more])
    with_locker(release)
    release.write(
        anonymizer={"name": "group-swap"},
        thresholds=[{"model": "probabilistic-k-anonymity", "k": 2}],
    )
    run = load(release.file)
    anonymize(run)
    for path, content in every_byte(release.work).items():
        assert MARK.encode() not in content, path


def test_weights_and_labels_of_a_graph_can_be_dropped(release):
    pytest.importorskip("anon_transformers_graphs")
    pairs = [(a, b) for a in range(12) for b in range(a + 1, 12) if (a * b) % 5 != 2]
    release.write_rows([
        ["one", "two", "since"], *([f"p{a}", f"p{b}", f"{MARK}{a}"] for a, b in pairs)
    ])  # fmt: skip
    (release.folder / "nodes.csv").write_text(
        "name,hair\n" + "".join(f"p{i},{MARK}{i}\n" for i in range(12))
    )
    release.write(
        source={"kind": "graph", "edges": "people.csv", "nodes": "nodes.csv"},
        roles={"identifiers": ["one", "two", "name"], "dropped": ["since", "hair"]},
        anonymizer={"name": "k-degree"},
        thresholds=[{"model": "k-degree", "k": 2}],
    )
    run = load(release.file)
    for path, content in every_byte(release.work).items():
        assert MARK.encode() not in content, path
    anonymize(run)
    validate(run)
    publish(run)
    for path, content in every_byte(release.target).items():
        assert MARK.encode() not in content, path
        assert b"hair" not in content, path

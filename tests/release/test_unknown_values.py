"""Values that the hierarchies of a release do not have: what is said, what is done."""

import csv

import pytest

pytest.importorskip("great_expectations")

from anon_transformers.exceptions import DataError, InfeasibleError
from anon_transformers.release import run_release

AGES = "".join(
    f"{age};{'young' if age < 40 else 'old'};*\n" for age in range(20, 58)
)  # people of the release are up to 60


def write(release, unknown, **method):
    """Hierarchies that lack the zip 110 and the highest ages."""
    (release.folder / "zip.csv").write_text("007;00*;*\n008;00*;*\n")
    (release.folder / "age.csv").write_text(AGES)
    policy = {} if unknown is None else {"unknown": unknown}
    release.write(
        hierarchies={
            name: {"path": f"{name}.csv", **policy} for name in ("age", "zip")
        },
        anonymizer={"name": "mondrian", **method},
    )
    with release.source.open() as file:
        rows = list(csv.DictReader(file))
    return {
        "age": sum(int(row["age"]) > 57 for row in rows),
        "zip": sum(row["zip"] == "110" for row in rows),
    }


def test_one_error_names_all_columns_in_the_keys_of_the_file(release):
    lacking = write(release, None)
    assert min(lacking.values()) > 0
    with pytest.raises(DataError) as caught:
        run_release(release.file)
    said = str(caught.value)
    for column, count in lacking.items():
        assert f"hierarchies.{column}.unknown ({count} rows)" in said
    assert "unknown=" not in said
    assert "110" not in said
    assert not (release.target / "current").exists()


def test_too_many_suppressed_rows_name_the_columns_too(release):
    lacking = write(release, "suppress", suppression_limit=0.01)
    with pytest.raises(InfeasibleError) as caught:
        run_release(release.file)
    said = str(caught.value)
    for column, count in lacking.items():
        assert f"{column!r} in {count} rows" in said
    assert "110" not in said


def test_within_the_limit_they_are_suppressed_and_published(release):
    lacking = write(release, "suppress", suppression_limit=0.9)
    run_release(release.file)
    with next((release.target / "current").glob("*.csv")).open() as file:
        rows = list(csv.DictReader(file))
    gone = sum(row["age"] == row["zip"] == "*" for row in rows)
    assert gone >= max(lacking.values())
    assert not [row for row in rows if row["zip"] == "110"]

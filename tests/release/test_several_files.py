"""Sources of several files: lists, patterns, variables of the environment."""

import json
from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import ConfigurationError, DataError
from anon_transformers.release import anonymize, load, publish, validate
from tests.release.conftest import people

pytestmark = pytest.mark.gx


def refused(release, error=ConfigurationError, **how):
    with pytest.raises(error) as caught:
        load(release.file, **how)
    assert release.nothing_written()
    assert "Errno" not in str(caught.value)
    return str(caught.value)


def part(release, name, rows):
    place = release.folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("".join(",".join(row) + "\n" for row in rows))


def halves(release, folder="data/2026-10"):
    header, *rows = people(40)
    part(release, f"{folder}/a.csv", [header, *rows[:25]])
    turned = [[*row[1:], row[0]] for row in [header, *rows[25:]]]
    part(release, f"{folder}/b.csv", turned)  # the same columns in another order
    (release.folder / folder / ".c.csv").write_text("being written")


@pytest.mark.parametrize(
    "path",
    [
        "data/{period:%Y-%m}/*.csv",
        ["data/2026-10/a.csv", "data/{period:%Y-%m}/b.csv"],
        ["$PARTS/{period}/a.csv", "${PARTS}/{period:%Y-%m}/[b].csv"],
    ],
)
def test_several_files_are_put_together(release, path, monkeypatch):
    halves(release)
    monkeypatch.setenv("PARTS", str(release.folder / "data"))
    release.write(source={"path": path})
    one = Path(load(release.file, period="2026-10"))
    rows = pd.read_parquet(one / "input.parquet")
    assert rows.astype(str).to_numpy().tolist() == people(40)[1:]
    order = json.loads((one / "run.json").read_text())
    assert len(order["filled"]["source"]["path"]) == 2
    version = Path(publish(validate(anonymize(str(one)))))
    assert str(release.folder) not in (version / "manifest.json").read_text()


def test_cells_of_several_files_are_read_together(release):
    header, *rows = people(40)
    part(release, "a.csv", [header, *rows[:20]])
    part(
        release, "b.csv", [header, *[[r[0], r[1], r[2], r[3], "7"] for r in rows[20:]]]
    )
    release.write(source={"path": ["a.csv", "b.csv"]})
    rows = pd.read_parquet(Path(load(release.file)) / "input.parquet")
    assert {type(cell) for cell in rows["note"]} == {str}


@pytest.mark.parametrize(
    ("path", "error", "said"),
    [
        ("data/*.csv", DataError, "source.path: no file fits data/*.csv"),
        ([], ConfigurationError, "the list is empty"),
        (["people.csv", "people.csv"], ConfigurationError, "named twice"),
        (["people.csv", "p*.csv"], ConfigurationError, "named twice"),
        (["people.csv", "nowhere.csv"], DataError, "path[1]: "),
        (["people.csv", "x.parquet"], DataError, "of several kinds"),
        ("$NOWHERE/x.csv", ConfigurationError, "the variable NOWHERE"),
        ("ftp://x/{period:%Y}.csv", ConfigurationError, "nothing here opens ftp://"),
        ([7], ConfigurationError, "source.path"),
    ],
)
def test_files_that_cannot_be_read_are_refused(release, path, error, said, monkeypatch):
    monkeypatch.delenv("NOWHERE", raising=False)
    (release.folder / "x.parquet").write_text("")
    release.write(source={"path": path})
    period = "2026" if "{" in str(path) else None
    assert said in refused(release, error, period=period)


def test_files_with_other_columns_are_refused_without_a_cell(release):
    header, *rows = people(40)
    part(release, "a.csv", [header, *rows[:20]])
    release.write(source={"path": ["a.csv", "b.csv"]})
    for bad in ([row[:-1] for row in [header, *rows[20:]]], rows[20:]):
        part(release, "b.csv", bad)
        message = refused(release, DataError)
        assert "b.csv: " in message
        assert "NAMEMARK" not in message
    part(release, "b.csv", [[*header, "more"], *[[*row, "x"] for row in rows[20:]]])
    assert "1 column has no declared role (column 6)" in refused(release, DataError)


def test_columns_of_other_types_are_refused(release):
    table = pd.read_csv(release.source, dtype={"zip": str})
    table.iloc[:20].to_parquet(release.folder / "a.parquet")
    table.iloc[20:].astype({"age": str}).to_parquet(release.folder / "b.parquet")
    release.write(source={"path": "*.parquet"})
    message = refused(release, DataError)
    assert "b.parquet: column 'age' holds texts, and integers in" in message
    table.iloc[20:].to_parquet(release.folder / "b.parquet")
    assert len(pd.read_parquet(Path(load(release.file)) / "input.parquet")) == 40


def test_a_source_may_not_lie_in_what_is_public(release):
    halves(release, "out/2026-10")
    release.write(
        source={"path": "out/{period:%Y-%m}/*.csv"}, target={"path": "out/x-{period}"}
    )
    with pytest.raises(ConfigurationError, match="which is public"):
        load(release.file, period="2026-10")

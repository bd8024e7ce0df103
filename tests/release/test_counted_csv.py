"""A CSV file that is only counted is read as the same file is in memory."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError
from anon_transformers.release import _files, load, read_published, run_release
from anon_transformers.release._cells import write_parquet
from anon_transformers.release._policies import find_policy
from anon_transformers.release._streamed import open_private, write_chunks
from anon_transformers.release._streamed_csv import csv_chunks
from tests.release.conftest import CUTS

pytest.importorskip("duckdb")
NAMES = ["a", "b", "c"]
CELLS = [
    *("", "NA", "0", "1", "-3", "007", "1.5", "1.50", "2.0", "-0.0", "1e5", "x", " y"),
    *("123456789012345678", "0.1234567890123456789", "2026-01-31", "2026-02-30"),
    *("2026-01-31 10:00", "a\nb", 'q"q', "ä,ö"),
]
LIKE = {"number": CELLS[:11], "date": ["", "NA", "2026-01-31", "1999-12-01"]}


def written(rows, path, encoding="utf-8"):
    table = pd.DataFrame(rows, columns=NAMES)
    table.to_csv(path, index=False, encoding=encoding, quoting=1)
    return path


def streamed(places, folder, **options):
    """The private copy of a run, as it is written chunk by chunk."""
    made = folder / "streamed.parquet"
    made.unlink(missing_ok=True)
    with open_private(made) as file:
        write_chunks(csv_chunks(places, NAMES, **options), NAMES, file)
    return pq.read_table(made)


def whole(path, folder, **options):
    """The same of the file that was read as a whole."""
    write_parquet(_files.read_csv(path, **options), folder / "whole.parquet")
    return pq.read_table(folder / "whole.parquet")


def same(one, other):
    """Whether two tables hold the same; one of no value may be of any type."""
    # Texts of pandas are large ones.
    wanted = pa.schema(
        [
            field.with_type(pa.string())
            if pa.types.is_large_string(field.type) or pa.types.is_null(field.type)
            else field
            for field in other.schema
        ]
    )
    assert one.schema.types == wanted.types
    assert one.to_pydict() == other.to_pydict()


COLUMNS = st.sampled_from([CELLS, *LIKE.values()])


@st.composite
def tables(draw):
    n_rows = draw(st.integers(1, 30))
    pools = [draw(COLUMNS) for _ in NAMES]
    return [[draw(st.sampled_from(pool)) for pool in pools] for _ in range(n_rows)]


@given(tables(), st.sampled_from([(), ("a", "b")]), st.sampled_from([(), ("NA",)]))
def test_each_cell_is_that_of_the_whole_file(tmp_path_factory, rows, exact, missing):
    folder = tmp_path_factory.mktemp("csv")
    path = written(rows, folder / "people.csv")
    options = {"exact": exact, "missing": missing}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_files, "BLOCK", 128)
        found = streamed([path], folder, **options)
    same(found, whole(path, folder, **options))


def test_a_type_is_that_of_all_chunks_and_files(tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "BLOCK", 64)
    rows = [[str(at), "1.5", "2026-01-31"] for at in range(50)]
    one = written([*rows, ["x", "2", ""]], tmp_path / "1.csv")
    assert len([*csv_chunks([one], NAMES)]) > 3
    assert [str(t) for t in streamed([one], tmp_path).schema.types] == [
        "string",
        "double",
        "timestamp[us]",
    ]
    two = written(rows, tmp_path / "2.csv")
    assert str(streamed([two], tmp_path).schema.types[0]) == "int64"
    assert str(streamed([two, one], tmp_path).schema.types[0]) == "string"
    stated = {"a": "text", "b": {"date": "%d/%m/%Y"}}
    dates = written([[str(at), "31/01/2026", "z"] for at in range(50)], tmp_path / "3")
    same(
        streamed([dates], tmp_path, columns=stated),
        whole(dates, tmp_path, columns=stated),
    )


@pytest.mark.parametrize("how", ["plain", "latin-1", "compressed", "several"])
def test_however_it_is_written(tmp_path, how, monkeypatch):
    monkeypatch.setattr(_files, "BLOCK", 64)
    rows = [["Jörg", str(at), "1.50"] for at in range(40)]
    if how == "compressed":
        path = written(rows, tmp_path / "people.csv.gz")
    else:
        encoding = "latin-1" if how == "latin-1" else "utf-8"
        path = written(rows, tmp_path / "people.csv", encoding)
    options = {"encoding": "latin-1"} if how == "latin-1" else {}
    if how == "several":
        parts = [tmp_path / "p0.csv", tmp_path / "p1.csv"]
        written(rows[:25], parts[0])
        written(rows[25:], parts[1])
        same(streamed(parts, tmp_path), whole(path, tmp_path))
        return
    same(streamed([path], tmp_path, **options), whole(path, tmp_path, **options))


# Releases.


@pytest.fixture
def counted(release):
    """A release of a CSV file, in memory or counted."""
    draw = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": draw.integers(20, 60, 240),
            "zip": draw.choice(["007", "008", "110", "?"], 240),
            "job": draw.choice(["nurse", "smith", "judge"], 240),
            "note": draw.choice(["1.0", "2.5"], 240),
        }
    )
    frame.to_csv(release.source, index=False)
    release.frame = frame

    def write(engine="duckdb", **changes):
        source = {"path": "people.csv", "missing": ["?"], **changes.pop("source", {})}
        stated = source if engine is None else {**source, "engine": engine}
        return release.write(
            source=stated,
            roles={
                "quasi_identifiers": ["age", "zip"],
                "sensitive": ["job"],
                "insensitive": ["note"],
            },
            target={"path": engine or "memory", "format": "parquet"},
            **changes,
        )

    release.counted = write
    return release


def rows(folder):
    table = read_published(folder, labels="text").astype(object)
    return sorted(map(str, table.where(table.notna(), None).to_numpy().tolist()))


def test_the_release_is_that_of_the_rows_in_memory(counted, monkeypatch):
    monkeypatch.setattr(_files, "BLOCK", 256)
    made, noted = [], []
    for engine in ("duckdb", None):
        counted.counted(engine)
        made.append(rows(run_release(counted.file)))
        file = counted.folder / (engine or "memory") / "current" / "manifest.json"
        noted.append(json.loads(file.read_text()))
    assert made[0] == made[1]
    assert len(made[0]) == 240
    assert noted[0]["schema"] == noted[1]["schema"]
    assert noted[0]["measured"]["classes"] == noted[1]["measured"]["classes"]


def refused(counted, error=DataError):
    with pytest.raises(error) as caught:
        load(counted.file)
    assert not list(counted.work.rglob("*.parquet"))
    assert caught.value.__cause__ is None
    return str(caught.value)


def add(counted, *lines):
    with counted.source.open("a") as file:
        file.writelines(f"{line}\n" for line in lines)


def test_rows_of_other_lengths_are_counted(counted):
    counted.counted()
    add(counted, "30,007", "30,007,smith,1.0,SECRETMARK")
    said = refused(counted)
    assert "2 rows have another number of fields" in said
    assert "the first is row 242" in said
    assert "SECRETMARK" not in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "cannot be read as CSV in UTF-8"),
        ("age,zip,job,note\n", "it has no rows"),
        ("age,zip,job,note\n3,007,sm\xefth,1\n", "cannot be read as CSV in UTF-8"),
        ("age,zip,job\n3,007,smith\n", "unknown column 'note'"),
    ],
)
def test_a_file_that_is_none(counted, text, said):
    counted.counted()
    counted.source.write_bytes(text.encode("latin-1"))
    assert said in refused(counted)


def test_a_stated_number_that_is_none_is_told_by_its_rows(counted, monkeypatch):
    monkeypatch.setattr(_files, "BLOCK", 256)
    counted.counted(source={"columns": {"age": "integer"}})
    add(counted, "SECRETMARK,007,smith,1.0")
    said = refused(counted)
    assert "column 'age' holds values in 1 rows that are no integer" in said
    assert said.startswith("rows 2")
    assert "SECRETMARK" not in said


def test_an_order_of_texts_is_refused_at_once(counted):
    order = {"zip": {"order": ["007", "008", "110"]}}
    counted.counted(source={"columns": order})
    assert "leave order out of source.columns" in counted.refusal()


def test_unstated_numbers_of_which_some_may_be_hidden(counted):
    counted.frame.assign(age=counted.frame["age"] + 0.5).to_csv(
        counted.source, index=False
    )
    method = {"name": "full-domain", "suppression_limit": 0.2}
    trees = {
        "age": {"kind": "intervals", "widths": [5, 10, 20], "start": 0},
        "zip": {"kind": "masking", "length": 3},
    }
    words = []
    for engine in ("duckdb", None):
        counted.counted(engine, anonymizer=method, hierarchies=trees)
        words.append(refused(counted))
    assert "state source.columns: {age: number}" in words[0]
    assert words[0] == words[1]


def test_a_policy_of_thresholds_on_classes_is_judged_there(counted):
    cuts = {"name": "mondrian", **CUTS}
    bounds = [{"model": "k-anonymity", "k": 15}, {"metric": "loss", "max": 0.9}]
    counted.counted(policy="ontario-15", anonymizer=cuts, thresholds=bounds)
    folder = run_release(counted.file)
    noted = json.loads(Path(folder, "manifest.json").read_text())
    assert [one["name"] for one in noted["policies"]] == ["ontario-15"]
    sizes = read_published(folder, labels="text").groupby(["age", "zip"], dropna=False)
    assert sizes.size().min() >= 15


def test_rules_about_cells_are_refused(counted):
    attested = [*find_policy("hipaa-safe-harbor").attestations]
    counted.counted(policy={"name": "hipaa-safe-harbor", "attest": attested})
    assert "does not go with rules of a policy" in counted.refusal()

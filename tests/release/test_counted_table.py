"""A release that is counted in an engine is that of the same rows in memory."""

import json
import sqlite3
import stat

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._data.columns import identify
from anon_transformers.exceptions import DataError, GateError, InfeasibleError
from anon_transformers.release import (
    _counted_table,
    _scratch,
    _streamed,
    anonymize,
    load,
    measure_published,
    publish,
    read_published,
    run_release,
    validate,
)
from anon_transformers.release._advice import _Advisor
from anon_transformers.release._config import read_config
from anon_transformers.release._counted_table import LABELS
from anon_transformers.release._declared_roles import DeclaredRoles
from anon_transformers.release._forms import INPUT
from anon_transformers.release._identifying_columns import identifying_faults
from anon_transformers.release._recoverable_labels import Hidden, _ranks
from anon_transformers.release._run import SPILL, Run, remove_run
from anon_transformers.release._stated_engine import in_memory as in_memory_of

ROLES = {
    "quasi_identifiers": ["age", "zip"],
    "sensitive": ["job"],
    "insensitive": ["note"],
}
METHODS = {
    "mondrian": {
        "name": "mondrian",
        "step": {"age": 5},
        "domain": {"zip": ["007", "008", "110"]},
    },
    "full-domain": {"name": "full-domain", "suppression_limit": 0.2},
    "datafly": {"name": "datafly", "suppression": "mask", "suppression_limit": 0.2},
}
TREES = {
    "age": {"kind": "intervals", "widths": [5, 10, 20], "start": 0},
    "zip": {"kind": "masking", "length": 3},
}


def people(n_rows=240):
    draw = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "age": draw.integers(20, 60, n_rows),
            "zip": draw.choice(["007", "008", "110", None], n_rows),
            "job": draw.choice(["nurse", "smith", "judge"], n_rows),
            "note": draw.choice(["y", "n"], n_rows),
        }
    ).astype({"zip": object})


def put(folder, frame, kind="parquet"):
    """The rows as a source of a kind."""
    if kind == "parquet":
        frame.to_parquet(folder / "people.parquet", index=False)
        return {"path": "people.parquet"}
    if kind == "folder":
        (folder / "people").mkdir()
        for at, part in enumerate(np.array_split(np.arange(len(frame)), 3)):
            frame.iloc[part].to_parquet(folder / "people" / f"p{at}.parquet")
        return {"kind": "parquet", "path": "people"}
    if kind == "duckdb":
        with duckdb.connect(str(folder / "people.duckdb")) as connection:
            connection.execute("CREATE TABLE people AS SELECT * FROM frame")
        return {"kind": "duckdb", "path": "people.duckdb", "table": "people"}
    connection = sqlite3.connect(folder / "people.db")
    frame.to_sql("people", connection, index=False)
    connection.close()
    return {"kind": "sql", "url": "sqlite:///people.db", "table": "people"}


@pytest.fixture
def counted(release):
    """A release of the same rows, in memory or counted."""

    def write(method="full-domain", frame=None, kind="parquet", **changes):
        frame = people() if frame is None else frame
        given = changes.pop("source", None) or put(release.folder, frame, kind)
        content = {
            "source": {**given, "engine": "duckdb"},
            "roles": ROLES,
            "hierarchies": None if method == "mondrian" else TREES,
            "anonymizer": METHODS[method],
            "thresholds": [
                {"model": "k-anonymity", "k": 3},
                {"model": "distinct-l-diversity", "l": 2},
                {"model": "t-closeness", "t": 0.6},
                {"metric": "average-risk", "max": 0.4},
            ],
            "target": {"path": "out", "format": "parquet"},
            **changes,
        }
        return release.write(**content)

    release.counted = write
    return release


def in_memory(release):
    """The same release without the engine."""
    source = {k: v for k, v in release.content["source"].items() if k != "engine"}
    release.write(source=source, target={"path": "memory", "format": "parquet"})
    return run_release(release.file)


def flat(held):
    """Numbers that do not depend on the order they were added up in."""
    if isinstance(held, dict):
        return {key: flat(value) for key, value in held.items()}
    if isinstance(held, list):
        return [flat(value) for value in held]
    return f"{held:.9g}" if isinstance(held, float) else held


def rows(folder):
    table = read_published(folder, labels="text").astype(object)
    return sorted(map(str, table.where(table.notna(), None).to_numpy().tolist()))


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("datafly", "parquet"),
        ("mondrian", "folder"),
        ("full-domain", "duckdb"),
        ("full-domain", "sql"),
    ],
)
def test_the_release_is_that_of_the_rows_in_memory(method, kind, counted, monkeypatch):
    for module in (_streamed, _counted_table):
        monkeypatch.setattr(module, "CHUNK", 50)
    monkeypatch.setattr("anon_transformers.release._databases.CHUNK", 50)
    counted.counted(method, kind=kind)
    folder = run_release(counted.file)
    measured = counted.manifest()["measured"]
    assert measure_published(folder, counted.file)["classes"] == measured["classes"]
    whole = in_memory(counted)
    assert rows(folder) == rows(whole)
    other = json.loads((counted.folder / "memory/current/manifest.json").read_text())
    of_memory = other["measured"]
    del of_memory["attacks"]  # they need the rows
    assert flat(measured) == flat(of_memory)
    assert counted.manifest()["schema"] == other["schema"]


def test_rows_lie_in_another_order_each_time(counted):
    counted.counted()
    orders = [
        read_published(run_release(counted.file), labels="text").to_numpy().tolist()
        for _ in range(2)
    ]
    assert orders[0] != orders[1]
    assert sorted(map(str, orders[0])) == sorted(map(str, orders[1]))


def test_what_is_private_lies_in_the_run_and_goes_with_it(counted):
    counted.counted()
    folder = load(counted.file)
    anonymize(folder)
    run = Run(folder)
    assert stat.S_IMODE(run.folder.stat().st_mode) == 0o700
    files = [path for path in run.folder.rglob("*") if path.is_file()]
    assert run.path("candidate") / LABELS in files
    assert {stat.S_IMODE(p.stat().st_mode) & 0o077 for p in files if
            p.suffix == ".parquet"} <= {0, 0o044}  # fmt: skip
    assert not run.path(SPILL).exists()
    validate(folder)
    publish(folder)
    assert not run.folder.exists()
    assert sorted(counted.public_bytes())[-1].endswith("validation.json")
    assert not [name for name in counted.public_bytes() if "labels" in name]


def test_a_refused_candidate_keeps_no_private_file(counted):
    counted.counted(thresholds=[
        {"model": "k-anonymity", "k": 3}, {"metric": "average-risk", "max": 1e-6},
    ])  # fmt: skip
    folder = anonymize(load(counted.file))
    (Run(folder).path(SPILL)).mkdir()
    (Run(folder).path(SPILL) / "duckdb_temp_storage-0.tmp").write_text("cells")
    with pytest.raises(GateError, match="average-risk"):
        validate(folder)
    (place,) = (counted.home / "quarantine").iterdir()
    left = {path.name for path in place.rglob("*")}
    assert not left & {LABELS, "input.parquet", "references.json", SPILL}


def test_what_an_engine_spilled_goes_with_a_run(counted):
    counted.counted()
    run = Run(load(counted.file))
    run.path(SPILL).mkdir()
    (run.path(SPILL) / "duckdb_temp_block-7.block").write_text("cells")
    (run.folder / "somebody's").write_text("not ours")
    remove_run(run.folder)
    files = [path.name for path in run.folder.rglob("*") if path.is_file()]
    assert files == ["somebody's"]


# What the gate finds.


def altered(monkeypatch, change):
    """Let the method write other labels than it learned."""
    honest = _counted_table.LabelWriter.recode

    def recode(self, label_table):
        found = honest(self, label_table)
        table = change(pq.read_table(self.file).to_pandas())
        pq.write_table(pa.Table.from_pandas(table, preserve_index=False), self.file)
        return found

    monkeypatch.setattr(_counted_table.LabelWriter, "recode", recode)


def test_labels_that_do_not_cover_their_values_are_refused(counted, monkeypatch):
    counted.counted("mondrian")

    def moved(table):
        labels = table["anon_label_0"]
        return table.assign(anon_label_0=labels.iloc[::-1].to_numpy())

    altered(monkeypatch, moved)
    with pytest.raises(GateError, match=r"'age' holds labels in \d+ rows that do not"):
        run_release(counted.file)


@pytest.mark.parametrize("change", ["cell", "row", "missing"])
def test_rows_that_are_not_those_of_the_source_are_refused(
    counted, change, monkeypatch
):
    counted.counted()
    honest = _counted_table.RecodedTable.write

    def write(self, path):
        honest(self, path)
        table = pq.read_table(path).to_pandas()
        if change == "cell":
            other = "smith" if table.loc[0, "job"] != "smith" else "judge"
            table.loc[0, "job"] = other
        elif change == "row":
            table = pd.concat([table, table.head(1)])
        else:
            table = table.iloc[1:]
        schema = pq.read_schema(path)
        pq.write_table(pa.Table.from_pandas(table, schema, False), path)

    monkeypatch.setattr(_counted_table.RecodedTable, "write", write)
    with pytest.raises(GateError, match=r"the candidate differs in [12] rows"):
        run_release(counted.file)


def test_a_combination_without_a_label_is_missed(counted, monkeypatch):
    counted.counted()
    altered(monkeypatch, lambda table: table.iloc[1:])
    with pytest.raises(DataError, match="another number of rows than the source"):
        run_release(counted.file)


def test_a_column_that_gives_what_labels_hide_is_refused(counted):
    frame = people(1200)
    frame["note"] = (2020 - frame["age"]) // 2
    roles = {**ROLES, "small_group": 2}
    counted.counted("mondrian", frame, roles=roles)
    words = []
    for run in (lambda: run_release(counted.file), lambda: in_memory(counted)):
        with pytest.raises(
            GateError, match=r"gives .* of what the labels of 'age'"
        ) as e:
            run()
        words.append(str(e.value).split(". The candidate lies")[0])
    assert words[0] == words[1]


def test_a_column_that_tells_rows_apart_is_refused_when_it_is_loaded(counted):
    frame = people().assign(note=[f"p{i}" for i in range(240)])
    counted.counted(frame=frame)
    said = counted_refusal(counted)
    assert "insensitive column 'note': 100% of the rows hold values" in said
    assert counted.events()[-1]["event"] == "refused"


def counted_refusal(release, error=DataError):
    """What ``load`` says; what it had written of the source is gone."""
    with pytest.raises(error) as caught:
        load(release.file)
    assert not list(release.work.rglob("*.parquet"))
    assert not release.target.exists()
    return str(caught.value)


def test_nothing_is_published_where_no_level_is_found(counted):
    counted.counted(thresholds=[{"model": "k-anonymity", "k": 2000}])
    with pytest.raises(InfeasibleError):
        run_release(counted.file)
    assert not counted.target.exists()


# Sources.


FEWER = {**ROLES, "insensitive": []}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"target": {"path": "out"}}, "writes Parquet"),
        ({"roles": {**FEWER, "subject": "note"}}, "counts rows"),
        ({"roles": {**FEWER, "identifiers": ["note"]}}, "counts rows"),
        ({"roles": {**FEWER, "dropped": ["note"]}}, "rows_are_persons: true"),
        ({"anonymizer": {"name": "mdav"}, "hierarchies": None}, "needs the rows"),
        (
            {"anonymizer": {**METHODS["full-domain"], "suppression": "drop"}},
            "state suppression: mask",
        ),
        ({"source": {"path": "people.yaml"}}, "reads parquet, csv, duckdb, sql"),
        ({"source": {"path": "s3://ward/people.parquet"}}, "no addresses"),
        (
            {
                "thresholds": [
                    {"model": "k-anonymity", "k": 3},
                    {"attack": "homogeneity", "max": 0.5},
                ]
            },
            "counts classes",
        ),
    ],
)
def test_what_counts_do_not_tell_is_refused_at_once(counted, change, said):
    counted.counted(**change)
    assert said in counted.refusal()


def test_dropped_columns_are_not_even_loaded(counted):
    frame = people().assign(note=[f"p{i}" for i in range(240)])
    roles = {**ROLES, "insensitive": [], "dropped": ["note"], "rows_are_persons": True}
    counted.counted(frame=frame, roles=roles)
    folder = load(counted.file)
    assert "note" not in pq.read_schema(Run(folder).path("input.parquet")).names
    assert len(read_published(publish(validate(anonymize(folder))))) == 240


def test_an_empty_source_and_columns_that_are_not_declared(counted):
    counted.counted(frame=people().head(0))
    assert "it has no rows" in counted_refusal(counted)
    counted.counted(frame=people().assign(more=1))
    assert "1 column has no declared role" in counted_refusal(counted)
    counted.counted(frame=people().drop(columns="job"))
    assert "unknown column 'job'" in counted_refusal(counted)


def test_a_column_that_changes_its_type_is_named(counted, tmp_path):
    counted.counted(kind="folder")
    part = tmp_path / "people" / "p1.parquet"
    pd.read_parquet(part).assign(age="x").to_parquet(part, index=False)
    said = counted_refusal(counted)
    assert "column 'age' holds values (int64, string)" in said
    frame = people().assign(note=[[1]] * 240)
    counted.counted(frame=frame)
    assert "column 'note' holds values (list" in counted_refusal(counted)


def test_texts_in_an_order_of_their_own_are_refused(counted):
    """In memory Mondrian cuts along this order; counted, it would be lost."""
    frame = people()
    kinds = ["smith", "judge", "nurse"]
    frame["job"] = pd.Categorical(frame["job"], kinds, ordered=True)
    counted.counted(frame=frame)
    assert "column 'job' holds values (in an order of their own)" in counted_refusal(
        counted
    )
    counted.counted(frame=frame.assign(job=frame["job"].cat.as_unordered()))
    assert load(counted.file)


def test_a_file_that_is_written_meanwhile_is_refused(counted, monkeypatch):
    counted.counted()
    read = _streamed._parquet_chunks

    def reads(path, columns):
        yield from read(path, columns)
        people(250).to_parquet(path, index=False)

    monkeypatch.setattr(_streamed, "_parquet_chunks", reads)
    assert "the file changed while it was read" in counted_refusal(counted)


def test_a_column_that_is_empty_at_first_has_the_type_of_its_values(tmp_path):
    parts = [pa.table({"a": [None, None], "b": [1, 2]}), pa.table({"a": [7], "b": [3]})]
    with _streamed.open_private(tmp_path / "x.parquet") as file:
        assert _streamed.write_chunks(iter(parts), ["a", "b"], file) == 3
    assert pq.read_table(tmp_path / "x.parquet").to_pydict() == {
        "a": [None, None, 7], "b": [1, 2, 3],
    }  # fmt: skip


def test_no_room_on_the_disk_is_said_without_a_cell(tmp_path):
    with (
        pytest.raises(DataError, match=r"source\.engine: DuckDB failed") as caught,
        _scratch.scratch(tmp_path) as connection,
    ):
        connection.execute("SELECT 'SECRETMARK'::int").fetchall()
    assert "SECRETMARK" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_settings_are_tried_in_memory(counted):
    counted.counted()
    assert len(_Advisor(counted.file, None, None, 60.0, None).tables[INPUT]) == 240
    whole = in_memory_of(read_config(counted.file))
    assert whole.source.engine is None
    assert in_memory_of(whole) is whole


# Counts for rows.

TABLES = st.lists(
    st.tuples(
        st.integers(0, 6), st.integers(0, 3), st.integers(0, 4), st.integers(1, 5)
    ),
    min_size=2,
    max_size=30,
)


@given(TABLES)
def test_counts_tell_what_repeated_rows_tell(cells):
    frame = pd.DataFrame(cells, columns=["age", "code", "note", "n"])
    many = frame.loc[frame.index.repeat(frame["n"])].reset_index(drop=True)
    weights = frame["n"].to_numpy()
    roles = DeclaredRoles(quasi_identifiers=("age",), insensitive=("code", "note"))
    assert identifying_faults(frame, roles, weights=weights) == identifying_faults(
        many, roles
    )
    found = [
        _given(table, counted) for table, counted in ((frame, weights), (many, None))
    ]
    assert found[0] == pytest.approx(found[1], abs=1e-9)


def _given(table, weights):
    hidden = Hidden(table["age"], table["age"] // 3, weights=weights)
    beside = [table[name].astype(float) for name in ("code", "note")]
    return [
        *(hidden.share_given_by(identify(one), _ranks(one, weights)) for one in beside),
        hidden.share_of_line([one.to_numpy() for one in beside]),
    ]

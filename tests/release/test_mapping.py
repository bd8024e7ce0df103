"""One release file as several: what is derived, what is refused, what commands do."""

import json
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from anon_transformers.airflow._endings import EndRun
from anon_transformers.cli._app import app
from anon_transformers.exceptions import ConfigurationError, DataError
from anon_transformers.release import (
    check_release,
    load,
    read_config,
    release_status,
    run_release,
)
from anon_transformers.release._mapping import derive_releases

SWEEP = [{"k_anonymity_k": 4}, {"k_anonymity_k": 6, "loss_max": 0.85}]
TABLES = {"map": {"tables": "tables/*.csv"}}


def sweep(release, *items, **changes):
    release.write(airflow={"map": {"thresholds": [*items] or SWEEP}}, **changes)


def read_meetings(path=None, **options):
    raise AssertionError("nothing is read")


read_meetings.kind = "graph"


@pytest.mark.parametrize("kind", ["graph", "meetings"])
def test_a_graph_is_no_table_whoever_reads_it(release, registered, kind):
    registered("readers", "meetings", read_meetings)
    release.write(source={"kind": kind}, airflow=TABLES)
    for refuse in (check_release, derive_releases):
        with pytest.raises(ConfigurationError, match=r"map\.tables: a graph is no"):
            refuse(release.file)


@pytest.fixture
def folder_of_tables(release):
    """A release of every table in a folder."""
    (release.folder / "tables").mkdir()
    for name in ("north", "south"):
        table = release.folder / "tables" / f"{name}.csv"
        table.write_text(release.source.read_text())
    release.write(source={"kind": "csv"}, airflow=TABLES)
    return release


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({}, "state one of"),
        ({"tables": "t/*.csv", "thresholds": SWEEP}, "state one of"),
        ({"thresholds": []}, "state one of"),
        ({"table": "t/*.csv"}, "unknown key 'table'; did you mean 'tables'?"),
        ({"tables": "t"}, "tables: write a pattern, such as t/*.csv"),
        ({"tables": "s3://t/*.csv"}, "and no address"),
        ({"tables": "t/{month}/*.csv"}, "unknown placeholder"),
        ({"tables": "t/*.csv"}, "leave source.path out and state their kind"),
        ({"thresholds": [{}]}, "airflow.map.thresholds.0: name at least one"),
        ({"thresholds": [{"k": 4}]}, "airflow.map.thresholds.0: unknown threshold"),
        ({"thresholds": [{"k_anonymity_k": 2}]}, "would loosen the release"),
        ({"thresholds": [{"k_anonymity_k": "4"}]}, "must be a finite number"),
        ({"thresholds": [{"loss_max": 0.5}, {"loss_max": 0.50}]}, "1: loss_max-0.5 is"),
        ({"thresholds": [{"k_anonymity_k": 5}, {"k_anonymity_k": 5.0}]}, "twice"),
    ],
)
def test_what_is_refused_on_reading(release, mapping, message):
    release.write(airflow={"map": mapping})
    assert message in release.refusal()


@pytest.mark.parametrize("target", ["out", "out/{period:%Y}", "out/{period:%Y-%m-%d}"])
def test_a_period_of_the_tables_is_one_of_the_target(release, target):
    release.write(
        source={"kind": "csv"},
        target={"path": target},
        airflow={"map": {"tables": "{period:%Y-%m}/*.csv"}},
    )
    if "%d" in target:  # a day lies in one month
        assert read_config(release.file).grain == "day"
    else:
        assert "write the same period into target.path" in release.refusal()


def test_a_derived_file_is_the_same_release_of_one_table(folder_of_tables):
    release = folder_of_tables
    north, south = derive_releases(release.file)
    assert (north.stem, south.stem) == ("people--north", "people--south")
    assert north.parent == release.home / "mapped"
    assert stat.S_IMODE(north.stat().st_mode) == 0o600
    assert stat.S_IMODE(north.parent.stat().st_mode) == 0o700
    stated, derived = read_config(release.file), read_config(north)
    table = release.folder / "tables" / "north.csv"
    assert derived.source.path == str(table)
    assert derived.path(derived.target.path) == release.target / "north"
    assert derived.home == release.work / "people--north"
    assert derived.airflow.map is None
    for key in ("roles", "anonymizer", "thresholds", "expect", "on_refusal"):
        assert getattr(derived, key) == getattr(stated, key)


def test_a_derived_file_is_written_again_as_it_was(folder_of_tables):
    first = [file.read_text() for file in derive_releases(folder_of_tables.file)]
    again = derive_releases(folder_of_tables.file)
    assert [file.read_text() for file in again] == first
    assert sorted(p.name for p in again[0].parent.iterdir()) == [f.name for f in again]


def test_paths_of_a_sweep_do_not_depend_on_where_the_file_lies(release, monkeypatch):
    (release.folder / "zips.csv").write_text("007;*\n008;*\n110;*\n")
    monkeypatch.setenv("ELSEWHERE", str(release.folder / "$far {away}"))
    sweep(
        release,
        hierarchies={"zip": "zips.csv"},
        anonymizer={"name": "mondrian", "step": {"age": 5}},
        target={"path": "$ELSEWHERE/{period:%Y-%m}/x"},
        source={"path": "peop*.csv"},
    )
    four, six = derive_releases(release.file, "2026-10")
    assert four.parent.name == "2026-10"
    assert [f.stem for f in (four, six)] == [
        "people--k_anonymity_k-4",
        "people--k_anonymity_k-6_loss_max-0.85",
    ]
    stated = read_config(six)
    assert stated.target.path == (
        "$ELSEWHERE/k_anonymity_k-6_loss_max-0.85/{period:%Y-%m}/x"
    )
    assert stated.hierarchies["zip"].path == str(release.folder / "zips.csv")
    assert {t.id: t.params for t in stated.thresholds}["k-anonymity"]["k"] == 6
    assert check_release(six, source=True, period="2026-10").grain == "month"


@pytest.mark.parametrize("name", ["north (old)", "$x{1}", "a[1]", "Öst"])
def test_odd_names_of_tables(folder_of_tables, name):
    release = folder_of_tables
    tables = release.folder / "tables"
    (tables / "north.csv").rename(tables / f"{name}.csv")
    derived = {file.stem: file for file in derive_releases(release.file)}
    (odd,) = set(derived) - {"people--south"}
    run_release(derived[odd])
    assert (release.target / odd.removeprefix("people--") / "current").is_dir()


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a b", "a_b"], "would be one release, a_b"),
        (["north", "North"], "would be one release"),
        (["current"], "gives no name to a release"),
        (["日本"], "gives no name to a release"),
        (["x" * 199], "is too long for a release"),
    ],
)
def test_names_that_cannot_be_items(folder_of_tables, names, message):
    release = folder_of_tables
    tables = release.folder / "tables"
    for file in tables.iterdir():
        file.unlink()
    for name in names:
        (tables / f"{name}.csv").write_text("x\n")
    if len({name.lower() for name in names}) > len(list(tables.iterdir())):
        pytest.skip("the file system does not tell letters by their size")
    with pytest.raises(ConfigurationError, match=message):
        derive_releases(release.file)
    assert not release.work.exists()


def test_no_table(folder_of_tables):
    release = folder_of_tables
    tables = release.folder / "tables"
    for file in tables.iterdir():
        file.unlink()
    with pytest.raises(DataError, match=r"no file fits tables/\*\.csv"):
        derive_releases(release.file)
    tables.rmdir()
    with pytest.raises(DataError, match="tables does not exist"):
        derive_releases(release.file)
    assert not release.work.exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target": {"path": "tables"}}, "lies in the target"),
        ({"workspace": "out/work"}, "must not hold one another"),
    ],
)
def test_nothing_private_lies_in_the_target_of_all_items(
    folder_of_tables, changes, message
):
    release = folder_of_tables
    release.write(source={"kind": "csv"}, airflow=TABLES, **changes)
    with pytest.raises(ConfigurationError, match=message):
        derive_releases(release.file)
    assert not release.target.exists()
    assert not release.work.exists()


def test_an_item_does_not_take_the_name_of_another_release(folder_of_tables):
    release = folder_of_tables
    (release.folder / "people--north.yml").write_text("")
    with pytest.raises(ConfigurationError, match=r"the name of .*people--north\.yml"):
        derive_releases(release.file)


def test_private_files_do_not_lie_behind_a_link(folder_of_tables, tmp_path):
    release = folder_of_tables
    release.home.mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (release.home / "mapped").symlink_to(elsewhere)
    with pytest.raises(ConfigurationError, match="not a plain folder"):
        derive_releases(release.file)
    assert not list(elsewhere.iterdir())


def test_a_file_of_several_releases_is_not_run_as_one(release):
    sweep(release)
    for step in (load, run_release):
        with pytest.raises(ConfigurationError, match="is one release per item"):
            step(release.file)
    assert not release.work.exists()
    assert not release.target.exists()


def test_check_judges_the_parameters_of_items(release):
    sweep(release, {"k_anonymity_k": 4.5})
    read_config(release.file)
    with pytest.raises(ConfigurationError, match=r"airflow\.map"):
        check_release(release.file)
    sweep(release)
    assert check_release(release.file, source=True).airflow.map is not None
    assert not release.work.exists()


def test_check_looks_for_tables_with_the_source_alone(folder_of_tables):
    release = folder_of_tables
    check_release(release.file, source=True)
    for file in (release.folder / "tables").iterdir():
        file.unlink()
    check_release(release.file)
    with pytest.raises(ConfigurationError, match="no file fits"):
        check_release(release.file, source=True)


def invoke(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


def test_the_command_runs_all_items_whatever_becomes_of_one(folder_of_tables):
    release = folder_of_tables
    header = release.source.read_text().splitlines()[0]
    (release.folder / "tables" / "none.csv").write_text(header + "\n")
    done = invoke("release", release.file, "--json")
    assert done.exit_code != 0
    found = json.loads(done.stdout)
    assert found["refused"] == 1
    items = {one["item"]: one for one in found["items"]}
    assert list(items) == ["none", "north", "south"]
    assert "error" in items["none"]
    assert items["north"]["release"] == "people--north"
    assert sorted(p.name for p in release.target.iterdir()) == ["north", "south"]
    shown = invoke("release", release.file)
    assert "2 of 3 items are published." in shown.stdout
    assert shown.exit_code == done.exit_code


def test_items_of_a_sweep_in_the_status(release):
    sweep(release, schedule="@daily")
    (before,) = release_status([release.folder])
    assert (before.name, before.state) == ("people", "never published")
    assert invoke("release", release.file).exit_code == 0
    for place in (release.folder, release.file):
        found = release_status([place])
        assert [one.name for one in found] == [
            "people--k_anonymity_k-4",
            "people--k_anonymity_k-6_loss_max-0.85",
        ]
        assert {one.state for one in found} == {"published"}
        assert {one.schedule for one in found} == {"@daily"}
        assert [one.thresholds[0].asked for one in found] == [4, 6]


def test_reading_a_mapped_file_loads_no_numerical_library(release):
    sweep(release)
    code = (
        "import sys; from anon_transformers.release import read_config;"
        f"read_config({str(release.file)!r});"
        "print(sorted({'pandas', 'numba', 'sklearn', 'airflow'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def in_airflow(number=-1):
    """What Airflow tells a callback; -1 is no mapped task."""
    return {"run_id": "nightly", "ti": SimpleNamespace(map_index=number)}


def test_the_end_of_a_failed_task_is_that_of_its_own_item(folder_of_tables):
    release = folder_of_tables
    north, south = (
        Path(load(file, run_id=f"nightly.{number}"))
        for number, file in enumerate(derive_releases(release.file))
    )
    ended = EndRun(str(release.file))
    ended(in_airflow(5))
    assert (north / "input.parquet").exists()
    ended(in_airflow(0))
    assert not north.exists()
    assert (south / "input.parquet").exists()


def test_the_end_of_a_run_that_took_too_long_is_that_of_all_its_items(folder_of_tables):
    release = folder_of_tables
    files = derive_releases(release.file)
    north = Path(load(files[0], run_id="nightly.0"))
    south = Path(load(files[1], run_id="another.1"))
    EndRun(str(release.file))(in_airflow())
    assert not north.exists()
    assert (south / "input.parquet").exists()

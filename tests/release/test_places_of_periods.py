"""Where the periods of a release are published, and what variables may lead to."""

import shutil
from pathlib import Path

import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import ConfigurationError, GateError
from anon_transformers.release import (
    anonymize,
    load,
    publish,
    read_config,
    read_published,
    run_release,
    validate,
)
from tests.release.test_periods import monthly, refused, with_periods

pytestmark = pytest.mark.gx
__all__ = ["monthly"]  # a fixture


@pytest.mark.parametrize(
    "path",
    ["out/{period:../../x%Y-%m}", "out/{period:%Y-%m}/$UP", "${BESIDE}{period:%Y-%m}"],
)
def test_a_target_lies_in_the_folder_of_all_periods(release, monkeypatch, path):
    """It would be public where no lock is, or in what is private."""
    monkeypatch.setenv("UP", "../../private/people/x")
    monkeypatch.setenv("BESIDE", f"{release.folder}/private/people/x")
    source = release.folder / "elsewhere"
    source.mkdir()
    shutil.move(release.source, source / "people.csv")
    file = source / "people.yaml"
    release.write(source={"path": "people.csv"}, workspace="../private")
    release.content["target"] = {"path": path.replace("out", "../out")}
    release.write()
    shutil.move(release.file, file)
    with pytest.raises(ConfigurationError, match=r"target\.path|source\.path"):
        load(file, period="2026-10")
    assert release.nothing_written()
    private = (release.folder / "private").rglob("*")
    written = {path.name for path in private if path.is_file()}
    assert written <= {"journal.jsonl", ".lock"}


def test_a_period_behind_a_link_is_refused(monthly):
    with_periods(monthly, path="out/{period:%Y-%m}")
    (monthly.folder / "else").mkdir()
    monthly.target.mkdir()
    (monthly.target / "2026-09").symlink_to("../else")
    with pytest.raises(ConfigurationError, match="does not lie in"):
        load(monthly.file, period="2026-09")
    assert not any((monthly.folder / "else").iterdir())
    run_release(monthly.file, period="2026-10")
    before = monthly.public_bytes()
    location = validate(anonymize(load(monthly.file, period="2026-11")))
    (monthly.target / "2026-11").symlink_to("2026-10")
    with pytest.raises(ConfigurationError, match="a folder of its own"):
        publish(location)
    assert monthly.public_bytes() == before
    (monthly.target / "2026-11").unlink()
    publish(location)
    assert read_published(monthly.target / "2026-10", labels="text") is not None
    assert (monthly.target / "current").readlink() == Path("2026-11/current")


def test_a_link_that_is_gone_leads_to_the_newest_period_again(monthly):
    with_periods(monthly, path="out/{period:%Y-%m}")
    for month in ("2026-10", "2026-11"):
        run_release(monthly.file, period=month)
    link = monthly.target / "current"
    link.unlink()
    run_release(monthly.file, period="2026-10")
    assert link.readlink() == Path("2026-11/current")


def test_a_release_below_another_is_not_read_for_it(monthly):
    with_periods(monthly, path="out/{period:%Y-%m}")
    run_release(monthly.file, period="2026-10")
    mine = read_published(monthly.target, period="2026-10", labels="text")
    below = monthly.target / "staff"
    shutil.copytree(monthly.target / "2026-10", below / "2026-10", symlinks=True)
    (manifest,) = below.glob("2026-10/versions/*/manifest.json")
    text = manifest.read_text()
    assert '"published": "2' in text
    manifest.write_text(text.replace('"published": "2', '"published": "9'))
    (manifest.parent / "data.csv").unlink()  # whoever reads it, fails
    assert read_published(monthly.target, period="2026-10", labels="text").equals(mine)
    assert read_published(
        monthly.target / "2026-10", period="2026-10", labels="text"
    ).equals(mine)


@pytest.mark.parametrize("days", [999_999, 10**9, 10**20])
def test_more_days_than_there_were_keep_all(monthly, days):
    with_periods(monthly, retention={"days": days})
    for month in ("2026-10", "2026-09"):
        run_release(monthly.file, period=month)
    assert len(monthly.versions()) == 2


def test_a_password_of_an_address_goes_with_the_run(
    release, monkeypatch, registered, tmp_path
):
    """Neither a message nor what lies in quarantine has what a variable held."""
    import pandas as pd

    frame = pd.read_csv(release.source, dtype={"zip": str})
    registered("readers", "warehouse", lambda path: frame.copy())
    monkeypatch.setenv("PASSWORD", "hunter2-secret")
    address = "db://me:$PASSWORD@host/people"
    release.write(
        source={"kind": "warehouse", "path": [address, address]},
        thresholds=[{"model": "k-anonymity", "k": 9}],
        anonymizer=release.mondrian(k=2),
    )
    said = refused(release)
    assert "an address is named twice" in said
    assert "hunter2" not in said
    release.write(source={"kind": "warehouse", "path": address})
    with pytest.raises(GateError):
        run_release(release.file)
    [place] = (release.home / "quarantine").iterdir()
    assert (place / "run.json").is_file()
    for file in release.folder.rglob("*"):
        assert not file.is_file() or b"hunter2" not in file.read_bytes(), file


@pytest.mark.parametrize(
    ("source", "target", "key", "help_"),
    [
        ("p-{period:%Y-%m}.csv", "out/{period:%m}", "target.path", "{period:%Y-%m}"),
        ("p-{period:%Y-%m}.csv", "out/{period:%b}", "target.path", "{period:%Y-%m}"),
        ("p-{period:%m}.csv", "out", "source.path", "{period:%Y-%m}"),
        ("people.csv", "out/{period:%V}", "target.path", "{period:%G-W%V}"),
        ("people.csv", "out/{period:%Y-%d}", "target.path", "{period:%Y-%m-%d}"),
        ("people.csv", "out/{period:%j}", "target.path", "{period:%Y-%m-%d}"),
        ("people.csv", "out/{period:%H}", "target.path", "{period:%Y-%m-%dT%H}"),
        ("{period:%Y-%m-%d}.csv", "out/{period:%d}", "target.path", "%Y-%m-%d"),
    ],
)
def test_a_path_that_comes_again_next_year_is_refused(
    release, source, target, key, help_
):
    """October of two years would share a folder, or one be read as the other."""
    release.write(source={"path": source}, target={"path": target})
    said = release.refusal()
    assert f"{key}: " in said
    assert help_ in said
    assert "the same path for two" in said


def test_tables_of_items_do_not_come_again_either(release):
    release.write(
        source={"kind": "csv"},
        target={"path": "out/{period:%Y-%m}"},
        airflow={"map": {"tables": "{period:%m}/*.csv"}},
    )
    assert "airflow.map.tables: '{period:%m}/*.csv'" in release.refusal()


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("{period:%Y-%m}.csv", "out/{period:%Y}"),
        ("{period:%Y-%m}.csv", "out/{period:%Y}/{period:%B}"),
        ("{period:%Y-%m-%d}.csv", "out/{period:%Y-%m}"),
        ("{period:%Y-%m-%dT%H}.csv", "out/{period:%Y}/{period:%j}"),
        ("{period:%G-W%V}.csv", "out/{period:%G}"),
        ("{period:%Y}.csv", "out/{period}"),
    ],
)
def test_a_folder_of_periods_that_follow_each_other_is_fine(release, source, target):
    release.write(source={"path": source}, target={"path": target})
    assert read_config(release.file).grain is not None

"""Checking a release file without running it, and what is remembered of it."""

import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import ConfigurationError
from anon_transformers.release import _check, _last_known, check_release, load
from anon_transformers.release._check import (
    check_files,
    check_remembered,
    release_files,
)
from anon_transformers.release._config import read_config
from anon_transformers.release._last_known import read_leniently, recall
from anon_transformers.release._resolve import refuse_patterns_of_graphs

HIERARCHY = "007;00*;*\n008;00*;*\n110;11*;*\n"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.delenv("ANON_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder / "anon-transformers"


@pytest.fixture
def counted(monkeypatch):
    """How often a file was checked as a whole."""
    seen = []
    whole = _check.check_release

    def count(path, **options):
        seen.append(path)
        return whole(path, **options)

    monkeypatch.setattr(_check, "check_release", count)
    return seen


# ---------------------------------------------------------------- what is checked


def test_a_file_in_order_is_read_and_nothing_is_written(release):
    release.source.unlink()
    assert check_release(release.file).name == "people"
    assert release.nothing_written()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"thresholds": [{"model": "k-anonymity", "kk": 5}]}, "'kk'; did you mean"),
        ({"thresholds": [{"model": "k-anonymity", "k": 0}]}, "thresholds, k-anonymity"),
        ({"thresholds": [{"model": "k-anonymity", "k": 1}]}, "promises nothing"),
        ({"thresholds": [{"model": "k-anonimity", "k": 5}]}, "did you mean"),
        ({"thresholds": [{"metric": "loss", "max": 1}]}, "none is a privacy model"),
        ({"anonymizer": {"name": "mondrian", "kk": 5}}, "unknown parameter 'kk'"),
        ({"anonymizer": {"name": "mondrian", "mode": "odd"}}, "mode"),
        ({"anonymizer": {"name": "mondrain"}}, "did you mean 'mondrian'?"),
        ({"hierarchies": {"zip": "nowhere.csv"}}, "nowhere.csv does not exist"),
        ({"hierarchies": {"zip": {"kind": "masking", "lenght": 3}}}, "'lenght'"),
        ({"suite": "nowhere.json"}, "nowhere.json does not exist"),
        ({"target": {"path": "work/people/out"}}, "must not hold one another"),
        ({"target": {"path": "out", "format": "exel"}}, "target.format"),
        ({"source": {"path": "people.csv", "kind": "cvs"}}, "source.kind"),
        (
            {"source": {"path": "people.csv", "encodng": "utf-8"}},
            "source: unknown parameter 'encodng'; did you mean 'encoding'?",
        ),
        ({"source": {"path": ["people.csv"], "seperator": ";"}}, "'seperator'"),
        (
            {"source": {"path": "people.csv", "columns": {"agee": "integer"}}},
            "source: columns: unknown column 'agee'; did you mean 'age'?",
        ),
        (
            {"source": {"path": "people.csv", "columns": {"age": "integr"}}},
            "column 'age': unknown kind 'integr'; did you mean 'integer'?",
        ),
        (
            {"source": {"path": ["people.csv"], "columns": {"age": {"date": "%Q"}}}},
            "columns, age: a format of dates needs",
        ),
        (
            {"source": {"path": "people.csv", "separator": ";;"}},
            "source: separator must be one character",
        ),
        (
            {"source": {"path": "people.csv", "encoding": "utf9"}},
            "source: unknown encoding 'utf9'",
        ),
        (
            {"source": {"path": "people.csv", "missing": "NA"}},
            "source: missing must be a list of texts, such as [\"NA\"], got 'NA'",
        ),
        (
            {"source": {"path": "people.csv", "missing": [-9]}},
            'missing must be a list of texts, such as ["NA"]; write "-9" for -9',
        ),
        (
            {"anonymizer": {"name": "mondrian", "step": {"agee": 5}}},
            "anonymizer mondrian: step: unknown quasi-identifier 'agee'; did you mean",
        ),
        (
            {"anonymizer": {"name": "mondrian", "domain": {"zpi": ["1", "2"]}}},
            "anonymizer mondrian: domain: unknown quasi-identifier 'zpi'",
        ),
        (
            {
                "anonymizer": {"name": "mondrian", "step": {"age": 5, "zip": 5}},
                "hierarchies": {"zip": {"kind": "masking", "length": 3}},
            },
            "anonymizer mondrian: step, zip: it has a hierarchy already",
        ),
        (
            {"anonymizer": {"name": "full-domain", "levels": {"agee": 1}}},
            "anonymizer full-domain: levels: unknown quasi-identifier 'agee'",
        ),
        (
            {"anonymizer": {"name": "full-domain", "weights": {"agee": 1}}},
            "anonymizer full-domain: weights: unknown quasi-identifier 'agee'",
        ),
        (
            {"anonymizer": {"name": "datafly", "types": {"agee": "int"}}},
            "anonymizer datafly: types: unknown quasi-identifier 'agee'",
        ),
        (
            {
                "on_refusal": {
                    "back_off": [{"anonymizer": {"name": "datafly", "kk": 5}}]
                }
            },
            "on_refusal.back_off.0: anonymizer datafly: unknown parameter 'kk'",
        ),
        (
            {"on_refusal": {"back_off": [{"anonymizer": {"name": "dataflie"}}]}},
            "on_refusal.back_off.0: anonymizer: unknown",
        ),
    ],
)
def test_what_a_run_would_refuse_is_refused(release, changes, message):
    release.write(**changes)
    with pytest.raises(ConfigurationError) as caught:
        check_release(release.file)
    assert message in str(caught.value)
    assert str(release.file) in str(caught.value)
    # The same as in a run, which says it without the name of the file.
    with pytest.raises(Exception) as refused:
        load(release.file)
    assert str(refused.value) in str(caught.value)
    assert release.nothing_written()


def test_a_ladder_is_checked_without_the_source(release):
    release.write(on_refusal={"back_off": [{"anonymizer": {"suppression_limit": 0.1}}]})
    release.source.unlink()
    assert check_release(release.file).on_refusal.back_off


def test_a_source_in_the_folder_of_all_periods_is_refused(release):
    release.write(
        source={"path": "out/{period:%Y-%m}.csv"},
        target={"path": "out/{period:%Y-%m}"},
    )
    with pytest.raises(ConfigurationError, match=r"source\.path: the file lies in the"):
        check_release(release.file)


def test_an_error_of_ours_that_nobody_foresaw_is_of_one_file(release, monkeypatch):
    def fail(path):
        raise OverflowError("NAMEMARK")

    monkeypatch.setattr(_check, "read_config", fail)
    for check in (check_release, check_remembered):
        with pytest.raises(ConfigurationError, match="failed with OverflowError"):
            check(release.file)
    (found,) = check_files([release.file])
    assert "NAMEMARK" not in found.fault


def test_a_missing_source_is_refused_where_it_is_asked_for(release):
    release.source.unlink()
    with pytest.raises(ConfigurationError, match=r"source\.path: .* does not exist"):
        check_release(release.file, source=True)


def test_a_strangers_error_is_named_by_its_type(release, monkeypatch):
    def fail(config):
        raise RuntimeError("NAMEMARK")

    monkeypatch.setattr(_check, "_refuse_wrong_parameters", fail)
    with pytest.raises(ConfigurationError, match="failed with RuntimeError") as caught:
        check_release(release.file)
    assert "NAMEMARK" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_which_files_of_a_folder_are_releases(tmp_path):
    for name in ("a.yaml", "b.yml", ".#a.yaml", "notes.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / "c.yaml").symlink_to("gone")
    (tmp_path / "d.yaml").mkdir()
    found = release_files([tmp_path, tmp_path / "notes.txt", tmp_path / "a.yaml"])
    assert [f.name for f in found] == ["a.yaml", "b.yml", "c.yaml", "notes.txt"]


def test_the_source_of_a_period_is_looked_for(release):
    release.write(
        source={"path": "people-{period:%Y-%m}.csv"},
        target={"path": "out/{period:%Y-%m}"},
    )
    assert check_release(release.file).grain == "month"
    with pytest.raises(ConfigurationError, match="none is given"):
        check_release(release.file, source=True)
    with pytest.raises(ConfigurationError, match=r"people-2026-10\.csv does not exist"):
        check_release(release.file, source=True, period="2026-10")
    release.source.rename(release.folder / "people-2026-10.csv")
    assert check_release(release.file, source=True, period="2026-10")


# ---------------------------------------------------------------- what is remembered


def test_a_file_in_order_is_checked_once(release, counted, cache):
    assert check_remembered(release.file).name == "people"
    assert check_remembered(release.file).name == "people"
    assert len(counted) == 1
    assert (cache / "checked-releases").stat().st_mode & 0o077 == 0


def test_it_is_checked_again_when_something_changes(release, counted, registered):
    file = release.folder / "zip.csv"
    file.write_text(HIERARCHY)
    given = {"anonymizer": release.mondrian(domain=None)}
    release.write(hierarchies={"zip": "zip.csv"}, **given)
    check_remembered(release.file)
    file.write_text(HIERARCHY + "111;11*;*\n")
    check_remembered(release.file)
    assert len(counted) == 2
    registered("readers", "of-a-plugin", dict)
    check_remembered(release.file)
    assert len(counted) == 3
    release.write(schedule="@daily")
    check_remembered(release.file)
    assert len(counted) == 4
    file.unlink()
    with pytest.raises(ConfigurationError, match=r"zip\.csv does not exist"):
        check_remembered(release.file)


def test_a_broken_file_is_checked_each_time(release, counted):
    release.write(thresholds=[{"model": "k-anonymity", "kk": 5}])
    for _ in range(2):
        with pytest.raises(ConfigurationError, match="'kk'"):
            check_remembered(release.file)
    assert len(counted) == 2
    assert recall(release.file) == {}


def test_without_a_cache_it_is_checked_each_time(release, counted, cache):
    cache.parent.write_text("no folder")
    for _ in range(2):
        assert check_remembered(release.file).name == "people"
    assert len(counted) == 2


def test_what_somebody_wrote_into_the_cache_is_checked_again(release, counted, cache):
    check_remembered(release.file)
    (place,) = (cache / "checked-releases").iterdir()
    for text in ("[1]", "{", '{"mark": 1}'):
        place.write_text(text)
        assert check_remembered(release.file).name == "people"
    assert len(counted) == 4


# ---------------------------------------------------------------- what is last known


@pytest.mark.parametrize(
    ("text", "schedule", "owner"),
    [
        ("schedule: '@daily'\nairflow: {owner: ada}\nrolls: 1\n", "@daily", "ada"),
        ("source: [\nschedule: '@daily'  # each\nairflow:\n  owner: ada\nx: ]\n",
         "@daily", "ada"),
        ("a: 'x\nschedule: 0 6 * * *\n", "0 6 * * *", None),
        ("schedule: '@daily\nairflow: {owner: ada}\n", None, "ada"),
        ("x: {\n  schedule: '@daily'\n", None, None),
        ("schedule: [1]\nairflow: 7\n", None, None),
        ("airflow: {owner: ada, retries: many, deadline: 1h}\n", None, "ada"),
        ("schedule: '@daily'\nschedule: '@weekly'\n", "@weekly", None),
        ("\x00", None, None),
        ("", None, None),
    ],
)  # fmt: skip
def test_what_can_be_read_in_a_broken_file(release, text, schedule, owner):
    release.write_text(text)
    found, options = read_leniently(release.file)
    assert found == schedule
    assert options.owner == owner
    assert options.retries == 2


def test_what_the_file_says_goes_before_what_was_known(release):
    release.write(schedule="@daily", airflow={"owner": "ada", "retries": 7})
    check_remembered(release.file)
    release.write_text("source: [\n")
    schedule, options = read_leniently(release.file)
    assert (schedule, options.owner, options.retries) == ("@daily", "ada", 7)
    release.write_text("source: [\nschedule: '@weekly'\n")
    schedule, options = read_leniently(release.file)
    assert (schedule, options.owner) == ("@weekly", "ada")


@pytest.mark.parametrize("typo", ["0 6 1 *", "0 6 32 * *", "@mothly", "", 6])
def test_a_typo_in_the_schedule_is_refused_and_the_last_good_one_is_kept(release, typo):
    release.write(schedule="0 6 1 * *")
    check_remembered(release.file)
    release.write(schedule=typo)
    with pytest.raises(ConfigurationError, match="schedule: "):
        check_remembered(release.file)
    assert recall(release.file)["schedule"] == "0 6 1 * *"
    assert read_leniently(release.file)[0] == "0 6 1 * *"
    # Somebody who states none wants none.
    release.write_text("rolls: 1\nschedule: null\n")
    assert read_leniently(release.file)[0] is None


def test_a_remembered_schedule_that_is_none_is_not_taken(release, monkeypatch):
    # As it was remembered before schedules were checked.
    monkeypatch.setattr(_last_known, "recall", lambda file: {"schedule": "0 6 1 *"})
    release.write_text("source: [\n")
    assert read_leniently(release.file)[0] is None


@pytest.mark.parametrize("key", ["edges", "nodes"])
@pytest.mark.parametrize("name", ["g*.csv", "m/?.csv", "[ab].csv"])
def test_a_graph_has_one_file_of_edges_and_one_of_nodes(release, key, name):
    source = {"kind": "graph", "edges": "people.csv", key: name}
    release.write(
        source=source,
        roles={"identifiers": ["name"], "quasi_identifiers": ["age"]},
        anonymizer={"name": "k-degree"},
        thresholds=[{"model": "k-degree", "k": 2}],
    )
    with pytest.raises(ConfigurationError, match=f"source.{key}: .* asks for any name"):
        check_release(release.file)


def test_a_file_of_a_graph_may_have_such_a_name(release):
    (release.folder / "[ab].csv").write_text("source,target\na,b\n")
    config = read_config(
        release.write(
            source={"kind": "graph", "edges": "[ab].csv"},
            roles={},
            anonymizer={"name": "k-degree"},
            thresholds=[{"model": "k-degree", "k": 2}],
        )
    )
    assert refuse_patterns_of_graphs(config) is None
    (release.folder / "[ab].csv").unlink()
    with pytest.raises(ConfigurationError, match="asks for any name"):
        refuse_patterns_of_graphs(config)

"""Periods: what is filled in, what is public, and where ``current`` leads."""

import json
import os
import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from typer.testing import CliRunner

from anon_transformers.cli._app import app
from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    ParameterError,
    ReleaseError,
)
from anon_transformers.release import (
    anonymize,
    load,
    publish,
    read_config,
    read_published,
    run_release,
    validate,
)
from anon_transformers.release._period import GRAINS, Period, Template, grain_of
from anon_transformers.release._resolve import newest_there, period_of, resolve
from tests.release.conftest import SmallRelease, people

pytestmark = pytest.mark.gx
MONTHS = ["2026-08", "2026-09", "2026-10", "2026-11"]


def with_periods(release, months=MONTHS, **target):
    """Give a small release one file per month."""
    for month in months:
        shutil.copy(release.source, release.folder / f"p-{month}.csv")
    release.write(
        source={"path": "p-{period:%Y-%m}.csv"}, target={"path": "out", **target}
    )
    return release


@pytest.fixture
def monthly(release):
    return with_periods(release)


def refused(release, error=ConfigurationError, **how):
    with pytest.raises(error) as caught:
        load(release.file, **how)
    assert release.nothing_written()
    assert "Errno" not in str(caught.value)
    return str(caught.value)


# ---------------------------------------------------------------- a period


@pytest.mark.parametrize(
    ("given", "name", "grain"),
    [
        ("2026", "2026", "year"),
        ("2026-10", "2026-10", "month"),
        ("2026-W42", "2026-W42", "week"),
        ("2020-W53", "2020-W53", "week"),
        ("2026-10-05", "2026-10-05", "day"),
        ("2026-10-05T13", "2026-10-05T13", "hour"),
        ("2026-10-05T13:45:00+02:00", "2026-10-05T13", "hour"),
        (date(2026, 10, 5), "2026-10-05", "day"),
        (datetime(2026, 10, 5, 13, 45, tzinfo=UTC), "2026-10-05T13", "hour"),
    ],
)
def test_a_period_is_read_and_named(given, name, grain):
    period = Period.read(given)
    assert (period.name, period.grain) == (name, grain)
    assert Period.read(period.name) == period


@pytest.mark.parametrize(
    "given",
    ["", "x", "2026-13", "2026-1", "2026-02-30", "2026-W54", "26", "2026-10-", 7],
)
def test_what_is_no_period_is_refused(given):
    with pytest.raises(ParameterError, match="period"):
        Period.read(given)


@given(
    st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1)),
    st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1)),
    st.sampled_from(GRAINS),
)
def test_names_sort_as_time_does_and_truncation_contains(one, other, grain):
    a, b = (Period.read(moment).at(grain) for moment in (one, other))
    assert a.begin <= one
    assert (a.name < b.name) == (a.begin < b.begin)
    assert (a.name == b.name) == (a == b)
    assert Period.read(a.name) == a


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)))
def test_directives_are_those_of_strftime(day):
    form = "%Y-%m-%d %j %G-W%V %b %B %H"
    assert Period.read(day).write(form) == day.strftime(form)


@pytest.mark.parametrize(
    ("stated", "grain"), [("2026", "month"), ("2026-10", "week"), ("2026-W42", "month")]
)
def test_a_longer_period_than_the_file_has_is_refused(stated, grain):
    with pytest.raises(ParameterError, match=f"one period per {grain}"):
        Period.read(stated).at(grain)


# ---------------------------------------------------------------- paths


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("a.csv", "a.csv"),
        ("{period:%Y}/{period:%m}/x.csv", "2026/10/x.csv"),
        ("{period}.csv", "2026-10.csv"),
        ("{period:%Y%%%m}", "2026%10"),
        ("{{period}}", "{period}"),
        ("$A/$$B/${A}x", "/srv/$B//srvx"),
        ("5$ a", "5$ a"),
    ],
)
def test_a_path_is_filled_in(text, filled):
    template = Template(text)
    template.check()
    assert template.fill(Period.read("2026-10"), {"A": "/srv"}) == filled


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("out", "out"),
        ("out/{period}", "out"),
        ("out/x-{period}/y", "out"),
        ("/{period}", "/"),
        ("{period}", "."),
        ("a/b/{period:%Y/%m}", "a/b"),
    ],
)
def test_the_root_is_the_same_for_all_periods(text, root):
    assert Template(text).root.text == root


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("{month}.csv", "unknown placeholder '{month}'"),
        ("{period:%Y-%q}.csv", "'%q' is not supported; choices: %Y, %m"),
        ("{period:%Y-%M}.csv", "'%M' is not supported"),
        ("{period:}.csv", "writes nothing of the period"),
        ("{period:x}.csv", "writes nothing of the period"),
        ("{period.csv", "stands alone"),
        ("period}.csv", "stands alone"),
        ("${9}.csv", "names no variable"),
        ("{period}.csv", "does not say how long a period is"),
        ("{period:%G-%V-%m}.csv", "weeks are written"),
        ("{period:%Y%}.csv", "'%' is not supported"),
    ],
)
@pytest.mark.parametrize("key", ["source", "target"])
def test_what_cannot_be_filled_in_is_refused(release, path, said, key):
    release.write(**{key: {"path": path}})
    message = refused(release, period="2026-10")
    assert said in message
    assert key in message


def test_the_finest_directive_decides():
    texts = ("{period:%Y}", "{period:%b}", "{period}")
    assert grain_of(map(Template, texts)) == "month"
    assert grain_of([Template("x")]) is None


@pytest.mark.parametrize(
    ("changes", "period", "said"),
    [
        ({}, None, "none is given; state it, "),
        ({}, "2026", "2026 is a year, and the file has one period per month"),
        ({}, "October", "'October' is no period"),
        ({"source": {"path": "people.csv"}}, "2026-10", "neither source nor target"),
        ({"workspace": "w/{period}"}, "2026-10", "workspace: all periods"),
    ],
)
def test_a_period_that_does_not_fit_is_refused(monthly, changes, period, said):
    monthly.write(**changes)
    assert said in refused(monthly, period=period)


@pytest.mark.parametrize(
    ("today", "newest"),
    [
        (date(2026, 11, 18), "2026-11"),
        (date(2026, 10, 1), "2026-10"),
        (date(2027, 3, 1), "2026-11"),
        (date(2026, 7, 31), None),
        (date(2099, 1, 1), None),
    ],
)
@pytest.mark.parametrize("path", ["p-{period:%Y-%m}.csv", "p*-{period:%Y-%m}.c?v"])
def test_the_period_that_is_shown_is_one_that_is_there(monthly, path, today, newest):
    monthly.write(source={"path": path, "kind": "csv"})
    found = newest_there(read_config(monthly.file), "month", today)
    assert (None if found is None else found.name) == newest


def test_where_no_source_is_there_the_way_to_write_a_period_is_shown(monthly):
    monthly.write(source={"path": "nosuch-{period:%Y-%m}.csv"})
    with pytest.raises(ConfigurationError, match="such as anon check x --period 2026"):
        period_of(read_config(monthly.file), None, "x", "anon check")


def test_a_missing_source_of_a_period_is_refused(monthly):
    message = refused(monthly, DataError, period="2025-01")
    assert message.endswith("p-2025-01.csv does not exist.")


def test_with_a_subject_retention_must_be_stated(monthly):
    roles = {**monthly.content["roles"], "subject": "name"}
    monthly.write(roles=roles)
    message = refused(monthly, period="2026-10")
    file = f"{monthly.file}:\n"
    assert message.removeprefix(file).startswith("target.retention: with roles.subject")
    assert "how many published periods stay public" in message
    assert "retention: {periods: 1}" in message
    monthly.write(target={"path": "out", "retention": {"periods": 1}})
    run_release(monthly.file, period="2026-10")
    assert monthly.manifest()["period"] == "2026-10"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ({"retention": {}}, "state one of"),
        ({"retention": {"periods": 1, "days": 3}}, "state one of"),
        ({"retention": {"periods": 0}}, "retention.periods"),
        ({"retention": {"weeks": 3}}, "unknown key 'weeks'"),
    ],
)
def test_a_retention_that_says_nothing_is_refused(monthly, target, said):
    monthly.write(target={"path": "out", **target})
    assert said in refused(monthly, period="2026-10")


def test_retention_without_periods_is_refused(release):
    release.write(target={"path": "out", "retention": {"periods": 1}})
    assert "neither source nor target holds a period" in refused(release)


# ---------------------------------------------------------------- what is public


def current(root):
    """The run that readers of a folder see."""
    return (root / "current").resolve().name


def test_a_backfill_leaves_the_newest_period_current(monthly):
    november = Path(run_release(monthly.file, period="2026-11"))
    october = Path(run_release(monthly.file, period=datetime(2026, 10, 5, tzinfo=UTC)))
    assert current(monthly.target) == november.name
    assert october.name.startswith("2026-10_")
    assert monthly.versions() == sorted([october.name, november.name])
    again = Path(run_release(monthly.file, period="2026-11"))
    assert current(monthly.target) == again.name
    assert monthly.versions() == sorted([october.name, again.name])
    events = {e["run"]: e for e in monthly.events()}
    assert events[october.name]["period"] == "2026-10"
    manifest = json.loads((october / "manifest.json").read_text())
    assert manifest["period"] == "2026-10"
    assert "of period 2026-10" in (october / "validation.html").read_text()


def test_each_period_may_have_a_folder_of_its_own(monthly):
    monthly.write(target={"path": "out/{period:%Y}/{period:%m}"})
    run_release(monthly.file, period="2026-11")
    run_release(monthly.file, period="2026-10")
    root = monthly.target
    assert (root / "current").readlink() == Path("2026/11/current")
    assert current(root).startswith("2026-11_")
    assert current(root / "2026/10").startswith("2026-10_")
    run_release(monthly.file, period="2026-11")
    assert len(list((root / "2026/11/versions").iterdir())) == 1
    assert read_published(root).shape == read_published(root / "2026/10").shape


def test_a_period_can_be_read(monthly):
    for path in ("out", "out/{period}"):
        monthly.write_rows(people(40))
        monthly.file = monthly.folder / f"n{len(path)}.yaml"
        monthly.write(target={"path": path, "keep_versions": 1})
        run_release(monthly.file, period="2026-11")
        shutil.copy(monthly.source, monthly.folder / "p-2026-10.csv")
        run_release(monthly.file, period="2026-10")
        monthly.write_rows(people(60))
        shutil.copy(monthly.source, monthly.folder / "p-2026-10.csv")
        run_release(monthly.file, period="2026-10")
        assert len(read_published(monthly.target, period="2026-10")) == 60
        assert len(read_published(monthly.target, period="2026-11")) == 40
        with pytest.raises(DataError, match="published: 2026-10, 2026-11"):
            read_published(monthly.target, period="2026-09")
        shutil.rmtree(monthly.target)


def test_a_period_that_would_be_removed_at_once_is_refused(monthly):
    with_periods(monthly, retention={"periods": 1})
    waiting = validate(anonymize(load(monthly.file, period="2026-10")))
    run_release(monthly.file, period="2026-11")
    with pytest.raises(ConfigurationError, match=r"2026-09 is older .* 2026-11"):
        load(monthly.file, period="2026-09")
    with pytest.raises(ReleaseError, match=r"2026-10 is older .* \{periods: 1\}"):
        publish(waiting)
    assert [v[:7] for v in monthly.versions()] == ["2026-11"]


def test_versions_from_before_there_were_periods(release):
    first = Path(run_release(release.file))
    with_periods(release)
    second = Path(run_release(release.file, period="2026-08"))
    assert current(release.target) == second.name
    assert first.exists()
    with_periods(release, retention={"periods": 1})
    run_release(release.file, period="2026-08")
    assert not first.exists()
    release.write(source={"path": "people.csv"}, target={"path": "out"})
    last = Path(run_release(release.file))
    assert release.versions() == [last.name]
    assert current(release.target) == last.name


class Model:
    """What must be public, kept as plainly as can be."""

    def __init__(self, keep, retention):
        self.keep, self.retention = keep, retention
        self.public = {}

    def accepts(self, period):
        return period in self.kept({*self.public, period})

    def kept(self, periods):
        if self.retention is None:
            return set(periods)
        if "periods" in self.retention:
            return set(sorted(periods)[-self.retention["periods"] :])
        newest = date.fromisoformat(f"{max(periods)}-01")
        limit = newest - timedelta(self.retention["days"])
        return {p for p in periods if date.fromisoformat(f"{p}-01") >= limit}

    def publish(self, period, run):
        self.public.setdefault(period, []).append(run)
        self.public[period] = self.public[period][-1 - self.keep :]
        kept = self.kept(self.public)
        self.public = {p: runs for p, runs in self.public.items() if p in kept}

    @property
    def current(self):
        return self.public[max(self.public)][-1]


@pytest.fixture(scope="module")
def judged_once(tmp_path_factory):
    """Skip what does not depend on periods: the gate itself is tried elsewhere."""
    return tmp_path_factory.mktemp("oracle")


@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    months=st.lists(st.sampled_from(MONTHS), min_size=2, max_size=6),
    keep=st.sampled_from([0, 0, 1, 2]),
    retention=st.sampled_from([None, {"periods": 1}, {"periods": 2}, {"days": 31}]),
    layout=st.sampled_from(["out", "out/{period:%Y-%m}", "out/{period:%Y}"]),
)
def test_what_is_public_is_what_the_model_says(
    judged_once, months, keep, retention, layout
):
    shutil.rmtree(judged_once)
    judged_once.mkdir()
    target = {} if retention is None else {"retention": retention}
    release = with_periods(SmallRelease(judged_once), keep_versions=keep, **target)
    release.write(target={**release.content["target"], "path": layout})
    model = Model(keep, retention)
    for month in months:
        before = release.public_bytes() if release.target.exists() else {}
        if not model.accepts(month):
            with pytest.raises(ConfigurationError, match="is older"):
                run_release(release.file, period=month)
            assert release.public_bytes() == before
            continue
        model.publish(month, Path(run_release(release.file, period=month)).name)
        found = {path.name for path in release.target.glob("**/versions/*")}
        assert found == {run for runs in model.public.values() for run in runs}
        assert current(release.target) == model.current
        links = {p.parent for p in release.target.rglob("current")} - {release.target}
        for folder in links:
            own = sorted(path.name for path in (folder / "versions").iterdir())
            newest = max(run[:7] for run in own)
            assert current(folder) == model.public[newest][-1]
        folders = {f for f in release.target.glob("**") if f.name != "versions"}
        assert all(any(f.iterdir()) for f in folders)


# ---------------------------------------------------------------- places


def test_variables_name_places_and_stay_private(release, monkeypatch):
    for name in ("IN", "OUT", "WORK"):
        monkeypatch.setenv(name, str(release.folder / f"secret-{name}"))
    (release.folder / "secret-IN").mkdir()
    release.source.rename(release.folder / "secret-IN" / "people.csv")
    release.write(
        source={"path": "${IN}/people.csv"},
        target={"path": "$OUT/x"},
        workspace="$WORK",
    )
    run = load(release.file)
    assert Path(run).is_relative_to(release.folder / "secret-WORK")
    # A worker may have another environment; the run goes on as it began.
    monkeypatch.setenv("OUT", str(release.folder / "elsewhere"))
    version = Path(publish(validate(anonymize(run))))
    assert version.is_relative_to(release.folder / "secret-OUT" / "x")
    published = "".join(path.read_text() for path in version.iterdir())
    assert "secret" not in published


def test_a_release_file_that_changed_is_compared_as_it_is_stated(monthly):
    run = validate(anonymize(load(monthly.file, period="2026-10")))
    monthly.write(source={"path": "p-2026-10.csv", "missing": ["?"]})
    monthly.write(target={"path": "out", "keep_versions": 1})
    with pytest.raises(ReleaseError, match=r"source in .* changed"):
        publish(run)


def test_a_foreign_link_beside_the_periods_is_refused(monthly):
    monthly.write(target={"path": "out/{period}"})
    monthly.target.mkdir()
    (monthly.target / "current").symlink_to("elsewhere")
    with pytest.raises(ConfigurationError, match="leads to no version"):
        load(monthly.file, period="2026-10")


def test_the_command_takes_a_period(monthly):
    done = CliRunner().invoke(
        app, ["release", str(monthly.file), "--period", "2026-10", "--json"]
    )
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["period"] == "2026-10"
    done = CliRunner().invoke(app, ["release", str(monthly.file)])
    assert done.exit_code != 0
    assert f"--period {newest_there(read_config(monthly.file), 'month')}" in " ".join(
        done.output.split()
    )


def test_a_resolved_release_is_read_with_its_period(monthly):
    config = resolve(read_config(monthly.file), "2026-10")
    assert config.source.path == "p-2026-10.csv"
    assert config.period == Period.read("2026-10")
    assert read_config(monthly.file).source.path == "p-{period:%Y-%m}.csv"
    assert os.fspath(config.target_root) == os.fspath(monthly.target)

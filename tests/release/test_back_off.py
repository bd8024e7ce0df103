"""The ladder: thresholds hold at every rung, and the tries are told."""

import json

import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from typer.testing import CliRunner

from anon_transformers.cli._app import app
from anon_transformers.exceptions import (
    ConfigurationError,
    InfeasibleError,
    ReleaseError,
)
from anon_transformers.release import (
    anonymize,
    load,
    measure_published,
    publish,
    read_config,
    read_published,
    run_release,
    validate,
)
from anon_transformers.release._back_off import tries_of
from tests.release.conftest import JOB_MARK, NAME_MARK

pytestmark = pytest.mark.gx

MARKS = {"ZIPMARK", "TOWNMARK", NAME_MARK, JOB_MARK}
ROWS = [("a", "n")] * 8 + [("b", "s")] * 8 + [("c", "n"), ("c", "s")]
TREES = {
    "zip": ["ZIPMARK-a", "ZIPMARK-b", "ZIPMARK-c"],
    "town": ["TOWNMARK-n", "TOWNMARK-s"],
}
PINNED = {"name": "full-domain", "levels": {}}
"""Nothing is generalized: the two rows of the third zip stand alone."""
PASSES = {"anonymizer": {"name": "full-domain"}}
OF_ONE_RUN = {"version", "published", "sha256", "place", "files", "signature"}
"""What a manifest says of a run, and not of its settings."""
NO_HELP = {"anonymizer": {"suppression_limit": 0.01}}


@pytest.fixture
def ladder(release):
    """A release that is refused as it is stated, and its ladder."""
    rows = [["name", "zip", "town", "job"]]
    for number, (zip_, town) in enumerate(ROWS):
        job = f"{JOB_MARK}-{'xyz'[number % 3]}"
        rows.append(
            [f"{NAME_MARK}{number}", f"ZIPMARK-{zip_}", f"TOWNMARK-{town}", job]
        )
    release.write_rows(rows)
    for name, values in TREES.items():
        text = "".join(f"{value};*\n" for value in values)
        (release.folder / f"{name}.csv").write_text(text)
    release.write(
        roles={
            "quasi_identifiers": ["zip", "town"],
            "sensitive": ["job"],
            "identifiers": ["name"],
        },
        hierarchies={name: f"{name}.csv" for name in TREES},
        anonymizer=PINNED,
        thresholds=[{"model": "k-anonymity", "k": 4}],
    )

    def write(*rungs, **changes):
        release.write(on_refusal={"back_off": list(rungs)}, **changes)
        return release

    return write


def tried(release):
    return [(e["rung"], e["passed"]) for e in release.events() if e["event"] == "tried"]


# ---------------------------------------------------------------------- rungs


def test_a_file_that_passes_climbs_no_rung(ladder):
    release = ladder(NO_HELP, anonymizer={"name": "full-domain"})
    run_release(release.file)
    assert tried(release) == [(0, True)]


def test_the_first_rung_passes(ladder):
    release = ladder(PASSES, NO_HELP)
    run_release(release.file)
    assert tried(release) == [(0, False), (1, True)]


def test_the_second_rung_passes_and_each_try_is_in_the_journal(ladder):
    release = ladder(NO_HELP, {"drop": ["zip"]}, PASSES)
    table = read_published(run_release(release.file), labels="text")
    manifest = release.manifest()
    config = read_config(release.file)
    assert tries_of(config, manifest["version"]) == [
        {"rung": 0, "settings": {}, "passed": False},
        {"rung": 1, "settings": NO_HELP, "passed": False},
        {"rung": 2, "settings": {"drop": ["zip"]}, "passed": True},
    ]
    assert manifest["roles"]["quasi_identifiers"] == ["town"]
    assert set(table.columns) == {"town", "job"}
    assert table.groupby("town").size().min() >= 4
    assert manifest["promised"]["in_force"][0]["k"] == 4
    page = (release.target / "current" / "validation.html").read_text()
    assert "zip" not in page


@pytest.mark.parametrize(
    ("rungs", "changes", "rung", "said"),
    [
        ([NO_HELP], {"anonymizer": {"name": "full-domain"}}, 0, "as it is stated"),
        ([PASSES, NO_HELP], {}, 1, "on_refusal.back_off.0"),
        ([NO_HELP, {"drop": ["zip"]}], {}, 2, "on_refusal.back_off.1"),
    ],
)
def test_the_rung_that_passed_is_told(ladder, rungs, changes, rung, said):
    release = ladder(*rungs, **changes)
    runner = CliRunner(env={"COLUMNS": "200"})
    done = runner.invoke(app, ["release", str(release.file), "--log-json"])
    assert done.exit_code == 0, done.output
    facts = [json.loads(line) for line in done.stderr.splitlines()]
    (made,) = (line for line in facts if line.get("step") == "anonymize")
    assert made["rung"] == rung
    assert said in made["setting"]
    assert f", rung {rung}, " in made["message"]
    (line,) = (line for line in done.stdout.splitlines() if " rung " in line)
    assert str(rung) in line.split()
    assert said in line
    told = json.loads(
        runner.invoke(app, ["release", str(release.file), "--json"]).stdout
    )
    assert told["tries"][-1] == {**told["tries"][-1], "rung": rung, "passed": True}


def test_without_a_ladder_there_is_no_rung(release):
    done = CliRunner().invoke(app, ["release", str(release.file), "--log-json"])
    assert done.exit_code == 0
    assert "rung" not in done.output


def test_a_rung_changes_the_file_and_not_the_rung_before_it(ladder):
    config = read_config(ladder(PASSES, {"drop": ["zip"]}).file)
    assert config.at_rung(0) is config
    assert config.at_rung(1).anonymizer.params == {}
    assert config.at_rung(2).anonymizer.params == {"levels": {}}
    assert not config.at_rung(2).on_refusal.back_off
    assert config.at_rung(2).thresholds == config.thresholds


def test_a_dropped_column_names_nobody(ladder):
    # Its values are no names that other labels must not hold.
    trees = "".join(f"{town};ZIPMARK-a;*\n" for town in TREES["town"])
    release = ladder({"drop": ["zip"]}, thresholds=[{"model": "k-anonymity", "k": 18}])
    release.write(anonymizer={"name": "full-domain", "levels": {"town": 1}})
    (release.folder / "town.csv").write_text(trees)
    table = read_published(run_release(release.file), labels="text")
    assert set(table["town"]) == {"ZIPMARK-a"}
    roles = read_config(release.file).at_rung(1).roles
    assert (roles.dropped, roles.identifiers) == (("zip",), ("name",))
    assert not roles.rows_are_persons


def test_parameters_of_a_dropped_column_go_with_it(ladder):
    pinned = {"name": "full-domain", "levels": {"zip": 1, "town": 0}}
    config = read_config(ladder({"drop": ["zip"]}, anonymizer=pinned).file)
    assert config.at_rung(1).anonymizer.params == {"levels": {"town": 0}}
    assert set(config.at_rung(1).hierarchies) == {"town"}


def test_none_passes_and_nothing_is_published(ladder):
    release = ladder(NO_HELP, {"anonymizer": {"suppression_limit": 0.02}})
    with pytest.raises(InfeasibleError, match="no rung of on_refusal passes") as caught:
        run_release(release.file)
    said = str(caught.value).splitlines()
    assert [line.split(":")[0] for line in said[1:]] == [
        "the file as it is stated", "on_refusal.back_off.0", "on_refusal.back_off.1"
    ]  # fmt: skip
    assert not any(mark in str(caught.value) for mark in MARKS)
    assert tried(release) == [(0, False), (1, False), (2, False)]
    assert not (release.target / "current").exists()
    assert release.runs() == []


def test_the_gate_decides_and_not_the_method_alone(ladder):
    """The first rung makes a table of classes of two, which the method may do."""
    weak = {"anonymizer": {"name": "full-domain", "k": 1}}
    release = ladder(weak, PASSES, thresholds=[{"model": "k-anonymity", "k": 9}])
    run_release(release.file)
    assert tried(release) == [(0, False), (1, False), (2, True)]


def test_thresholds_that_a_trigger_tightens_hold_at_every_rung(ladder):
    release = ladder(PASSES, anonymizer={"name": "full-domain"})
    run_release(release.file, parameters={"k_anonymity_k": 9})
    assert release.manifest()["measured"]["checks"][0]["observed"] >= 9
    with pytest.raises(InfeasibleError):
        run_release(release.file, parameters={"k_anonymity_k": 10})


# ---------------------------------------------------------------- steps and seals


def test_the_numbers_can_be_computed_again(ladder):
    release = ladder({"drop": ["zip"]})
    run_release(release.file)
    again = measure_published(release.target, release.file)
    measured = release.manifest()["measured"]
    assert again["loss"] == pytest.approx(measured["loss"])
    assert again["rows"] == measured["rows"]


def test_steps_may_be_run_again(ladder):
    release = ladder(NO_HELP, PASSES)
    place = load(release.file, "once")
    anonymize(place)
    before = (release.home / "runs" / place.split("/")[-1] / "candidate").iterdir()
    content = {file.name: file.read_bytes() for file in before}
    assert anonymize(place) == place
    for name, text in content.items():
        assert (
            release.home / "runs" / place.split("/")[-1] / "candidate" / name
        ).read_bytes() == text
    validate(place)
    validate(place)
    publish(place)
    assert tried(release) == [(0, False), (1, False), (2, True)]


def test_a_rung_that_is_changed_on_the_way_breaks_the_seal(ladder):
    release = ladder(NO_HELP, PASSES)
    place = load(release.file, "once")
    anonymize(place)
    note = release.home / "runs" / place.split("/")[-1] / "candidate/candidate.json"
    changed = json.loads(note.read_text()) | {"rung": 0}
    note.write_text(json.dumps(changed))
    with pytest.raises(ReleaseError, match="were changed between two steps"):
        validate(place)


def test_a_ladder_that_is_changed_on_the_way_is_not_published(ladder):
    release = ladder(NO_HELP, PASSES)
    place = validate(anonymize(load(release.file)))
    ladder(PASSES)
    with pytest.raises(ReleaseError, match=r"on_refusal in .* changed"):
        publish(place)


def test_readers_do_not_learn_that_anything_was_tried(ladder):
    """What the ladder publishes is what the rung as a file would publish."""
    release = ladder(NO_HELP, PASSES)
    run_release(release.file)
    shown = release.manifest()
    pages = release.public_bytes()
    assert not any(b"rung" in page or b"tries" in page for page in pages.values())
    release.write(on_refusal="refuse", **PASSES)
    run_release(release.file)
    alone = release.manifest()
    assert shown.keys() == alone.keys()
    differ = {key for key in shown if shown[key] != alone[key]}
    assert differ <= OF_ONE_RUN


def test_a_file_without_the_rung_that_was_published_is_not_measured_by(ladder):
    release = ladder({"drop": ["zip"]})
    run_release(release.file)
    ladder(PASSES)
    with pytest.raises(ReleaseError, match="states at no rung"):
        measure_published(release.target, release.file)


def test_a_release_without_a_ladder_says_nothing_of_tries(release):
    run_release(release.file)
    assert "tries" not in release.manifest()
    assert read_config(release.write(on_refusal="refuse")) == read_config(release.file)


# ------------------------------------------------------------------- refused rungs


@pytest.mark.parametrize(
    ("rungs", "message"),
    [
        ([{"thresholds": [{"model": "k-anonymity", "k": 2}]}],
         "on_refusal.back_off.0: thresholds: no rung changes it: thresholds stay"),
        ([PASSES, {"dropp": ["zip"]}], "on_refusal.back_off.1: unknown key 'dropp'"),
        ([{}], "on_refusal.back_off.0: a rung states anonymizer"),
        ([{"drop": ["zop"]}], "on_refusal.back_off.0: drop: 'zop' is no quasi-ident"),
        ([{"drop": ["zip", "town"]}], "at least one quasi-identifier must be left"),
        ([{"drop": "zip"}], "on_refusal.back_off.0.drop: must be a list"),
        ([{"anonymizer": {"random_state": 1}}], "a release draws fresh entropy"),
        ([{"anonymizer": {"sensitive": []}}], "declared once, under roles"),
        ([], "back_off: state at least one rung"),
    ],
)  # fmt: skip
def test_a_bad_rung_is_refused_when_the_file_is_read(ladder, rungs, message):
    release = ladder(*rungs)
    with pytest.raises(ConfigurationError) as caught:
        read_config(release.file)
    assert message in str(caught.value)


@pytest.mark.parametrize("word", ["back-off", "retry", 5])
def test_another_word_is_refused(release, word):
    with pytest.raises(ConfigurationError, match="on_refusal: "):
        read_config(release.write(on_refusal=word))


@pytest.mark.parametrize(
    ("rung", "message"),
    [
        ({"anonymizer": {"name": "mondrain"}}, "did you mean 'mondrian'?"),
        ({"anonymizer": {"suppression_limit": 7.5}}, "suppression_limit must be"),
        ({"anonymizer": {"name": "group-swap"}}, "group-swap"),
        ({"anonymizer": {"name": "k-degree"}}, "k-degree"),
    ],
)
def test_a_rung_that_cannot_be_run_is_refused_before_anything_is_written(
    ladder, rung, message
):
    release = ladder(NO_HELP, rung)
    said = release.refusal()
    assert "on_refusal.back_off.1: " in said
    assert message in said

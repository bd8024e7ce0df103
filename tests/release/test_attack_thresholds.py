"""Attacks as thresholds of a release file: judged in the gate, with private inputs."""

import json
import random

import pandas as pd
import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    GateError,
    ReleaseError,
)
from anon_transformers.gx import Threshold, suite_for
from anon_transformers.release import anonymize, load, run_release, validate

K = {"model": "k-anonymity", "k": 3}
TIGHT = {"attack": "tight-boxes", "max": 0.05}
HELD_OUT = ("singling-out", "linkability", "inference")
HEADER = "name,age,zip,job,note\n"


def strangers(n_rows=40, start=1000):
    """Rows of the same population, of persons who are not in the source."""
    draw = random.Random(11)
    rows = [HEADER]
    for number in range(n_rows):
        age, code = draw.randint(20, 60), draw.choice(["007", "008", "110"])
        job = draw.choice("abc")
        rows.append(f"NAMEMARK{start + number},{age},{code},JOBMARK-{job},y\n")
    return "".join(rows)


def quarantined(release):
    (place,) = (release.home / "quarantine").iterdir()
    return place


# ---------------------------------------------------------------- worked


def ends_with_one_person(published, people):
    """An intruder of our own: who alone has the value at an end of a range of ages.

    Knows exact ages and zips; reads ``[a, b]`` and ``{x, y}`` with no code of ours.
    """
    found = set()
    for _, row in published.drop_duplicates(["age", "zip"]).iterrows():
        text = str(row["age"])
        if not text.startswith("["):
            low = high = text
        else:
            low, high = text.strip("[]").split(", ")
        zips = str(row["zip"]).strip("{}").split(", ")
        here = [
            (number, age)
            for number, (age, code) in enumerate(people)
            if float(low) <= age <= float(high) and (code in zips or zips == ["*"])
        ]
        for end in {low, high} if low != high else ():
            alone = [number for number, age in here if age == float(end)]
            if len(alone) == 1:
                found.add(alone[0])
    return found


def test_tight_boxes_are_refused_and_the_reason_names_what_resists(release):
    tight = {"name": "mondrian", "boxes": "tight"}
    release.write(anonymizer=tight, thresholds=[K, TIGHT])
    with pytest.raises(GateError) as caught:
        run_release(release.file)
    told = str(caught.value)
    assert "tight-boxes: it exposes" in told and 'boxes="cuts"' in told
    candidate = pd.read_csv(quarantined(release) / "candidate" / "data.csv", dtype=str)
    source = pd.read_csv(release.source, dtype=str)
    people = list(zip(source["age"].astype(float), source["zip"], strict=True))
    exposed = ends_with_one_person(candidate, people)
    assert f"it exposes {len(exposed)} of 40 rows" in told
    assert len(exposed) > 0.05 * 40


def test_cuts_pass_the_same_threshold(release):
    release.write(thresholds=[K, TIGHT])
    run_release(release.file)
    manifest = release.manifest()
    (check,) = [c for c in manifest["measured"]["checks"] if c["kind"] == "attack"]
    assert check["passed"] and check["params"] == {"max": 0.05}


def test_numbers_of_an_attack_with_private_inputs_are_not_published(release):
    release.write(thresholds=[K, {**TIGHT, "max": 0.123}])
    run_release(release.file)
    checks = release.manifest()["measured"]["checks"]
    (check,) = [c for c in checks if c["kind"] == "attack"]
    assert not {"observed", "units", "failing", "details"} & set(check)
    page = (release.target / "current" / "validation.html").read_text()
    assert "an intruder gets who may hold the source" in page


def test_a_control_part_is_read_and_its_place_is_not_published(release):
    (release.folder / "held-out-part.csv").write_text(strangers())
    asked = [
        {"attack": name, "max": 0.9, "control": "held-out-part.csv"}
        for name in HELD_OUT
    ]
    release.write(thresholds=[K, *asked])
    run_release(release.file)
    public = release.public_bytes()
    assert not any(b"held-out-part" in content for content in public.values())
    promised = release.manifest()["promised"]["in_force"]
    assert [p for p in promised if "attack" in p] == [
        {"id": name, "attack": name, "max": 0.9} for name in HELD_OUT
    ]


# -------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"attack": "tight-boxes"}, "an attack needs max"),
        ({"attack": "tight-boxes", "max": 1}, "at least 0 and below 1"),
        ({"attack": "tight-boxes", "max": 0.1, "min": 0}, "unknown parameter 'min'"),
        ({"attack": "tigth-boxes", "max": 0.1}, "did you mean 'tight-boxes'"),
        ({"attack": "differencing", "max": 0.1}, "needs an earlier release"),
        ({"attack": "diversity-limits", "max": 0.1}, "it would always pass"),
        ({"attack": "inference", "max": 0.1}, "inference needs control: FILE"),
        (
            {"attack": "inference", "max": 0.1, "control": "nowhere.csv"},
            "does not exist",
        ),
        (
            {"attack": "tight-boxes", "max": 0.1, "control": "people.csv"},
            "control: tight-boxes does not use it",
        ),
        (
            {"attack": "inference", "max": 0.1, "control": "s3://held/out.csv"},
            "control: name a file",
        ),
    ],
)
def test_what_no_gate_could_judge_is_refused_at_once(release, asked, told):
    release.write(thresholds=[K, asked])
    assert told in release.refusal()


def test_attacks_are_no_goal_of_a_method(release):
    release.write(anonymizer=release.mondrian(models=[TIGHT]))
    assert "tight-boxes is no privacy model" in release.refusal()


def test_an_attack_alone_is_no_protection(release):
    release.write(thresholds=[TIGHT])
    assert "none is a privacy model" in release.refusal()


def test_attacks_that_count_rows_are_refused_where_persons_count(release):
    roles = {**release.content["roles"], "identifiers": [], "subject": "name"}
    release.write(roles=roles, thresholds=[K, {"attack": "skewness", "max": 0.1}])
    assert "counts rows and not persons" in release.refusal()


@pytest.mark.parametrize("attack", HELD_OUT)
def test_held_out_attacks_count_persons_with_one_row_each(release, attack):
    (release.folder / "control.csv").write_text(strangers())
    roles = {**release.content["roles"], "identifiers": [], "subject": "name"}
    asked = {"attack": attack, "max": 0.9, "control": "control.csv"}
    release.write(roles=roles, thresholds=[K, asked])
    run_release(release.file)
    # One person has another row: what is counted in rows is not counted in persons.
    lines = release.source.read_text().splitlines(keepends=True)
    release.source.write_text("".join([*lines, lines[1]]))
    with pytest.raises(GateError, match="1 rows of the release are further rows"):
        run_release(release.file)


@pytest.mark.parametrize("identifiers", [["name"], []])
def test_a_control_part_that_is_in_the_source_is_refused(release, identifiers):
    """Strangers who are none would make every attack pass."""
    rows = release.source.read_text().splitlines(keepends=True)
    (release.folder / "control.csv").write_text("".join(rows[:30]))
    roles = {**release.content["roles"], "identifiers": identifiers}
    roles["dropped"] = [] if identifiers else ["name"]
    asked = {"attack": "inference", "max": 0.5, "control": "control.csv"}
    release.write(roles=roles, thresholds=[K, asked])
    told = release.refusal(DataError)
    named = "29 persons of the file" if identifiers else "every row of the file"
    assert named in told and "NAMEMARK" not in told


def test_a_trigger_may_only_lower_the_most(release):
    release.write(thresholds=[K, TIGHT])
    with pytest.raises(ConfigurationError, match="may only tighten"):
        load(release.file, parameters={"tight_boxes_max": 0.06})
    run_release(release.file, parameters={"tight_boxes_max": 0.01})
    promised = release.manifest()["promised"]
    assert [p["max"] for p in promised["in_force"] if "attack" in p] == [0.01]
    assert [p["max"] for p in promised["file"] if "attack" in p] == [0.05]


@pytest.mark.parametrize("role", ["identifiers", "subject"])
def test_persons_of_the_source_in_another_spelling_are_no_strangers(release, role):
    header, *rows = release.source.read_text().splitlines(keepends=True)
    spelled = [row.replace("NAMEMARK", "namemark ") for row in rows[:30]]
    assert spelled != rows[:30]
    (release.folder / "control.csv").write_text("".join([header, *spelled]))
    roles = {**release.content["roles"], "identifiers": []}
    roles |= {"identifiers": ["name"]} if role == "identifiers" else {role: "name"}
    asked = {"attack": "inference", "max": 0.5, "control": "control.csv"}
    release.write(roles=roles, thresholds=[K, asked])
    with pytest.raises(DataError, match="30 persons of the file are in the source too"):
        load(release.file)


def test_a_control_part_that_changed_after_loading_is_refused(release):
    control = release.folder / "control.csv"
    control.write_text(strangers())
    asked = {"attack": "inference", "max": 0.5, "control": "control.csv"}
    release.write(thresholds=[K, asked])
    run = anonymize(load(release.file))
    control.write_text(strangers(start=5000))
    with pytest.raises(ReleaseError, match="changed after the run was loaded"):
        validate(run)


def test_a_suite_that_asks_nothing_of_the_attack_is_refused(release):
    suite = suite_for("own", [Threshold.read(K)])
    (release.folder / "suite.json").write_text(json.dumps(suite))
    release.write(thresholds=[K, TIGHT], suite="suite.json")
    assert "no expectation of the suite judges tight-boxes" in release.refusal()

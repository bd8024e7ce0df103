"""What was validated is what is published: by this run, of these bytes, and no less."""

import json
import shutil
from datetime import date
from pathlib import Path

import pandas as pd
import pytest

from anon_transformers.exceptions import AnonymizationError, ReleaseError
from anon_transformers.gx.gate import Threshold, suite_for
from anon_transformers.release import anonymize, load, publish, validate


def rewritten(path, **changes):
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, **changes}))


def judged(release, run_id=None):
    return validate(anonymize(load(release.file, run_id)))


def refused(release, location, sentence, step=publish):
    with pytest.raises(AnonymizationError, match=sentence):
        step(location)
    assert not (release.target / "current").exists()


def test_what_was_judged_is_published(release):
    publish(judged(release))
    assert (release.target / "current").exists()
    public = release.public_bytes()
    assert not any(b"seal" in content for content in public.values())


def test_a_verdict_cannot_be_turned(release, tmp_path):
    location = judged(release)
    verdict = json.loads((tmp_path / location / "verdict.json").read_text())
    rewritten(tmp_path / location / "verdict.json", checks=verdict["checks"][:1])
    refused(release, location, "were changed between two steps")


def test_thresholds_cannot_be_lowered_behind_the_gate(release, tmp_path):
    location = judged(release)
    order = json.loads((tmp_path / location / "run.json").read_text())
    order["thresholds"][0]["k"] = 2
    order["config"]["thresholds"][0]["k"] = 2
    rewritten(tmp_path / location / "run.json", **order)
    refused(release, location, "were changed between two steps")


LOWERED = {"thresholds": [{"model": "k-anonymity", "k": 2}]}


@pytest.mark.parametrize("step", [anonymize, validate, publish])
@pytest.mark.parametrize("change", [LOWERED, {"inputs": {}}, {"x": 1}])
def test_an_order_cannot_be_changed_on_the_way(release, step, change):
    location = load(release.file, parameters={"k_anonymity_k": 4})
    for earlier in (anonymize, validate):
        if earlier is step:
            break
        earlier(location)
    rewritten(Path(location) / "run.json", **change)
    refused(release, location, "were changed between two steps", step=step)


def test_an_order_without_a_seal_is_none(release):
    location = load(release.file)
    file = Path(location) / "run.json"
    order = json.loads(file.read_text())
    order.pop("seal")
    file.write_text(json.dumps(order))
    refused(release, location, "were changed between two steps", step=anonymize)


def test_the_order_of_another_run_is_none(release, tmp_path):
    first, kept = load(release.file), tmp_path / "kept"
    kept.mkdir()
    for name in ("run.json", "seal.key"):
        shutil.copy(Path(first) / name, kept / name)
    second = load(release.file, parameters={"k_anonymity_k": 4})
    for name in ("run.json", "seal.key"):
        shutil.copy(kept / name, Path(second) / name)
    refused(release, second, "were changed between two steps", step=anonymize)


def test_a_run_whose_order_was_changed_starts_over(release):
    location = load(release.file, "one", parameters={"k_anonymity_k": 4})
    rewritten(Path(location) / "run.json", **LOWERED)
    again = load(release.file, "one", parameters={"k_anonymity_k": 4})
    assert again == location
    publish(validate(anonymize(again)))
    assert release.manifest()["promised"]["in_force"][0]["k"] == 4


def test_what_is_anonymized_is_what_was_loaded(release):
    location = load(release.file)
    file = Path(location) / "input.parquet"
    file.write_bytes(file.read_bytes() + b" ")
    refused(release, location, "what was loaded changed since", step=anonymize)


def test_a_verdict_of_another_run_does_not_count(release, tmp_path):
    first = judged(release, None)
    kept = tmp_path / "kept.json"
    shutil.copy(tmp_path / first / "verdict.json", kept)
    second = anonymize(load(release.file))
    shutil.copy(kept, tmp_path / second / "verdict.json")
    shutil.copy(kept, tmp_path / second / "validation.html")
    refused(release, second, "were changed between two steps")


def test_a_candidate_with_a_new_hash_does_not_fit(release, tmp_path):
    location = anonymize(load(release.file))
    data = tmp_path / location / "candidate" / "data.csv"
    data.write_text(data.read_text().upper())
    from anon_transformers.release._run import sha256

    rewritten(data.with_name("candidate.json"), sha256=sha256(data))
    refused(release, location, "were changed between two steps", step=validate)


def test_what_was_loaded_stays_what_it_was(release, tmp_path):
    location = anonymize(load(release.file))
    file = tmp_path / location / "input.parquet"
    file.write_bytes(file.read_bytes() + b" ")
    refused(release, location, "what was loaded changed since", step=validate)


def test_a_run_without_its_key_goes_no_further(release, tmp_path):
    location = judged(release)
    (tmp_path / location / "seal.key").unlink()
    refused(release, location, "has no key")


def test_a_file_that_was_tightened_on_the_way_counts(release):
    location = judged(release)
    thresholds = [{**t} for t in release.content["thresholds"]]
    thresholds[0]["k"] = 4
    release.write(thresholds=thresholds)
    refused(release, location, "would loosen the release, which asks for 4")


def test_a_file_that_asks_for_less_now_changes_nothing(release):
    location = judged(release)
    thresholds = [{**t} for t in release.content["thresholds"]]
    thresholds[0]["k"] = 2
    release.write(thresholds=thresholds[:1])
    publish(location)
    assert release.manifest()["promised"]["in_force"][0]["k"] == 3


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"model": "distinct-l-diversity", "l": 2},
            "not judged by distinct-l-diversity",
        ),
        ({"model": "t-closeness", "t": 0.9, "distance": "equal"}, "not judged by t-"),
    ],
)
def test_a_threshold_that_was_added_on_the_way_counts(release, change, sentence):
    location = judged(release)
    release.write(thresholds=[*release.content["thresholds"], change])
    refused(release, location, sentence)


@pytest.mark.parametrize(
    "key, now",
    [
        ("source", {"path": "people.csv", "missing": ["?"]}),
        (
            "roles",
            {
                "quasi_identifiers": ["age", "zip"],
                "sensitive": ["job"],
                "identifiers": ["name", "note"],
            },
        ),
        ("hierarchies", {"zip": {"kind": "masking", "length": 3}}),
        ("anonymizer", {"name": "mondrian", "step": {"age": 10}}),
        ("target", {"path": "out", "format": "parquet"}),
        ("suite", "suite.json"),
    ],
)
def test_roles_that_changed_on_the_way_count(release, key, now):
    location = judged(release)
    release.write(**{key: now})
    refused(release, location, f"{key} in .* changed after it was loaded")


@pytest.mark.parametrize("step", [anonymize, validate, publish])
@pytest.mark.parametrize("key", ["suite", "hierarchies, zip"])
def test_files_that_changed_on_the_way_count(release, step, key):
    suite, tree = release.folder / "suite.json", release.folder / "zip.csv"
    wanted = Threshold("k-anonymity", "model", "k-anonymity", {"k": 3})
    suite.write_text(json.dumps(suite_for("people", [wanted])))
    tree.write_text("007;00*;*\n008;00*;*\n110;11*;*\n")
    release.write(
        suite=suite.name,
        hierarchies={"zip": tree.name},
        thresholds=[{"model": "k-anonymity", "k": 3}],
        anonymizer={"name": "mondrian", "step": {"age": 5}},
    )
    location, file = load(release.file), suite if key == "suite" else tree
    for earlier in (anonymize, validate):
        if earlier is step:
            break
        earlier(location)
    before = file.read_text()
    file.write_text(before + "\n")
    refused(release, location, f"the file of {key} changed after", step=step)
    if step is not anonymize:  # which gives the run up
        file.unlink()
        refused(release, location, f"the file of {key} changed after", step=step)
        file.write_text(before)
        publish(validate(location))


def test_a_run_of_the_same_name_starts_over_with_other_files(release):
    tree = release.folder / "zip.csv"
    tree.write_text("007;00*;*\n008;00*;*\n110;11*;*\n")
    release.write(
        hierarchies={"zip": tree.name},
        anonymizer={"name": "mondrian", "step": {"age": 5}},
    )
    first = Path(load(release.file, "one"))
    (first / "mark").touch()
    assert load(release.file, "one") == str(first)
    assert (first / "mark").exists()
    tree.write_text("007;0**;*\n008;0**;*\n110;11*;*\n")
    publish(validate(anonymize(load(release.file, "one"))))


def test_a_source_that_changed_on_the_way_counts(release):
    location = judged(release)
    release.write(source={"path": "people.csv", "missing": ["y"]})
    refused(release, location, "source in .* changed after it was loaded")


def test_options_of_a_source_are_compared_as_they_are_noted(release, registered):
    def read(path, since):
        return pd.read_csv(path, dtype={"zip": str})

    registered("readers", "dated", read)
    source = {"kind": "dated", "path": "people.csv", "since": date(2026, 1, 31)}
    release.write(source=source)
    publish(judged(release))
    assert release.manifest()["release"] == "people"


def test_a_file_that_is_gone_cannot_be_asked(release):
    location = judged(release)
    release.file.unlink()
    with pytest.raises(AnonymizationError, match="does not exist"):
        publish(location)
    assert not (release.target / "current").exists()


def test_quarantine_keeps_no_key(release):
    release.write(thresholds=[{"model": "k-anonymity", "k": 3},
                              {"metric": "average-risk", "max": 0.001}])  # fmt: skip
    with pytest.raises(ReleaseError):
        judged(release)
    assert not list((release.home / "quarantine").rglob("seal.key"))

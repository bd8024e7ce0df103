"""Releases that protect sensitive values: what the gate may know, and readers not."""

import json

import pytest

from anon_transformers.exceptions import GateError, ReleaseError
from anon_transformers.release import anonymize, load, publish, validate
from anon_transformers.release._run import Run

JOBS = "JOBMARK-a;low;*\nJOBMARK-b;low;*\nJOBMARK-c;high;*\n"
ALL_FOUR = [
    {"model": "k-anonymity", "k": 3},
    {"model": "distinct-l-diversity", "l": 2},
    {"model": "t-closeness", "t": 0.6, "distance": "hierarchical", "sensitive": "job"},
    {"metric": "average-risk", "max": 0.4},
]


@pytest.fixture
def diverse(release):
    (release.folder / "job.csv").write_text(JOBS)
    release.write(
        hierarchies={"job": "job.csv"},
        thresholds=ALL_FOUR,
        anonymizer=release.mondrian(
            tie_side="both", suppression="drop", suppression_limit=0.2
        ),
    )
    return release


def test_k_l_and_t_are_judged_and_published(diverse):
    publish(validate(anonymize(load(diverse.file))))
    checks = {
        check["name"]: check for check in diverse.manifest()["measured"]["checks"]
    }
    assert set(checks) == {
        "k-anonymity",
        "distinct-l-diversity",
        "t-closeness",
        "average-risk",
    }
    assert all(check["passed"] for check in checks.values())
    assert checks["distinct-l-diversity"]["observed"] >= 2
    assert "observed" not in checks["t-closeness"]  # it compares with the input


def test_the_distribution_of_the_input_is_private(diverse):
    location = anonymize(load(diverse.file))
    evidence = Run(location).path("candidate") / "references.json"
    told = dict(map(tuple, json.loads(evidence.read_text())["columns"]["job"]))
    assert sum(told.values()) == 40
    publish(validate(location))
    assert not evidence.exists()
    for name, content in diverse.public_bytes().items():
        assert "references" not in name
        if name.endswith((".json", ".html")):
            assert b"JOBMARK" not in content


def test_evidence_that_changed_is_refused(diverse):
    location = anonymize(load(diverse.file))
    evidence = Run(location).path("candidate") / "references.json"
    evidence.write_text(evidence.read_text().replace("JOBMARK-a", "JOBMARK-b"))
    with pytest.raises(ReleaseError, match="evidence of the input changed"):
        validate(location)


def test_a_quarantined_candidate_leaves_no_distribution(diverse):
    strict = [*ALL_FOUR[:2], {"model": "t-closeness", "t": 0.0, "sensitive": "job"}]
    stated = diverse.mondrian(models=[])
    diverse.write(thresholds=strict, anonymizer=stated)
    location = anonymize(load(diverse.file))
    with pytest.raises(GateError, match="t-closeness"):
        validate(location)
    left = [path.name for path in diverse.work.rglob("*") if path.is_file()]
    assert "candidate.json" in left
    assert "references.json" not in left


def test_a_full_domain_release(diverse):
    zips = "007;0;*\n008;0;*\n110;1;*\n"
    (diverse.folder / "zip.csv").write_text(zips)
    diverse.write(
        hierarchies={
            "zip": "zip.csv",
            "job": "job.csv",
            "age": {"kind": "intervals", "widths": [10, 20]},
        },
        anonymizer={"name": "full-domain", "suppression_limit": 0.3},
    )
    location = anonymize(load(diverse.file))
    noted = json.loads((Run(location).path("candidate") / "candidate.json").read_text())
    assert noted["report"]["details"]["proved"] == 1.0
    publish(validate(location))
    assert "details" not in diverse.manifest()["measured"]


@pytest.mark.parametrize(
    "threshold",
    [{"model": "k-map", "k": 3}, {"metric": "marketer-risk", "max": 0.2}],
)
def test_what_needs_a_population_is_refused_before_the_run(release, threshold):
    release.write(thresholds=[{"model": "k-anonymity", "k": 3}, threshold])
    assert "needs a population" in release.refusal()

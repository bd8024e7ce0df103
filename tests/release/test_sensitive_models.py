"""Releases that protect sensitive values: what the gate may know, and readers not."""

import json

import pytest

from anon_transformers.exceptions import GateError, InfeasibleError, ReleaseError
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
        anonymizer=release.mondrian(suppression="drop", suppression_limit=0.2),
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
    counts = dict(map(tuple, json.loads(evidence.read_text())["columns"]["job"]))
    assert sum(counts.values()) == 40
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


@pytest.mark.parametrize(
    ("spellings", "beside"),
    [
        (["5 mg", "5mg", "5.0 mg"], ["10 mg", "20 mg"]),
        (["- 5", "-5"], ["6", "7"]),
        (["5-10", "5 - 10", "5 to 10", "5\u201310"], ["10-20", "20-30"]),
        (["50000", "5e4"], ["60000", "on request"]),
        (["50 EUR", "50 euros", "\u20ac50"], ["60 EUR", "70 EUR"]),
        (["$50", "50 dollars", "50 USD"], ["60 USD", "70 USD"]),
        (["50k", "50000"], ["60000", "70k"]),
        (["H.I.V.", "HIV"], ["flu", "gout"]),
        (["HIV1", "HIV 1", "HIV-1"], ["flu", "gout"]),
        (["Sj\u00f6gren", "Sjogren"], ["flu", "gout"]),
        (["HIV", "prefer not to say", "UNK", "unknown (refused)"], ["flu", "gout"]),
    ],
)
def test_one_value_in_several_spellings_is_refused(release, spellings, beside):
    rows = [
        [f"NAMEMARK{age}{number}", age, "007", texts[number % len(texts)], "y"]
        for age, texts in (("20", spellings), ("50", beside))
        for number in range(12)
    ]
    release.write_rows([["name", "age", "zip", "job", "note"], *rows])
    release.write(
        hierarchies={
            "age": {"kind": "intervals", "widths": [10, 20]},
            "zip": {"kind": "intervals", "widths": [10, 20]},
        },
        anonymizer={
            "name": "full-domain",
            "suppression": "drop",
            "suppression_limit": 0.0,
            "levels": {"age": 0, "zip": 0},
        },
        thresholds=[
            {"model": "k-anonymity", "k": 5},
            {"model": "distinct-l-diversity", "l": 2},
        ],
    )
    with pytest.raises((InfeasibleError, GateError)):
        publish(validate(anonymize(load(release.file))))
    assert not release.target.exists()

"""Persons with rows in several classes: what these have in common tells no secret."""

import random

import pytest

from anon_transformers.exceptions import GateError
from anon_transformers.release import read_published, run_release

ILLNESSES = ["HIV", "flu", "cold", "cancer", "asthma", "gout"]
WARDS = [f"W{number}" for number in range(1, 9)]
THRESHOLDS = [
    {"model": "k-anonymity", "k": 5},
    {"model": "distinct-l-diversity", "l": 3},
    {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 5},
]


def visits(n_persons=100, n_visits=4):
    """Each person's visits on any day in any ward; the illness is always the same."""
    draw = random.Random(1)
    rows = []
    for number in range(n_persons):
        ill = draw.choice(ILLNESSES)
        for _ in range(n_visits):
            rows.append([f"P{number}", draw.randint(1, 364), draw.choice(WARDS), ill])
    return rows


@pytest.fixture
def hospital(release):
    release.write_rows(
        [["patient", "day", "ward", "ill"], *([*map(str, row)] for row in visits())]
    )
    release.write(
        roles={
            "quasi_identifiers": ["day", "ward"],
            "sensitive": ["ill"],
            "subject": "patient",
        },
        anonymizer=mondrian(),
        thresholds=THRESHOLDS,
    )
    return release


def mondrian(**params):
    domain = {"ward": WARDS, "day": [1, 365]}
    return {"name": "mondrian", "step": {"day": 7}, "domain": domain, **params}


def candidates_by_person(published):
    """What an intruder is left with who knows day and ward of all visits."""
    classes = {
        box: set(part["ill"]) for box, part in published.groupby(["day", "ward"])
    }
    left = {}
    for who, day, ward, _ in visits():
        (values,) = [
            values
            for (days, wards), values in classes.items()
            if covers(days, day) and ward in wards
        ]
        left[who] = left.get(who, values) & values
    return left, len(classes)


def covers(label, day):
    low, high = map(float, label[1:-1].split(","))
    return low <= day < high or (label.endswith("]") and day == high)


def test_no_person_is_left_with_fewer_than_l_candidates(hospital):
    left, n_classes = candidates_by_person(
        read_published(run_release(hospital.file), labels="text")
    )
    assert n_classes > 1
    assert len(left) == 100
    assert min(map(len, left.values())) >= 3


def test_what_an_anonymizer_does_not_keep_the_gate_refuses(hospital):
    alone = mondrian(models=[{"model": "k-anonymity", "k": 5}])
    hospital.write(anonymizer=alone)
    with pytest.raises(GateError) as refused:
        run_release(hospital.file)
    assert "persons in several classes are left with too few values" in str(
        refused.value
    )
    assert not any(ill in str(refused.value) for ill in ILLNESSES)

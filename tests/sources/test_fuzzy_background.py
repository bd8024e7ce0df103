"""Examples of chapter 2 of a master's thesis on fuzzy protection of microdata (2013).

Crisp tables, shapes, cardinalities, and what its own definitions refute. Where the
source is wrong, the right value is asserted, and that its own is not.
"""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anon_transformers import fuzzy
from anon_transformers.evidence import Classes, Memberships
from anon_transformers.privacy import (
    DistinctLDiversity,
    EntropyLDiversity,
    FuzzyTCloseness,
    KAnonymity,
    TCloseness,
)

DATA = Path(__file__).parents[1] / "data" / "vectors" / "fuzzy-microdata.json"
VECTORS = {
    vector["name"]: vector
    for vector in json.loads(DATA.read_text(encoding="utf-8"))["vectors"]
}


def exact(given):
    """Fractions written as texts, as floats, however deep they stand."""
    if isinstance(given, list):
        return [exact(part) for part in given]
    if isinstance(given, dict):
        return {key: exact(part) for key, part in given.items()}
    return float(Fraction(given))


def near(expected):
    return pytest.approx(np.array(expected, dtype=float), abs=1e-12)


def blocks(named):
    rows = [(q, value) for q, values in named.items() for value in values]
    return Classes.from_frame(pd.DataFrame(rows, columns=["q", "s"]), ["q"], ["s"])


# Crisp tables


@pytest.mark.parametrize("name", ["private_table_2_2", "k_anonymity_table_2_3"])
def test_k_of_a_generalised_table(name):
    expected = VECTORS[name]["expected"]
    table = pd.DataFrame(expected["rows"])
    known = [c for c in ("ZIP", "Age", "Salary") if c in table]
    classes = Classes.from_frame(table, known)
    assert KAnonymity(1).level(classes) == expected["k"]
    if "class_sizes" in expected:
        assert classes.sizes[classes.labels].tolist() == expected["class_sizes"]
        printed = table.copy()
        printed.loc[9, "Salary"] = VECTORS[name]["printed_in_source"]["row 10 Salary"]
        other = Classes.from_frame(printed, known)
        assert other.sizes[other.labels].tolist() != expected["class_sizes"]
        assert KAnonymity(1).level(other) == expected["k"]


def test_l_of_table_2_3_and_of_a_homogeneous_block():
    vector = VECTORS["l_diversity_table_2_3"]
    classes, expected = blocks(vector["input"]["blocks"]), vector["expected"]
    assert DistinctLDiversity(1).level(classes) == expected["distinct_l"]
    found = EntropyLDiversity(1).class_levels(classes)
    assert found == pytest.approx(expected["exp_entropy_per_block"])
    block = blocks({"one": VECTORS["homogeneity_block_2_4"]["input"]["block"]})
    assert DistinctLDiversity(1).level(block) == 1
    assert KAnonymity(1).level(block) == 4


@pytest.mark.parametrize(
    ("name", "distance"),
    [
        ("t_closeness_emd_ordered_2_25", "ordered"),
        ("t_closeness_emd_equal_2_7", "equal"),
    ],
)
def test_t_of_the_crisp_blocks(name, distance):
    vector = VECTORS[name]
    table = pd.DataFrame(vector["input"]["table"])
    column = vector["input"]["sensitive"]
    classes = Classes.from_frame(table, ["block"], [column])
    model = TCloseness(1, distance, reference="released")
    expected = vector["expected_exact"]
    stated = expected["D"]
    stated = list(stated.values()) if isinstance(stated, dict) else stated
    assert model.class_levels(classes) == near(exact(stated))
    assert model.level(classes) == pytest.approx(exact(expected["t"]))
    # The same as a fuzzy partition of zeros and ones.
    crisp = fuzzy.crisp_degrees(classes.labels)
    evidence = Memberships.from_frame(crisp, table, [column])
    assert FuzzyTCloseness(1, distance).level(evidence) == pytest.approx(
        exact(expected["t"])
    )


# Sets and cardinalities


@pytest.mark.parametrize(
    "name",
    [
        "triangular_0_1_2",
        "left_shoulder_1_2",
        "right_shoulder_8_11",
        "trapezoid_0_1_2_3",
    ],
)
def test_shapes(name):
    vector = VECTORS[name]
    ((kind, points),) = vector["parameters"].items()
    shape = getattr(fuzzy, kind)(*(float(point) for point in points))
    found = shape(vector["input"]["x"])
    assert found == near(exact(vector["expected_exact"]))
    if vector["source_correct"] is False:
        a, b = (float(point) for point in points[1:])
        x = np.array(vector["input"]["x"])
        ramp = (x > a) & (x < b)
        assert ((x - a) / (b - a))[ramp].tolist() != found[ramp].tolist()


@pytest.mark.parametrize(
    "name",
    [
        "sigma_count_2_37",
        "fuzzy_cardinality_2_40",
        "fuzzy_cardinality_crisp_2_39",
        "fuzzy_cardinality_empty",
        "nonfuzzy_cardinality_ties",
    ],
)
def test_cardinalities(name):
    degrees, expected = VECTORS[name]["input"]["mu"], VECTORS[name]["expected"]
    for key, asked in {
        "sigma_count": fuzzy.sigma_count,
        "fuzzy_cardinality": fuzzy.fuzzy_cardinality,
        "nonfuzzy_cardinality": fuzzy.nonfuzzy_cardinality,
        "nonfuzzy_cardinality_2_12": fuzzy.nonfuzzy_cardinality,
        "poss_at_least": fuzzy.possibility_at_least,
        "count_mu_ge_half": fuzzy.half_cut_size,
    }.items():
        if key in expected:
            assert asked(degrees) == near(expected[key])


def test_complements_and_cuts():
    vector = VECTORS["lambda_complement_limits"]
    for lam, expected in zip(
        vector["parameters"]["lambda"], vector["expected"].values(), strict=True
    ):
        found = fuzzy.lambda_complement(vector["input"]["mu"], lam)
        assert found == pytest.approx(expected, abs=vector["tolerance"])
    shape = fuzzy.trapezoid(*VECTORS["alpha_cuts_of_a_trapezoid"]["input"]["trapezoid"])
    assert shape.cut(1) == (1, 2)
    # Nothing is above 1, so that a strict cut there is refused.
    assert not (shape(np.linspace(-1, 4, 101)) > 1).any()


@pytest.mark.parametrize(
    "name", ["normal_does_not_imply_robust", "proposition_3_4_fails_with_tie"]
)
def test_partitions_that_refute_the_source(name):
    degrees = np.array(list(VECTORS[name]["input"]["mu"].values())).T
    expected = VECTORS[name]["expected"]
    found = fuzzy.check_partition(degrees)
    assert found.is_partition is expected["is_partition"]
    assert found.is_normal is expected["normal"]
    assert found.is_robust is expected["robust"]
    assert fuzzy.sigma_count(degrees).sum() == pytest.approx(expected["sum_sigma"])
    assert fuzzy.nonfuzzy_cardinality(degrees).sum() == expected["sum_nonfuzzy"]
    assert expected["sum_nonfuzzy"] != len(degrees)

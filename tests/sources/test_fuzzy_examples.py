"""Examples of chapter 3 of a master's thesis on fuzzy protection of microdata (2013).

Where the source is wrong, the right value is asserted, and that its own is not.
"""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anon_transformers import fuzzy
from anon_transformers.evidence import Memberships
from anon_transformers.exceptions import DataError
from anon_transformers.fuzzy import FuzzyPartition, product_names, product_partition
from anon_transformers.privacy import (
    FuzzyLDiversity,
    FuzzyTCloseness,
    QAnonymity,
    fuzzy_beliefs,
    prior_belief,
)

DATA = Path(__file__).parents[1] / "data" / "vectors" / "fuzzy-microdata.json"
VECTORS = {
    vector["name"]: vector
    for vector in json.loads(DATA.read_text(encoding="utf-8"))["vectors"]
}
SALARY = FuzzyPartition(VECTORS["fuzzy_partition_salary_3_3"]["parameters"])
AGE = FuzzyPartition(VECTORS["fuzzy_partition_age_3_4"]["parameters"])
# The sets that the printed degrees of Table 3.4 belong to.
PRINTED_AGE = FuzzyPartition(
    {
        "Low": ("-inf", 30, 38),
        "Medium": (30, 38, 42, 54),
        "High": (42, 54, 66),
        "VeryHigh": (54, 66, "inf"),
    }
)
PREFIXES = ["476**", "479**"]


def exact(given):
    """Fractions written as texts, as floats, however deep they stand."""
    if isinstance(given, list):
        return [exact(part) for part in given]
    if isinstance(given, dict):
        return {key: exact(part) for key, part in given.items()}
    return float(Fraction(given))


def near(expected):
    return pytest.approx(np.array(expected, dtype=float), abs=1e-12)


def products(table, age=AGE):
    """Degrees in all 32 products of Example 3.5, and the place of each."""
    zips = [PREFIXES.index(f"{code}"[:3] + "**") for code in table["ZIP"]]
    degrees = product_partition(
        fuzzy.crisp_degrees(zips, 2),
        age.degrees(table["Age"]),
        SALARY.degrees(table["Salary"]),
    )
    names = product_names(
        PREFIXES,
        [f"Age {name}" for name in age.names],
        [f"Salary {name}" for name in SALARY.names],
    )
    return degrees, names


def five_classes(name, age=AGE):
    """Table, all degrees, and the places of the five classes that are published."""
    given = VECTORS[name]["input"]
    table = pd.DataFrame(given["table"])
    degrees, names = products(table, age)
    places = {key: names.index(tuple(of)) for key, of in given["classes"].items()}
    return table, degrees, places


# Partitions


@pytest.mark.parametrize("column", ["Salary", "Age"])
def test_partitions_of_example_3_5(column):
    name = {"Salary": "salary_3_3", "Age": "age_3_4"}[column]
    vector = VECTORS[f"fuzzy_partition_{name}"]
    values = vector["input"][column]
    partition = FuzzyPartition(vector["parameters"])
    found = partition.degrees(values)
    assert found == near(exact(vector["expected_exact"]["mu"]))
    apart = np.abs(found - vector["printed_in_source"]).max(axis=1) > 0.005
    if vector["source_correct"]:
        assert not apart.any()
    else:
        assert np.flatnonzero(apart).tolist() == [6, 7]
        printed = PRINTED_AGE.degrees(values)
        assert np.abs(printed - vector["printed_in_source"]).max() < 0.005


def test_the_five_classes_are_no_partition_and_all_products_are():
    table, degrees, places = five_classes("five_classes_are_not_a_partition")
    five = degrees[:, list(places.values())]
    expected = VECTORS["five_classes_are_not_a_partition"]["expected_exact"]
    sums = expected["sum_of_memberships_per_individual"]
    assert five.sum(axis=1) == near(exact(sums))
    with pytest.raises(DataError, match="of 7 rows do not add up to 1"):
        Memberships(five)
    assert Memberships(degrees).n_sets == 32
    assert degrees[0, places["Q1"]] == VECTORS["cartesian_product_3_7"]["expected"]
    full = VECTORS["full_product_partition_of_table_3_1"]["expected_exact"]
    _, names = products(table)
    held = {tuple(given["cls"]): given for given in full["non_empty_classes"]}
    for place, name in enumerate(names):
        column = degrees[:, place]
        assert column.any() == (name in held)
        if name in held:
            assert column == near(exact(held[name]["mu"]))
            assert fuzzy.nonfuzzy_cardinality(column) == held[name]["nf"]
            assert fuzzy.sigma_count(column) == pytest.approx(
                exact(held[name]["sigma"])
            )
    assert fuzzy.nonfuzzy_cardinality(degrees).sum() != len(table)


# Q-anonymity and l-diversity


@pytest.mark.parametrize(
    ("name", "age"),
    [
        ("q_anonymity_table_3_5", AGE),
        ("q_anonymity_table_3_5_with_printed_memberships", PRINTED_AGE),
    ],
)
def test_q_anonymity_of_the_five_classes(name, age):
    vector = VECTORS[name]
    _, degrees, places = five_classes(name, age)
    five = degrees[:, list(places.values())]
    expected = vector["expected_exact"]
    np.testing.assert_allclose(five.T, exact(list(expected["mu"].values())), atol=1e-12)
    sizes = fuzzy.nonfuzzy_cardinality(five).tolist()
    assert sizes == list(expected["nonfuzzy_cardinality"].values())
    curves = fuzzy.possibility_at_least(five)[1:4]
    np.testing.assert_allclose(
        curves.T, exact(list(expected["poss_at_least_1_2_3"].values())), atol=1e-12
    )
    for aggregation in ("mean", "min"):
        found = QAnonymity(1, aggregation).aggregate(curves)
        assert found == near(exact(expected[f"aggregate_{aggregation}"]))
    if vector["source_correct"] is False:
        printed = vector["printed_in_source"]
        assert np.abs(curves.T - [printed[key] for key in places]).max() > 0.1


def test_q_anonymity_of_three_ages():
    vector = VECTORS["q_anonymity_table_3_9"]
    sets = {n: vector["parameters"][n] for n in ("Young", "Adult", "Old")}
    degrees = FuzzyPartition(sets).degrees(vector["input"]["Age"])
    table = pd.DataFrame({"Disease": vector["input"]["Disease"]})
    evidence = Memberships.from_frame(degrees, table, ["Disease"])
    expected, printed = vector["expected_exact"], vector["printed_in_source"]
    curves = fuzzy.possibility_at_least(degrees)[1:6]
    np.testing.assert_allclose(
        curves.T, exact(list(expected["poss_at_least_1_to_5"].values())), atol=1e-12
    )
    for aggregation, scalar in expected["scalar_Q_threshold_half"].items():
        model = QAnonymity(1, aggregation)
        curve = exact(expected[f"aggregate_{aggregation}"])
        assert model.curve(evidence)[1:6] == near(curve)
        assert model.level(evidence) == scalar
    assert curves[3, 1] == pytest.approx(1 / 3)
    assert printed["Adult"][3] == 0
    ages = VECTORS["k_anonymity_table_3_7"]
    cuts = np.searchsorted(ages["parameters"]["cut points"], ages["input"]["Age"])
    crisp = Memberships.from_frame(fuzzy.crisp_degrees(cuts), table, ["Disease"])
    assert QAnonymity(1).level(crisp) == ages["expected"]["k"]
    assert FuzzyLDiversity(1).level(crisp) == ages["expected"]["distinct_l"]


def test_lists_of_values_and_homogeneity_under_q_anonymity():
    listed, levels = {}, {}
    names = ("published_groups_table_3_2", "homogeneity_under_q_anonymity_3_11")
    for name in names:
        table, degrees, places = five_classes(name)
        evidence = Memberships.from_frame(degrees, table, ["Disease"])
        held = FuzzyLDiversity(1).represented(evidence, "Disease")
        values = evidence.sensitive["Disease"].values
        listed[name] = {key: values[held[at]].tolist() for key, at in places.items()}
        levels[name] = QAnonymity(1).curve(evidence).tolist()
        counts = evidence.counts("Disease")[places["Q4"]]
    first, second = (VECTORS[name]["expected"] for name in names)
    assert listed[names[0]] == {key: sorted(row) for key, row in first.items()}
    printed = VECTORS[names[0]]["printed_in_source"]
    wrong = [key for key in printed if sorted(printed[key]) != listed[names[0]][key]]
    assert wrong == ["Q1", "Q3", "Q5"]
    assert listed[names[1]]["Q4"] == second["values_in_Q4"]
    assert counts.max() == second["nonfuzzy_count_in_Q4"]["heart attack"]
    assert len(listed[names[1]]["Q4"]) == second["distinct_l_of_Q4"]
    assert levels[names[0]] == levels[names[1]]


# Beliefs


@pytest.mark.parametrize(
    ("name", "age"),
    [
        ("posterior_3_13_3_16_3_18", AGE),
        ("posterior_3_16_with_printed_memberships", PRINTED_AGE),
    ],
)
def test_beliefs_of_one_person(name, age):
    vector = VECTORS[name]
    table, degrees, places = five_classes(name, age)
    evidence = Memberships.from_frame(degrees, table, ["Disease"])
    asked, s = vector["input"]["q"], vector["input"]["s"]
    rows = np.flatnonzero((table[list(asked)] == pd.Series(asked)).all(axis=1))
    values = evidence.sensitive["Disease"].values
    prior = np.array([[float(v in set(table.loc[rows, "Disease"])) for v in values]])
    found = fuzzy_beliefs(evidence, degrees[rows], prior)
    at, expected = values.tolist().index(s), vector["expected_exact"]
    published = list(places.values())
    assert degrees[rows[0], published] == near(
        exact(list(expected["mu_Qi(q)"].values()))
    )
    counts = evidence.counts("Disease")[published, at].tolist()
    assert counts == list(expected["#(Qi and s)"].values())
    assert found.counts[0, at] == pytest.approx(exact(expected["n(s,q,T*)"]))
    assert found.given_sets[0, at] == pytest.approx(exact(expected["f(s|q*)"]))
    assert found.weights[0, at] == pytest.approx(exact(expected["g(s)"]))
    assert found.posterior[0, at] == expected["beta"]
    if vector["source_correct"] is False:
        printed = vector["printed_in_source"]
        assert abs(found.given_sets[0, at] - printed["f(s|q*)"]) > 0.1


def test_shares_of_a_set_with_ties_add_up_to_two():
    vector = VECTORS["theorem_3_15_fails_with_ties"]
    own = np.array(vector["input"]["mu"])
    table = pd.DataFrame({"Disease": vector["input"]["Disease"]})
    degrees = np.column_stack((own, 1 - own))
    evidence = Memberships.from_frame(degrees, table, ["Disease"])
    n_values = len(evidence.sensitive["Disease"].values)
    prior = np.full((1, n_values), 1 / n_values)
    found = fuzzy_beliefs(evidence, degrees[:1], prior)
    assert found.in_sets[0].sum() == vector["expected"]["sum_of_f(s|Q1)"]
    sigma = fuzzy_beliefs(evidence, degrees[:1], prior, cardinality="sigma")
    assert sigma.in_sets[0].sum() == pytest.approx(1)


def test_beliefs_of_175_persons():
    vector = VECTORS["posterior_3_19"]
    counted = pd.DataFrame(vector["input"]["counts"])
    table = counted.loc[counted.index.repeat(counted["n"])].reset_index(drop=True)
    partition = FuzzyPartition({n: vector["parameters"][n] for n in ("Q1", "Q2", "Q3")})
    expected = vector["expected_exact"]
    evidence = Memberships.from_frame(
        partition.degrees(table["Age"]), table, ["Disease"]
    )
    joint = counted.pivot_table(index="Age", columns="Disease", values="n")
    persons = partition.degrees(joint.index)
    found = fuzzy_beliefs(evidence, persons, prior_belief(joint))
    assert fuzzy.nonfuzzy_cardinality(evidence.degrees).tolist() == expected["#Qi"]
    for row, age in enumerate(joint.index):
        stated = expected["by_age"][str(age)]
        for key, part in [
            ("f(s|q)", found.prior),
            ("n", found.counts),
            ("f(s|q*)", found.given_sets),
            ("g", found.weights),
            ("beta", found.posterior),
        ]:
            assert part[row] == near([exact(stated[key][v]) for v in found.values])
    assert found.posterior[0, 1] == pytest.approx(48 / 223)


# t-closeness


@pytest.mark.parametrize(
    ("column", "distance"), [("Salary", "ordered"), ("Disease", "equal")]
)
def test_fuzzy_t_closeness(column, distance):
    vector = VECTORS[f"fuzzy_t_closeness_{column.lower()}_3_22"]
    table = pd.DataFrame(vector["input"]["table"])
    sets = {n: vector["parameters"][n] for n in ("Q1", "Q2", "Q3")}
    degrees = FuzzyPartition(sets).degrees(table["Age"])
    evidence = Memberships.from_frame(degrees, table, [column])
    expected, printed = vector["expected_exact"], vector["printed_in_source"]
    model = FuzzyTCloseness(1, distance)
    found = model.distances(evidence, column)
    assert found == near(exact(expected["D_by_individual"]))
    assert model.set_distances(evidence, column) == near(exact(expected["D_by_class"]))
    assert model.level(evidence) == pytest.approx(exact(expected["t"]))
    uniform = FuzzyTCloseness(1, distance, "min", table_distribution="uniform")
    assert uniform.distances(evidence, column) == pytest.approx(printed["D"], abs=5e-5)
    assert uniform.level(evidence) == pytest.approx(printed["t"], abs=5e-5)
    assert printed["t"] < model.level(evidence) / 2
    if column == "Disease":
        stated = exact(expected["with_uniform_Q"])
        assert uniform.distances(evidence, column) == near(stated["D_by_individual"])

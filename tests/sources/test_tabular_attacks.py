"""Attacks on the worked examples of a degree thesis on k, l and t (2018)."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anon_transformers.attacks import (
    BackgroundKnowledge,
    ComplementaryRelease,
    DiversityLimits,
    Homogeneity,
    LinkageAttack,
    ProbabilisticInference,
    Similarity,
    Skewness,
    SmallClasses,
    TupleOrder,
    UniqueCombinations,
    distance_vector,
    is_generalization,
)
from anon_transformers.datasets import load_adult, load_adult_hierarchies
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.hierarchies import Hierarchy

DATA = Path(__file__).parents[1] / "data" / "vectors" / "tabular-k-l-t.json"
VECTORS = {v["name"]: v for v in json.loads(DATA.read_text(encoding="utf-8"))}


def frame(table):
    return pd.DataFrame(table["rows"], columns=table["columns"])


def trees(vector):
    given = vector["parameters"]["hierarchies"]
    return {name: Hierarchy(rows) for name, rows in given.items()}


def roles(vector):
    return {
        "quasi_identifiers": vector["parameters"]["quasi_identifiers"],
        "sensitive": [vector["parameters"]["sensitive"]],
    }


def test_table_1_linkage():
    vector = VECTORS["linkage-reidentification"]
    private, external = (frame(vector["input"][n]) for n in ("private", "external"))
    on = {name: name for name in vector["parameters"]["link_on"]}
    on["Fecha de Nacimiento"] = "Fecha de nacimiento"
    report = LinkageAttack(on=on).run(
        private, quasi_identifiers=list(on), external=external, show_values=True
    )
    assert report.exposed == report.details["matched_pairs"] == 1
    learned = vector["expected"]["learned"]
    assert set(learned) <= set(report.details["columns_revealed"])
    (row,) = report.exposed_records.to_dict("records")
    assert {name: row[name] for name in learned} == learned
    assert row["external: Nombre Completo"] == "PERSON-A"


@pytest.fixture(scope="module")
def table10():
    vector = VECTORS["table10-tuple-order"]
    tables = [frame(vector["input"][name]) for name in ("GT1", "GT2")]
    options = {"quasi_identifiers": list(tables[0]), "hierarchies": trees(vector)}
    return *tables, options, vector["expected"]


def test_table_10_the_same_order_gives_every_row_back(table10):
    one, two, options, expected = table10
    report = TupleOrder().run(one, other=two, **options, show_values=True)
    assert report.exposed == expected["n_recovered_exactly"] == 12
    assert report.details["recovered"] == 12
    assert report.details["k_release"] == expected["k_GT1"]
    assert report.details["k_other"] == expected["k_GT2"]
    assert report.details["k_combined"] == expected["k_after_attack"]
    pairs = expected["compatible_pairs_when_shuffled"]
    assert report.details["compatible_pairs"] == pairs
    assert report.details["expected_by_chance"] == pairs / 12
    recovered = report.exposed_records.to_numpy().tolist()
    assert recovered == expected["recovered_rows"]


def test_table_10_another_order_gives_nothing(table10):
    one, two, options, expected = table10
    order = np.random.default_rng(0).permutation(len(two))
    report = TupleOrder().run(one, other=two.iloc[order], **options)
    assert report.exposed == 0
    assert report.details["same_order"] is False
    pairs = expected["compatible_pairs_when_shuffled"]
    assert report.details["compatible_pairs"] == pairs


@pytest.fixture(scope="module")
def table11():
    vector = VECTORS["table11-complementary-release"]
    tables = {name: frame(table) for name, table in vector["input"].items()}
    known = vector["parameters"]["quasi_identifiers"]
    days = sorted(set(tables["PT"]["Fecha de nacimiento"]))
    zips = sorted(set(tables["PT"]["C. Postal"]))
    hierarchies = {
        "Etnia": Hierarchy([("mapuche", "persona"), ("rapanui", "persona")]),
        "Fecha de nacimiento": Hierarchy([(d, d[-4:], "[1960-1969]") for d in days]),
        "Sexo": Hierarchy(
            [("femenino", "no informado"), ("masculino", "no informado")]
        ),
        "C. Postal": Hierarchy([(z, z[:4] + "0", "05300") for z in zips]),
    }
    return tables, known, hierarchies, vector


def test_table_11_complementary_release(table11):
    tables, known, hierarchies, vector = table11
    expected = vector["expected"]
    report = ComplementaryRelease(on=vector["parameters"]["link_on"]).run(
        tables["GT1"],
        quasi_identifiers=known,
        other=tables["GT2"],
        hierarchies=hierarchies,
        show_values=True,
    )
    seen = report.details
    assert (seen["k_release"], seen["k_other"]) == (
        expected["k_GT1"],
        expected["k_GT2"],
    )
    assert seen["linked_pairs"] == expected["pairs_equal_on_link"] == 18
    assert seen["compatible_pairs"] == expected["pairs_equal_on_link_and_compatible"]
    assert seen["ambiguous_records"] == len(expected["ambiguous_rows"])
    found = report.exposed_records.to_numpy().tolist()
    assert found == expected["unique_rows"]
    assert report.exposed == 2


def test_table_11_fully_resolved_by_the_order_of_the_rows(table11):
    tables, known, hierarchies, vector = table11
    report = TupleOrder().run(
        tables["GT1"],
        quasi_identifiers=known,
        other=tables["GT2"],
        hierarchies=hierarchies,
        show_values=True,
    )
    rows = report.exposed_records.to_numpy().tolist()
    assert rows == vector["expected"]["linking_table"]
    sizes = report.exposed_records.groupby(known).size()
    assert sorted(sizes) == vector["expected"]["class_sizes_linking_table"]
    assert report.details["k_combined"] == 1


def test_table_11_without_hierarchies_cannot_be_told(table11):
    tables, known, _, _ = table11
    with pytest.raises(NotEvaluable, match=r"'Etnia' has no value in common.*hierarch"):
        ComplementaryRelease().run(
            tables["GT1"], quasi_identifiers=known, other=tables["GT2"]
        )


def test_table_11_the_remedy_of_a_larger_quasi_identifier(table11):
    tables, known, hierarchies, _ = table11
    report = UniqueCombinations().run(
        tables["GT1"], quasi_identifiers=[*known, "Problema"]
    )
    # With the link column among them, the release was never 2-anonymous.
    assert report.exposed == 12
    assert is_generalization(tables["PT"], tables["GT1"], hierarchies)


def test_table_12_homogeneity():
    vector = VECTORS["table12-homogeneity"]
    report = Homogeneity().run(
        frame(vector["input"]), **roles(vector), show_values=True
    )
    (expected,) = vector["expected"]["homogeneous_classes"]
    assert report.units == vector["expected"]["n_classes"]
    assert report.exposed_units == 1
    assert report.exposed == expected["size"] == 3
    assert report.details["Problema"]["fewest_values"] == 1
    rows = report.exposed_records.drop_duplicates().to_numpy().tolist()
    assert rows == [[*expected["class"], expected["value"]]]


def test_table_13_background_knowledge():
    vector = VECTORS["table13-background-knowledge"]
    params, expected = vector["parameters"], vector["expected"]
    report = BackgroundKnowledge(
        excluded=params["excluded_values"],
        target=dict(
            zip(params["quasi_identifiers"], params["target_class"], strict=True)
        ),
    ).run(frame(vector["input"]), **roles(vector), show_values=True)
    found = report.details["Problema"]
    assert found["positive_disclosure"] is expected["positive_disclosure"]
    ((value, after),) = expected["belief_after_exclusion"].items()
    before = expected["belief_before_exclusion"][value]
    assert found["belief_before"] == pytest.approx(before)
    assert found["belief_after"] == pytest.approx(after)
    assert set(report.exposed_records["Problema"]) == {value}
    assert (report.units, report.exposed_units, report.exposed) == (1, 1, 2)


def test_table_13_exclusions_needed():
    vector = VECTORS["table12-homogeneity"]
    distinct = vector["expected"]["distinct_per_class"]
    report = BackgroundKnowledge(exclusions=1).run(
        frame(vector["input"]), **roles(vector)
    )
    needed = {str(n): distinct.count(n + 1) for n in range(3)}
    assert report.details["Problema"]["classes_by_exclusions"] == needed
    assert report.exposed_units == sum(d <= 2 for d in distinct) == 3
    assert report.exposed == 9


def test_table_14_nothing_is_frequent_enough():
    vector = VECTORS["table14-distinct-l"]
    table = frame(vector["input"])
    report = ProbabilisticInference().run(table, **roles(vector))
    assert report.exposed == 0
    highest = max(vector["expected"]["max_frequency_per_class"])
    assert report.details["Problema"]["highest_share"] == highest
    report = ProbabilisticInference(threshold=0.5).run(table, **roles(vector))
    assert (report.exposed, report.exposed_units) == (8, 4)


def test_rare_positive_bounds():
    counts = VECTORS["rare-positive-max-classes"]["input"]["counts"]
    test = np.repeat(list(counts), list(counts.values()))
    report = DiversityLimits(l=2).run(
        pd.DataFrame({"q": 0, "test": test}),
        quasi_identifiers=["q"],
        sensitive=["test"],
    )
    found = report.details["test"]
    assert found["most_classes"] == 10
    expected = VECTORS["rare-positive-table-entropy"]["expected"]
    largest = expected["max_entropy_l_of_whole_table"]
    assert found["largest_entropy_l"] == pytest.approx(largest)
    assert np.log10(found["largest_entropy_l"]) == pytest.approx(expected["entropy"])
    assert found["smallest_c"] == 99
    assert report.exposed == 0


@pytest.mark.parametrize(
    ("name", "exposed"), [("skew-half", 25), ("skew-49-1", 49), ("skew-1-49", 0)]
)
def test_skewed_class(name, exposed):
    vector = VECTORS[name]
    expected = vector["expected"]
    positive, negative = (
        vector["input"]["class_counts"][v] for v in ("positivo", "negativo")
    )
    # A hundredth of the whole table is positive.
    rows = [("q", "positivo")] * positive + [("q", "negativo")] * negative
    release = pd.DataFrame(rows, columns=["class", "test"])
    original = pd.DataFrame({"test": ["positivo"] * 1 + ["negativo"] * 99})
    report = Skewness().run(
        release,
        quasi_identifiers=["class"],
        sensitive=["test"],
        original=original,
        show_values=True,
    )
    found = report.details["test"]
    p, q = expected["p_positive_in_class"], expected["p_positive_global"]
    assert found["largest_difference"] == pytest.approx(p - q)
    assert found["largest_ratio"] == pytest.approx(p / q)
    assert report.exposed == exposed
    assert (report.exposed_records["test"] == "positivo").all()


def test_table_16_similarity():
    vector = VECTORS["table16-similarity"]
    groups = vector["parameters"]["semantic_groups"]
    report = Similarity().run(
        frame(vector["input"]),
        **roles(vector),
        hierarchies={"Problema": Hierarchy.from_groups(groups)},
        show_values=True,
    )
    (expected,) = vector["expected"]["similar_classes"]
    assert (report.exposed_units, report.exposed) == (1, 3)
    known = vector["parameters"]["quasi_identifiers"]
    found = report.exposed_records[known].drop_duplicates().to_numpy().tolist()
    assert found == [expected["class"]]


def test_table_16_without_a_hierarchy_cannot_be_told():
    vector = VECTORS["table16-similarity"]
    with pytest.raises(NotEvaluable, match="no sensitive column has a hierarchy"):
        Similarity().run(frame(vector["input"]), **roles(vector))


def test_table_17_is_close_and_not_unique():
    vector = VECTORS["table17-ordered-emd"]
    release = frame(vector["input"])
    known = vector["parameters"]["quasi_identifiers"]
    t = vector["expected"]["t"]
    attack = SmallClasses(t=t, k=4, distance="ordered")
    report = attack.run(release, quasi_identifiers=known, sensitive=["Sueldo"])
    assert report.details["t_of_the_release"] == pytest.approx(t)
    assert report.exposed_units == 3
    report = SmallClasses(t=t, distance="ordered").run(
        release, quasi_identifiers=known, sensitive=["Sueldo"]
    )
    assert report.exposed == 0


@pytest.mark.parametrize("name", [n for n in VECTORS if n.startswith("table3-GT")])
def test_table_3_is_a_generalization(name):
    vector = VECTORS[name]
    original = frame(vector["input"])
    published = pd.DataFrame(vector["expected"]["rows"], columns=original.columns)
    hierarchies, node = trees(vector), vector["parameters"]["node"]
    levels = dict(zip(original.columns, node, strict=True))
    found = distance_vector(original, published[::-1], hierarchies, False)
    assert found == levels


def test_table_8_prints_a_row_that_is_no_generalization():
    vector = VECTORS["table7-required-suppression"]
    original, hierarchies = frame(vector["input"]), trees(vector)
    published = original.assign(**{"C. Postal": "05300"})
    assert is_generalization(original, published.iloc[:7], hierarchies)
    assert not is_generalization(original, published.iloc[:7], hierarchies, False)
    # The source prints row 7 as mapuche; it was atacameño.
    claim = vector["source_claim"]["table8_GT[0,2]_row_7"]
    published.iloc[7] = claim
    assert not is_generalization(original, published, hierarchies)


def test_table_25_is_no_full_domain_generalization():
    vector = VECTORS["table24-3-anonymous-full-domain"]
    original, hierarchies = frame(vector["input"]), trees(vector)
    rows = vector["expected"]["rows_multiset"]
    ours = pd.DataFrame(rows, columns=original.columns)
    assert distance_vector(original, ours, hierarchies, False) == {
        "ZIP CODE": 2,
        "AGE": 1,
        "DISEASE": 0,
    }
    claimed = ours.copy()
    claimed.loc[claimed["ZIP CODE"] == "479**", "ZIP CODE"] = "4790*"
    assert not is_generalization(original, claimed, hierarchies)


@pytest.fixture(scope="module")
def adult_k5():
    """The release of the source at k = 5: its node, classes below 5 left out."""
    adult, hierarchies = load_adult(), load_adult_hierarchies()
    known = [name for name in adult if name != "occupation"]
    release = adult.copy()
    vector = VECTORS["adult-k5-attribute-disclosure"]
    for name, level in zip(known, vector["parameters"]["node"], strict=True):
        steps = {row[0]: row[level] for row in hierarchies[name].rows}
        release[name] = adult[name].astype(str).map(steps)
    size = release.groupby(known)["occupation"].transform("size")
    return adult, release[size >= 5], known, hierarchies, vector["expected"]


def test_adult_is_open_to_homogeneity(adult_k5):
    _, release, known, _, expected = adult_k5
    report = Homogeneity().run(
        release, quasi_identifiers=known, sensitive=["occupation"]
    )
    assert report.units == 518
    assert report.exposed_units == expected["n_homogeneous_classes"]
    assert report.exposed == expected["n_tuples_in_them"]


def test_adult_is_close_at_four_fifths(adult_k5):
    adult, release, known, hierarchies, expected = adult_k5
    report = SmallClasses(t=0.8, k=5, distance="hierarchical").run(
        release,
        quasi_identifiers=known,
        sensitive=["occupation"],
        hierarchies=hierarchies,
        original=adult,
    )
    largest = expected["max_hierarchical_emd"]
    assert report.details["t_of_the_release"] == pytest.approx(largest)
    assert report.exposed == 0


def test_adult_is_a_generalization_of_itself_with_suppression(adult_k5):
    adult, release, _, hierarchies, _ = adult_k5
    trees = {n: t for n, t in hierarchies.items() if n != "occupation"}
    assert is_generalization(adult, release, trees)
    assert not is_generalization(adult, release, trees, suppressed_allowed=False)

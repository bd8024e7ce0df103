"""Models on the worked examples of a thesis on k-anonymity, l-diversity, t-closeness.

Tables 12 to 17, Figures 7 and 8, the rare disease, Equation 1 and the Adult runs, from
the source or computed anew where it is wrong.
"""

import json
import math
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anon_transformers.datasets import load_adult, load_adult_hierarchies
from anon_transformers.evidence import Classes, distribution
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.privacy import (
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    TCloseness,
    posterior_belief,
)

VECTORS = {
    vector["name"]: vector
    for vector in json.loads(
        (
            Path(__file__).parents[1] / "data" / "vectors" / "tabular-k-l-t.json"
        ).read_text(encoding="utf-8")
    )
}
KNOWN = ["Edad", "Código Postal"]


def given(name):
    return VECTORS[name]["input"]


def expected(name):
    return VECTORS[name]["expected"]


def classes_of(name, sensitive="Problema", **options):
    table = pd.DataFrame(given(name)["rows"], columns=given(name)["columns"])
    return Classes.from_frame(table, KNOWN, [sensitive], **options)


def one_class(counts, reference=None):
    """Evidence of a single class given by counts of its values."""
    table = pd.DataFrame({"q": 1, "s": list(counts), "count": list(counts.values())})
    references = None if reference is None else {"s": reference}
    return Classes.from_counts(table, ["q"], ["s"], references=references)


def fractions_of(name):
    return [float(Fraction(f)) for f in expected(name)["distance_per_class"].values()]


def distances(model, classes):
    return model.distances(next(iter(classes.sensitive.values())))


@pytest.mark.parametrize("name", ["table12-homogeneity", "table14-distinct-l"])
def test_tables_12_and_14(name):
    classes = classes_of(name)
    stated = expected(name)
    assert classes.n_classes == stated["n_classes"]
    assert KAnonymity(1).level(classes) == stated["k"]
    assert DistinctLDiversity(1).level(classes) == stated["distinct_l"]
    counts = classes.sensitive["Problema"].counts[:, :-1]
    assert (counts > 0).sum(axis=1).tolist() == stated["distinct_per_class"]
    if "max_frequency_per_class" in stated:
        shares = counts.toarray().max(axis=1) / classes.rows
        assert shares.tolist() == stated["max_frequency_per_class"]
    for l in range(1, 5):  # noqa: E741
        satisfied = DistinctLDiversity(l).satisfied(classes)
        assert satisfied.tolist() == [n >= l for n in stated["distinct_per_class"]]


def test_table_13_belief_before_and_after_a_value_is_excluded():
    name = "table13-background-knowledge"
    stated = expected(name)
    classes = classes_of(name)
    column = classes.sensitive["Problema"]
    table = pd.DataFrame(given(name)["rows"])
    target = VECTORS[name]["parameters"]["target_class"]
    row = np.flatnonzero((table[[0, 1]] == target).all(axis=1))[0]
    counts = column.counts[[classes.labels[row]], :-1].toarray()[0]
    even = np.ones(len(counts))
    before = posterior_belief(counts, even, even)
    assert dict(zip(column.values, before, strict=True)) == pytest.approx(
        {**dict.fromkeys(column.values, 0.0), **stated["belief_before_exclusion"]}
    )
    known = ~np.isin(column.values, VECTORS[name]["parameters"]["excluded_values"])
    after = posterior_belief(counts, known.astype(float), even)
    assert after[column.values == "dolor de espalda"].tolist() == [1.0]
    assert stated["positive_disclosure"]


def test_table_15_entropy():
    classes = classes_of("table15-entropy-l")
    stated = expected("table15-entropy-l")
    level = EntropyLDiversity(1).level(classes)
    assert level == pytest.approx(stated["entropy_l"], rel=1e-12)
    assert math.log10(level) == pytest.approx(stated["entropy_table"], rel=1e-12)
    assert EntropyLDiversity(2.8).satisfied(classes).all()
    assert not EntropyLDiversity(2.83).satisfied(classes).any()
    assert DistinctLDiversity(1).level(classes) == stated["distinct_l"]


@pytest.mark.parametrize(
    "name", [name for name in VECTORS if name.startswith("figure7-")]
)
def test_figure_7_recursive(name):
    parameters = VECTORS[name]["parameters"]
    counts = dict(zip("abcd", given(name)["frequencies"], strict=True))
    model = RecursiveCLDiversity(**parameters)
    assert model.satisfied(one_class(counts)).tolist() == [expected(name)["satisfied"]]
    for step in expected(name).get("steps", ()):
        rest = dict(zip("abcd", step["frequencies"], strict=False))
        satisfied = RecursiveCLDiversity(parameters["c"], step["l"]).satisfied(
            one_class(rest)
        )
        assert satisfied.tolist() == [step["holds"]]


def test_rare_disease_table_entropy():
    counts = given("rare-positive-table-entropy")["counts"]
    stated = expected("rare-positive-table-entropy")
    level = EntropyLDiversity(1).level(one_class(counts))
    assert level == pytest.approx(stated["max_entropy_l_of_whole_table"], rel=1e-12)
    assert math.log10(level) == pytest.approx(stated["entropy"], rel=1e-9)


def test_rare_disease_no_more_diverse_classes_than_positives():
    stated = given("rare-positive-max-classes")
    most = expected("rare-positive-max-classes")["max_classes"]
    rows = ["positivo"] * stated["counts"]["positivo"]
    rows += ["negativo"] * stated["counts"]["negativo"]
    for n_classes, possible in ((most, True), (most + 1, False)):
        table = pd.DataFrame({"q": np.arange(stated["n"]) % n_classes, "s": rows})
        classes = Classes.from_frame(table, ["q"], ["s"])
        assert DistinctLDiversity(2).satisfied(classes).all() == possible


@pytest.mark.parametrize("name", ["skew-half", "skew-49-1", "skew-1-49"])
def test_skewed_classes(name):
    stated = expected(name)
    counts = given(name)["class_counts"]
    # Of a thousand rows ten are positive, fewer than these classes hold: of a larger
    # table with the same shares, then.
    rows = {value: round(100_000 * q) for value, q in given(name)["global"].items()}
    classes = one_class(counts, rows)
    assert DistinctLDiversity(1).level(classes) == stated["distinct_l"]
    level = EntropyLDiversity(1).level(classes)
    assert level == pytest.approx(stated["entropy_l"], rel=1e-12)
    assert math.log10(level) == pytest.approx(stated["entropy"], rel=1e-9)
    c = stated["recursive_2_holds_iff_c_greater_than"]
    assert not RecursiveCLDiversity(c, 2).satisfied(classes).any()
    assert RecursiveCLDiversity(c + 0.01, 2).satisfied(classes).all()
    distance = TCloseness(1).level(classes)
    assert distance == pytest.approx(stated["equal_distance_emd"], rel=1e-12)


def test_table_16_is_diverse_though_similar():
    classes = classes_of("table16-similarity")
    stated = expected("table16-similarity")
    assert DistinctLDiversity(1).level(classes) == stated["distinct_l"]
    groups = VECTORS["table16-similarity"]["parameters"]["semantic_groups"]
    tree = Hierarchy.from_groups(groups)
    classes = classes_of("table16-similarity", hierarchies={"Problema": tree})
    # All of the first class is of one group: what the distance sees and l does not.
    found = distances(TCloseness(1, "hierarchical", reference="released"), classes)
    assert found.argmax() == 0
    assert np.argmax(classes.labels == 0) == 0


def test_table_17_ordered_distance():
    name = "table17-ordered-emd"
    stated = expected(name)
    classes = classes_of(name, "Sueldo")
    model = TCloseness(0.167, "ordered", reference="released")
    np.testing.assert_allclose(distances(model, classes), fractions_of(name))
    assert distances(model, classes) == pytest.approx(
        stated["distance_per_class_decimal"]
    )
    assert model.level(classes) == pytest.approx(stated["t"])
    assert model.satisfied(classes).all() == stated["satisfies_t_0.167"]
    stricter = TCloseness(0.166, "ordered", reference="released")
    assert stricter.satisfied(classes).all() == stated["satisfies_t_0.166"]
    exact = TCloseness(1 / 6, "ordered", reference="released")
    assert exact.satisfied(classes).all()


def test_table_17_equal_distance():
    classes = classes_of("table17-equal-distance")
    found = distances(TCloseness(1, reference="released"), classes)
    np.testing.assert_allclose(found, fractions_of("table17-equal-distance"))


def test_table_17_hierarchical_distance():
    name = "table17-hierarchical-emd-stand-in"
    above = VECTORS[name]["parameters"]["hierarchy"]
    tree = Hierarchy([(value, *groups) for value, groups in above.items()])
    assert tree.n_levels - 1 == VECTORS[name]["parameters"]["H"]
    classes = classes_of(name, hierarchies={"Problema": tree})
    model = TCloseness(1, "hierarchical", reference="released")
    np.testing.assert_allclose(distances(model, classes), fractions_of(name))
    assert model.level(classes) == pytest.approx(expected(name)["t"])


def test_figure_8_ground_distance():
    stated = given("figure8-hierarchical-ground-distance")
    first, second = stated["v1"].lower(), stated["v2"].lower()
    tree = Hierarchy(
        [
            (first, "infection", "respiratory", "any"),
            (second, "vascular", "respiratory", "any"),
            ("gastritis", "stomach", "digestive", "any"),
        ]
    )
    assert tree.n_levels - 1 == stated["tree_height"]
    both = pd.DataFrame({"q": [1, 2], "s": [first, second]})
    classes = Classes.from_frame(both, ["q"], ["s"], hierarchies={"s": tree})
    model = TCloseness(1, "hierarchical", reference="released")
    wanted = Fraction(expected("figure8-hierarchical-ground-distance")["distance"])
    # Half of the mass has to move from each class to be like both.
    assert 2 * model.level(classes) == pytest.approx(float(wanted))


@pytest.mark.parametrize(
    "name", [name for name in VECTORS if name.startswith("bayes-optimal-")]
)
def test_equation_1(name):
    counts = given(name)["class_counts"]
    ratio = VECTORS[name]["parameters"]["f_s_given_q_over_f_s_given_qstar"]
    found = posterior_belief(
        list(counts.values()), [ratio[v] for v in counts], np.ones(len(counts))
    )
    assert dict(zip(counts, found, strict=True)) == pytest.approx(
        expected(name)["posterior"]
    )


@cache
def adult_at(node):
    """Adult with each quasi-identifier at its level of the node."""
    table, trees = load_adult(), load_adult_hierarchies()
    known = VECTORS["adult-fixture"]["parameters"]["quasi_identifiers"]
    for column, level in zip(known, node, strict=True):
        parent = {row[0]: row[level] for row in trees[column].rows}
        table[column] = table[column].astype(str).map(parent)
    return table, known, trees["occupation"]


def adult_classes(node, kept=None):
    table, known, tree = adult_at(tuple(node))
    whole = distribution(table["occupation"])
    if kept is not None:
        table = table[kept]
    return Classes.from_frame(
        table,
        known,
        ["occupation"],
        references={"occupation": whole},
        hierarchies={"occupation": tree},
    )


def kept_rows(classes, *models):
    """Rows of the classes that satisfy every model."""
    fine = np.all([model.satisfied(classes) for model in models], axis=0)
    return fine[classes.labels]


def test_adult_at_k_5_is_open_to_disclosure():
    vector = VECTORS["adult-k5-attribute-disclosure"]
    node, stated = vector["parameters"]["node"], vector["expected"]
    classes = adult_classes(node)
    published = adult_classes(node, kept_rows(classes, KAnonymity(5)))
    single = ~DistinctLDiversity(2).satisfied(published)
    assert single.sum() == stated["n_homogeneous_classes"]
    assert published.rows[single].sum() == stated["n_tuples_in_them"]
    assert DistinctLDiversity(1).level(published) == stated["distinct_l"]
    level = TCloseness(1, "hierarchical").level(published)
    assert level == pytest.approx(stated["max_hierarchical_emd"], rel=1e-9)


@pytest.mark.parametrize(
    "name", [name for name in VECTORS if name.endswith("-reference-distribution")]
)
def test_adult_t_holds_against_the_input_and_not_against_the_release(name):
    vector = VECTORS[name]
    run = VECTORS[vector["input"]["use_output_of"]]
    node = run["expected"]["optimal_node"]
    t, stated = vector["parameters"]["t"], vector["expected"]
    model = TCloseness(t, "hierarchical")
    kept = kept_rows(adult_classes(node), KAnonymity(5), model)
    published = adult_classes(node, kept)
    level = model.level(published)
    assert level == pytest.approx(
        stated["max_emd_against_input_distribution"], abs=1e-6
    )
    assert model.satisfied(published).all()
    released = TCloseness(t, "hierarchical", reference="released")
    assert released.level(published) == pytest.approx(
        stated["max_emd_against_released_distribution"], abs=1e-6
    )
    over = int((~released.satisfied(published)).sum())
    assert over == stated["classes_over_t_against_released_distribution"]

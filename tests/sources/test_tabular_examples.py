"""Full-domain search on the worked examples of a degree thesis on k, l and t (2018).

Tables 3 to 9 and the nine patients of Annex 01: nodes, minimal nodes, suppressed rows.
Where the source is wrong, the right value is asserted, and that its own is not.
"""

import json
import math
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

from anon_transformers import FullDomainAnonymizer
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import InfeasibleError
from anon_transformers.hierarchies import Hierarchy, Intervals, Masking
from anon_transformers.metrics import information_loss
from anon_transformers.privacy import KAnonymity

DATA = Path(__file__).parents[1] / "data" / "vectors" / "tabular-k-l-t.json"
VECTORS = {v["name"]: v for v in json.loads(DATA.read_text(encoding="utf-8"))}


def names(*starts):
    return [name for name in VECTORS if name.startswith(starts)]


def frame(vector):
    return pd.DataFrame(vector["input"]["rows"], columns=vector["input"]["columns"])


def trees(vector):
    given = vector["parameters"]["hierarchies"]
    return {
        name: Hierarchy([[str(cell) for cell in row] for row in rows])
        for name, rows in given.items()
    }


def anonymizer(vector, **options):
    """One that allows the suppression of the vector and drops what it suppresses."""
    rows = len(vector["input"]["rows"])
    hierarchies = trees(vector)
    return FullDomainAnonymizer(
        list(hierarchies),
        suppression="drop",
        **{
            "hierarchies": hierarchies,
            "k": vector["parameters"].get("k", 1),
            "suppression_limit": vector["parameters"].get("max_sup", 0) / rows,
            **options,
        },
    )


def apply(vector, node, **options):
    """The anonymizer at one node, and what it publishes."""
    levels = dict(zip(trees(vector), node, strict=True))
    made = anonymizer(vector, levels=levels, **options)
    return made, made.fit_transform(frame(vector))


def minimal(vector, **options):
    made = anonymizer(vector, **options).fit(frame(vector))
    return sorted(list(node.values()) for node in made.minimal_nodes_)


def all_nodes(vector):
    return [
        list(node)
        for node in product(*(range(t.n_levels) for t in trees(vector).values()))
    ]


def holds(vector, node):
    """Whether a node keeps the promise within the suppression that is allowed."""
    try:
        apply(vector, node)
    except InfeasibleError:
        return False
    return True


def test_figure_2_one_step():
    expected = VECTORS["zip-one-step"]
    tree = trees(VECTORS["table3-GT[1,0]"])["C. Postal"]
    (row,) = [row for row in tree.rows if row[0] == expected["input"]["value"]]
    assert row[expected["parameters"]["to_level"]] == expected["expected"]["value"]


def test_figures_4_and_5_the_lattice():
    expected = VECTORS["lattice-shape-E-Z"]["expected"]
    vector = VECTORS["table3-GT[1,0]"]
    nodes = all_nodes(vector)
    assert nodes == expected["nodes"]
    made, _ = apply(vector, expected["minimum"])
    assert made.report_.details["nodes"] == expected["n_nodes"]
    heights = [tree.n_levels - 1 for tree in trees(vector).values()]
    assert heights == expected["maximum"] == nodes[-1]
    assert sum(heights) == expected["height_of_maximum"]
    paths = math.factorial(sum(heights)) / math.prod(map(math.factorial, heights))
    assert paths == expected["n_strategies_min_to_max"]


@pytest.mark.parametrize("name", names("table3-", "table5-GT", "table6-GT"))
def test_tables_3_5_and_6_a_given_node(name):
    vector = VECTORS[name]
    expected, node = vector["expected"], vector["parameters"]["node"]
    made, published = apply(vector, node, k=1)
    assert published.to_numpy().tolist() == expected["rows"]
    classes = Classes.from_frame(published, list(published))
    assert KAnonymity(1).level(classes) == expected["max_k"]
    assert list(made.levels_.values()) == node
    apply(vector, node, k=expected["max_k"])
    if expected["max_k"] < len(published):
        with pytest.raises(InfeasibleError):
            apply(vector, node, k=expected["max_k"] + 1)


MINIMAL = names("table4-", "table9-", "table5-k", "table6-k")


@pytest.mark.parametrize("options", [{"find_minimal": True}, {"search": "incognito"}],
                         ids=["find_minimal", "incognito"])  # fmt: skip
@pytest.mark.parametrize("name", MINIMAL)
def test_tables_4_5_6_and_9_minimal_nodes(name, options):
    vector = VECTORS[name]
    found = minimal(vector, **options)
    assert found == vector["expected"]["k_minimal"]
    if vector["origin"] == "source-corrected":
        assert vector["source_claim"]["k_minimal"] != found


@pytest.mark.parametrize("name", MINIMAL)
def test_tables_4_5_6_and_9_which_nodes_hold(name):
    vector = VECTORS[name]
    expected = vector["expected"]
    fitting = [node for node in all_nodes(vector) if holds(vector, node)]
    if "n_satisfying" in expected:
        assert len(fitting) == expected["n_satisfying"]
    if "n_lattice_nodes" in expected:
        assert len(all_nodes(vector)) == expected["n_lattice_nodes"]
    if "satisfying_but_not_minimal" in expected:
        others = [node for node in fitting if node not in expected["k_minimal"]]
        assert others == expected["satisfying_but_not_minimal"]
    for least, above in expected.get("dominated_by_each_minimal", {}).items():
        low = json.loads(least)
        assert above == [
            node
            for node in fitting
            if node != low and all(a >= b for a, b in zip(node, low, strict=True))
        ]
    if "exceed_max_sup" in expected:
        beyond = [node for node in all_nodes(vector) if node not in fitting]
        assert beyond == expected["exceed_max_sup"]


def test_table_4_the_only_solution_of_a_large_k_is_one_class():
    vector = VECTORS["table4-k-minimal-k12"]
    for k in range(7, 13):
        assert minimal(vector, k=k, find_minimal=True) == [[1, 2]]
    for k in (5, 6):
        assert minimal(vector, k=k, find_minimal=True) == [[1, 1]]
    with pytest.raises(InfeasibleError):
        minimal(vector, k=13, find_minimal=True)


def test_table_5_one_row_forces_four_attributes_up():
    """With it no node below two attributes holds; without it one step does."""
    vector = VECTORS["table5-k-minimal-maxsup1"]
    assert minimal(vector, find_minimal=True) == [[0, 1, 0, 0, 0]]
    made, published = apply(vector, [0, 1, 0, 0, 0])
    assert made.suppressed_mask_.nonzero()[0].tolist() == [len(published)]
    strict = VECTORS["table5-k-minimal"]
    claimed = strict["source_claim"]["k_minimal"][0]
    assert claimed == [0, 2, 1, 2, 2]
    # Errata: it holds, yet is not minimal, for the date may stay one level lower.
    assert holds(strict, claimed)
    assert holds(strict, [0, 1, 1, 2, 2])


def test_tables_7_and_8_required_suppression():
    vector = VECTORS["table7-required-suppression"]
    expected = vector["expected"]
    for node, removed in expected["suppressed_row_indices_by_node"].items():
        made, published = apply(vector, json.loads(node), suppression_limit=1.0)
        assert made.suppressed_mask_.nonzero()[0].tolist() == removed
        assert made.n_suppressed_ == len(removed)
        assert len(published) == expected["kept_by_node"][node]
        assert 7 not in published.index or 7 not in removed


def test_table_7_the_best_node_is_not_the_one_of_the_text():
    vector = VECTORS["table7-required-suppression"]
    kept = vector["expected"]["kept_by_node"]
    claimed = str(vector["source_claim"]["best_node_text"])
    found = {
        node: len(apply(vector, json.loads(node), suppression_limit=1.0)[1])
        for node in ("[0, 1]", "[1, 0]")
    }
    assert found == {"[0, 1]": 6, "[1, 0]": 7}
    assert found[claimed] == kept[claimed] < kept["[1, 0]"]


@pytest.mark.parametrize("max_sup", range(9))
def test_table_9_every_threshold(max_sup):
    """The source gives the third answer for all thresholds from 2 on; 4 is another."""
    vector = VECTORS["table9-maxsup0"]
    found = minimal(vector, suppression_limit=max_sup / 8, find_minimal=True)
    answers = {
        0: [[1, 1]],
        1: [[0, 2], [1, 0]],
        2: [[0, 1], [1, 0]],
        3: [[0, 1], [1, 0]],
    }
    assert found == answers.get(max_sup, [[0, 0]])


@pytest.fixture(scope="module")
def patients():
    return VECTORS["table24-3-anonymous-full-domain"]


def test_nine_patients(patients):
    expected = patients["expected"]
    made = anonymizer(patients, find_minimal=True)
    published = made.fit_transform(frame(patients))
    assert list(made.levels_.values()) == expected["node"]
    assert sorted(published.to_numpy().tolist()) == expected["rows_multiset"]
    assert made.n_suppressed_ == expected["n_suppressed"]
    classes = Classes.from_frame(published, ["ZIP CODE", "AGE"])
    assert (classes.n_classes, KAnonymity(1).level(classes)) == (3, expected["k"])
    found = sorted(list(node.values()) for node in made.minimal_nodes_)
    assert found == expected["k_minimal_nodes"]


def test_nine_patients_loss_of_each_minimal_node(patients):
    expected = patients["expected"]["loss_percent_by_minimal_node"]
    table, hierarchies = frame(patients), trees(patients)
    for node, loss in expected.items():
        made, published = apply(patients, json.loads(node))
        assert 100 * made.loss_ == pytest.approx(loss, rel=1e-12)
        again = information_loss(table, published, hierarchies, list(hierarchies))
        assert 100 * again == pytest.approx(loss, rel=1e-12)


def test_nine_patients_do_not_look_as_table_25_says(patients):
    claimed = patients["source_claim"]["table25"]
    _, published = apply(patients, patients["expected"]["node"])
    ours = published[["ZIP CODE", "AGE"]].to_numpy().tolist()
    assert sorted(ours) != sorted(claimed)
    # Table 25 is 3-anonymous too, with a code that this node cannot give.
    claimed = pd.DataFrame(claimed, columns=["ZIP CODE", "AGE"])
    classes = Classes.from_frame(claimed, list(claimed))
    assert KAnonymity(1).level(classes) == 3
    assert not published["ZIP CODE"].eq("4790*").any()
    assert claimed["ZIP CODE"].eq("4790*").any()


def test_nine_patients_with_our_own_builders(patients):
    built = {"ZIP CODE": Masking(), "AGE": Intervals(cuts=[[20, 30, 40, 60]])}
    made = anonymizer(patients, hierarchies=built)
    published = made.fit_transform(frame(patients))
    assert list(made.levels_.values()) == patients["expected"]["node"]
    sizes = published.groupby(["ZIP CODE", "AGE"]).size()
    assert sizes.to_dict() == {
        ("476**", "[20, 29]"): 3, ("476**", "[30, 39]"): 3, ("479**", "[40, 59]"): 3,
    }  # fmt: skip


def test_figure_15_intervals():
    vector = VECTORS["figure15-interval-hierarchy"]
    values = [str(value) for value in vector["input"]["values"]]
    cuts = sorted(
        {bound for pair in vector["parameters"]["intervals"] for bound in pair}
    )
    ours = sorted(Intervals(cuts=[cuts]).build(values).rows)
    expected = sorted(vector["expected"]["rows"])
    assert [row[0] for row in ours] == [row[0] for row in expected]
    assert [row[2] for row in ours] == [row[2] for row in expected]
    # The source writes [20, 30[ for what is [20, 29] in whole numbers.
    for (_, label, _), (_, printed, _) in zip(ours, expected, strict=True):
        low, high = printed.strip("[").split(", ")
        assert label == f"[{low}, {int(high) - 1}]"


def test_figure_16_masking():
    vector = VECTORS["figure16-masking-hierarchy"]
    tree = Masking().build(vector["input"]["values"])
    ours = sorted(list(row) for row in tree.rows)
    expected = sorted(vector["expected"]["rows"])
    assert [row[:-1] for row in ours] == [row[:-1] for row in expected]
    # Errata: the figure has one asterisk too many in three levels.
    printed = vector["source_claim"]["first_row"]
    assert [len(cell) for cell in printed] == [5, 5, 6, 6, 6, 5]
    assert {len(cell) for cell in ours[0][:-1]} == {5}

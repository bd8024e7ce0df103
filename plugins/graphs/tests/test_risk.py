"""Risk of published graphs against worked examples and slow obvious twins."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.graphs import Graph
from anon_transformers.metrics import Metric, measure
from anon_transformers_graphs.risk import (
    DisclosedLinks,
    NodesAtRisk,
    ReidentifiedNodes,
    WorstGroupRisk,
    candidate_report,
    compare_risk,
    link_disclosure,
    risk_levels,
)


def random_graph(rng, n_nodes, share=0.4):
    pairs = np.array([(i, j) for i in range(n_nodes) for j in range(i)])
    return Graph(n_nodes, pairs[rng.random(len(pairs)) < share])


def test_levels_of_risk(vector):
    given = vector("hay_risk_buckets")
    found = risk_levels(given["input"]["candidate_set_sizes"])
    assert found.tolist() == given["expected"]["buckets"]


def test_candidates_of_the_table(people, vector):
    graph, names = people
    expected = vector("fig_2_6_candidate_anonymity")["expected"]
    report = candidate_report(graph)
    assert list(report.sizes) == ["h1", "h2", "h3", "h4"]
    for query in ("H1", "H2", "H3"):
        sizes = dict(zip(names, report.sizes[query.lower()].tolist(), strict=True))
        assert sizes == expected[query]["candidate_set_size"]
        numbers = report.to_dict()[query.lower()]
        assert numbers["k"] == expected[query]["k"]
        share = float(Fraction(expected[query]["reidentified_fraction"]))
        assert numbers["reidentified"] == share
        assert numbers["very_high_risk"] == 1 - share


def test_nobody_has_no_candidates():
    with pytest.raises(DataError, match="no nodes"):
        candidate_report(Graph(0, []))


def test_candidates_are_sized_in_time(people):
    with pytest.raises(NotEvaluable, match="time_limit"):
        candidate_report(people[0], time_limit=0)


def test_candidates_of_a_regular_graph_never_split():
    ring = Graph(30, [[i, (i + 1) % 30] for i in range(30)])
    report = candidate_report(ring, depth=3)
    assert report.k == {"h1": 30, "h2": 30, "h3": 30}
    assert report.shares["h3"]["safe"] == 1


@pytest.mark.parametrize("name", ["anonymised_k_case_1", "anonymised_k_case_2"])
def test_risk_of_worked_cases(name, vector):
    case = vector(name)
    n_nodes, expected = case["input"]["n"], case["expected"]
    original = Graph(n_nodes, case["input"]["original_edges"])
    published = Graph(n_nodes, case["input"]["anonymised_edges"])
    found = compare_risk(original, published)
    assert published.degrees.tolist() == expected["degree_sequence"]
    assert found.k_published == expected["k_direct"]
    assert found.k_bound == expected["k_formula_max_of_mins"]
    nodes = [float(Fraction(p)) for p in expected["node_reidentification"].values()]
    assert found.node_probabilities == pytest.approx(nodes)
    groups = expected["group_reidentification"].items()
    assert found.group_risks == pytest.approx(
        {int(degree): float(Fraction(risk)) for degree, risk in groups}
    )
    worst = float(Fraction(expected["worst_group_risk"]))
    assert found.worst_group_risk == pytest.approx(worst)
    assert found.to_dict()["unchanged"] == np.count_nonzero(nodes)
    evidence = GraphEvidence(published, original)
    assert measure(WorstGroupRisk(), evidence) == pytest.approx(worst)


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_group_risk_is_bounded(n_nodes, seed):
    rng = np.random.default_rng(seed)
    one, other = random_graph(rng, n_nodes), random_graph(rng, n_nodes)
    found = compare_risk(one, other)
    assert found.worst_group_risk <= 1 / found.k_bound + 1e-12
    for degree, risk in found.group_risks.items():
        both = ((one.degrees == degree) & (other.degrees == degree)).sum()
        sizes = (one.degrees == degree).sum(), (other.degrees == degree).sum()
        assert risk == pytest.approx(both / max(sizes[0], 1) / sizes[1])


def test_graphs_of_other_nodes_are_not_compared():
    with pytest.raises(DataError, match="node by node"):
        compare_risk(Graph(2, [[0, 1]]), Graph(3, [[0, 1]]))


def test_links_of_a_worked_example(vector):
    given = vector("link_disclosure_K23")
    graph = Graph(5, given["input"]["edges"])
    found = link_disclosure(graph)
    row = found.certain_links.iloc[0]
    assert (row["degree"], row["other_degree"]) == (2, 3)
    assert row["adjacent"] == given["expected"]["adjacent_pairs"]
    assert row["possible"] == given["expected"]["possible_pairs"]
    assert found.to_dict() == {
        "pairs_of_degrees": 3,
        "certain_links": 1,
        "certain_absences": 2,
        "edges": 6,
        "disclosed_edges": 6,
    }
    assert measure(DisclosedLinks(), GraphEvidence(graph)) == 1


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_links_are_counted_pair_by_pair(n_nodes, seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n_nodes, rng.random())
    counted = {}
    for i in range(n_nodes):
        for j in range(i):
            pair = tuple(sorted((graph.degrees[i], graph.degrees[j])))
            adjacent, possible = counted.get(pair, (0, 0))
            linked = bool(graph.has_edges([[i, j]])[0])
            counted[pair] = adjacent + linked, possible + 1
    found = link_disclosure(graph).groups
    rows = found[["degree", "other_degree", "adjacent", "possible"]].values.tolist()
    assert {(a, b): (c, d) for a, b, c, d in rows} == counted


def test_metrics_of_the_table(people):
    evidence = GraphEvidence(people[0])
    assert measure(ReidentifiedNodes(), evidence) == 0
    assert measure(ReidentifiedNodes(query="h2"), evidence) == 0.25
    assert measure(ReidentifiedNodes(query="neighborhood"), evidence) == 1 / 8
    assert measure(NodesAtRisk(), evidence) == 1
    assert measure(NodesAtRisk(below=4), evidence) == 0.5
    assert measure(WorstGroupRisk(), evidence) == 0.5


def test_karate_has_six_nodes_of_unique_degree(dataset):
    evidence = GraphEvidence(dataset("karate"))
    assert measure(ReidentifiedNodes(), evidence) == pytest.approx(6 / 34)


def test_metrics_keep_the_contract():
    instances = [
        *ReidentifiedNodes.test_instances(),
        *NodesAtRisk.test_instances(),
        WorstGroupRisk(),
        DisclosedLinks(),
    ]
    for metric in instances:
        assert isinstance(metric, Metric)
        with pytest.raises(NotEvaluable, match="no nodes"):
            measure(metric, GraphEvidence(Graph(0, [])))
    with pytest.raises(ParameterError, match="below"):
        NodesAtRisk(below=0)
    with pytest.raises(ParameterError, match="query"):
        ReidentifiedNodes(query="degree")


def test_a_graph_without_edges_discloses_no_link():
    assert measure(DisclosedLinks(), GraphEvidence(Graph(3, []))) == 0


def test_noise_nodes_are_found_by_nobody():
    path = nx.path_graph("abc")
    noisy = nx.Graph([*path.edges, ("x", "y"), ("y", "z"), ("z", "x"), ("z", "w")])
    found = compare_risk(path, noisy)
    assert found.node_probabilities.tolist() == [0.5, 1, 0.5]
    # Degree 1: a, c and w; 2: b, x and y; 3: z alone, who is nobody.
    assert found.group_risks == {1: pytest.approx(1 / 3), 2: pytest.approx(1 / 3), 3: 0}
    assert (found.k_original, found.k_published, found.unchanged) == (1, 1, 3)

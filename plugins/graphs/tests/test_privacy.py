"""Privacy models against worked examples and slow obvious twins."""

from itertools import permutations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.graphs import Graph
from anon_transformers.privacy import PrivacyModel, judge
from anon_transformers_graphs.privacy import (
    KAutomorphism,
    KCandidate,
    KDegree,
    KNeighborhood,
    SuperNodeSize,
)
from anon_transformers_graphs.queries import candidate_sizes

MODELS = (KAutomorphism, KCandidate, KDegree, KNeighborhood, SuperNodeSize)


def automorphisms(graph):
    """All of them, by trying every permutation."""
    edges = {frozenset(edge) for edge in graph.edges.tolist()}
    return [
        function
        for function in permutations(range(graph.n_nodes))
        if {frozenset((function[x], function[y])) for x, y in edges} == edges
    ]


@pytest.mark.parametrize("model", MODELS)
def test_every_model_is_one(model):
    for instance in model.test_instances():
        assert isinstance(instance, PrivacyModel)
        assert instance.evidence == "graph"
        assert instance.merging == "none"
    with pytest.raises(ParameterError, match="k must be a whole number"):
        model(k=0)


@pytest.mark.parametrize("name", ["karate", "football", "jazz"])
def test_k_degree_of_datasets(name, dataset, vector):
    evidence = GraphEvidence(dataset(name))
    expected = vector(f"dataset_properties_{name}")["expected"]
    verdict = judge(KDegree(k=2), evidence)
    assert verdict.level == expected["k"] == 1
    unique = evidence.published.degrees[~KDegree(k=2).satisfied(evidence)]
    degrees = np.flatnonzero(np.array(expected["histogram"]) == 1)
    assert sorted(unique.tolist()) == degrees.tolist()
    assert verdict.failing == len(degrees)


def test_k_degree_of_worked_examples(vector):
    for name in ("fig_3_1_k_degree", "link_disclosure_K23"):
        given = vector(name)
        n_nodes = given["input"].get("n", 5)
        evidence = GraphEvidence(Graph(n_nodes, given["input"]["edges"]))
        assert KDegree(k=2).level(evidence) == 2
        assert judge(KDegree(k=2), evidence).passed
        assert not judge(KDegree(k=3), evidence).passed


def test_a_published_karate_graph_with_k_2(vector):
    given = vector("karate_random_perturbation_k2_example")
    sequence = given["input"]["degree_sequence"]
    graph = Graph(len(sequence), np.array(nx.havel_hakimi_graph(sequence).edges))
    assert KDegree(k=2).level(GraphEvidence(graph)) == 2


def test_k_candidate_of_the_table(people, vector):
    graph, names = people
    evidence = GraphEvidence(graph)
    expected = dict(vector("fig_2_6_candidate_anonymity")["expected"])
    # Without labels H0 tells nobody apart; as a promise that would mean nothing.
    assert set(candidate_sizes(graph, "h0")) == {expected.pop("H0")["k"]}
    for query, numbers in expected.items():
        model = KCandidate(k=2, query=query.lower())
        assert model.level(evidence) == numbers["k"]
        weak = [names[i] for i in np.flatnonzero(~model.satisfied(evidence))]
        assert weak == numbers["reidentified_nodes"]
        assert model.report(evidence)["found"] == len(weak)


@pytest.mark.parametrize("name", ["karate", "football", "jazz"])
def test_k_candidate_h1_is_k_degree(name, dataset):
    evidence = GraphEvidence(dataset(name))
    for k in (2, 5):
        candidate = KCandidate(k=k).satisfied(evidence)
        assert np.array_equal(candidate, KDegree(k=k).satisfied(evidence))


def test_k_candidate_with_hubs_of_the_table(people):
    graph, names = people
    closed = KCandidate(k=2, query="hub-fingerprint", hubs=1, radius=1)
    # Four hubs of degree 4: Alice and Carol see Bob, Fred and Harry another pair each.
    sizes = dict(zip(names, closed.satisfied(GraphEvidence(graph)), strict=True))
    assert sizes["Alice"] and sizes["Carol"]
    assert not sizes["Fred"] and not sizes["Harry"]


def test_k_neighborhood_of_the_table(people, vector):
    graph, names = people
    evidence = GraphEvidence(graph)
    expected = vector("fig_2_6_neighbourhood_anonymity")["expected"]
    model = KNeighborhood(k=2)
    assert model.level(evidence) == expected["k"]
    weak = [names[i] for i in np.flatnonzero(~model.satisfied(evidence))]
    assert weak == ["Bob"]
    report = KNeighborhood(k=3).report(evidence)
    assert report == {"neighborhoods": 4, "found": 1, "below_k": 5}


def test_k_neighborhood_without_time_is_not_judged(dataset):
    with pytest.raises(NotEvaluable, match="time_limit"):
        judge(KNeighborhood(k=2, time_limit=0), GraphEvidence(dataset("jazz")))


def test_automorphisms_of_the_table(people, vector):
    graph, names = people
    found = automorphisms(graph)
    expected = vector("fig_2_6_automorphism")["expected"]
    assert len(found) == expected["automorphism_group_order"]
    orbits = {tuple(sorted({names[f[x]] for f in found})) for x in range(8)}
    assert sorted(map(list, orbits)) == expected["orbits"]
    # Bob stays where he is under all of them.
    for function in found:
        evidence = GraphEvidence(graph, functions=[function])
        verdict = judge(KAutomorphism(k=2), evidence)
        assert verdict.level == expected["max_k_automorphic"] == 1
        assert not verdict.passed
        assert KAutomorphism(k=2).report(evidence)["no_automorphisms"] == 0


def test_a_square_is_4_automorphic(vector):
    given = vector("c4_k_automorphism")
    square = Graph(4, given["input"]["edges"])
    witness = given["expected"]["witness"]
    verdict = judge(KAutomorphism(k=4), GraphEvidence(square, functions=witness))
    assert verdict.passed and verdict.level == given["expected"]["max_k"]
    assert not judge(
        KAutomorphism(k=4), GraphEvidence(square, functions=witness[:2])
    ).passed


def test_a_path_is_not_2_automorphic(vector):
    path = Graph(3, vector("path3_k_automorphism")["input"]["edges"])
    for function in automorphisms(path):
        evidence = GraphEvidence(path, functions=[function])
        assert not judge(KAutomorphism(k=2), evidence).passed


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_false_functions_are_found(data):
    square = Graph(4, [[0, 1], [1, 2], [2, 3], [3, 0]])
    functions = data.draw(
        st.lists(st.permutations(range(4)).map(tuple), min_size=1, max_size=3)
    )
    good = set(automorphisms(square))
    apart = all(len({x, *(f[x] for f in functions)}) > len(functions) for x in range(4))
    sound = apart and all(f in good for f in functions)
    evidence = GraphEvidence(square, functions=functions)
    expected = len(functions) + 1 if sound else 1
    assert KAutomorphism(k=2).level(evidence) == expected
    places = np.array(data.draw(st.permutations(range(4))))
    assert KAutomorphism(k=2).level(evidence.relabeled(places)) == expected


def test_functions_that_are_no_bijections():
    square = Graph(4, [[0, 1], [1, 2], [2, 3], [3, 0]])
    for function in ([1, 2, 1, 2], [1, 2, 3, 4], [-1, 2, 3, 0]):
        evidence = GraphEvidence(square, functions=[function])
        assert KAutomorphism(k=2).level(evidence) == 1
        assert KAutomorphism(k=2).report(evidence)["no_bijections"] == 1


def test_automorphisms_keep_labels():
    turned = [[1, 2, 3, 0]]
    for sexes, level in ((["f", "f", "f", "f"], 2), (["f", "m", "f", "m"], 1)):
        labels = pd.DataFrame({"sex": sexes})
        square = Graph(4, [[0, 1], [1, 2], [2, 3], [3, 0]], labels=labels)
        evidence = GraphEvidence(square, functions=turned)
        assert KAutomorphism(k=2).level(evidence) == level


def test_super_nodes():
    labels = pd.DataFrame({"nodes": [4, 3, 7]})
    evidence = GraphEvidence(Graph(3, [[0, 1]], labels=labels))
    assert SuperNodeSize(k=4).satisfied(evidence).tolist() == [True, False, True]
    assert SuperNodeSize(k=4).level(evidence) == 3


@pytest.mark.parametrize("sizes", [None, [1.5, 2.0], [0, 3], ["a", "b"]])
def test_super_nodes_without_sizes_are_not_judged(sizes):
    labels = None if sizes is None else pd.DataFrame({"nodes": sizes})
    evidence = GraphEvidence(Graph(2, [[0, 1]], labels=labels))
    with pytest.raises(NotEvaluable, match="nodes"):
        judge(SuperNodeSize(k=2), evidence)


def test_what_is_not_there_is_not_judged():
    nothing = GraphEvidence(Graph(0, []))
    for model in (KDegree(2), KCandidate(2), KNeighborhood(2), KAutomorphism(2)):
        with pytest.raises(NotEvaluable):
            judge(model, nothing)
        with pytest.raises(NotEvaluable):
            model.level(nothing)
    with pytest.raises(NotEvaluable, match="functions"):
        judge(KAutomorphism(k=2), GraphEvidence(Graph(2, [[0, 1]])))


@pytest.mark.parametrize(
    "wrong",
    [{"query": "h"}, {"world": "half"}, {"radius": 0}, {"hubs": 0}, {"time_limit": -1}],
    ids=str,
)
def test_illegal_parameters_are_named(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        KCandidate(k=2, **wrong)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 9), st.integers(0, 2**32 - 1))
def test_models_do_not_look_at_numbers_of_nodes(n_nodes, seed):
    rng = np.random.default_rng(seed)
    pairs = np.array([(i, j) for i in range(n_nodes) for j in range(i)])
    graph = Graph(n_nodes, pairs[rng.random(len(pairs)) < 0.4])
    places = rng.permutation(n_nodes)
    evidence = GraphEvidence(graph)
    moved = evidence.relabeled(places)
    for cls in (KCandidate, KDegree, KNeighborhood):
        for model in cls.test_instances():
            satisfied = model.satisfied(evidence)
            assert np.array_equal(model.satisfied(moved)[places], satisfied)
            assert model.level(moved) == model.level(evidence)
            assert satisfied.all() == (model.level(evidence) >= model.k)


def test_a_query_about_labels_needs_some():
    ring = Graph(4, [[0, 1], [1, 2], [2, 3], [3, 0]])
    model = KCandidate(k=2, query="h0")
    with pytest.raises(NotEvaluable, match="h0 looks at labels"):
        model.satisfied(GraphEvidence(ring))
    towns = pd.DataFrame({"town": ["Rome", "Rome", "Bonn", "Bonn"]})
    assert model.level(GraphEvidence(Graph(4, ring.edges, labels=towns))) == 2

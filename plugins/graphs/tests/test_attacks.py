"""Attacks on published graphs: they find what is there, and no more."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.graphs import Graph, open_graph
from anon_transformers_graphs import KAutomorphismAnonymizer
from anon_transformers_graphs._deadline import Deadline
from anon_transformers_graphs.attacks import (
    cut_attack,
    degree_attack,
    neighborhood_attack,
    refinement_attack,
    seed_propagation,
    walk_attack,
)
from anon_transformers_graphs.attacks._active import _find_planted, _identify
from anon_transformers_graphs.attacks._kernels.copies import find_copies
from anon_transformers_graphs.attacks._planting import (
    plant_cut,
    plant_walk,
    search_order,
)
from anon_transformers_graphs.queries import candidate_sizes
from anon_transformers_graphs.randomization import NaiveAnonymizer


@pytest.fixture(scope="module")
def crowd():
    """A random graph of 300 nodes with few nodes of high degree."""
    return open_graph(nx.barabasi_albert_graph(300, 3, seed=1))[0]


def without_some(graph, share, seed=0):
    kept = np.random.default_rng(seed).random(graph.n_edges) >= share
    return Graph(graph.n_nodes, graph.edges[kept])


def as_networkx(graph):
    drawn = nx.empty_graph(graph.n_nodes)
    drawn.add_edges_from(graph.edges.tolist())
    return drawn


@pytest.mark.parametrize("name", ["karate", "football", "jazz"])
def test_a_graph_that_only_lost_its_names(name, dataset):
    graph = dataset(name)
    attacks = {
        "h1": degree_attack(graph),
        "h2": refinement_attack(graph),
        "neighborhood": neighborhood_attack(graph),
    }
    for query, found in attacks.items():
        sizes = candidate_sizes(graph, query)
        assert np.array_equal(found.candidates, sizes)
        assert found.found == found.correct == (sizes == 1).sum()
        assert found.expected_share == pytest.approx((1 / sizes).mean())
        assert found.to_dict()["correct_share"] == found.correct / graph.n_nodes


def test_degrees_of_the_original_in_a_changed_graph():
    original = Graph(4, [[0, 1], [0, 2], [0, 3]])
    published = Graph(4, [[1, 0], [1, 2], [1, 3]])
    found = degree_attack(published, original)
    # The hub is taken for another node; two of the others are among three candidates.
    assert (found.found, found.correct) == (1, 0)
    assert found.expected_share == pytest.approx(2 / 3 / 4)
    gone = degree_attack(Graph(4, []), original)
    assert gone.candidates.tolist() == [0, 0, 0, 0]
    assert (gone.found, gone.correct, gone.expected_share) == (0, 0, 0.0)


def test_graphs_of_other_nodes_cannot_be_attacked():
    with pytest.raises(DataError, match="the original has 2 nodes"):
        degree_attack(Graph(3, [[0, 1]]), Graph(2, [[0, 1]]))
    with pytest.raises(ParameterError, match="depth"):
        refinement_attack(Graph(3, [[0, 1]]), depth=0)


@pytest.mark.parametrize("seed", range(5))
def test_walks_are_found_again(crowd, seed):
    found = walk_attack(crowd, n_targets=30, random_state=seed)
    assert found.planted == 17
    assert found.recovered and found.copies == 1
    assert found.identified == found.correct == found.targets == 30
    assert found.to_dict()["correct_share"] == 1


@pytest.mark.parametrize("seed", range(5))
def test_cuts_are_found_again(crowd, seed):
    found = cut_attack(crowd, n_targets=4, random_state=seed)
    assert found.planted == 15
    assert found.recovered
    assert found.correct == 4


@pytest.mark.parametrize("attack", [walk_attack, cut_attack])
def test_what_was_changed_is_not_found(crowd, attack):
    found = attack(crowd, lambda graph: without_some(graph, 0.2), random_state=0)
    assert not found.recovered
    assert found.correct == found.identified == 0


def test_two_copies_are_none(crowd):
    planted = plant_walk(crowd, 5, None, np.random.default_rng(0))
    n, edges = planted.graph.n_nodes, planted.graph.edges
    twice = Graph(2 * n, np.concatenate([edges, edges + n]))
    order = np.arange(planted.n_planted)
    parents = np.maximum(order - 1, 0)
    copies = _find_planted(twice, planted, (order, parents), Deadline("the test", 60))
    assert len(copies) == 2
    assert np.array_equal(copies[0] + n, copies[1])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_copies_are_those_of_networkx(seed, walk):
    rng = np.random.default_rng(seed)
    pairs = np.array([(i, j) for i in range(12) for j in range(i)])
    graph = Graph(12, pairs[rng.random(len(pairs)) < 0.5])
    planted = plant_walk(graph, 2, 7, rng) if walk else plant_cut(graph, 1, rng)
    order = search_order(planted.internal)
    found = _find_planted(planted.graph, planted, order, Deadline("the test", 60))
    host, k = as_networkx(planted.graph), planted.n_planted
    pattern = host.subgraph(planted.nodes.tolist()).copy()
    for drawn in (host, pattern):
        degrees = {x: int(planted.graph.degrees[x]) for x in drawn}
        nx.set_node_attributes(drawn, degrees, "degree")
    match = nx.algorithms.isomorphism.categorical_node_match("degree", None)
    matcher = nx.algorithms.isomorphism.GraphMatcher(host, pattern, match)
    expected = {
        tuple(sorted(m, key=m.get)) for m in matcher.subgraph_isomorphisms_iter()
    }
    assert len(found) == min(len(expected), 2)
    assert {tuple(copy) for copy in found.tolist()} <= expected
    assert all(len(set(copy)) == k for copy in found.tolist())


def test_planted_links_distinguish_targets(crowd):
    planted = plant_walk(crowd, 40, None, np.random.default_rng(3))
    assert len(np.unique(planted.codes, axis=0)) == 40
    links = planted.graph.adjacency[planted.nodes][:, : crowd.n_nodes].toarray() > 0
    assert np.array_equal(links.T[planted.targets], planted.codes)
    others = np.setdiff1d(np.arange(crowd.n_nodes), planted.targets)
    assert links.T[others].sum(axis=1).max() <= 1
    along = np.column_stack([planted.nodes[:-1], planted.nodes[1:]])
    assert planted.graph.has_edges(along).all()
    assert (
        planted.graph.common_edges(Graph(planted.graph.n_nodes, crowd.edges))
        == crowd.n_edges
    )
    found = _identify(planted.graph, planted.nodes, planted.codes)
    assert np.array_equal(found, planted.targets)


def test_planted_nodes_are_not_taken_for_targets():
    # Both node 1, which was planted, and node 3 are linked to nodes 0 and 2.
    square = Graph(4, [[0, 1], [1, 2], [2, 3], [3, 0]])
    code = np.array([[True, False, True]])
    assert _identify(square, np.array([0, 1, 2]), code).tolist() == [3]


def test_no_node_stands_for_two():
    indptr, indices = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32)
    internal = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]], dtype=bool)
    copies = np.empty((9, 3), dtype=np.int64)
    image, cursor, state = np.zeros((3, 3), dtype=np.int64)
    wanted, parents, starts = np.array([2, 1, 1]), np.zeros(3, dtype=int), np.arange(3)
    given = (indptr, indices, wanted, parents, internal, starts[1:2], copies)
    assert find_copies(*given, image, cursor, state, 1000)
    assert copies[: state[2]].tolist() == [[1, 0, 2], [1, 2, 0]]


def test_targets_that_cannot_be_distinguished_are_refused():
    ring = Graph(30, [[i, (i + 1) % 30] for i in range(30)])
    with pytest.raises(DataError, match="targets are too many"):
        walk_attack(ring, n_targets=11, n_planted=4)
    with pytest.raises(DataError, match="targets are too many"):
        cut_attack(ring, n_targets=31)
    with pytest.raises(DataError, match="rightly"):
        cut_attack(ring, lambda _: ring, random_state=0)


def test_renamed_nodes_are_not_attacked_by_name():
    club = nx.Graph(list(nx.karate_club_graph().edges()))
    method = NaiveAnonymizer(keep_mapping=True)
    published = method.fit_transform(club)
    for attack in (degree_attack, refinement_attack, neighborhood_attack):
        with pytest.raises(DataError, match=r"new names.*mapping=.*relabel=False"):
            attack(published, original=club)
        found = attack(published, original=club, mapping=method.mapping_)
        assert found.correct == attack(club).correct == len(found.exposed) > 0
        assert set(found.exposed) == set(attack(club).exposed)
        with pytest.raises(ParameterError, match="mapping"):
            attack(published, mapping=method.mapping_)


def test_those_whom_planted_nodes_find_are_returned_by_name():
    club = nx.karate_club_graph()
    named = nx.relabel_nodes(club, {node: f"member {node}" for node in club})
    for attack in (walk_attack, cut_attack):
        found = attack(named, random_state=0)
        assert found.correct == len(found.exposed) > 0
        assert set(found.exposed) <= set(named)


def test_a_search_without_time_is_not_over(monkeypatch):
    monkeypatch.setattr("anon_transformers_graphs.attacks._active.BUDGET", 5)
    ring = Graph(30, [[i, (i + 1) % 30] for i in range(30)])
    assert walk_attack(ring, n_targets=3, random_state=0).recovered
    with pytest.raises(NotEvaluable, match="time_limit"):
        walk_attack(ring, n_targets=3, random_state=0, time_limit=0)


def slow_pass(auxiliary, published, there, threshold):
    """One pass of the published algorithm, with dictionaries."""

    def scores(near, far, known, node):
        counts = dict.fromkeys(set(far) - set(known.values()), 0)
        for neighbor in set(near[node]) & set(known):
            for x in set(far[known[neighbor]]) & set(counts):
                counts[x] += 1
        return {
            x: count and count / far.degree(x) ** 0.5 for x, count in counts.items()
        }

    def best(found):
        values = [*sorted(found.values(), reverse=True), 0.0]
        spread = np.std(list(found.values())) if found else 0
        if not spread > 1e-12 or np.isclose(values[0], values[1], rtol=1e-12):
            return None
        lead = (values[0] - values[1]) / spread
        return max(found, key=found.get) if lead >= threshold else None

    for node in auxiliary:
        if node in there:
            continue
        match = best(scores(auxiliary, published, there, node))
        if match is None:
            continue
        back = {y: x for x, y in there.items()}
        if best(scores(published, auxiliary, back, match)) == node:
            there[node] = match


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 0.5, 2.0]))
def test_propagation_is_the_slow_one(seed, threshold):
    rng = np.random.default_rng(seed)
    drawn = nx.barabasi_albert_graph(30, 3, seed=seed % 1000)
    graph = open_graph(drawn)[0]
    one, other = without_some(graph, 0.1, seed), without_some(graph, 0.1, seed + 1)
    seeds = rng.choice(30, 5, replace=False)
    pairs = np.column_stack([seeds, seeds])
    found = seed_propagation(other, one, pairs, threshold=threshold, max_rounds=1)
    expected = dict(zip(seeds.tolist(), seeds.tolist(), strict=True))
    slow_pass(as_networkx(one), as_networkx(other), expected, threshold)
    mapping = found.mapping
    assert mapping == expected
    assert found.mapped == len(expected) - 5
    assert found.correct == sum(x == y for x, y in mapping.items()) - 5


def test_propagation_finds_most_of_a_naive_release(crowd):
    hubs = np.argsort(-crowd.degrees)[:15]
    places = np.random.default_rng(0).permutation(300)
    published = crowd.relabeled(places)
    seeds = np.column_stack([hubs, places[hubs]])
    found = seed_propagation(published, crowd, seeds, truth=dict(enumerate(places)))
    report = found.to_dict()
    assert report["seeds"] == 15 and report["targets"] == 285
    assert report["correct_share"] > 0.5
    assert report["correct"] <= report["mapped"] <= report["targets"]
    assert report["rounds"] > 1


def test_nobody_is_found_where_everybody_is_alike():
    ring = Graph(20, [[i, (i + 1) % 20] for i in range(20)])
    found = seed_propagation(ring, ring, [[0, 0]])
    assert (found.mapped, found.correct, found.rounds) == (0, 0, 1)


@pytest.mark.parametrize(
    "seeds", [[], [[0, 5]], [[5, 0]], [[0, 0], [0, 1]], [[0.5, 1.0]], [0, 1]], ids=str
)
def test_illegal_seeds_are_refused(seeds):
    path = Graph(3, [[0, 1], [1, 2]])
    with pytest.raises(DataError, match="seeds"):
        seed_propagation(path, path, seeds)


def test_illegal_truth_is_refused():
    path = Graph(3, [[0, 1], [1, 2]])
    with pytest.raises(DataError, match="truth"):
        seed_propagation(path, path, [[0, 0]], truth=np.arange(2))


def test_noise_nodes_are_candidates_and_nobody_looks_for_them():
    star = nx.star_graph(["hub", "a", "b"])
    noisy = nx.Graph([("n", "m"), *star.edges, ("n", "o"), ("o", "m"), ("n", "p")])
    for attack in (degree_attack, refinement_attack, neighborhood_attack):
        found = attack(noisy, star)
        assert found.targets == len(found.candidates) == 3
    found = degree_attack(noisy, star)
    # Degrees: hub, m and o have 2; a, b and p have 1; n has 3 and is not looked for.
    assert found.candidates.tolist() == [3, 3, 3]
    assert (found.found, found.correct) == (0, 0)
    assert found.expected_share == pytest.approx(1 / 3)
    # m and o have neighbors of degrees 2 and 3: only the hub has 1 and 1.
    found = refinement_attack(noisy, star)
    assert found.exposed.tolist() == ["hub"]


def test_the_labels_of_noise_nodes_are_published_as_others():
    star = nx.star_graph(["hub", "a", "b"])
    noisy = nx.Graph([("n", "m"), *star.edges])
    nx.set_node_attributes(noisy, {n: n in "na" for n in noisy}, "marked")
    found = refinement_attack(noisy, star, depth=1)
    # n looks like a; m does not look like b, for its neighbor is marked.
    assert found.candidates.tolist() == [1, 2, 1]


def test_a_graph_with_noise_nodes_is_attacked_by_name():
    club = nx.Graph(list(nx.karate_club_graph().edges()))
    published = KAutomorphismAnonymizer(k=3, relabel=False).fit_transform(club)
    assert len(published) == 36
    candidates = degree_attack(published, club).candidates
    assert len(candidates) == 34
    assert candidates[candidates > 0].min() >= 3

"""Names of nodes: new ones are nobody's, and old ones are matched or refused."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from anon_transformers.base import GraphAnonymizer
from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import (
    DataError,
    LabelsLeftOutWarning,
    ParameterError,
    TellingWeightsWarning,
    WeightsLeftOutWarning,
)
from anon_transformers.graphs import Graph, open_graph, open_same_nodes
from anon_transformers.graphs._names import are_new, new_names, with_more_names

PATH = nx.path_graph(4)
TABLE = pd.DataFrame({"a": [0, 1, 2], "b": [1, 2, 3]})
FORMS = {
    "networkx": PATH,
    "edge table": TABLE,
    "tables": (TABLE, pd.DataFrame({"who": [3, 1, 0, 2]})),
}


class Same(GraphAnonymizer):
    """Change nothing but names."""

    def _alter(self, graph, rng):
        return graph


class Noise(GraphAnonymizer):
    """Add two nodes that stand for nobody."""

    def _alter(self, graph, rng):
        return Graph(graph.n_nodes + 2, graph.edges, graph.weights)


OLD = st.lists(
    st.one_of(
        st.integers(-3, 40),
        st.text("nN0123 ", max_size=4),
        st.sampled_from(["Ann", "n1", "nn02", "N7", "nnn3"]),
    ),
    max_size=12,
)


def looks_like(name, other):
    """The same letters and some number, to somebody who reads over blanks and case."""
    plain, wanted = str(name).strip().lower(), str(other)
    return plain.rstrip("0123456789") == wanted.rstrip("0123456789") and plain[-1:] in (
        set("0123456789")
    )


@given(old=OLD, n_nodes=st.integers(0, 120), seed=st.integers(0, 5))
def test_no_new_name_looks_like_an_old_one(old, n_nodes, seed):
    names = new_names(n_nodes, old, np.random.default_rng(seed)).tolist()
    assert are_new(names, old)
    assert len(set(names)) == n_nodes
    assert names == sorted(names), "texts are in the order of the numbers"
    assert not any(looks_like(o, n) for o in old for n in names[:1])
    assert not {str(name) for name in old} & set(names)


@pytest.mark.parametrize("old", [["Ann"], ["n0", "nn7"], ["N12 ", 3], ["node4"]])
def test_new_names_do_not_tell_who_was_called_how(old):
    first, second = (
        new_names(3, names, np.random.default_rng(7)).tolist() for names in ([], old)
    )
    assert first == second


def test_letters_that_are_taken_are_drawn_again():
    first = new_names(1, [], np.random.default_rng(7)).tolist()
    taken = [first[0].upper() + "5"]
    again = new_names(1, taken, np.random.default_rng(7)).tolist()
    assert again[0][:-1] != first[0][:-1]
    assert not are_new(first, taken)


@pytest.mark.parametrize(
    "names",
    [["n0", "n1"], ["nbcdf1", "nbcdf0"], ["nbcdf0", "nbcdg1"], ["nbcdf0", "Ann"],
     ["nanna0", "nanna1"], ["nbcdf0 ", "nbcdf1"], ["nbcdf00", "nbcdf01"], [0, 1]],
)  # fmt: skip
def test_other_names_are_not_new(names):
    assert not are_new(names, [])


@given(old=st.lists(st.text(max_size=3), unique=True), more=st.integers(0, 5))
def test_more_names_are_nobodys(old, more):
    given_names = np.array(old, dtype=object)
    names = with_more_names(given_names, len(old) + more).tolist()
    assert names[: len(old)] == old
    assert len(set(names)) == len(old) + more


@pytest.mark.parametrize("form", FORMS)
def test_published_names_are_none_of_the_original(form):
    # Numbers from 0 on are what networkx itself calls nodes.
    published = Same().fit_transform(FORMS[form])
    old, new = (open_graph(g)[1].names.tolist() for g in (FORMS[form], published))
    assert not {str(name) for name in old} & {str(name) for name in new}
    assert are_new(sorted(new), old)


def test_a_second_release_of_a_release_has_new_names_again():
    first = Same().fit_transform(PATH)
    second = Same().fit_transform(first)
    assert are_new(sorted(second), list(first))
    assert not set(second) & set(first)


def test_names_do_not_tell_the_order_of_the_input():
    orders = {
        tuple(Same(keep_mapping=True).fit(PATH).mapping_.values()) for _ in range(20)
    }
    assert len(orders) > 1


def test_a_matrix_and_a_graph_have_no_names_to_change():
    matrix = nx.to_scipy_sparse_array(PATH)
    method = Same(keep_mapping=True)
    assert sparse.issparse(method.fit_transform(matrix))
    assert sorted(method.mapping_.values()) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("graph", "new"),
    [
        (PATH, {4, 5}),
        (nx.relabel_nodes(PATH, dict(enumerate("abcd"))), {"n0", "n1"}),
        (nx.relabel_nodes(PATH, {0: "n0", 1: "b", 2: "c", 3: "d"}), {"nn0", "nn1"}),
        (nx.grid_2d_graph(2, 2), {"n0", "n1"}),
    ],
    ids=["numbers", "texts", "texts that are taken", "tuples"],
)
def test_nodes_that_are_added_leave_the_names_of_others(graph, new):
    method = Noise(relabel=False, keep_mapping=True)
    published = method.fit_transform(graph)
    assert set(published) == {*graph, *new}
    assert nx.utils.edges_equal(list(published.edges), list(graph.edges))
    assert method.mapping_ == {name: name for name in graph}


def test_numbers_stay_numbers_beside_nodes_that_are_added():
    published = Noise(relabel=False).fit_transform(TABLE)
    assert published["a"].dtype == np.int64
    assert set(published["a"]) == {0, 1, 2, 4, 5}


@pytest.mark.parametrize("form", FORMS)
def test_renamed_nodes_are_not_matched_by_name(form):
    published = Same().fit_transform(FORMS[form])
    for pair in (open_same_nodes, lambda one, other: GraphEvidence(other, one)):
        with pytest.raises(DataError, match=r"new names.*mapping=.*relabel=False"):
            pair(FORMS[form], published)


def test_a_renamed_graph_without_names_is_not_matched_by_order():
    graph = open_graph(PATH)[0]
    method = Same(keep_mapping=True)
    published = method.fit_transform(graph)
    with pytest.raises(DataError, match="new names"):
        open_same_nodes(graph, published)
    with pytest.raises(DataError, match="new names"):
        GraphEvidence(published, graph)
    before, after, _ = open_same_nodes(graph, published, method.mapping_)
    assert np.array_equal(before.edges, after.edges)
    assert before.naming is after.naming is None
    kept = Same(relabel=False).fit_transform(graph)
    assert np.array_equal(open_same_nodes(graph, kept)[1].edges, graph.edges)
    again = Same().fit_transform(published)
    for one in (graph, published):
        with pytest.raises(DataError, match="new names"):
            open_same_nodes(one, again)
    beside = Noise(relabel=False).fit_transform(published)
    assert beside.naming == published.naming


def test_the_mark_of_new_names_comes_from_the_random_state():
    graph = open_graph(PATH)[0]
    one, same, other = (
        Same(random_state=seed).fit_transform(graph).naming for seed in (0, 0, 1)
    )
    assert one == same != other
    # The same order of other nodes is another order.
    renamed = Same(random_state=1).fit_transform(graph)
    assert Same(random_state=0).fit_transform(renamed).naming != one


@pytest.mark.parametrize("form", [*FORMS, "sparse", "graph"])
def test_a_mapping_tells_who_is_who(form):
    given_forms = {
        **FORMS,
        "sparse": nx.to_scipy_sparse_array(PATH),
        "graph": open_graph(PATH)[0],
    }
    original = given_forms[form]
    method = Same(keep_mapping=True)
    published = method.fit_transform(original)
    before, after, names = open_same_nodes(original, published, method.mapping_)
    assert np.array_equal(before.edges, after.edges)
    assert names.tolist() == open_graph(original)[1].names.tolist()


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({0: "a"}, "3 of 4 nodes of the original have no new name"),
        (dict.fromkeys(range(4), "a"), "in groups"),
        (dict(enumerate("wxyz")), "new names"),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused(mapping, message):
    letters = nx.relabel_nodes(PATH, dict(enumerate("abcd")))
    with pytest.raises(DataError, match=message):
        open_same_nodes(PATH, letters, mapping)


WEIGHTED = pd.DataFrame({"a": [0, 1, 2, 3], "b": [1, 2, 3, 0], "w": [1, 10, 100, 1000]})


def test_weights_are_published_only_where_that_is_stated():
    with pytest.warns(WeightsLeftOutWarning, match=r"4 edges.*carry.*drop"):
        published = Same().fit_transform(WEIGHTED)
    assert list(published.columns) == ["a", "b"]
    for stated in ({"weights": "drop"}, {"reduce": True}):
        assert list(Same(**stated).fit_transform(WEIGHTED).columns) == ["a", "b"]
    with pytest.warns(TellingWeightsWarning, match=r"100\.0% of the nodes.*drop"):
        carried = Same(weights="carry").fit_transform(WEIGHTED)
    assert sorted(carried["w"]) == [1, 10, 100, 1000]
    with pytest.raises(ParameterError, match="weights"):
        Same(weights="keep").fit(WEIGHTED)


def test_weights_that_tell_nothing_raise_no_warning():
    method = Same(weights="carry")
    assert sorted(method.fit_transform(WEIGHTED.assign(w=1))["w"]) == [1, 1, 1, 1]
    assert method.report_.details["telling_weights"] == 0


@pytest.mark.filterwarnings("error")
def test_a_warning_that_is_an_error_leaves_nothing_fitted():
    method = Same(weights="carry", keep_mapping=True)
    with pytest.raises(TellingWeightsWarning):
        method.fit(WEIGHTED)
    assert not hasattr(method, "report_")
    assert not hasattr(method, "mapping_")


def test_the_karate_club_of_networkx_can_be_published_as_it_is():
    club = nx.karate_club_graph()
    with (
        pytest.warns(LabelsLeftOutWarning, match=r"1 label of.*reduce=True"),
        pytest.warns(WeightsLeftOutWarning, match="78 edges"),
    ):
        published = Same().fit_transform(club)
    assert not any(data for _, data in published.nodes(data=True))
    assert not any(data for *_, data in published.edges(data=True))
    assert nx.is_isomorphic(published, club)
    Same(reduce=True).fit(club)


NAMED = nx.Graph([("a", "b"), ("b", "c")])
NOISY = nx.Graph([("z", "b"), ("c", "b"), ("b", "a")])


def test_nodes_that_the_original_lacks_come_last():
    before, after, names = open_same_nodes(NAMED, NOISY)
    assert names.tolist() == ["a", "b", "c"]
    assert (before.n_nodes, after.n_nodes) == (3, 4)
    assert before.edges.tolist() == [[0, 1], [1, 2]]
    assert after.edges.tolist() == [[0, 1], [1, 2], [1, 3]]
    assert before.common_edges(after) == after.common_edges(before) == 2
    # Node 3 is none of the original's: the pair is no edge, whatever its key.
    assert before.has_edges(after.edges).tolist() == [True, True, False]
    assert not before.has_edges([[0, 4], [0, 5]]).any()


def test_a_mapping_tells_which_nodes_are_noise():
    mapping = {"a": "c", "b": "b", "c": "z"}
    before, after, _ = open_same_nodes(NAMED, NOISY, mapping)
    assert after.edges.tolist() == [[0, 1], [1, 2], [1, 3]]
    matrix = nx.to_scipy_sparse_array(NAMED)
    more = nx.to_scipy_sparse_array(NOISY, nodelist="zabc")
    with pytest.raises(DataError, match=r"published 4: .* only names or a mapping"):
        open_same_nodes(matrix, more)
    before, after, _ = open_same_nodes(matrix, more, {0: 1, 1: 2, 2: 3})
    assert after.edges.tolist() == [[0, 1], [1, 2], [1, 3]]
    assert before.common_edges(after) == 2


def test_an_original_node_that_is_not_published_is_an_error():
    with pytest.raises(DataError, match="1 of 4 nodes of the original have a name"):
        open_same_nodes(NOISY, NAMED)
    with pytest.raises(DataError, match="1 of 3 nodes of the original have a name"):
        open_same_nodes(NAMED, nx.path_graph(["a", "b", "x", "y"]))
    with pytest.raises(
        DataError, match="node by node, and noise nodes are not accepted"
    ):
        GraphEvidence(NOISY, NAMED)

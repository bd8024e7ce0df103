"""What the base class of graph anonymizers does for its subclasses, and checks."""

from dataclasses import dataclass
from typing import ClassVar

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from anon_transformers.base import GraphAnonymizer
from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import (
    DataError,
    InfeasibleError,
    LabelsLeftOutWarning,
    ParameterError,
    TellingWeightsWarning,
)
from anon_transformers.graphs import Graph, open_graph
from anon_transformers.testing import check_anonymizer, check_privacy_model


@dataclass(frozen=True)
class SameDegrees:
    """At least k nodes of every degree that occurs."""

    k: int
    name: ClassVar[str] = "same-degrees"
    evidence: ClassVar[str] = "graph"
    better: ClassVar[str] = "higher"
    merging: ClassVar[str] = "none"
    tighter: ClassVar[dict] = {"k": "higher"}

    def satisfied(self, evidence):
        graph = evidence.published
        return graph.degree_histogram[graph.degrees] >= self.k

    def level(self, evidence):
        graph = evidence.published
        return int(graph.degree_histogram[graph.degrees].min())


class Ring(GraphAnonymizer):
    """Forget the graph and publish a ring: everybody has two neighbors."""

    def __init__(
        self, k=3, *, relabel=True, reduce=False, keep_mapping=False, random_state=None
    ):
        super().__init__(
            relabel=relabel,
            reduce=reduce,
            keep_mapping=keep_mapping,
            random_state=random_state,
        )
        self.k = k

    def _alter(self, graph, rng):
        if self.k > graph.n_nodes:
            raise InfeasibleError(f"k={self.k} is more than {graph.n_nodes} nodes.")
        places = rng.permutation(graph.n_nodes)
        return graph.with_edges(np.column_stack([places, np.roll(places, 1)]), rng)

    def _promises(self):
        return [SameDegrees(self.k)]


class Untouched(Ring):
    """Promise much and do nothing."""

    def _alter(self, graph, rng):
        return graph


FRIENDS = pd.DataFrame({"a": ["Ann", "Bob", "Cid"], "b": ["Bob", "Cid", "Dan"]})


def test_an_honest_anonymizer_passes_the_checks():
    check_anonymizer(Ring())


def test_an_honest_model_passes_the_checks():
    check_privacy_model(SameDegrees(2))


def test_a_promise_that_is_broken_is_not_returned():
    anonymizer = Untouched(k=3)
    with pytest.raises(InfeasibleError, match=r"same-degrees.*level is 2") as caught:
        anonymizer.fit_transform(FRIENDS)
    assert "Ann" not in str(caught.value)
    assert not hasattr(anonymizer, "report_")


class KeepsNames(Ring):
    """Publish the names after all."""

    def fit_transform(self, X, y=None):
        self.relabel, kept = False, self.relabel
        output = super().fit_transform(X)
        self.relabel = kept
        return output


class Counts(Ring):
    """Call nodes 0, 1, 2 and so on, as others may have been called."""

    def fit_transform(self, X, y=None):
        output = super().fit_transform(X)
        if not isinstance(output, pd.DataFrame):
            return output
        return output.apply(lambda c: c.str.extract(r"(\d+)\Z")[0].astype("Int64"))


class Drops(Ring):
    """Lose the nodes that have no edge."""

    def fit_transform(self, X, y=None):
        output = super().fit_transform(X)
        return output if not isinstance(output, tuple) else output[0]


class Fixed(Ring):
    """Draw from the generator that everybody shares."""

    def _alter(self, graph, rng):
        np.random.rand()  # noqa: NPY002
        return super()._alter(graph, rng)


class Weak(Ring):
    """Promise less than is asked."""

    def _promises(self):
        return []

    def _alter(self, graph, rng):
        return graph


@pytest.mark.parametrize(
    ("liar", "message"),
    [
        (KeepsNames, "Names of nodes are neither published nor kept"),
        (Counts, "No new name is an old one"),
        (Drops, "published in the form it came in"),
        (Fixed, "Global generators are left alone"),
        (Weak, "k above the number of nodes is infeasible"),
    ],
)
def test_the_checks_notice(liar, message):
    with pytest.raises(AssertionError, match=message):
        check_anonymizer(liar())


def test_after_a_fit_that_fails_nothing_is_left_of_the_last_one():
    anonymizer = Ring(k=3).fit(FRIENDS)
    with pytest.raises(InfeasibleError):
        anonymizer.set_params(k=9).fit(FRIENDS)
    assert not [name for name in vars(anonymizer) if name.endswith("_")]


def test_the_combined_k_is_told():
    report = Ring(k=3).fit(FRIENDS).report_
    assert report.details["k_combined"] == 4


def test_the_mapping_is_kept_only_if_asked_for():
    assert not hasattr(Ring().fit(FRIENDS), "mapping_")
    anonymizer = Ring(keep_mapping=True).fit(FRIENDS)
    assert set(anonymizer.mapping_) == {"Ann", "Bob", "Cid", "Dan"}
    names = sorted(anonymizer.mapping_.values())
    assert [name[-1] for name in names] == ["0", "1", "2", "3"]
    assert len({name[:-1] for name in names}) == 1
    assert names[0][:-1].isalpha()


def test_names_stay_where_they_are_asked_for():
    output = Ring(relabel=False, random_state=0).fit_transform(FRIENDS)
    assert set(output.to_numpy().ravel()) == {"Ann", "Bob", "Cid", "Dan"}


def test_a_relabeled_graph_is_the_same_graph():
    club = nx.Graph(nx.karate_club_graph().edges())
    anonymizer = Untouched(k=1, keep_mapping=True)
    output = anonymizer.fit_transform(club)
    assert nx.utils.graphs_equal(nx.relabel_nodes(club, anonymizer.mapping_), output)
    assert list(output) == sorted(output), "an order of nodes would tell who is who"


def test_the_report_counts():
    report = Ring(random_state=1).fit(FRIENDS).report_
    assert report.rows == 4
    assert report.details["edges"] == 3
    changed = report.details["edges_added"] + report.details["edges_removed"]
    assert report.loss == pytest.approx(changed / 7)
    assert report.models[0]["level"] == 4
    assert report.risk["highest-risk"] == 0.25


def test_labels_are_left_out_by_a_method_that_does_not_protect_them():
    nodes = pd.DataFrame({"id": ["Ann", "Bob", "Cid", "Dan"], "town": list("xyxy")})
    with pytest.warns(LabelsLeftOutWarning, match="1 label of nodes is"):
        _, listed = Ring().fit_transform((FRIENDS, nodes))
    assert list(listed.columns) == ["id"]
    _, listed = Ring(reduce=True).fit_transform((FRIENDS, nodes))
    assert list(listed.columns) == ["id"]


@pytest.mark.parametrize(
    "params", [{"relabel": "no"}, {"reduce": 2}, {"random_state": -1}]
)
def test_parameters_that_mean_nothing_are_refused(params):
    with pytest.raises(ParameterError, match=next(iter(params))):
        Ring(**params).fit(FRIENDS)


def test_it_ends_a_pipeline():
    output = make_pipeline(Ring()).fit_transform(FRIENDS)
    assert open_graph(output)[0].n_edges == 4


def test_evidence_of_two_graphs_is_about_the_same_nodes():
    with pytest.raises(DataError, match="4 nodes and what is published 5"):
        GraphEvidence(Graph(5, [[0, 1]]), Graph(4, [[0, 1]]))
    with pytest.raises(DataError, match="functions"):
        GraphEvidence(Graph(2, [[0, 1]]), functions=np.zeros((1, 3), dtype=int))


def test_evidence_matches_nodes_by_name():
    backwards = FRIENDS.iloc[::-1][["b", "a"]]
    named = nx.Graph(list(backwards.itertuples(index=False)))
    evidence = GraphEvidence(FRIENDS, named)
    assert np.array_equal(evidence.published.edges, evidence.original.edges)
    with pytest.raises(DataError, match="1 of 4 nodes of what is published"):
        GraphEvidence(FRIENDS, FRIENDS.replace("Dan", "Eve"))


def test_evidence_is_renamed_as_a_whole():
    graph = Graph(4, [[0, 1], [1, 2], [2, 3]])
    mirrored = np.array([[3, 2, 1, 0]])
    places = np.array([2, 0, 3, 1])
    moved = GraphEvidence(graph, graph, mirrored).relabeled(places)
    (function,) = moved.functions
    assert moved.published.has_edges(function[moved.published.edges]).all()
    assert np.array_equal(moved.original.edges, moved.published.edges)
    assert function[places[0]] == places[3]


class Makes(Ring):
    """Says that it writes a column."""

    columns_made: ClassVar[tuple[str, ...]] = ("weight",)


def test_a_column_that_the_method_makes_is_refused():
    edges = pd.DataFrame({"a": [0, 1], "weight": [1, 2]})
    with pytest.raises(DataError, match="columns weight: the method makes such"):
        Makes().fit_transform(edges)


def test_weights_that_tell_nodes_apart_are_told():
    edges = pd.DataFrame({"a": [0, 1, 2, 3], "b": [1, 2, 3, 0], "w": [1, 10, 100, 1]})
    method = Ring(random_state=0)
    method.weights = "carry"
    with pytest.warns(TellingWeightsWarning):
        method.fit(edges)
    assert method.report_.details["telling_weights"] > 0
    bare = Ring(random_state=0).fit(edges[["a", "b"]])
    assert "telling_weights" not in bare.report_.details


@pytest.mark.parametrize(
    ("names", "message"),
    [(["club"], "1 label of nodes is"), (["a", "b"], "2 labels of")],
)
def test_labels_that_are_left_out_are_counted(names, message):
    labeled = nx.path_graph(4)
    for name in names:
        nx.set_node_attributes(labeled, 1, name)
    with pytest.warns(LabelsLeftOutWarning, match=message):
        Ring(k=3).fit_transform(labeled)

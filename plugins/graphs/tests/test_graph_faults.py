"""A graph is compared with its source, whatever its anonymizer says of it."""

import inspect
import json
import warnings
from collections import Counter
from typing import ClassVar

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import GateError, TellingWeightsWarning
from anon_transformers.graphs import Graph
from anon_transformers.registry import registry
from anon_transformers.release import read_published, run_release
from anon_transformers_graphs.degrees import KDegreeAnonymizer
from anon_transformers_graphs.neighborhoods import KNeighborhoodAnonymizer

CONFIG = """\
source: {kind: graph, edges: edges.csv, nodes: nodes.csv}
roles:
  identifiers: [one, other, person]
anonymizer: {name: k-degree}
thresholds:
  - {model: k-degree, k: 2}
target: {path: out}
workspace: work
"""
WEIGHTS = "person]\n  insensitive: [weight]\n  accept_unique: [weight]"


@pytest.fixture
def folder(tmp_path):
    """The karate club, each with a name."""
    return write_club(tmp_path, "member {}".format)


def write_club(folder, name_of, weights=None, **labels):
    club = nx.karate_club_graph()
    pairs = [[name_of(a), name_of(b)] for a, b in club.edges()]
    edges = pd.DataFrame(pairs, columns=["one", "other"])
    if weights is not None:
        edges["weight"] = weights
    people = pd.DataFrame({"person": [name_of(i) for i in range(34)], **labels})
    edges.to_csv(folder / "edges.csv", index=False)
    people.to_csv(folder / "nodes.csv", index=False)
    return folder


@pytest.fixture
def plugin():
    """Put an anonymizer on the catalog, as a plugin would, for one test."""
    catalog, added = registry().anonymizers, []

    def register(cls):
        catalog.add("strange", cls, owner="a test")
        added.append("strange")

    yield register
    for name in added:
        catalog.remove(name)


def release(folder, name="strange", model="k-degree", roles="person]", more=""):
    text = CONFIG.replace("name: k-degree", f"name: {name}")
    text = text.replace("model: k-degree", f"model: {model}")
    file = folder / "club.yaml"
    file.write_text(text.replace("person]", roles) + more)
    return file


def with_note(note, base=KDegreeAnonymizer):
    """A method that publishes a note of each node, made of its number."""

    class Strange(base):
        columns_made: ClassVar[tuple[str, ...]] = ("note",)

        def _alter(self, graph, rng):
            made = super()._alter(graph, rng)
            notes = pd.DataFrame({"note": [note(i) for i in range(made.n_nodes)]})
            return Graph(made.n_nodes, made.edges, made.weights, notes)

    return Strange


def refused(folder, message, **how):
    with pytest.raises(GateError, match=message) as caught:
        run_release(release(folder, **how))
    assert "member" not in str(caught.value)
    assert not (folder / "out" / "current").exists()


@pytest.mark.parametrize(
    "note",
    [
        "member {}".format,
        "MEMBER\u00a0{}\u200b".format,
        "was member {} before".format,
    ],
    ids=["whole", "read alike", "inside"],
)
def test_an_old_name_in_a_column_that_a_method_makes_is_refused(folder, plugin, note):
    plugin(with_note(note))
    refused(folder, "column 'note' holds names of nodes of the source in 34 rows")


def test_an_old_number_in_a_column_that_a_method_makes_is_refused(tmp_path, plugin):
    write_club(tmp_path, lambda i: str(100 + i))
    plugin(with_note(lambda i: 100 + i))
    refused(tmp_path, "column 'note' holds names of nodes of the source in 34 rows")


def test_short_names_are_found_as_whole_cells_only(tmp_path, plugin):
    write_club(tmp_path, "m{}".format)
    plugin(with_note("room {}".format))
    run_release(release(tmp_path))
    plugin_note = read_published(tmp_path / "out", labels="text")[1]["note"]
    assert plugin_note.str.startswith("room").all()


def test_short_names_as_whole_cells_are_refused(tmp_path, plugin):
    write_club(tmp_path, "m{}".format)
    plugin(with_note("M{}".format))
    refused(tmp_path, "names of nodes of the source in 34 rows")


def test_weights_that_the_source_does_not_have_are_refused(tmp_path, plugin):
    class Strange(KDegreeAnonymizer):
        def _alter(self, graph, rng):
            made = super()._alter(graph, rng)
            return Graph(made.n_nodes, made.edges, made.weights + 7)

    write_club(tmp_path, "member {}".format, weights=np.arange(78) % 3)
    plugin(Strange)
    refused(tmp_path, "column 'weight' holds cells in .* rows", roles=WEIGHTS)


def test_weights_that_stand_more_often_than_in_the_source_are_refused(tmp_path, plugin):
    class Strange(KDegreeAnonymizer):
        def _alter(self, graph, rng):
            made = super()._alter(graph, rng)
            return Graph(made.n_nodes, made.edges, np.full(made.n_edges, 2))

    write_club(tmp_path, "member {}".format, weights=np.arange(78) % 3)
    plugin(Strange)
    refused(tmp_path, "column 'weight' holds cells in .* rows", roles=WEIGHTS)


def test_labels_that_the_source_does_not_have_are_refused(tmp_path, plugin):
    class Strange(KNeighborhoodAnonymizer):
        def _alter(self, graph, rng):
            made = super()._alter(graph, rng)
            towns = pd.DataFrame({"town": ["Ulm"] * made.n_nodes})
            return Graph(made.n_nodes, made.edges, made.weights, towns)

    towns = ["Rome", "Bonn"] * 17
    write_club(tmp_path, "member {}".format, town=towns)
    plugin(Strange)
    roles = "person]\n  quasi_identifiers: [town]"
    refused(tmp_path, "column 'town'", model="k-neighborhood", roles=roles)


def test_labels_that_stand_more_often_than_in_the_source_are_refused(tmp_path, plugin):
    class Strange(KNeighborhoodAnonymizer):
        def _alter(self, graph, rng):
            made = super()._alter(graph, rng)
            towns = pd.DataFrame({"town": ["Rome"] * made.n_nodes})
            return Graph(made.n_nodes, made.edges, made.weights, towns)

    towns = ["Rome", "Bonn"] * 17
    write_club(tmp_path, "member {}".format, town=towns)
    plugin(Strange)
    roles = "person]\n  quasi_identifiers: [town]"
    message = "column 'town' holds labels in 17 rows"
    refused(tmp_path, message, model="k-neighborhood", roles=roles)


@pytest.mark.parametrize(
    "label", ["{{Rome, Bonn, of house {}}}", "[Bonn, Rome of house {}]"]
)
def test_labels_with_invented_parts_are_refused(tmp_path, plugin, label):
    class Strange(KNeighborhoodAnonymizer):
        def _alter(self, graph, rng):
            made = super()._alter(graph, rng)
            towns = pd.DataFrame({"town": [label.format("Smith")] * made.n_nodes})
            return Graph(made.n_nodes, made.edges, made.weights, towns)

    write_club(tmp_path, "member {}".format, town=["Rome", "Bonn"] * 17)
    plugin(Strange)
    roles = "person]\n  quasi_identifiers: [town]"
    message = "column 'town' holds labels in 34 rows with parts"
    refused(tmp_path, message, model="k-neighborhood", roles=roles)


def test_a_column_that_is_called_otherwise_is_refused(folder, plugin):
    class Strange(KDegreeAnonymizer):
        def fit_transform(self, X, y=None):
            edges, nodes = super().fit_transform(X)
            return edges.rename(columns={"one": "member 7"}), nodes

    plugin(Strange)
    refused(folder, "1 columns that were not declared")


def test_ends_of_edges_that_are_no_new_names_are_refused(folder, plugin):
    class Strange(KDegreeAnonymizer):
        def fit_transform(self, X, y=None):
            edges, nodes = super().fit_transform(X)
            edges.loc[0, "one"] = "member 7"
            return edges, nodes

    plugin(Strange)
    with pytest.raises(GateError, match="1 ends of edges have other names"):
        run_release(release(folder))


def test_who_is_who_is_not_in_names_or_orders(folder, plugin):
    given = []

    class Strange(KDegreeAnonymizer):
        """Gives new names in the order of the source, and the lower end last."""

        columns_made: ClassVar[tuple[str, ...]] = ("note",)

        def fit_transform(self, X, y=None):
            self.keep_mapping = True
            old = X[1].iloc[:, 0].tolist()
            edges, nodes = super().fit_transform(X)
            new = sorted(nodes["person"])
            names = {self.mapping_[name]: new[i] for i, name in enumerate(old)}
            ends = [edges[column].map(names) for column in ("one", "other")]
            edges = pd.DataFrame({"one": np.maximum(*ends), "other": np.minimum(*ends)})
            notes = pd.concat(ends).value_counts().reindex(new, fill_value=0)
            X[1].iloc[:, 0] = new  # nobody knows the old names by what is left here
            given.append(edges)
            return edges, pd.DataFrame({"person": new, "note": notes.tolist()})

    plugin(Strange)
    run_release(release(folder))
    edges, nodes = read_published(folder / "out", labels="text")
    names = nodes["person"].tolist()
    assert names == sorted(names)
    pairs = list(zip(edges["one"], edges["other"], strict=True))
    assert pairs == sorted(pairs)
    assert all(one < other for one, other in pairs)
    (lie,) = given
    before = nx.from_edgelist(lie.to_numpy().tolist())
    after = nx.from_edgelist(pairs)
    assert not {*names} & {*before}
    assert nx.is_isomorphic(before, after)
    old = {name: at for at, name in enumerate(sorted(before))}
    lied = {frozenset((old[one], old[other])) for one, other in before.edges}
    told = {frozenset(map(names.index, pair)) for pair in pairs}
    assert told != lied
    assert dict(zip(names, nodes["note"], strict=True)) == dict(after.degree)


ALL = {
    "k-degree": "k-degree",
    "k-automorphism": "k-automorphism",
    "k-neighborhood": "k-neighborhood",
    "node-clusters": "super-node-size",
    "label-generalizer": "super-node-size",
}


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("number", [str, "member {}".format], ids=["1", "member 1"])
def test_our_methods_pass_with_weights(tmp_path, name, number):
    """Names may be numbers, and weights and sizes the same numbers."""
    write_club(tmp_path, number, weights=np.arange(78) % 3)
    run_release(release(tmp_path, name, ALL[name], WEIGHTS))
    assert len(read_published(tmp_path / "out", labels="text")[1])


@pytest.mark.parametrize("name", ["k-neighborhood", "label-generalizer"])
@pytest.mark.parametrize(
    "tree", ["", "hierarchies: {age: {kind: masking, length: 4}}\n"]
)
@pytest.mark.parametrize("kind", [int, float, "p{}".format])
def test_our_methods_pass_with_labels(tmp_path, name, tree, kind):
    ages = [kind(20 + i % 3) for i in range(33)]
    write_club(tmp_path, str, age=[*ages, None], sex=list("mf") * 17)
    roles = "person]\n  quasi_identifiers: [age, sex]"
    run_release(release(tmp_path, name, ALL[name], roles, tree))
    _, nodes = read_published(tmp_path / "out", labels="text")
    assert {"age", "sex"} <= set(nodes.columns)


def methods_that_carry_weights():
    catalog = registry().anonymizers
    graphs = {name: catalog[name] for name in catalog if catalog[name].kind == "graph"}
    return sorted(
        name
        for name, cls in graphs.items()
        if "weights" in inspect.signature(cls).parameters
    )


@pytest.mark.parametrize("name", methods_that_carry_weights())
def test_every_method_of_ours_publishes_weights_of_the_source(tmp_path, name):
    write_club(tmp_path, "member {}".format, weights=np.arange(78) % 5 / 4)
    tables = [pd.read_csv(tmp_path / f"{part}.csv") for part in ("edges", "nodes")]
    given = Counter(tables[0]["weight"])
    for method in registry().anonymizers[name].test_instances():
        method.set_params(weights="carry", random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TellingWeightsWarning)
            edges, _ = method.fit_transform(tuple(tables))
        # A new edge that no edge made room for may have the weight of any.
        beyond = Counter(edges["weight"]) - given
        assert {*edges["weight"]} <= {*given}
        assert beyond.total() <= max(0, len(edges) - given.total())


def test_parallel_edges_are_one_with_the_sum_of_their_weights(tmp_path):
    write_club(tmp_path, "member {}".format, weights=np.arange(78) % 3)
    edges = pd.read_csv(tmp_path / "edges.csv")
    pd.concat([edges, edges]).to_csv(tmp_path / "edges.csv", index=False)
    run_release(release(tmp_path, "k-degree, reduce: true", roles=WEIGHTS))
    weights = set(read_published(tmp_path / "out", labels="text")[0]["weight"])
    assert weights <= {0, 2, 4}


def test_the_verdict_counts_and_quotes_nothing(folder, plugin):
    plugin(with_note("member {}".format))
    with pytest.raises(GateError):
        run_release(release(folder))
    (file,) = (folder / "work").glob("club/quarantine/*/verdict.json")
    reasons = json.loads(file.read_text())["reasons"]
    assert reasons
    assert not any("member" in reason for reason in reasons)

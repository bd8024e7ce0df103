"""A graph as a gated release: two files in, two files out, no name left."""

import json
import re
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from anon_transformers.cli import main
from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    GateError,
    InfeasibleError,
    ReleaseError,
)
from anon_transformers.graphs import Graph, open_graph
from anon_transformers.registry import registry
from anon_transformers.release import (
    anonymize,
    load,
    publish,
    read_published,
    run_release,
    validate,
)
from anon_transformers_graphs.degrees import KDegreeAnonymizer
from anon_transformers_graphs.privacy import KDegree
from anon_transformers_graphs.randomization import NaiveAnonymizer

CONFIG = """\
source: {kind: graph, edges: edges.csv, nodes: nodes.csv}
roles:
  identifiers: [one, other, person]
anonymizer: {name: k-degree}
thresholds:
  - {model: k-degree, k: 3}
  - {metric: loss, max: 0.5}
target: {path: out}
workspace: work
"""


@pytest.fixture
def folder(tmp_path):
    """The karate club, each with a name, and two who know nobody."""
    club = nx.karate_club_graph()
    edges = pd.DataFrame(list(club.edges()), columns=["one", "other"])
    edges = "member " + edges.astype(str)
    nodes = pd.DataFrame({"person": [f"member {i}" for i in range(36)]})
    edges.to_csv(tmp_path / "edges.csv", index=False)
    nodes.to_csv(tmp_path / "nodes.csv", index=False)
    return tmp_path


def release(folder, text=CONFIG, **changes):
    for old, new in changes.items():
        text = text.replace(old, new)
    file = folder / "club.yaml"
    file.write_text(text)
    return file


def everything_in(folder):
    return "".join(
        path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file()
    )


def test_a_graph_is_published_as_two_files(folder):
    version = Path(run_release(release(folder)))
    edges, nodes = read_published(folder / "out", labels="text")
    assert sorted(f.name for f in version.iterdir()) == [
        "edges.csv",
        "manifest.json",
        "nodes.csv",
        "validation.html",
        "validation.json",
    ]
    graph, _ = open_graph((edges, nodes))
    assert list(edges.columns) == ["one", "other"]
    start = nodes["person"][0][:-2]
    assert start.isalpha()
    assert nodes["person"].tolist() == [f"{start}{i:02}" for i in range(36)]
    assert KDegree(3).satisfied(GraphEvidence(graph)).all()
    manifest = json.loads((version / "manifest.json").read_text())
    assert [c["id"] for c in manifest["measured"]["checks"]] == ["k-degree", "loss"]
    assert manifest["nodes"]["data"] == "nodes.csv"
    files = [version / name for name in ("edges.csv", "nodes.csv")]
    assert manifest["bytes"] == sum(file.stat().st_size for file in files)


def test_a_graph_is_in_no_database(folder):
    database = "{path: out, database: {url: 'sqlite:///o.db', table: club}}"
    file = release(folder, **{"{path: out}": database})
    with pytest.raises(ConfigurationError, match="one table, and a graph has two"):
        run_release(file)
    assert not (folder / "out").exists()
    assert not (folder / "o.db").exists()


def test_no_name_and_nothing_private_is_left(folder):
    run_release(release(folder))
    for place in ("out", "work"):
        assert "member " not in everything_in(folder / place)
    assert not list((folder / "work").rglob("*.parquet"))


def test_names_come_from_fresh_entropy(folder):
    file = release(folder)
    run_release(file)
    first = read_published(folder / "out", labels="text")[0]
    run_release(file)
    assert not first.equals(read_published(folder / "out", labels="text")[0])


def test_a_node_file_is_not_needed(folder):
    file = release(
        folder, **{", nodes: nodes.csv": "", "[one, other, person]": "[one, other]"}
    )
    run_release(file)
    edges, nodes = read_published(folder / "out", labels="text")
    assert len(nodes) == 34
    assert list(nodes.columns) == ["node"]
    assert len(edges) > 60


def test_weights_are_carried_along(folder):
    edges = pd.read_csv(folder / "edges.csv").assign(weight=np.arange(78) % 3)
    edges.to_csv(folder / "edges.csv", index=False)
    with pytest.raises(DataError, match=r"weight.*insensitive"):
        load(release(folder))
    declared = {"person]": "person]\n  insensitive: [weight]"}
    # Three weights are common, but around a node of many edges they are not.
    with pytest.raises(DataError, match=r"weight.*nodes.*accept_unique"):
        load(release(folder, **declared))
    accepted = {"person]": declared["person]"] + "\n  accept_unique: [weight]"}
    run_release(release(folder, **accepted))
    published, _ = read_published(folder / "out", labels="text")
    assert set(published["weight"]) <= {0, 1, 2}


def test_people_without_friends_do_not_hide_rare_weights(folder):
    edges = pd.read_csv(folder / "edges.csv").assign(weight=np.arange(78))
    names = pd.read_csv(folder / "nodes.csv")
    crowd = pd.DataFrame({"person": [f"q{i}" for i in range(2000)]})
    edges.to_csv(folder / "edges.csv", index=False)
    pd.concat([names, crowd]).to_csv(folder / "nodes.csv", index=False)
    declared = {"person]": "person]\n  insensitive: [weight]"}
    # Six have a degree of their own, which the method will change.
    with pytest.raises(DataError, match=r"82\.4% of the nodes"):
        load(release(folder, **declared))


def test_weights_that_disclose_nothing_are_published(folder):
    edges = pd.read_csv(folder / "edges.csv").assign(weight=1)
    edges.to_csv(folder / "edges.csv", index=False)
    declared = {"person]": "person]\n  insensitive: [weight]"}
    run_release(release(folder, **declared))
    assert set(read_published(folder / "out", labels="text")[0]["weight"]) == {1}


def test_weights_are_judged_again_as_they_are_published(folder, monkeypatch):
    edges = pd.read_csv(folder / "edges.csv").assign(weight=np.arange(78))
    edges.to_csv(folder / "edges.csv", index=False)
    declared = {"person]": "person]\n  insensitive: [weight]"}
    monkeypatch.setattr("anon_transformers.release._graph.weight_shares", lambda *_: {})
    location = load(release(folder, **declared))
    with pytest.raises(DataError, match=r"% of the nodes have weights around them"):
        anonymize(location)
    assert not (folder / "out").exists()


@pytest.mark.parametrize("details", [{}, {"telling_weights": 0.0}])
def test_weights_are_judged_whatever_the_method_says_of_them(
    folder, monkeypatch, details
):
    class Silent(KDegreeAnonymizer):
        def fit_transform(self, X, y=None):
            published = super().fit_transform(X)
            self.report_ = replace(self.report_, details=details)
            return published

    edges = pd.read_csv(folder / "edges.csv").assign(weight=np.arange(78))
    edges.to_csv(folder / "edges.csv", index=False)
    declared = {"person]": "person]\n  insensitive: [weight]"}
    monkeypatch.setitem(registry().anonymizers._items, "k-degree", Silent)
    monkeypatch.setattr("anon_transformers.release._graph.weight_shares", lambda *_: {})
    location = load(release(folder, **declared))
    with pytest.raises(DataError, match=r"'weight': .*% of the nodes have weights"):
        anonymize(location)
    accepted = {"person]": declared["person]"] + "\n  accept_unique: [weight]"}
    run_release(release(folder, **accepted))
    assert "weight" in read_published(folder / "out", labels="text")[0]


def test_weights_that_are_not_published_may_be_unique(folder):
    edges = pd.read_csv(folder / "edges.csv").assign(w=np.arange(78))
    edges.to_csv(folder / "edges.csv", index=False)
    groups = {
        "person]": "person]\n  insensitive: [w]",
        "name: k-degree": "name: node-clusters, max_iter: 2",
        "model: k-degree": "model: super-node-size",
        "max: 0.5": "max: 1",
    }
    run_release(release(folder, **groups))
    assert read_published(folder / "out", labels="text")[1]["nodes"].min() >= 3


def test_weights_are_left_out_where_that_is_stated(folder):
    edges = pd.read_csv(folder / "edges.csv").assign(weight=np.arange(78))
    edges.to_csv(folder / "edges.csv", index=False)
    dropped = {
        "person]": "person]\n  insensitive: [weight]",
        "name: k-degree": "name: k-degree, weights: drop",
    }
    run_release(release(folder, **dropped))
    assert list(read_published(folder / "out", labels="text")[0].columns) == [
        "one",
        "other",
    ]


def test_names_that_look_like_numbers_are_names(folder):
    edges = pd.DataFrame({"one": ["1.1", "1.10", "2"], "other": ["2", "3", "3"]})
    edges.to_csv(folder / "edges.csv", index=False)
    changes = {", nodes: nodes.csv": "", "other, person]": "other]", "k: 3": "k: 2"}
    run_release(release(folder, **changes))
    assert len(read_published(folder / "out", labels="text")[1]) == 4


def test_functions_are_private_and_gone_in_the_end(folder):
    text = CONFIG.replace("k-degree", "k-automorphism").replace("k: 3", "k: 2")
    file = release(folder, text.replace("max: 0.5", "max: 0.9"))
    location = anonymize(load(file))
    kept = Path(location) / "candidate" / "functions.parquet"
    held = kept.read_bytes()
    kept.write_bytes(held + b" ")
    with pytest.raises(ReleaseError, match="functions changed"):
        validate(location)
    kept.write_bytes(held)
    publish(validate(location))
    assert not list(folder.rglob("functions*"))


def test_groups_of_nodes_are_published_with_their_sizes(folder):
    text = CONFIG.replace("name: k-degree", "name: node-clusters")
    text = text.replace("model: k-degree", "model: super-node-size")
    run_release(release(folder, text.replace("max: 0.5", "max: 1")))
    _, nodes = read_published(folder / "out", labels="text")
    assert nodes["nodes"].min() >= 3
    assert nodes["nodes"].sum() == 36


def test_a_column_of_the_source_proves_no_size(folder):
    nodes = pd.read_csv(folder / "nodes.csv").assign(nodes=9)
    nodes.to_csv(folder / "nodes.csv", index=False)
    with pytest.raises(ConfigurationError, match="writes no such column"):
        load(release(folder, **{"model: k-degree": "model: super-node-size"}))


def test_labels_that_nobody_protects_are_refused(folder):
    nodes = pd.read_csv(folder / "nodes.csv").assign(town="x")
    nodes.to_csv(folder / "nodes.csv", index=False)
    declared = {"roles:": "roles:\n  quasi_identifiers: [town]"}
    with pytest.raises(DataError, match="protects no labels"):
        load(release(folder, **declared))
    run_release(release(folder, **{"other, person]": "other, person, town]"}))
    assert list(read_published(folder / "out", labels="text")[1].columns) == ["person"]


def test_a_rich_graph_is_reduced_if_that_is_asked_for(folder):
    edges = pd.read_csv(folder / "edges.csv")
    pd.concat([edges, edges]).to_csv(folder / "edges.csv", index=False)
    with pytest.raises(DataError, match="78 parallel"):
        load(release(folder))
    run_release(release(folder, **{"name: k-degree": "name: k-degree, reduce: true"}))
    assert len(read_published(folder / "out", labels="text")[0]) < 100


def test_a_broken_threshold_puts_the_graph_away(folder):
    text = CONFIG.replace("name: k-degree", "name: naive").replace("k: 3", "k: 2")
    file = release(folder, text)
    with pytest.raises(GateError, match="k-degree: the level is 1"):
        run_release(file)
    assert not (folder / "out" / "current").exists()
    (place,) = (folder / "work" / "club" / "quarantine").iterdir()
    assert "member " not in everything_in(place)
    assert not list(place.rglob("*.parquet"))


def test_an_infeasible_k_ends_the_run(folder):
    with pytest.raises(InfeasibleError):
        run_release(release(folder, **{"k: 3": "k: 99"}))
    assert "member " not in everything_in(folder / "work")


@pytest.mark.parametrize("name", ["edges.csv", "nodes.csv"])
def test_a_candidate_that_changed_is_not_published(folder, name):
    location = anonymize(load(release(folder)))
    file = Path(location) / "candidate" / name
    kept = file.read_text()
    file.write_text(kept + "\n")
    with pytest.raises(ReleaseError, match="changed"):
        validate(location)
    file.write_text(kept)
    validate(location)
    file.write_text(kept + "\n")
    with pytest.raises(ReleaseError, match="changed"):
        publish(location)
    assert not (folder / "out" / "current").exists()


@pytest.mark.parametrize(
    ("before", "forged"),
    [("member ", "member "), ("member ", "m"), ("n", "n"), ("nbcdf", "nbcdf")],
    ids=["kept", "other", "kept that look so", "kept that look new"],
)
def test_names_that_were_kept_are_refused(folder, registered, before, forged):
    """A gate looks at the names, whatever the anonymizer did."""
    for name in ("edges", "nodes"):
        table = pd.read_csv(folder / f"{name}.csv")
        table = table.replace("^member ", before, regex=True)
        table.to_csv(folder / f"{name}.csv", index=False)

    class Keeping(KDegreeAnonymizer):
        def fit_transform(self, X, y=None):
            tables = super().fit_transform(X)
            new = "^n[a-z]{4}"
            return tuple(table.replace(new, forged, regex=True) for table in tables)

    registered("keeping", Keeping)
    file = release(folder, **{"name: k-degree": "name: keeping"})
    with pytest.raises(GateError, match="other names"):
        run_release(file)


def public_statements(folder):
    """What the public files say, but for when it was, random names and hashes."""
    current = folder / "out" / "current"
    manifest = json.loads((current / "manifest.json").read_text())
    validation = json.loads((current / "validation.json").read_text())
    page = (current / "validation.html").read_text()
    page = page.replace(manifest["version"], "").replace(manifest["published"], "")
    for key in ("version", "place", "published", "sha256", "files", "signature"):
        manifest.pop(key, None)
    for varies in (manifest["nodes"], validation):
        del varies["sha256"]
    return manifest, validation, re.sub(r"<p class=.sub.>.*?</p>", "", page)


def write_club(folder, name, seed):
    """Other persons with other friends, and how long they know each other."""
    club = nx.gnm_random_graph(36, 90 + 10 * seed, seed=seed)
    edges = f"{name} " + pd.DataFrame(club.edges(), columns=["one", "other"]).astype(
        str
    )
    edges["years"] = np.arange(len(edges)) % (5 + seed)
    edges.sample(frac=1, random_state=seed).to_csv(folder / "edges.csv", index=False)
    nodes = pd.DataFrame({"person": [f"{name} {i}" for i in range(36)]})
    nodes.to_csv(folder / "nodes.csv", index=False)


def test_who_was_whose_friend_leaves_no_trace(folder, registered):
    """Sources that differ in what is not published make the same public files.

    The method publishes one ring, whatever it is given: all that differs is private.
    """

    class Ring(NaiveAnonymizer):
        def _alter(self, graph, rng):
            nodes = np.arange(graph.n_nodes)
            return Graph(graph.n_nodes, np.column_stack([nodes, np.roll(nodes, -1)]))

    registered("ring", Ring)
    file = release(
        folder,
        **{
            "name: k-degree": "name: ring, weights: drop",
            "person]": "person]\n  dropped: [years]",
            "max: 0.5": "max: 1",
        },
    )
    statements = []
    for name, seed in (("member", 0), ("somebody", 1), ("nobody", 2)):
        write_club(folder, name, seed)
        run_release(file)
        edges, _ = read_published(folder / "out")
        assert len(edges) == 36
        statements.append(public_statements(folder))
    assert statements[0] == statements[1] == statements[2]
    checks = {check["id"]: check for check in statements[0][1]["checks"]}
    assert checks["k-degree"]["observed"] == 36
    assert "observed" not in checks["loss"]


@pytest.fixture
def registered():
    """Put an anonymizer on the catalog, as a plugin would, for one test."""
    catalog, added = registry().anonymizers, []

    def register(name, cls):
        catalog.add(name, cls, owner="a test")
        added.append(name)

    yield register
    for name in added:
        catalog.remove(name)


@pytest.mark.parametrize(
    "alone",
    [
        "k-degree, k: 1",
        "k-candidate, k: 1",
        "k-candidate, k: 1, hubs: 3",
        "k-candidate, k: 5, query: h0",
        "k-neighborhood, k: 1, radius: 2",
        "k-neighborhood, k: 1, time_limit: 30",
        "k-automorphism, k: 1",
    ],
)
def test_a_promise_that_the_graph_itself_keeps_is_refused(folder, alone):
    file = release(folder, **{"k-degree, k: 3": alone, "name: k-degree": "name: naive"})
    message = r"promises? nothing by .*ask for k of at least 2 with \{model: k-degree"
    with pytest.raises(ConfigurationError, match=message):
        load(file)
    assert not (folder / "work").exists()


@pytest.mark.parametrize(
    "alone", ["k-degree, k: 2", "k-candidate, k: 2", "k-neighborhood, k: 2"]
)
def test_a_promise_of_two_nodes_is_enough(folder, alone):
    assert load(release(folder, **{"k-degree, k: 3": alone}))


def test_a_seed_of_a_plugin_is_refused(folder, registered):
    class Seeded(KDegreeAnonymizer):
        def __init__(
            self, k=5, *, relabel=True, reduce=False, weights="drop",
            keep_mapping=False, random_state=0,
        ):  # fmt: skip
            super().__init__(
                k, relabel=relabel, reduce=reduce, weights=weights,
                keep_mapping=keep_mapping, random_state=random_state,
            )  # fmt: skip

    registered("seeded", Seeded)
    with pytest.raises(ConfigurationError, match="seeded: random_state: a release"):
        load(release(folder, **{"name: k-degree": "name: seeded"}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"k-degree, k": "k-anonymity, k"}, "k-anonymity judges classes"),
        ({"name: k-degree": "name: mondrian"}, "anonymizes a table"),
        ({"name: k-degree": "name: k-degree, relabel: false"}, "relabel"),
        ({"name: k-degree": "name: k-degree, keep_mapping: true"}, "keep_mapping"),
        ({"name: k-degree": "name: k-degree, random_state: 1"}, "random_state"),
        ({"edges: edges.csv, ": ""}, "source: needs the parameter 'edges'"),
        ({"kind: graph, edges: edges.csv, nodes": "path"}, "quasi_identifiers"),
        ({"nodes: nodes": "nods: nodes"}, "source: unknown parameter 'nods'.*nodes"),
        ({"metric: loss, max": "metric: edge-cost, max"}, "edge-cost compares with"),
    ],
    ids=range(9),
)
def test_a_configuration_that_means_nothing_is_refused(folder, changes, message):
    with pytest.raises(ConfigurationError, match=message):
        load(release(folder, **changes))
    written = {path.name for path in (folder / "work").rglob("*") if path.is_file()}
    assert written <= {"journal.jsonl", ".lock"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"edges.csv": "nowhere.csv"}, "source.edges.*does not exist"),
        ({"other, person]": "other]"}, r"source\.nodes: .*\(column 1\).*identifiers"),
        ({"other, person]": "other, person, age]"}, "unknown column 'age'"),
        ({"[one, other": "[onee, other"}, r"source\.edges: .*\(column 1\)"),
    ],
    ids=range(4),
)
def test_a_source_that_does_not_fit_is_refused(folder, changes, message):
    with pytest.raises(DataError, match=message):
        load(release(folder, **changes))
    written = {path.name for path in (folder / "work").rglob("*") if path.is_file()}
    assert written <= {"journal.jsonl", ".lock"}


class AdjacencyLists:
    """Read a graph from lines: a node, and those it knows."""

    kind = "graph"

    def __call__(self, path, *, comments="#"):
        graph = nx.read_adjlist(path, comments=comments, delimiter=";")
        edges = pd.DataFrame(list(graph.edges()), columns=["one", "other"])
        return edges, pd.DataFrame({"person": list(graph.nodes())})


@pytest.fixture
def reader():
    """Put a reader on the catalog, as a plugin would, for one test."""
    catalog = registry().readers
    yield lambda made: catalog.add("lists", made, owner="a test")
    catalog.remove("lists")


LISTS = {"kind: graph, edges: edges.csv, nodes: nodes.csv": "kind: lists, path: club"}


def test_a_graph_of_another_reader_is_released(folder, reader):
    reader(AdjacencyLists())
    club = nx.relabel_nodes(nx.karate_club_graph(), lambda node: f"member {node}")
    nx.write_adjlist(club, folder / "club", delimiter=";")
    run_release(release(folder, **LISTS))
    edges, nodes = read_published(folder / "out", labels="text")
    assert len(nodes) == 34
    assert not set(edges["one"]) & set(club.nodes())


@pytest.mark.parametrize(
    ("made", "changes", "message"),
    [
        (AdjacencyLists(), {}, "source.path: .* does not exist"),
        (pd.read_csv, {"club": "edges.csv"}, "quasi_identifiers"),
        (AdjacencyLists(), {"path": "pth"}, "unknown parameter 'pth'"),
    ],
    ids=["no-file", "of-tables", "misspelled"],
)
def test_a_source_of_another_reader_that_does_not_fit(
    folder, reader, made, changes, message
):
    reader(made)
    file = release(folder, **LISTS)
    text = file.read_text()
    for old, new in changes.items():
        text = text.replace(old, new, 1)
    file.write_text(text)
    with pytest.raises((ConfigurationError, DataError), match=message):
        load(file)
    assert not (folder / "work").exists()


def test_a_reader_that_gives_one_table_is_told(folder, reader):
    class OnlyEdges(AdjacencyLists):
        def __call__(self, path):
            return pd.DataFrame({"one": ["a"], "other": ["b"]})

    reader(OnlyEdges())
    with pytest.raises(DataError, match="the reader 'lists' gives no edges and nodes"):
        load(release(folder, **{**LISTS, "path: club": "path: edges.csv"}))


def test_edges_that_are_no_file_are_refused(folder):
    with pytest.raises(ConfigurationError, match="source: edges and nodes are files"):
        load(release(folder, **{"edges: edges.csv": "edges: null"}))


def test_the_reader_of_graphs_is_registered():
    reader = registry().readers["graph"]
    assert reader.kind == "graph"
    assert registry().readers.summary("graph").startswith("Read a graph")


def test_a_graph_without_edges_is_refused(folder):
    pd.DataFrame({"one": [], "other": []}).to_csv(folder / "edges.csv", index=False)
    with pytest.raises(DataError, match="names no edge"):
        load(release(folder))


def anon(monkeypatch, capsys, *asked):
    """Exit code of a command, and what it said."""
    monkeypatch.setattr("sys.argv", ["anon", *map(str, asked)])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    return ended.value.code or 0, " ".join((said.out + said.err).split())


def test_commands_speak_of_nodes(folder, monkeypatch, capsys):
    code, said = anon(monkeypatch, capsys, "release", release(folder))
    assert code == 0
    file, nodes = (folder / "out" / "current" / f"{n}.csv" for n in ("edges", "nodes"))
    assert f"│ nodes │ {len(pd.read_csv(nodes))} │ published │" in said
    assert f"│ edges │ {len(pd.read_csv(file))} │ published │" in said
    assert "│ k-degree │ 3 │" in said
    # How many edges changed is a number of the input.
    assert "│ loss │ holds │" in said
    assert "suppressed" not in said
    assert "rows" not in said
    asked = ("validate", file, "--nodes", nodes, "-t")
    assert anon(monkeypatch, capsys, *asked, "k-degree,k=3")[0] == 0
    assert anon(monkeypatch, capsys, *asked, "k-degree,k=30")[0] == 1
    mixed = (*asked, "k-degree,k=3", "-t", "k-anonymity,k=3")
    code, said = anon(monkeypatch, capsys, *mixed)
    assert code == 2
    assert "-q COLUMN" in said

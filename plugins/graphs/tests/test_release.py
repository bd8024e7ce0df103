"""A graph as a gated release: two files in, two files out, no name left."""

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    GateError,
    InfeasibleError,
    ReleaseError,
)
from anon_transformers.graphs import open_graph
from anon_transformers.release import (
    anonymize,
    load,
    publish,
    read_published,
    run_release,
    validate,
)
from anon_transformers_graphs.privacy import KDegree

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
    edges, nodes = read_published(folder / "out")
    assert sorted(f.name for f in version.iterdir()) == [
        "edges.csv",
        "manifest.json",
        "nodes.csv",
        "validation.html",
        "validation.json",
    ]
    graph, _ = open_graph((edges, nodes))
    assert list(edges.columns) == ["one", "other"]
    assert nodes["person"].tolist() == list(range(36))
    assert KDegree(3).satisfied(GraphEvidence(graph)).all()
    manifest = json.loads((version / "manifest.json").read_text())
    assert [c["id"] for c in manifest["measured"]["checks"]] == ["k-degree", "loss"]
    assert manifest["nodes"]["data"] == "nodes.csv"


def test_no_name_and_nothing_private_is_left(folder):
    run_release(release(folder))
    for place in ("out", "work"):
        assert "member" not in everything_in(folder / place)
    assert not list((folder / "work").rglob("*.parquet"))


def test_names_come_from_fresh_entropy(folder):
    file = release(folder)
    run_release(file)
    first = read_published(folder / "out")[0]
    run_release(file)
    assert not first.equals(read_published(folder / "out")[0])


def test_a_node_file_is_not_needed(folder):
    file = release(
        folder, **{", nodes: nodes.csv": "", "[one, other, person]": "[one, other]"}
    )
    run_release(file)
    edges, nodes = read_published(folder / "out")
    assert len(nodes) == 34
    assert list(nodes.columns) == ["node"]
    assert len(edges) > 60


def test_weights_are_carried_along(folder):
    edges = pd.read_csv(folder / "edges.csv").assign(weight=np.arange(78) % 3)
    edges.to_csv(folder / "edges.csv", index=False)
    with pytest.raises(DataError, match=r"weight.*insensitive"):
        load(release(folder))
    run_release(release(folder, **{"person]": "person]\n  insensitive: [weight]"}))
    published, _ = read_published(folder / "out")
    assert set(published["weight"]) <= {0, 1, 2}


def test_a_broken_threshold_puts_the_graph_away(folder):
    text = CONFIG.replace("name: k-degree", "name: naive").replace("k: 3", "k: 2")
    file = release(folder, text)
    with pytest.raises(GateError, match="k-degree: the level is 1"):
        run_release(file)
    assert not (folder / "out" / "current").exists()
    (place,) = (folder / "work" / "club" / "quarantine").iterdir()
    assert "member" not in everything_in(place)
    assert not list(place.rglob("*.parquet"))


def test_an_infeasible_k_ends_the_run(folder):
    with pytest.raises(InfeasibleError):
        run_release(release(folder, **{"k: 3": "k: 99"}))
    assert "member" not in everything_in(folder / "work")


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


def test_names_that_were_kept_are_refused(folder):
    """A gate looks at the names, whatever the anonymizer did."""
    location = anonymize(load(release(folder)))
    place = Path(location) / "candidate"
    noted = json.loads((place / "candidate.json").read_text())
    for name in ("edges", "nodes"):
        table = pd.read_csv(place / f"{name}.csv") + 1
        table.to_csv(place / f"{name}.csv", index=False)
    import hashlib

    digests = [
        hashlib.sha256((place / f"{n}.csv").read_bytes()).hexdigest()
        for n in ("edges", "nodes")
    ]
    noted["sha256"], noted["nodes"]["sha256"] = digests
    (place / "candidate.json").write_text(json.dumps(noted))
    with pytest.raises(GateError, match="other names"):
        validate(location)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"k-degree, k": "k-anonymity, k"}, "k-anonymity judges classes"),
        ({"name: k-degree": "name: mondrian"}, "anonymizes a table"),
        ({"name: k-degree": "name: k-degree, relabel: false"}, "relabel"),
        ({"name: k-degree": "name: k-degree, keep_mapping: true"}, "keep_mapping"),
        ({"name: k-degree": "name: k-degree, random_state: 1"}, "random_state"),
        ({"edges: edges.csv, ": ""}, "a graph has edges"),
        ({"kind: graph, edges: edges.csv, nodes": "path"}, "quasi_identifiers"),
    ],
    ids=range(7),
)
def test_a_configuration_that_means_nothing_is_refused(folder, changes, told):
    with pytest.raises(ConfigurationError, match=told):
        load(release(folder, **changes))
    assert not (folder / "work").exists()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"edges.csv": "nowhere.csv"}, "source.edges.*does not exist"),
        ({"other, person]": "other]"}, "person.*identifiers"),
        ({"other, person]": "other, person, age]"}, "unknown column 'age'"),
    ],
    ids=range(3),
)
def test_a_source_that_does_not_fit_is_refused(folder, changes, told):
    with pytest.raises(DataError, match=told):
        load(release(folder, **changes))
    assert not (folder / "work").exists()

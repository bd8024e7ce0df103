"""The page of networks in Studio, by the hook that any plugin may use."""

import re
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest

pytest.importorskip("starlette")
pytest.importorskip("jinja2")
pytest.importorskip("httpx")
pytest.importorskip("matplotlib")

with warnings.catch_warnings():
    # Starlette would like httpx2, which is not httpx; either one serves.
    warnings.filterwarnings("ignore", message="Using `httpx`")
    from starlette.testclient import TestClient

from anon_transformers.exceptions import DataError
from anon_transformers.graphs import open_graph
from anon_transformers.registry import registry
from anon_transformers.studio import make_app
from anon_transformers.testing import check_page
from anon_transformers_graphs.studio._drawing import MOST_DRAWN, draw
from anon_transformers_graphs.studio._work import curve, protect

BASE = "http://127.0.0.1:8124"


@pytest.fixture
def client(tmp_path):
    app = make_app(tmp_path / "home", "token", 8124)
    headers = {"origin": BASE, "referer": f"{BASE}/graphs/"}
    with TestClient(app, base_url=BASE, headers=headers) as client:
        client.get("/?token=token")
        client.studio = app.app.state.studio
        yield client


def silent(*told):
    pass


def newest(client):
    return client.studio.shelf.projects()[0]


def test_the_page_keeps_the_contract():
    assert registry().pages.owner("graphs") == "anon-transformers-graphs"
    check_page(registry().pages["graphs"])


def test_the_karate_club_before_and_after(client):
    page = client.post("/graphs/karate")
    project = newest(client)
    assert page.url.path == f"/p/{project.id}/graphs/"
    assert project.fault is None
    found = protect(project, {}, silent)
    project.keep_result("graph", project.state, {}, found)
    measures = {name: (first, second) for name, first, second in found["measures"]}
    assert measures["nodes"] == (34, 34)
    assert measures["edges"][0] == 78
    by_degree = found["intruders"][0]
    assert by_degree[1] == pytest.approx(6 / 34)
    assert by_degree[2] == 0
    project.keep_result("graph-curve", project.state, {}, curve(project, {}, silent))
    page = client.get(f"/p/{project.id}/graphs/")
    assert page.status_code == 200
    assert page.text.count("<svg") == 4
    assert "<style" not in page.text
    costs = [n for _, n in project.result("graph-curve").found["points"]]
    assert costs[0] < costs[-1]


def test_a_form_edits_the_release_file(client):
    client.post("/graphs/karate")
    project = newest(client)
    project.edit("loss", lambda c: c["thresholds"].append({"metric": "loss", "max": 1}))
    client.post(f"/p/{project.id}/graphs/protect",
                data={"method": "k-automorphism", "k": "2"})  # fmt: skip
    assert project.content["anonymizer"] == {"name": "k-automorphism"}
    assert project.content["thresholds"] == [
        {"model": "k-automorphism", "k": 2},
        {"metric": "loss", "max": 1},
    ]
    client.studio.worker.close()


def test_pages_of_tables_are_not_for_a_network(client):
    page = client.post("/graphs/karate")
    menu = re.findall(r'href="/p/[^/"]+/([a-z]+)/"', page.text.partition("<main")[0])
    assert menu == ["projects", "release", "learn", "graphs"]
    here = f"/p/{newest(client).id}"
    for name in ("data", "hierarchies", "protect", "explore", "statistics", "attack"):
        page = client.get(f"{here}/{name}/")
        assert page.status_code == 200
        assert "This page is about tables" in page.text
    page = client.get(f"{here}/release/").text
    assert "This page is about tables" not in page
    # Its files are removed with the project, unless they are copied.
    assert re.search(r'name="copy" value="true" checked', page)
    assert not client.studio.worker._jobs
    client.studio.worker.close()


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"method": "<b>", "k": "2"}, "the methods of this page"),
        ({"method": "k-degree", "k": "1"}, "at least 2"),
    ],
)
def test_a_bad_form_changes_nothing(client, form, words):
    client.post("/graphs/karate")
    project = newest(client)
    before = project.text
    page = client.post(f"/p/{project.id}/graphs/protect", data=form)
    assert words in page.text
    assert project.text == before


def test_an_uploaded_network_with_a_hostile_header(client):
    sent = b'<script>,"b",weight\n1,2,3\n2,3,1\n3,1,2\n'
    page = client.post("/graphs/upload", files={"file": ("<i>.csv", sent)})
    project = newest(client)
    assert project.content["roles"] == {
        "identifiers": ["<script>", "b"],
        "dropped": ["weight"],
    }
    assert "<script>,\n" not in page.text
    assert not re.search(r"<script>(?!</)", page.text)
    assert (project.folder / "data" / "edges.csv").read_bytes() == sent


@pytest.mark.parametrize(
    ("name", "sent", "words"),
    [
        ("a.txt", b"a,b\n1,2\n", "end in .csv"),
        ("a.csv", b"a\n1\n", "two columns"),
        ("a.csv", b"", "cannot be read"),
    ],
)
def test_what_is_no_file_of_edges_is_refused(client, name, sent, words):
    page = client.post("/graphs/upload", files={"file": (name, sent)})
    assert words in page.text
    assert client.studio.shelf.projects() == []


def test_a_file_of_this_machine_is_read_where_it_lies(client, tmp_path):
    file = tmp_path / "{a}.csv"
    file.write_text("a,b\n1,2\n2,3\n3,4\n4,1\n")
    client.post("/graphs/open", data={"path": str(file)})
    project = newest(client)
    assert project.fault is None
    assert protect(project, {}, silent)["measures"][1][1] == 4
    page = client.post("/graphs/open", data={"path": "a.csv"})
    assert "there is no such file" in page.text


def test_a_table_is_no_network(client):
    client.post("/projects/adult")
    project = newest(client)
    page = client.get(f"/p/{project.id}/graphs/")
    assert "is about a table" in page.text
    client.studio.worker.close()


def test_a_large_network_is_drawn_in_part_and_says_so():
    rng = np.random.default_rng(0)
    pairs = {tuple(sorted(p)) for p in rng.integers(0, 900, (3000, 2)).tolist()}
    edges = np.array([p for p in pairs if p[0] != p[1]])
    import pandas as pd

    graph, _ = open_graph(pd.DataFrame(edges.astype(str), columns=["a", "b"]))
    first, second, said = draw(graph, graph)
    assert f"Drawn are {MOST_DRAWN} of {graph.n_nodes} nodes" in said
    assert first.svg.count("<circle") == second.svg.count("<circle") == MOST_DRAWN


class Lists:
    """Read a graph from lines: a node, and those it knows."""

    kind = "graph"

    def __call__(self, path, *, comments="#"):
        graph = nx.read_adjlist(path, comments=comments, delimiter=";")
        return pd.DataFrame(list(graph.edges()), columns=["one", "other"]), None


@pytest.fixture
def lists():
    catalog = registry().readers
    catalog.add("lists", Lists(), owner="a test")
    yield {"kind": "lists", "path": "../data/club", "comments": "%"}
    catalog.remove("lists")


def test_a_network_of_another_reader_is_shown(client, lists):
    client.post("/graphs/karate")
    project = newest(client)
    nx.write_adjlist(nx.cycle_graph(8), project.folder / "data" / "club", delimiter=";")
    with (project.folder / "data" / "club").open("a") as file:
        file.write("% drawn by hand\n")
    project.edit("source", lambda content: content.update(source=lists))
    measures = {
        name: first for name, first, _ in protect(project, {}, silent)["measures"]
    }
    assert (measures["nodes"], measures["edges"]) == (8, 8)
    assert project.name in client.get("/graphs/").text
    shown = client.get(f"/p/{project.id}/graphs/").text
    assert "Upload edges" not in shown


@pytest.mark.parametrize("path", ["../data/{period:%Y}", ["../data/a", "../data/b"]])
def test_a_network_of_several_files_is_refused(client, lists, path):
    client.post("/graphs/karate")
    project = newest(client)
    stated = {
        "source": {**lists, "path": path},
        "composition": {"accept_unjudged": "The nodes of each year have other names."},
    }
    project.edit("source", lambda content: content.update(stated))
    with pytest.raises(DataError, match=r"source\.path: .* networks of one file"):
        protect(project, {}, silent)

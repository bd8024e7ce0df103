"""Every model of graphs, asserted on an edge table by a gate and as an expectation."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from anon_transformers.cli import main
from anon_transformers.gx import ExpectPrivacyModelToHold, PrivateEvidence
from anon_transformers.gx.gate import Threshold, run_gate

SQUARE = pd.DataFrame({"a": [0, 1, 2, 3], "b": [1, 2, 3, 0]})
PATH = pd.DataFrame({"a": [0, 1, 2], "b": [1, 2, 3]})
TURNS = np.array([[1, 2, 3, 0], [2, 3, 0, 1], [3, 0, 1, 2]])


def judge(table, model, ends=("a", "b"), evidence=None, **params):
    wanted = Threshold("asked", "model", model, params)
    return run_gate(
        table, thresholds=[wanted], quasi_identifiers=list(ends), evidence=evidence
    )


@pytest.mark.parametrize(
    ("model", "params", "level"),
    [
        ("k-degree", {"k": 4}, 4),
        ("k-candidate", {"k": 4, "query": "h2"}, 4),
        ("k-neighborhood", {"k": 4}, 4),
    ],
)
def test_a_square_looks_alike_from_every_corner(model, params, level):
    result = judge(SQUARE, model, **params)
    assert result.passed, result.reasons
    assert result.checks[0].observed == level
    assert result.checks[0].units == 4


@pytest.mark.parametrize("model", ["k-degree", "k-neighborhood"])
def test_a_path_does_not(model):
    result = judge(PATH, model, k=3)
    assert not result.passed
    assert "4 of 4 nodes fail" in result.reasons[0]


def test_nodes_without_edges_count():
    alone = pd.concat([SQUARE, pd.DataFrame({"a": [4], "b": [None]})])
    assert not judge(alone, "k-degree", k=2).passed
    nodes = PrivateEvidence(nodes=pd.DataFrame({"node": range(5)}))
    assert not judge(SQUARE, "k-degree", k=2, evidence=nodes).passed
    assert judge(SQUARE, "k-degree", k=2).passed


def test_automorphisms_pass_only_with_functions_that_are_some():
    assert "functions" in judge(SQUARE, "k-automorphism", k=4).reasons[0]
    known = PrivateEvidence(functions=TURNS)
    assert judge(SQUARE, "k-automorphism", k=4, evidence=known).passed
    assert not judge(PATH, "k-automorphism", k=2, evidence=known).passed
    same = PrivateEvidence(functions=np.array([[0, 1, 2, 3]]))
    assert not judge(SQUARE, "k-automorphism", k=2, evidence=same).passed


def test_a_check_that_takes_too_long_fails():
    wheel = nx.to_pandas_edgelist(nx.random_regular_graph(6, 300, seed=0))
    result = judge(
        wheel, "k-neighborhood", ("source", "target"), k=2, radius=3, time_limit=1e-9
    )
    assert not result.passed
    assert "time" in result.reasons[0]


@pytest.mark.parametrize("ends", [["a"], ["a", "b", "c"], ["a", "x"]])
def test_columns_that_are_no_ends_fail(ends):
    table = SQUARE.assign(c=1)
    assert not judge(table, "k-degree", ends, k=1).passed


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": [0, 1], "b": [1, 0]}),
        pd.DataFrame({"a": [0], "b": [0]}),
        pd.DataFrame({"a": [None], "b": [0]}),
    ],
    ids=["parallel", "loop", "nameless"],
)
def test_what_is_no_simple_graph_fails(table):
    assert not judge(table, "k-degree", k=1).passed


@pytest.mark.parametrize(("k", "code"), [(4, 0), (5, 1)])
def test_the_command_line_judges_an_edge_table(tmp_path, monkeypatch, k, code):
    SQUARE.to_csv(tmp_path / "square.csv", index=False)
    asked = ["validate", str(tmp_path / "square.csv"), "-q", "a", "-q", "b"]
    monkeypatch.setattr("sys.argv", ["anon", *asked, "-t", f"k-degree,k={k}"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code or 0) == code


@pytest.mark.parametrize(("n_nodes", "code"), [(4, 0), (5, 1)])
def test_the_command_line_knows_nodes_without_edges(
    tmp_path, monkeypatch, n_nodes, code
):
    SQUARE.to_csv(tmp_path / "square.csv", index=False)
    pd.DataFrame({"node": range(n_nodes)}).to_csv(tmp_path / "n.csv", index=False)
    asked = ["validate", str(tmp_path / "square.csv"), "-q", "a", "-q", "b"]
    asked += ["--nodes", str(tmp_path / "n.csv"), "-t", "k-degree,k=2"]
    monkeypatch.setattr("sys.argv", ["anon", *asked])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code or 0) == code


def test_an_expectation_is_asserted_on_an_edge_table():
    gx = pytest.importorskip("great_expectations")
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    batch = context.data_sources.add_pandas("graphs").read_dataframe(SQUARE)
    asked = {"quasi_identifiers": ["a", "b"], "model": "k-degree"}
    held = batch.validate(ExpectPrivacyModelToHold(**asked, params={"k": 4}))
    assert held.success
    assert held.result["observed_value"] == 4
    broken = batch.validate(ExpectPrivacyModelToHold(**asked, params={"k": 5}))
    assert not broken.success

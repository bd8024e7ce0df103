"""Every example answers its question: it runs as a person runs it, and draws."""

import subprocess
import sys
from pathlib import Path

import networkx as nx
import pandas as pd
import pytest

pytest.importorskip("matplotlib", reason="an extra of the library")

FOLDER = Path(__file__).parents[1] / "examples"
PNG = b"\x89PNG\r\n\x1a\n"
EXAMPLES = ("k_and_edges", "random_protection")


def draw(name, out, *options):
    call = [sys.executable, FOLDER / f"plot_{name}.py", "--out", out, "--runs", "1"]
    made = subprocess.run(
        [str(part) for part in (*call, *options)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return out.read_bytes()


def test_these_are_all_examples():
    found = {path.stem for path in FOLDER.glob("plot_*.py")}
    assert found == {f"plot_{name}" for name in EXAMPLES}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_draws_its_picture(tmp_path, name):
    assert draw(name, tmp_path / "made.png").startswith(PNG)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_draws_another_network(tmp_path, name):
    edges = pd.DataFrame(list(nx.les_miserables_graph().edges()), columns=["a", "b"])
    edges.to_csv(tmp_path / "edges.csv", index=False)
    own = draw(name, tmp_path / "own.png", "--edges", tmp_path / "edges.csv")
    assert own.startswith(PNG)
    assert own != draw(name, tmp_path / "default.png")

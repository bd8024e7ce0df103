"""Tables that people read, on terminals and elsewhere."""

from functools import partial

import pytest
from rich.console import Console

from anon_transformers.cli import _output

HEADER = ["method", "parameters", "classes", "mean", "loss"]
ROWS = [("mondrian", "k=5 tie_side=both", 2214, 13.6, 0.0124)]


@pytest.fixture
def on_terminal(monkeypatch, capsys):
    def shown(width, spare=()):
        terminal = partial(Console, force_terminal=True, color_system=None)
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setattr(_output, "Console", terminal)
        _output.print_table("Runs", HEADER, ROWS, spare)
        return capsys.readouterr().out

    return shown


def test_nothing_is_folded_where_there_is_no_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    _output.print_table("Runs", HEADER, [*ROWS, ("m", "x" * 300, 1, 1, 1)])
    told = capsys.readouterr().out
    assert "x" * 300 in told
    assert all(name in told.splitlines()[2] for name in HEADER)


def test_a_wide_terminal_shows_everything(on_terminal):
    told = on_terminal(100, spare=["mean"])
    assert "13.6" in told
    assert "not shown" not in told


def test_a_narrow_terminal_leaves_out_what_can_be_spared(on_terminal):
    told = on_terminal(50, spare=["mean", "loss"])
    assert "not shown on a narrow terminal: mean" in told
    assert "13.6" not in told
    assert "0.0124" in told
    assert max(map(len, told.splitlines())) <= 50


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("5", 5),
        ("true", True),
        ("None", None),
        ("center", "center"),
        ('{"AGI": 3}', {"AGI": 3}),
        ("{AGI: 3, FICA: 4}", {"AGI": 3, "FICA": 4}),
        ("{age: {Old: [50, 60, .inf]}}", {"age": {"Old": [50, 60, float("inf")]}}),
        ("[low, high]", ["low", "high"]),
        ("{not: closed", "{not: closed"),
        ("[20, 35)", "[20, 35)"),
        ("{a: !!python/object/apply:os.getcwd []}",) * 2,
    ],
    ids=str,
)
def test_what_a_person_means(text, meant):
    pytest.importorskip("yaml")
    assert _output.assignments("option", [f"name={text}"]) == {"name": meant}

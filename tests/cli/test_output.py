"""Tables that people read, on terminals and elsewhere."""

import inspect
import json
import re
import sys
import warnings
from functools import partial
from pathlib import Path

import pytest
import typer
from rich.console import Console
from rich.text import Text

from anon_transformers.cli import assignments, output
from anon_transformers.exceptions import (
    DataError,
    DuplicatesWarning,
    GateError,
    InfeasibleError,
    NotEvaluable,
    PluginError,
)

ROOT = Path(__file__).parents[2]
COMMANDS = [
    path
    for folder in ("anon_transformers/cli", "plugins/*/src/*/cli")
    for path in sorted(ROOT.glob(f"{folder}/*.py"))
]
HEADER = ["method", "parameters", "classes", "mean", "loss"]
ROWS = [("mondrian", "k=5 tie_side=both", 2214, 13.6, 0.0124)]


@pytest.fixture
def on_terminal(monkeypatch, capsys):
    def shown(width, spare=()):
        terminal = partial(Console, force_terminal=True, color_system=None)
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setattr(output, "Console", terminal)
        output.print_table("Runs", HEADER, ROWS, spare)
        return capsys.readouterr().out

    return shown


def test_a_pipe_is_160_wide_whatever_the_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    words = ", ".join(f"column_{number}" for number in range(53))
    output.print_table("Runs " * 50, HEADER, [*ROWS, ("m", words, 1, 1, 1)], ["mean"])
    title, *lines = capsys.readouterr().out.splitlines()
    assert title == ("Runs " * 50)
    assert max(map(len, lines)) == 160
    assert all(name in lines[1] for name in HEADER)
    assert all(f"column_{number}" in "".join(lines) for number in range(53))
    # What fits is not folded.
    output.print_table("Runs", HEADER, [*ROWS, ("m", "x" * 100, 1, 1, 1)])
    assert "x" * 100 in capsys.readouterr().out


def test_a_pipe_is_as_wide_as_short_cells_need(capsys):
    header = [f"c{number}" for number in range(53)]
    output.print_table("Wide", header, [[1234567.5] * 53], spare=["c1"])
    message = capsys.readouterr().out
    assert message.count("1234567.5") == 53
    assert "not shown" not in message


def test_a_wide_terminal_shows_everything(on_terminal):
    message = on_terminal(100, spare=["mean"])
    assert "13.6" in message
    assert "not shown" not in message


def test_a_narrow_terminal_leaves_out_what_can_be_spared(on_terminal):
    message = on_terminal(50, spare=["mean", "loss"])
    assert "not shown on a narrow terminal: mean" in message
    assert "13.6" not in message
    assert "0.0124" in message
    assert max(map(len, message.splitlines())) <= 50


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
    assert assignments("option", [f"name={text}"]) == {"name": meant}


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (1 / 3, "33.3 %"),
        (0.333, "33.3 %"),
        (0.5, "50 %"),
        (1, "100 %"),
        (0.0, "0 %"),
        (-1e-18, "0 %"),
        (0.07, "7 %"),
        (0.912345, "91.2 %"),
        (0.000123456, "0.0123 %"),
    ],
)
def test_percentages_have_the_digits_that_are_known(share, text):
    assert output.percent(share) == text


def test_no_command_prints_percentages_of_its_own():
    own = [p.name for p in COMMANDS if re.search(r"[0-9]%\}", p.read_text())]
    assert own == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1 / 3, "0.3333"), (0.5, "0.5"), (12, "12"), (True, "True"), ("x", "x"),
        (None, "none"), (float("nan"), "none"),
    ],
)  # fmt: skip
def test_numbers_have_four_digits(value, text):
    assert output.format_number(value, missing="none") == text


def test_a_list_in_json_is_read_without_yaml(monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert assignments("o", ["a=[1, 2]", "b={c: 3}"]) == {"a": [1, 2], "b": "{c: 3}"}


MARKUP = ["[red]x[/red]", "[/]", "[/red]", "[bold", "\\[x]", "x\\", "[link=a]b[/link]"]


@pytest.mark.parametrize("name", MARKUP)
def test_no_text_is_taken_for_markup(capsys, name):
    output.print_table(name, [name, "b"], [(name, Text("red", style="red"))])
    printed = capsys.readouterr().out
    assert printed.count(name) == 3
    with output.show_status(name):
        pass


def test_markup_is_never_made_of_texts_but_in_one_place():
    """Brackets in a name would be markup wherever rich gets a text of them."""
    assert any("plugins" in path.parts for path in COMMANDS)
    for path in COMMANDS:
        code = path.read_text()
        if path.name != "output.py":
            assert "rich.markup" not in code, path
            assert "rich.console" not in code, path
            assert ".status(" not in code, path
            assert "Table(" not in code, path


def test_all_that_plugins_may_use_is_listed_and_documented():
    own = {
        name
        for name, thing in vars(output).items()
        if getattr(thing, "__module__", None) == output.__name__ and name[0] != "_"
    }
    codes = {"BAD_INPUT", "BROKEN_PROMISE", "CLOSED_PIPE", "JsonFlag"}
    assert own | codes == set(output.__all__)
    assert all(inspect.getdoc(getattr(output, name)) for name in own)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (GateError, output.BROKEN_PROMISE),
        (InfeasibleError, output.BROKEN_PROMISE),
        (PluginError, output.BROKEN_PROMISE),
        (NotEvaluable, output.BAD_INPUT),
        (DataError, output.BAD_INPUT),
        (FileNotFoundError, output.BAD_INPUT),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_an_error_is_a_message_in_options_and_an_exit_code(
    capsys, error, code, as_json
):
    in_options = {"in_options": lambda text: text.replace("k=", "-k ")}

    @output.handle_errors(**in_options, broken=(PluginError,))
    def fail(json_output):
        raise error("try k=2")

    with pytest.raises(typer.Exit) as done:
        fail(json_output=as_json)
    assert done.value.exit_code == code
    printed = capsys.readouterr()
    if as_json:
        assert json.loads(printed.out) == {"error": "try -k 2"}
    else:
        assert printed.err == "error: try -k 2\n"


def test_what_is_no_error_of_the_library_is_not_quoted(capsys):
    @output.handle_errors
    def fail():
        raise KeyError("Ann")

    with pytest.raises(typer.Exit) as done:
        fail()
    assert done.value.exit_code == output.BAD_INPUT
    assert "unexpected KeyError" in (printed := capsys.readouterr().err)
    assert "Ann" not in printed


@output.handle_errors(in_options=lambda text: text.replace("several", "-n"))
def warn(json_output=False):
    warnings.warn("a person has\nseveral rows", DuplicatesWarning, stacklevel=1)
    warnings.warn("not ours", RuntimeWarning, stacklevel=1)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("as_json", [False, True])
def test_a_warning_of_the_library_is_one_line(capsys, as_json):
    usual = warnings.showwarning
    with pytest.warns(RuntimeWarning, match="not ours"):
        warn(json_output=as_json)
    message = capsys.readouterr()
    assert message.err == "warning: a person has -n rows\n"
    assert message.out == ""
    assert warnings.showwarning is usual


class Closed:
    """A pipe whose reader went away."""

    def __init__(self, monkeypatch):
        self.forgotten = 0
        monkeypatch.setattr(output, "_forget_output", self.forget)
        monkeypatch.setattr(output.sys, "stdout", self)

    def forget(self):
        self.forgotten += 1

    def isatty(self):
        return False

    def write(self, text):
        raise BrokenPipeError

    def flush(self):
        raise BrokenPipeError


def test_a_closed_pipe_is_neither_a_pass_nor_a_verdict(monkeypatch, capsys):
    @output.handle_errors
    def speak(verdict):
        if verdict:
            raise typer.Exit(verdict)
        output.print_table("x", ["a"], [("b",)])

    pipe = Closed(monkeypatch)
    with pytest.raises(typer.Exit) as done:
        speak(0)
    assert done.value.exit_code == output.CLOSED_PIPE == 141
    with pytest.raises(typer.Exit) as done:
        speak(1)
    assert done.value.exit_code == 1
    assert pipe.forgotten == 2
    assert capsys.readouterr().err == ""

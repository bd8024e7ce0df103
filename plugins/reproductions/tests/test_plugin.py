"""What the distribution offers: by name, at the command line, in Python, and light."""

import subprocess
import sys
from importlib.resources import files

import pytest

import anon_transformers_reproductions as package
from anon_transformers.cli import main
from anon_transformers.experiments import Experiment
from anon_transformers.registry import first_line, registry
from anon_transformers_reproductions.plugin import EXPERIMENTS

OWNER = "anon-transformers-reproductions"
HEAVY = ["numba", "pandas", "sklearn", "typer"]


@pytest.fixture
def anon(monkeypatch, capsys):
    """Run a command; returns its exit code and what it printed."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["anon", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return ended.value.code or 0, " ".join((printed.out + printed.err).split())

    return run


def test_what_is_registered_is_what_the_plugin_names():
    offered = registry().experiments
    own = [name for name in offered if offered.owner(name) == OWNER]
    assert own == sorted(EXPERIMENTS)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_can_be_had(name):
    cls, summary = EXPERIMENTS[name]
    experiment = registry().experiments[name]
    assert experiment is getattr(package, cls)
    assert first_line(experiment) == summary
    assert isinstance(experiment, type)
    assert issubclass(experiment, Experiment)
    assert (files(package) / "data" / f"{name}.json").is_file()


def test_names_are_listed():
    names = sorted(cls for cls, _ in EXPERIMENTS.values())
    assert dir(package) == package.__all__ == names


def test_nothing_heavy_is_loaded_before_it_is_used():
    code = (
        "import sys, anon_transformers_reproductions.plugin; "
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    made = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert made.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("fuzzy", "--census PATH The CASC Census table of 1,080 rows as CSV"),
        ("mondrian-datafly", "--adult PATH The training part of Adult"),
        ("probabilistic", "--census PATH The CASC reference tables as CSV"),
        ("probabilistic", "--eia PATH The CASC reference tables as CSV"),
    ],
)
def test_help_tells_the_options_of_the_experiment(anon, name, option):
    code, printed = anon("reproduce", name, "--help")
    assert code == 0
    assert option in printed


@pytest.mark.parametrize(
    "arguments",
    [["mondrian-datafly", "--adult", "no.csv"], ["fuzzy", "--census=no.csv"]],
)
def test_a_file_that_is_not_there_is_refused(anon, arguments):
    code, printed = anon("reproduce", *arguments)
    assert code == 2
    assert "no.csv does not exist" in printed

"""What can be imported from the top of the package."""

import subprocess
import sys
from importlib import import_module

import pytest

import anon_transformers_graphs as package

FOLDERS = (
    "attacks", "automorphism", "degrees", "generalization", "metrics", "neighborhoods",
    "plots", "privacy", "queries", "randomization", "risk",
)  # fmt: skip


@pytest.mark.parametrize("name", package.__all__)
def test_every_name_is_there(name):
    assert getattr(package, name).__name__ == name


@pytest.mark.parametrize("folder", FOLDERS)
def test_all_that_a_folder_offers_is_at_the_top(folder):
    offered = import_module(f"anon_transformers_graphs.{folder}").__all__
    assert set(offered) <= set(package.__all__)


def test_names_are_listed():
    assert dir(package) == package.__all__ == sorted(set(package.__all__))


def test_a_misspelled_name_is_an_error():
    with pytest.raises(AttributeError, match="no attribute 'KDegreeAnonymiser'"):
        _ = package.KDegreeAnonymiser


def test_nothing_heavy_is_loaded_before_it_is_used():
    code = (
        "import sys, anon_transformers_graphs; "
        "print(sorted({'numba', 'networkx', 'pandas', 'typer'} & set(sys.modules)))"
    )
    made = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert made.stdout.strip() == "[]"

"""The same word means the same everywhere, also where nobody writes it down."""

import inspect

import pytest

from anon_transformers.registry import registry

SHARED = {
    "k": 5,
    "models": None,
    "quasi_identifiers": None,
    "sensitive": None,
    "identifiers": None,
    "hierarchies": None,
    "subject": None,
    "suppression": "mask",
    "suppression_limit": 0.0,
    "suppression_label": "*",
    "random_state": None,
    "relabel": True,
    "keep_mapping": False,
}
OTHERWISE = {
    ("datafly", "suppression_limit"): None,  # its own stop rule: at most k rows
    ("random-perturbation", "k"): None,  # perturbs without a promise unless asked
}


@pytest.mark.parametrize("name", registry().anonymizers)
def test_shared_parameters_have_one_default(name):
    given = inspect.signature(registry().anonymizers[name]).parameters
    found = {word: given[word].default for word in SHARED if word in given}
    assert found == {word: OTHERWISE.get((name, word), SHARED[word]) for word in found}


def test_every_exception_is_one():
    for (name, word), default in OTHERWISE.items():
        given = inspect.signature(registry().anonymizers[name]).parameters
        assert given[word].default == default != SHARED[word]


@pytest.mark.parametrize("word", SHARED)
def test_every_word_is_shared(word):
    named = [
        word in inspect.signature(method).parameters
        for method in registry().anonymizers.values()
    ]
    assert sum(named) > 1

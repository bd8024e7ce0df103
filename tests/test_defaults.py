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


OF_TABLES = set(SHARED) - {"random_state", "relabel", "keep_mapping"}
NOT_OF_SWAPS = {"suppression", "suppression_limit", "suppression_label"}
OF_GRAPHS = {"relabel", "keep_mapping", "random_state"}
ONE_METHOD = {("mondrian", "output"): "interval", ("mondrian", "boxes"): "tight",
              ("mondrian", "tie_side"): "both"}  # fmt: skip
OF_MODELS = {
    "sensitive": None,
    "multiple": "each",
    "missing_marks": None,
    "distance": "equal",
    "reference": "input",
    "empty": "ignore",
    "time_limit": 60.0,
}
WORST = {("q-anonymity", "aggregation"): "min", ("fuzzy-t-closeness", "reduce"): "max"}
THRESHOLDS = {"k", "l", "c", "t", "q", "alpha", "beta", "low", "high"}


@pytest.mark.parametrize("name", registry().anonymizers)
def test_every_method_takes_what_its_kind_shares(name):
    method = registry().anonymizers[name]
    needed = {
        "table": OF_TABLES, "linked": OF_TABLES - NOT_OF_SWAPS, "graph": OF_GRAPHS
    }[method.kind]  # fmt: skip
    assert needed <= set(inspect.signature(method).parameters)


@pytest.mark.parametrize(("name", "word"), ONE_METHOD)
def test_what_one_method_has_is_what_users_need(name, word):
    given = inspect.signature(registry().anonymizers[name]).parameters
    assert given[word].default == ONE_METHOD[name, word]


@pytest.mark.parametrize("name", registry().privacy_models)
def test_models_share_defaults_and_have_none_for_thresholds(name):
    given = inspect.signature(registry().privacy_models[name]).parameters
    found = {word: given[word].default for word in OF_MODELS if word in given}
    assert found == {word: OF_MODELS[word] for word in found}
    assert all(given[word].default is inspect.Parameter.empty
               for word in THRESHOLDS if word in given)  # fmt: skip


@pytest.mark.parametrize(("name", "word"), WORST)
def test_fuzzy_models_take_the_worst_answer(name, word):
    given = inspect.signature(registry().privacy_models[name]).parameters
    assert given[word].default == WORST[name, word]


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

"""Identifiers are found in labels however many there are and however written."""

from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.release import _identifiers
from anon_transformers.release._config import DeclaredRoles
from anon_transformers.release._identifiers import Names, identifier_faults

ROLES = DeclaredRoles(quasi_identifiers=("age",), identifiers=("name",))


class Counted(set):
    """A set that counts how often it is asked."""

    asked = 0

    def __contains__(self, text):
        type(self).asked += 1
        return super().__contains__(text)


def lookups(n, monkeypatch):
    """How often names are looked up among n labels for n names; half begin alike."""
    made = Names.at_least

    def counting(shortest, texts):
        names = made(shortest, texts)
        return replace(names, texts=Counted(names.texts))

    monkeypatch.setattr(_identifiers.Names, "at_least", counting)
    Counted.asked = 0
    source = pd.DataFrame({"name": [f"person number {i:06d}" for i in range(n)]})
    source["age"] = range(n)
    table = pd.DataFrame({"age": [f"person [{i}, {i + 5}) of {n}" for i in range(n)]})
    assert identifier_faults(source, table, ROLES, "labels") == []
    return Counted.asked


def test_names_are_not_tried_one_by_one(monkeypatch):
    few = lookups(250, monkeypatch)
    monkeypatch.undo()
    assert 0 < lookups(1000, monkeypatch) <= 5 * few


LETTERS = st.text("ab ", min_size=0, max_size=12)


@given(st.lists(LETTERS, max_size=8), st.lists(LETTERS, max_size=8), st.integers(1, 5))
def test_names_are_those_that_two_loops_find(names, labels, shortest):
    index = Names.at_least(shortest, names)
    long = [name for name in names if len(name) >= shortest]
    for label in labels:
        assert index.stand_in(label) == any(name in label for name in long)


@pytest.mark.parametrize("publishes", ["labels", "names"])
def test_a_name_within_a_label_is_found(publishes):
    source = pd.DataFrame({"name": ["Anna Smith", "Bob Jones"], "age": [20, 30]})
    table = pd.DataFrame({"age": ["set Anna Smith", "[20, 30)"]})
    told = identifier_faults(source, table, ROLES, publishes)
    assert told == ["column 'age' holds identifiers in 1 rows"]

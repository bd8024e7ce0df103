"""Values that change: where releases pass together, an intruder finds nobody."""

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from anon_transformers.ledger import PublishedClasses, judge_composition
from tests.ledger.changing_intruder import (
    n_changes,
    possible_values,
    told_by_difference,
)


@st.composite
def histories(draw, most_persons, most_releases):
    """Who is in which class with which value; blocks of persons do the same."""
    n_persons = draw(st.integers(4, most_persons))
    persons = range(n_persons)
    block = draw(st.lists(st.integers(0, 2), min_size=n_persons, max_size=n_persons))
    values = [draw(st.sampled_from("xyxyz")) for _ in persons]
    registers, worlds = [], []
    for _ in range(draw(st.integers(2, most_releases))):
        classes = [draw(st.sampled_from([0, 0, 1, None])) for _ in range(3)]
        there = {p: classes[block[p]] for p in persons if classes[block[p]] is not None}
        if not there:
            continue
        for person in draw(st.sets(st.sampled_from(persons), max_size=2)):
            values[person] = draw(st.sampled_from("xyz"))
        registers.append(there)
        worlds.append({person: values[person] for person in there})
    return registers, worlds


def shown(registers, worlds):
    """The tables, as the intruder has them."""
    return [
        sorted((cell, world[person]) for person, cell in register.items())
        for register, world in zip(registers, worlds, strict=True)
    ]


def judged(registers, worlds, k, l):  # noqa: E741 - the model's own name
    releases = [
        PublishedClasses(list(r), list(r.values()), {"ill": [w[p] for p in r]})
        for r, w in zip(registers, worlds, strict=True)
    ]
    return judge_composition(releases, k=k, l=l, sensitive={"ill": "changing"})


@settings(max_examples=400, deadline=None)
@given(history=histories(10, 4), k=st.integers(1, 3), l=st.integers(2, 3))
def test_no_difference_tells_true_values_of_persons(history, k, l):  # noqa: E741
    registers, worlds = history
    if not registers:
        return
    passed = judged(registers, worlds, k, l).passed
    exposing = 0
    for at, persons, rest in told_by_difference(shown(*history), registers):
        held = [worlds[at][person] for person in persons]
        exposing += len(rest) < l and sorted(rest.elements()) == sorted(held)
    event(f"passed {passed}, a difference exposes {bool(exposing)}")
    assert not (passed and exposing)


@settings(max_examples=100, deadline=None)
@given(history=histories(5, 3), l=st.integers(2, 3))
def test_nobody_is_known_to_whoever_knows_how_many_values_changed(history, l):  # noqa: E741
    registers, worlds = history
    if not registers or not judged(registers, worlds, 1, l).passed:
        return
    event("passed")
    changes = n_changes(worlds, registers)
    for found in possible_values(shown(*history), registers, changes):
        assert all(len(values) >= l for values in found.values())


@pytest.mark.parametrize("stay", [4, 5])
def test_who_moved_is_told_by_what_is_left_of_their_class(stay):
    """Four keep their values; all who went to another class had z."""
    first = dict.fromkeys("abcdefgh"[: stay + 2], 0)
    moved = {p: int(at >= stay) for at, p in enumerate(first)}
    values = dict(zip(first, "xyxyx"[:stay] + "zz", strict=True))
    later = {**values, **dict(zip(list(first)[stay:], "uv", strict=True))}
    report = judged([first, moved], [values, later], 2, 2)
    assert not report.passed
    assert report.reasons["difference"] == {"persons": 2, "groups": 1}

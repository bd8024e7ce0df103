"""Identifiers are found in labels however many there are and however written."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.release._declared_roles import DeclaredRoles
from anon_transformers.release._identifiers import (
    Identifiers,
    Names,
    SpreadNames,
    identifier_faults,
)

ROLES = DeclaredRoles(quasi_identifiers=("age",), identifiers=("name",))


class Counted(set):
    """A set that counts how often it is asked, and what it is walked through."""

    asked = 0

    def __contains__(self, text):
        type(self).asked += 1
        return super().__contains__(text)

    def __iter__(self):
        type(self).asked += len(self)
        return super().__iter__()


def lookups(n, monkeypatch):
    """How often names are looked up in n labels for n names; all begin alike."""
    made = Identifiers.of

    def counting(columns):
        known = made(columns)
        parts = {name: getattr(known, name) for name in ("within", "letters")}
        return replace(
            known,
            names=Counted(known.names),
            words=Counted(known.words),
            **{
                name: replace(part, texts=Counted(part.texts))
                for name, part in parts.items()
            },
        )

    monkeypatch.setattr(Identifiers, "of", counting)
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
    faults = identifier_faults(source, table, ROLES, publishes)
    assert faults == ["column 'age' holds identifiers in 1 rows"]


@pytest.mark.parametrize("publishes", ["labels", "names"])
@pytest.mark.parametrize(
    "name, label",
    [
        ("Anna Smith", "AnnaSmith"),
        ("Anna Smith", "SmithAnna"),
        ("Anna Smith", "Anna_Smith"),
        ("Anna Smith", "anna.smith"),
        ("Anna Smith", "ANNA-SMITH"),
        ("Anna Smith", "Smith, Anna"),
        ("Anna Smith", "set of Smith Anna, 20"),
        ("Anna Maria Smith", "Smith, Anna Maria"),
        ("AB-1234-X", "AB1234X"),
        ("AB-1234-X", "AB 1234 X"),
        ("AB-1234-X", "no. ab/1234/x"),
        ("AB1234X", "AB-1234-X"),
    ],
)
def test_an_identifier_is_found_however_it_is_written(name, label, publishes):
    source = pd.DataFrame({"name": [name, "Bob Jones"], "age": [20, 30]})
    for labels in ([label, "[20, 30)"], [f"{label} 7", f"{label} 8"]):
        faults = identifier_faults(
            source, pd.DataFrame({"age": labels}), ROLES, publishes
        )
        count = sum(label in text for text in labels)
        assert faults == [f"column 'age' holds identifiers in {count} rows"]


@pytest.mark.parametrize(
    "name, label",
    [
        ("Anna Smith", "Anna Jones, Bob Brow"),
        ("Anna Smith", "Smithson"),
        ("12-34-56", "[12, 3456)"),
        ("A 1", "a1"),
        ("Tina", "cat in a tree"),
    ],
)
def test_other_labels_hold_none(name, label):
    source = pd.DataFrame({"name": [name, "Bob Brown"], "age": [20, 30]})
    table = pd.DataFrame({"age": [label, label]})
    assert identifier_faults(source, table, ROLES, "labels") == []


@pytest.mark.parametrize("spelled", ["Paris", "PARIS", " paris."])
@pytest.mark.parametrize("rows, beyond", [(1, 0), (2, 0), (3, 1), (5, 3)])
def test_what_a_column_held_is_published_in_no_more_rows(rows, beyond, spelled):
    source = pd.DataFrame(
        {
            "name": ["Paris", "Bob", "Carl", "Dora", "Eve"],
            "age": ["x"] * 3 + ["Paris"] * 2,
        }
    )
    table = pd.DataFrame({"age": [spelled] * rows + ["x"] * (5 - rows)})
    faults = identifier_faults(source, table, ROLES, "names")
    assert faults == (
        [f"column 'age' holds identifiers in {beyond} rows"] if beyond else []
    )


FIRST = ["Anna", "Berta", "Carla", "Dora", "Emil", "Fritz", "Gustav", "Ida"]
LAST = ["Schneider", "Fischer", "Weber", "Wagner", "Becker", "Bauer", "Klein", "Wolf"]
PERSONS = [f"{first} {last}" for first in FIRST for last in LAST]
TWO = DeclaredRoles(quasi_identifiers=("age", "town"), identifiers=("name",))


def of_house(names):
    told = "; ".join("{} of house {}, cook".format(*n.split()) for n in names)
    return {"town": told, "age": "young"}


def in_two_columns(names):
    parts = [name.split() for name in names]
    return {"town": "/".join(p[0] for p in parts), "age": "/".join(p[1] for p in parts)}


def beside_a_set(names):
    words = ", ".join(f"{n.split()[1]} called {n.split()[0]} too" for n in names)
    return {"town": f"{{Rome, {words}}}", "age": "[20, 30)"}


@pytest.mark.parametrize("publishes", ["labels", "names"])
@pytest.mark.parametrize("lie", [of_house, in_two_columns, beside_a_set])
def test_words_of_a_name_are_found_wherever_they_stand_in_a_row(lie, publishes):
    source = pd.DataFrame({"name": PERSONS, "age": 20, "town": "Rome"})
    labels = [lie(PERSONS[at : at + 5]) for at in range(0, 60, 5) for _ in range(5)]
    (fault,) = identifier_faults(source, pd.DataFrame(labels), TWO, publishes)
    assert fault == "columns 'age', 'town' hold the words of identifiers in 60 rows"


def test_one_name_is_enough():
    source = pd.DataFrame({"name": PERSONS, "age": 20, "town": "Rome"})
    table = pd.DataFrame({"age": "young", "town": ["Rome"] * 59 + ["Ida, ah Wolf"] * 5})
    (fault,) = identifier_faults(source, table, TWO, "names")
    assert fault.endswith("in 5 rows")


def test_towns_that_are_names_are_published():
    # Every town is somebody's last name, and some are first names too.
    towns = ["Ida", "Rome", *LAST, "Bonn", "Emil"]
    source = pd.DataFrame({"name": PERSONS, "age": 20})
    source["town"] = [towns[i % 12] for i in range(64)]
    table = source.assign(age="young", town="{" + ", ".join(towns) + "}")
    assert identifier_faults(source, table, TWO, "labels") == []
    # Some are called by a town and by the word for an age.
    names = ["Young" if i < 8 else FIRST[i % 8] for i in range(64)]
    source["name"] = [f"{name} {LAST[i % 8]}" for i, name in enumerate(names)]
    assert identifier_faults(source, table, TWO, "names") == []


def test_names_that_are_spread_are_looked_for_by_their_rarest_word():
    names = pd.Series([f"f{i % 300}x l{i // 300}x" for i in range(12_000)])
    by_word = SpreadNames.of([names], set()).by_word
    assert len(by_word) == 300  # first names are rarer than the 40 last names
    assert {len(found) for found in by_word.values()} == {40}


def test_short_numbers_of_persons_are_ages_too():
    source = pd.DataFrame({"name": range(20, 40), "age": [*range(25, 35)] * 2})
    table = pd.DataFrame({"age": ["25"] * 20})
    assert identifier_faults(source, table, ROLES, "labels") == []


def test_the_subject_is_an_identifier():
    roles = DeclaredRoles(quasi_identifiers=("age",), subject="who")
    source = pd.DataFrame({"who": ["Anna Smith", "Bob Jones"], "age": [20, 30]})
    table = pd.DataFrame({"age": ["Anna Smith", "*"]})
    faults = identifier_faults(source, table, roles, "labels")
    assert faults == ["column 'age' holds identifiers in 1 rows"]


SSN = [f"{i + 12:03d}-{i % 90 + 10}-{7000 + i}" for i in range(60)]
HIDDEN = {
    "end": lambda digits: f"[0, {int(digits)}]",
    "negative": lambda digits: f"[-{int(digits)}, 120]",
    "behind the point": lambda digits: f"[0.{digits}, 120]",
    "behind a number": lambda digits: f"[0, 120.{digits}]",
    "mean": lambda digits: 22 + int(digits) / 1e9,
}


@pytest.mark.parametrize("publishes", ["labels", "centers"])
@pytest.mark.parametrize("way", HIDDEN)
def test_numbers_of_persons_are_no_ends_and_no_means(way, publishes):
    source = pd.DataFrame({"name": SSN, "age": [20 + i // 4 for i in range(60)]})
    hidden = [HIDDEN[way](SSN[i // 20].replace("-", "")) for i in range(60)]
    found = identifier_faults(source, pd.DataFrame({"age": hidden}), ROLES, publishes)
    assert found == ["column 'age' holds identifiers in 60 rows"]


def test_names_of_sets_hold_no_digits_that_commas_divide():
    source = pd.DataFrame({"name": SSN, "age": range(60)})
    for label in ("012, 10, 7000", "0, 1, 2, 1, 0, 7, 0, 0, 0"):
        table = pd.DataFrame({"age": [label] * 60})
        assert identifier_faults(source, table, ROLES, "names")
    assert not identifier_faults(
        source, pd.DataFrame({"age": ["1, 2"]}), ROLES, "names"
    )


def test_an_end_may_be_a_number_in_a_row_of_identifiers():
    """Incomes in steps of 100 meet customers 100000 to 105999, as any number does."""
    source = pd.DataFrame({"name": range(100_000, 106_000), "age": 7})
    lows = range(90_000, 150_000, 100)
    table = pd.DataFrame({"age": [f"[{low}, {low + 100})" for low in lows]})
    assert identifier_faults(source, table, ROLES, "labels") == []
    # A step of 10,000 meets one of two customers by no chance.
    few = pd.DataFrame({"name": [120_000, 987_654_321], "age": 7})
    table = pd.DataFrame({"age": ["[110000, 120000)", "[120000, 130000)"] * 9})
    assert identifier_faults(few, table, ROLES, "labels") == [
        "column 'age' holds identifiers in 18 rows"
    ]


@pytest.mark.parametrize("step, cut", [(1, 100), (100, 1000), (500, 500), (7, 25)])
def test_cuts_meet_identifiers_on_a_grid(step, cut):
    source = pd.DataFrame({"name": range(100_000, 100_000 + 2000 * step, step)})
    ends = range(90_000, 120_000, cut)
    table = pd.DataFrame({"age": [f"[{low}, {low + cut})" for low in ends]})
    assert identifier_faults(source.assign(age=7), table, ROLES, "labels") == []


@pytest.mark.parametrize("k", [5, 16, 32])
def test_honest_means_meet_identifiers_by_chance(k):
    rng = np.random.default_rng(0)
    names = rng.choice(np.arange(100_000, 1_000_000), 16_000, replace=False)
    pay = rng.integers(1000, 20_000, 16_000) / 100
    means = pay.reshape(-1, k).mean(axis=1).repeat(k)
    source = pd.DataFrame({"name": names, "age": pay})
    table = pd.DataFrame({"age": means})
    assert identifier_faults(source, table, ROLES, "centers") == []


def test_an_end_may_be_a_value_of_the_source():
    source = pd.DataFrame({"name": [120_000, 987_654_321], "age": [120_000, 130_000]})
    table = pd.DataFrame({"age": ["[120000, 130000]"] * 2})
    assert identifier_faults(source, table, ROLES, "labels") == []
